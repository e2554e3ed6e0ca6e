import type { Action } from "../../model/action.ts";
import { factValue, formatPlace } from "../../model/fact.ts";
import type { Finding, FindingCode } from "../../model/finding.ts";
import { formatSubject } from "../../model/subject.ts";
import { formatCount, formatList } from "../phrases.ts";
import { type Line, prose, row } from "./lines.ts";

/** How many places beside the first are told one by one. */
const maxPlaces = 5;

const maxKeys = 10;

/** Every finding, blocking ones first, under a heading that counts them. `actions`: those of the plan that they are of. */
export function findingListLines(
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
    ...(blocking === 0 ? [] : [formatCount(blocking, "blocking finding")]),
    ...(notices === 0 ? [] : [formatCount(notices, "notice")]),
  ];
  return parts.join(", ");
}

/** What a finding is about, its code and its first place. */
export function findingTitle(finding: Finding): Line {
  const [place] = finding.because;
  const ink = finding.blocking ? "alarm" : "change";
  const title = finding.blocking ? finding.code : `${finding.code} (notice)`;
  const pieces = [{ ink, text: "!" } as const, ` ${formatSubject(finding.subject)}: `, { ink, text: title } as const];
  return row(2, pieces, place && formatPlace(place));
}

/** A finding with all that it says, what the plan does about it all the same, and the first few of its places. */
export function findingLines(finding: Finding, actions: readonly Action[] = []): readonly Line[] {
  return [
    findingTitle(finding),
    prose(6, finding.message),
    ...emptiedLines(emptiedKeys(finding, actions)),
    ...otherPlaces(finding),
    ...yamlLines(finding.suggestedYaml),
  ];
}

function emptiedLines(prefixes: readonly string[]): readonly Line[] {
  if (prefixes.length === 0) return [];
  const keys = prefixes.length === 1 ? "the key" : "the keys";
  const more = prefixes.length - maxKeys;
  const told = more <= 1 ? prefixes : [...prefixes.slice(0, maxKeys), `${more} more`];
  return [prose(6, `This plan leaves ${keys} ${formatList(told)} without roles.`, "strong")];
}

/** A chain may have thousands of links. */
function otherPlaces({ because }: Finding): readonly Line[] {
  const [, ...others] = new Set(because.map(formatPlace));
  if (others.length === 0) return [];
  const told = others.length <= maxPlaces + 1 ? others : others.slice(0, maxPlaces);
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

/** Findings of which each says that somebody holds access that the roster denies. No call of the plan can take it. */
export function residualAccess(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ code, blocking }) => blocking && residualAccessCodes.has(code));
}

/** Prefixes of the keys that a plan leaves without roles, of whom such a finding is about; none for other findings. */
export function emptiedKeys(finding: Finding, actions: readonly Action[]): readonly string[] {
  const { subject } = finding;
  if (residualAccess([finding]).length === 0) return [];
  return actions.flatMap((action) => {
    if (action.kind !== "replace-roles" || action.owner === undefined || action.roles.length > 0) return [];
    const { key, owner } = action;
    const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
    const isAbout =
      (subject.kind === "user" && subject.address === owner.address) ||
      (subject.kind === "member" &&
        subject.address === owner.address &&
        key.of === "prefix" &&
        subject.team === key.team?.team);
    return prefix !== undefined && isAbout ? [prefix] : [];
  });
}

const residualAccessCodes: ReadonlySet<FindingCode> = new Set([
  "leaver-remains",
  "leaver-unproven",
  "extra-member",
  "dropped",
  "unmanaged-privilege",
  "unlisted-key-privilege",
  // Blocking only where a privileged role stays on the key.
  "roles-implied",
]);
