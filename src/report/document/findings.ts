import type { Action } from "../../model/action.ts";
import { factValue, formatPlace } from "../../model/fact.ts";
import type { Finding, FindingCode } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import { formatSubject } from "../../model/subject.ts";
import { firstOf, formatCount, formatCounts, formatList, truncateList } from "../phrases.ts";
import { placesCell } from "./actions.ts";
import {
  andMore,
  headed,
  type Inline,
  type Line,
  phrase,
  prose,
  row,
  type Section,
  strong,
  values,
  words,
} from "./blocks.ts";

/** How many places after the first are shown one by one. */
const maxPlaces = 5;

const maxKeys = 10;

/** What needs manual action, then notices, each under a heading that counts them. `actions`: those of the plan that they are of. */
export function findingListLines(
  findings: readonly Finding[],
  { actions = [], by = "" }: { readonly actions?: readonly Action[]; readonly by?: string } = {},
): readonly (readonly Line[])[] {
  const blocking = findings.filter((finding) => finding.blocking);
  const notices = findings.filter((finding) => !finding.blocking);
  const lines = (list: readonly Finding[]) => list.flatMap((finding) => findingLines(finding, actions));
  return [
    headed(`Needs manual action${by}: ${blocking.length}`, lines(blocking)),
    headed(`Notices${by}: ${notices.length}`, lines(notices)),
  ];
}

/** `2 problems need manual action, 1 notice`, without counts that are 0. */
export function findingCounts(findings: readonly Finding[]): string {
  const blocking = findings.filter((finding) => finding.blocking).length;
  return formatCounts(
    [blocking, "problem needs manual action", "problems need manual action"],
    [findings.length - blocking, "notice"],
  ).join(", ");
}

/** What a finding is about, its code and its first place. */
export function findingTitle(finding: Finding): Line {
  const [place] = finding.because;
  const ink = finding.blocking ? "alarm" : "change";
  const title = finding.blocking ? finding.code : `${finding.code} (notice)`;
  const pieces = [{ ink, text: "!" } as const, ` ${formatSubject(finding.subject)}: `, { ink, text: title } as const];
  return row(2, pieces, place && formatPlace(place));
}

/** A whole finding, the keys that the plan empties because of it, and the first few of its places. */
export function findingLines(finding: Finding, actions: readonly Action[] = []): readonly Line[] {
  return [findingTitle(finding), prose(6, finding.message), ...findingDetailLines(finding, actions)];
}

/** What follows the message of a finding. */
export function findingDetailLines(finding: Finding, actions: readonly Action[] = []): readonly Line[] {
  return [...emptiedLines(emptiedKeys(finding, actions)), ...otherPlaces(finding), ...yamlLines(finding.suggestedYaml)];
}

function emptiedLines(prefixes: readonly string[]): readonly Line[] {
  if (prefixes.length === 0) return [];
  const keys = prefixes.length === 1 ? "the key" : "the keys";
  const { shown, more } = firstOf(prefixes, maxKeys);
  const names = more === 0 ? shown : [...shown, `${more} more`];
  return [prose(6, `This plan leaves ${keys} ${formatList(names)} without roles.`, "strong")];
}

/** A chain may have thousands of links. */
function otherPlaces({ because }: Finding): readonly Line[] {
  const [, ...others] = new Set(because.map(formatPlace));
  if (others.length === 0) return [];
  return [prose(6, `see also ${truncateList(others, maxPlaces)}`, "dim")];
}

function yamlLines(yaml: string | undefined): readonly Line[] {
  if (yaml === undefined) return [];
  return yaml
    .replace(/\n+$/, "")
    .split("\n")
    .map((line) => row(8, [line]));
}

/** `roster apply` as it is to be typed: with the arguments that it repeats, and what it allows. */
export function formatApplyCommand(allowed: readonly string[], repeats: readonly string[] = []): string {
  return ["roster apply", ...repeats, ...new Set(allowed.map((word) => `--allow ${word}`))].join(" ");
}

