import type { Finding } from "../model/finding.ts";
import { showPlace } from "../model/place.ts";
import { type Line, prose, row } from "./lines.ts";
import { counted } from "./words.ts";

/** How many places beside the first are told one by one. */
const mostPlaces = 5;

/** Every finding, blocking ones first, under a heading that counts them. */
export function findingsLines(title: string, findings: readonly Finding[]): readonly Line[] {
  if (findings.length === 0) return [];
  const blocking = findings.filter((finding) => finding.blocking);
  const notices = findings.filter((finding) => !finding.blocking);
  const heading = row(0, [{ ink: "strong", text: `${title}: ${findingCounts(findings)}` }]);
  return [heading, ...[...blocking, ...notices].flatMap(findingLines)];
}

/** `2 blocking findings, 1 notice`, without the part that is none. */
export function findingCounts(findings: readonly Finding[]): string {
  const blocking = findings.filter((finding) => finding.blocking).length;
  const notices = findings.length - blocking;
  const parts = [
    ...(blocking === 0 ? [] : [counted(blocking, "blocking finding")]),
    ...(notices === 0 ? [] : [counted(notices, "notice")]),
  ];
  return parts.join(", ");
}

/** What a finding is about, its code and its first place. */
export function findingTitle(finding: Finding): Line {
  const [place] = finding.because;
  const ink = finding.blocking ? "alarm" : "change";
  const title = finding.blocking ? finding.code : `${finding.code} (notice)`;
  const pieces = [{ ink, text: "!" } as const, ` ${finding.subject}: `, { ink, text: title } as const];
  return row(2, pieces, place && showPlace(place));
}

/** A finding with all that it says, and the first few of its places. */
export function findingLines(finding: Finding): readonly Line[] {
  return [
    findingTitle(finding),
    prose(6, finding.message),
    ...otherPlaces(finding),
    ...yamlLines(finding.suggestedYaml),
  ];
}

/** A chain may have thousands of links. */
function otherPlaces({ because }: Finding): readonly Line[] {
  const [, ...others] = new Set(because.map(showPlace));
  if (others.length === 0) return [];
  const told = others.length <= mostPlaces + 1 ? others : others.slice(0, mostPlaces);
  const more = others.length - told.length;
  return [prose(6, `see also ${told.join(", ")}${more === 0 ? "" : ` and ${more} more`}`, "dim")];
}

function yamlLines(yaml: string | undefined): readonly Line[] {
  if (yaml === undefined) return [];
  return yaml
    .replace(/\n+$/, "")
    .split("\n")
    .map((line) => row(8, [line]));
}
