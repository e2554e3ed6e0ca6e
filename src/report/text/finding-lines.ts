import type { Action } from "../../model/action.ts";
import type { Finding } from "../../model/finding.ts";
import { formatPlace } from "../../model/place.ts";
import { keysEmptied } from "../access/held-access.ts";
import { counted, listed } from "../words.ts";
import { type Line, prose, row } from "./lines.ts";

/** How many places beside the first are told one by one. */
const mostPlaces = 5;

const mostKeys = 10;

/** Every finding, blocking ones first, under a heading that counts them. `actions`: those of the plan that they are of. */
export function findingsLines(
  title: string,
  findings: readonly Finding[],
  actions: readonly Action[] = [],
): readonly Line[] {
  if (findings.length === 0) return [];
  const heading = row(0, [{ ink: "strong", text: `${title}: ${findingCounts(findings)}` }]);
  return [heading, ...blockingFirst(findings).flatMap((finding) => findingLines(finding, actions))];
}

/** Blocking findings and then notices, each in their order. */
export function blockingFirst(findings: readonly Finding[]): readonly Finding[] {
  return [...findings.filter(({ blocking }) => blocking), ...findings.filter(({ blocking }) => !blocking)];
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
  return row(2, pieces, place && formatPlace(place));
}

/** A finding with all that it says, what the plan does about it all the same, and the first few of its places. */
export function findingLines(finding: Finding, actions: readonly Action[] = []): readonly Line[] {
  return [
    findingTitle(finding),
    prose(6, finding.message),
    ...emptiedLines(keysEmptied(finding, actions)),
    ...otherPlaces(finding),
    ...yamlLines(finding.suggestedYaml),
  ];
}

function emptiedLines(prefixes: readonly string[]): readonly Line[] {
  if (prefixes.length === 0) return [];
  const keys = prefixes.length === 1 ? "the key" : "the keys";
  const more = prefixes.length - mostKeys;
  const told = more <= 1 ? prefixes : [...prefixes.slice(0, mostKeys), `${more} more`];
  return [prose(6, `This plan leaves ${keys} ${listed(told)} without roles.`, "strong")];
}

/** A chain may have thousands of links. */
function otherPlaces({ because }: Finding): readonly Line[] {
  const [, ...others] = new Set(because.map(formatPlace));
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
