import type { Action } from "../../model/action.ts";
import { formatPlace } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import { formatSubject } from "../../model/subject.ts";
import { plain, type ReadSummary } from "../outcome.ts";
import { formatCount } from "../phrases.ts";
import { type PlanNames, planNames } from "../plan-summary.ts";
import { actionName } from "../text/actions.ts";
import { emptiedKeys, residualAccess } from "../text/findings.ts";
import { renderLines } from "../text/lines.ts";
import { reasonLines } from "../text/reasons.ts";
import { callNumbers, dependencyNumbers, formatRanges } from "../views/calls.ts";
import { code, codes, fenced, prose } from "./safe-markdown.ts";
import { type Section, tableHead, tableRow } from "./sections.ts";

/** So many calls are told with all their reasons. */
const maxReasons = 40;

/** The calls in their order, and why each is planned; both folded. */
export function callSections(plan: Plan, reading: ReadSummary | undefined, whole: string): readonly Section[] {
  if (plan.actions.length === 0) return [];
  const names = planNames(plan);
  const numbers = callNumbers(plan);
  const reasons = plan.actions.slice(0, maxReasons).map((action) => reasonBlock(action, { names, numbers, reading }));
  const untold = plan.actions.length - reasons.length;
  return [
    {
      title: `Calls, in an order in which they can run (${plan.actions.length})`,
      is: "folded",
      before: tableHead(["call", "what", "after", "asked for at"]),
      rows: plan.actions.map((action) => callRow(action, { names, numbers })),
      rank: 70,
      more: (count) => `… and ${formatCount(count, "more call")}: ${whole}`,
      between: "nothing",
    },
    {
      title: `Why each of ${untold === 0 ? "these" : `the first ${maxReasons} of these`} calls is planned`,
      is: "folded",
      before: [],
      rows: reasons,
      rank: 90,
      more: (count) => `… ${count} of them are left out: ${whole}`,
      between: "a-line",
    },
  ];
}

interface CallRowContext {
  readonly names: PlanNames;
  readonly numbers: ReadonlyMap<string, number>;
}

function callRow(action: Action, { names, numbers }: CallRowContext): string {
  const places = [...new Set(action.because.map(formatPlace))];
  const after = formatRanges(dependencyNumbers(action, numbers));
  return tableRow([`${numbers.get(action.id) ?? 0}`, prose(actionName(action, names)), after, codes(places, 2)]);
}

function reasonBlock(action: Action, context: CallRowContext & { readonly reading: ReadSummary | undefined }): string {
  const { names, numbers, reading } = context;
  const readings = reading === undefined ? {} : { readings: reading.readings };
  const text = renderLines(reasonLines(action, { names, ...readings, indent: 0 }), plain);
  const title = `${code(`${numbers.get(action.id) ?? 0}`)} ${prose(actionName(action, names))}`;
  return `${title}\n\n${fenced(text, { language: "text" })}`;
}

/** What blocks: access that is held although the roster denies it, then everything else, each with what a person can do. */
export function blockingSections(
  findings: readonly Finding[],
  whole: string,
  actions: readonly Action[] = [],
): readonly Section[] {
  const held = residualAccess(findings);
  const others = findings.filter((finding) => finding.blocking && !held.includes(finding));
  return [
    findingTable(
      `Access that is held against the roster, and that no call can take (${held.length})`,
      held,
      10,
      whole,
      (finding) => formatEmptiedKeys(emptiedKeys(finding, actions)),
    ),
    findingTable(`Blocking findings: what the roster asks for and does not get (${others.length})`, others, 11, whole),
  ].filter(({ rows }) => rows.length > 0);
}

/** Notices, and YAML that a finding offers as a way out; folded. */
export function collapsedFindings(findings: readonly Finding[], whole: string): readonly Section[] {
  const notices = findings.filter(({ blocking }) => !blocking);
  const offers = findings.flatMap(({ subject, suggestedYaml }) =>
    suggestedYaml === undefined
      ? []
      : [`${code(formatSubject(subject))}:\n\n${fenced(suggestedYaml, { language: "yaml" })}`],
  );
  const folded: readonly Section[] = [
    {
      title: `YAML to paste for ${formatCount(offers.length, "finding")}`,
      is: "folded",
      before: [],
      rows: offers,
      rank: 60,
      more: (count) => `… and ${count} more: ${whole}`,
      between: "a-line",
    },
    { ...findingTable(`Notices (${notices.length})`, notices, 80, whole), is: "folded" },
  ];
  return folded.filter(({ rows }) => rows.length > 0);
}

/** What a plan takes all the same. */
function formatEmptiedKeys(prefixes: readonly string[]): string {
  if (prefixes.length === 0) return "";
  return ` **This plan leaves ${prefixes.length === 1 ? "the key" : "the keys"} ${codes(prefixes)} without roles.**`;
}

function findingTable(
  title: string,
  findings: readonly Finding[],
  rank: number,
  whole: string,
  besides: (finding: Finding) => string = () => "",
): Section {
  return {
    title,
    is: "open",
    before: tableHead(["about", "what and why, and what to do", "where"]),
    rows: findings.map((finding) => findingRow(finding, besides(finding))),
    rank,
    more: (count) => `… and ${formatCount(count, "more finding")}: ${whole}`,
    between: "nothing",
  };
}

function findingRow({ subject, code: name, message, because, allow = [] }: Finding, besides: string): string {
  const unsaid = allow.filter((word) => !message.includes(word)).map((word) => `--allow ${word}`);
  const way = unsaid.length === 0 ? "" : ` It passes with ${codes(unsaid)}.`;
  const places = codes([...new Set(because.map(formatPlace))], 2);
  return tableRow([code(formatSubject(subject)), `${code(name)}: ${prose(message)}${way}${besides}`, places]);
}
