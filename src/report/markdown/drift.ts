import { type DriftItem, driftClasses } from "../../model/drift.ts";
import { formatPlace } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import { formatSubject } from "../../model/subject.ts";
import { type DriftReport, formatAcknowledgement, reportedItems } from "../drift.ts";
import { type PlanNames, planNames } from "../plan-summary.ts";
import { actionName } from "../text/actions.ts";
import { driftHeadings } from "../text/drift.ts";
import { code, codes, prose } from "./safe-markdown.ts";
import { type Section, tableHead, tableRow } from "./sections.ts";

/** In what the service differs, class by class, the worst first; what was acknowledged is folded. */
export function driftSections(told: DriftReport, plan: Plan, whole: string): readonly Section[] {
  const names = planNames(plan);
  const items = reportedItems(told);
  const silenced = items.filter(({ acknowledged }) => acknowledged?.counts === true);
  const others = items.filter((item) => !silenced.includes(item));
  const classes = driftClasses.map((name, index): Section => {
    const ofClass = others.filter((item) => item.class === name);
    const { title, means } = driftHeadings[name];
    const isFolded = name === "unmanaged" || name === "information";
    return {
      title: `${title} (${ofClass.length})`,
      is: isFolded ? "folded" : "open",
      before: ofClass.length === 0 ? [] : [`${means}\n`, ...itemColumns],
      rows: ofClass.map((item) => itemRow(item, names)),
      rank: 10 + index,
      more: (count) => `… and ${count} more: ${whole}`,
      between: "nothing",
    };
  });
  return [...classes, acknowledgedSection(silenced, names, whole)].filter(({ rows }) => rows.length > 0);
}

const itemColumns = tableHead(["about", "what", "where", "since", "fingerprint"]);

function acknowledgedSection(items: readonly DriftItem[], names: PlanNames, whole: string): Section {
  return {
    title: `Acknowledged (${items.length})`,
    is: "folded",
    before: itemColumns,
    rows: items.map((item) => itemRow(item, names)),
    rank: 75,
    more: (count) => `… and ${count} more: ${whole}`,
    between: "nothing",
  };
}

function itemRow(item: DriftItem, names: PlanNames): string {
  const { subject, since, fingerprint, acknowledged } = item;
  const said = acknowledged === undefined ? "" : ` (${prose(formatAcknowledgement(item, acknowledged))})`;
  const { what, places } = describeItem(item, names);
  return tableRow([
    code(formatSubject(subject)),
    `${what}${said}`,
    codes(places, 2),
    since === undefined ? "**new**" : code(since),
    code(fingerprint),
  ]);
}

function describeItem({ of, code: name }: DriftItem, names: PlanNames): { what: string; places: readonly string[] } {
  if (of.is === "finding") {
    const { message, because } = of.finding;
    return { what: `${code(name)}: ${prose(message)}`, places: [...new Set(because.map(formatPlace))] };
  }
  const action = names.action(of.action);
  if (action === undefined) return { what: code(of.action), places: [] };
  return { what: prose(actionName(action, names)), places: [...new Set(action.because.map(formatPlace))] };
}
