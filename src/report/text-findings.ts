import type { Finding } from "../model/finding.ts";
import { showPlace } from "../model/place.ts";
import { type Line, prose, row } from "./lines.ts";
import { counted } from "./words.ts";

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

/** A finding with all that it says. */
export function findingLines(finding: Finding): readonly Line[] {
  const others = finding.because.slice(1);
  return [
    findingTitle(finding),
    prose(6, finding.message),
    ...(others.length === 0 ? [] : [prose(6, `see also ${others.map(showPlace).join(", ")}`, "dim")]),
    ...yamlLines(finding.suggestedYaml),
  ];
}

function yamlLines(yaml: string | undefined): readonly Line[] {
  if (yaml === undefined) return [];
  return yaml
    .replace(/\n+$/, "")
    .split("\n")
    .map((line) => row(8, [line]));
}