/** The command that allows all findings that can be allowed, besides what is allowed already. Undefined where none can. */
export function allowanceCommand(
  { findings, allowed = [] }: Pick<Plan, "findings" | "allowed">,
  repeats?: readonly string[],
): { readonly what: string; readonly line: string } | undefined {
  const offered = [...new Set(findings.flatMap(({ allow = [] }) => allow))];
  if (offered.length === 0) return undefined;
  const line = formatApplyCommand([...allowed, ...offered], repeats);
  return {
    what: offered.length === 1 ? "it" : offered.length === 2 ? "both exceptions" : `all ${offered.length} exceptions`,
    line,
  };
}

/** For a review: what needs manual action. Access against the roster first, then all others. */
export function findingSections(
  findings: readonly Finding[],
  whole: Inline,
  actions: readonly Action[] = [],
): readonly Section[] {
  const held = residualAccess(findings);
  const others = findings.filter((finding) => finding.blocking && !held.includes(finding));
  const rows = [
    ...held.map((finding) => findingRow(finding, emptiedKeys(finding, actions))),
    ...others.map((finding) => findingRow(finding)),
  ];
  return [findingSection(`Needs manual action (${rows.length})`, rows, whole, { is: "open", rank: 10 })];
}

/** For a review, folded: YAML that corrects findings, and notices. */
export function foldedFindingSections(
  plan: Pick<Plan, "findings" | "allowed">,
  whole: Inline,
  repeats?: readonly string[],
): readonly Section[] {
  const { findings } = plan;
  const notices = findings.filter(({ blocking }) => !blocking).map((finding) => findingRow(finding));
  const offers = findings.flatMap(({ subject, suggestedYaml }) =>
    suggestedYaml === undefined ? [] : [{ subject, lines: suggestedYaml }],
  );
  return [
    {
      title: `YAML to paste for ${formatCount(offers.length, "finding")}`,
      is: "folded",
      body: {
        kind: "stack",
        entries: offers.map(({ subject, lines }) => [
          { kind: "paragraph", spans: phrase`${formatSubject(subject)}:` },
          { kind: "code", language: "yaml", lines },
        ]),
      },
      rank: 60,
      leftOut: andMore(whole),
    },
    findingSection(`Notices (${notices.length})`, notices, whole, { is: "folded", rank: 80 }),
    ...allowanceSections(allowanceCommand(plan, repeats)),
  ];
}

function allowanceSections(command: ReturnType<typeof allowanceCommand>): readonly Section[] {
  if (command === undefined) return [];
  const lines = `${command.line}\n`;
  return [
    {
      title: `To allow ${command.what}, for this plan only`,
      is: "folded",
      body: { kind: "stack", entries: [[{ kind: "code", language: "text", lines }]] },
      rank: 61,
      leftOut: () => phrase`The findings above name each --allow.`,
    },
  ];
}

function findingSection(
  title: string,
  rows: readonly (readonly Inline[])[],
  whole: Inline,
  options: Pick<Section, "is" | "rank">,
): Section {
  return {
    title,
    body: { kind: "table", columns: ["about", "why, and what to do", "where"], rows },
    leftOut: andMore(whole, "more finding"),
    ...options,
  };
}

function findingRow({ subject, code, message, because }: Finding, emptied: readonly string[] = []): readonly Inline[] {
  const keys = emptied.length === 1 ? "the key" : "the keys";
  const leaves =
    emptied.length === 0
      ? []
      : phrase` ${strong(phrase`This plan leaves ${words(keys)} ${values(emptied)} without roles.`)}`;
  return [phrase`${formatSubject(subject)}`, phrase`${code}: ${[message]}${leaves}`, placesCell(because)];
}

/** Findings about extra access, which must be removed manually. */
export function residualAccess(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ code, blocking }) => blocking && residualAccessCodes.has(code));
}

/** Prefixes of the keys that a plan leaves without roles and that belong to the person of such a finding. None for other findings. */
function emptiedKeys(finding: Finding, actions: readonly Action[]): readonly string[] {
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
  "user-removed",
  "unmanaged-privilege",
  "unmanaged-key-privilege",
  // Blocking only where a privileged role stays on the key.
  "roles-kept-by-service",
]);
