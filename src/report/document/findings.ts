import { isAccepted } from "../../model/accept.ts";
import { type Action, prefixOf, teamOf } from "../../model/action.ts";
import { needsReason } from "../../model/allowance.ts";
import { formatPlace } from "../../model/fact.ts";
import { type Finding, type FindingCode, isOpenProblem } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import { formatSubject } from "../../model/subject.ts";
import { firstOf, formatCount, formatCounts, truncateList } from "../phrases.ts";
import {
  andMore,
  codeBody,
  type Inline,
  type Line,
  listInline,
  phrase,
  prose,
  row,
  type Section,
  words,
} from "./blocks.ts";
import { acceptedGroups, acceptedNotes, type Entry, type EntryGroup, entryLines, ownershipNotes } from "./entries.ts";

/** How many places after the first are shown one by one. */
const maxPlaces = 5;

const maxKeys = 10;

/** What is accepted about privileged roles and guards, what needs manual action, what else is accepted, then notices. `actions`: those of the plan that they are of. */
export function findingGroups(
  findings: readonly Finding[],
  { actions = [], by = "" }: { readonly actions?: readonly Action[]; readonly by?: string } = {},
): readonly EntryGroup[] {
  const entries = (list: readonly Finding[]) => list.map((finding) => findingEntry(finding, actions));
  const [guarded, accepted] = acceptedGroups(findings, entries);
  const notices = findings.filter((finding) => finding.kind === "notice" && !isAccepted(finding));
  return [
    guarded,
    { title: `Needs manual action${by}`, is: "open", rank: 10, entries: entries(findings.filter(isOpenProblem)) },
    accepted,
    { title: `Notices${by}`, is: "folded", rank: 80, entries: entries(notices) },
  ];
}

/** `2 problems need manual action, 1 accepted, 1 notice`, without counts that are 0. */
export function findingCounts(findings: readonly Finding[]): string {
  const blocking = findings.filter(isOpenProblem).length;
  const accepted = findings.filter(isAccepted).length;
  return formatCounts(
    [blocking, "problem needs manual action", "problems need manual action"],
    [accepted, "accepted", "accepted"],
    [findings.length - blocking - accepted, "notice"],
  ).join(", ");
}

/** A whole finding, the keys that the plan empties because of it, and the first few of its places. */
export function findingLines(finding: Finding, actions: readonly Action[] = []): readonly Line[] {
  return entryLines(findingEntry(finding, actions));
}

export function findingEntry(finding: Finding, actions: readonly Action[] = []): Entry {
  const { subject, code, kind, message, because, ownership } = finding;
  const severity = isAccepted(finding) ? "accepted" : kind === "task" ? "problem" : "notice";
  return {
    ink: severity === "problem" ? "alarm" : "change",
    mark: "!",
    about: phrase`${formatSubject(subject)}`,
    what: { is: "code", text: code, severity },
    notes: [{ spans: [message] }, ...emptiedNotes(emptiedKeys(finding, actions)), ...ownershipNotes(ownership)],
    ...acceptedNotes([finding]),
    details: findingDetailLines(finding),
    places: because,
    of: finding,
  };
}

/** Other places of a finding, and YAML that corrects it. */
export function findingDetailLines(finding: Finding): readonly Line[] {
  return [...otherPlaces(finding), ...yamlLines(finding.suggestedYaml)];
}

function emptiedNotes(prefixes: readonly string[]): Entry["notes"] {
  if (prefixes.length === 0) return [];
  const keys = words(prefixes.length === 1 ? "the key" : "the keys");
  const { shown, more } = firstOf(prefixes, maxKeys);
  const names = [...shown.map((prefix) => phrase`${prefix}`), ...(more === 0 ? [] : [words(`${more} more`)])];
  return [{ ink: "strong", spans: phrase`This plan leaves ${keys} ${listInline(names)} without roles.` }];
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
  const flags = [...new Set(allowed.map((word) => `--allow ${word}`)), ...reasonFlag(allowed)];
  return ["roster apply", ...repeats, ...flags].join(" ");
}

/** With which words a person has to say why. */
export function reasonFlag(allowed: readonly string[]): readonly string[] {
  return allowed.some(needsReason) ? ["--reason TEXT"] : [];
}

/** The command that allows all findings that can be allowed, besides what is allowed already. Undefined where none can. */
export function allowanceCommand(
  { findings, allowed = [] }: Pick<Plan, "findings" | "allowed">,
  repeats?: readonly string[],
): { readonly what: string; readonly line: string } | undefined {
  const offered = [...new Set(findings.flatMap(({ allow = [] }) => allow))];
  if (offered.length === 0) return undefined;
  const line = formatApplyCommand([...allowed.map(({ code }) => code), ...offered], repeats);
  return {
    what: offered.length === 1 ? "it" : offered.length === 2 ? "both exceptions" : `all ${offered.length} exceptions`,
    line,
  };
}

/** For a review, which has no room for them in its tables: YAML that corrects findings, and the command that allows them. */
export function remedySections(
  plan: Pick<Plan, "findings" | "allowed">,
  whole: Inline,
  repeats?: readonly string[],
): readonly Section[] {
  const offers = plan.findings.flatMap(({ subject, suggestedYaml }) =>
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
    ...allowanceSections(allowanceCommand(plan, repeats)),
  ];
}

function allowanceSections(command: ReturnType<typeof allowanceCommand>): readonly Section[] {
  if (command === undefined) return [];
  const title = `To allow ${command.what}`;
  const leftOut = () => phrase`The findings above name each --allow.`;
  return [{ title, is: "folded", body: codeBody(`${command.line}\n`), rank: 61, leftOut }];
}

/** Findings about extra access, which must be removed manually, and all others. */
export function splitResidualAccess(
  findings: readonly Finding[],
): Readonly<Record<"residual" | "others", readonly Finding[]>> {
  return {
    residual: findings.filter(isResidualAccess),
    others: findings.filter((finding) => !isResidualAccess(finding)),
  };
}

function isResidualAccess({ code, kind }: Finding): boolean {
  return kind === "task" && residualAccessCodes.has(code);
}

/** Prefixes of the keys that a plan leaves without roles and that belong to the person of such a finding. None for other findings. */
function emptiedKeys(finding: Finding, actions: readonly Action[]): readonly string[] {
  const { subject } = finding;
  if (!isResidualAccess(finding)) return [];
  return actions.flatMap((action) => {
    if (action.kind !== "replace-roles" || action.roles.length > 0) return [];
    const { address } = action.key;
    const prefix = prefixOf(action);
    const isAbout =
      (subject.kind === "user" && subject.address === address) ||
      (subject.kind === "member" && subject.address === address && subject.team === teamOf(action));
    return prefix !== undefined && isAbout ? [prefix] : [];
  });
}

const residualAccessCodes: ReadonlySet<FindingCode> = new Set([
  "leaver-remains",
  "extra-member",
  "user-removed",
  "unmanaged-privilege",
  // Blocking only where a privileged role stays on the key.
  "roles-kept-by-service",
]);
