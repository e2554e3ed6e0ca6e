import type { Action } from "../../model/action.ts";
import { countsInExitCode, type DriftClass, type DriftItem, driftClasses } from "../../model/drift.ts";
import { formatPlace } from "../../model/fact.ts";
import { countPlan, type Plan } from "../../model/plan.ts";
import { formatSubject } from "../../model/subject.ts";
import { type DriftReport, formatAcknowledgement, formatCoverage, remainingDrift, reportedItems } from "../drift.ts";
import type { ReadSummary } from "../outcome.ts";
import { formatCounts, formatList } from "../phrases.ts";
import { type PlanNames, planNames } from "../plan-names.ts";
import { actionLines, actionSpan, placesCell } from "./actions.ts";
import {
  andMore,
  headed,
  heading,
  type Inline,
  joinSections,
  type Line,
  phrase,
  prose,
  row,
  type Section,
  strong,
  type Table,
  words,
} from "./blocks.ts";
import { findingLines, findingTitle } from "./findings.ts";
import { formatCallCount, formatMailCount, readingLines } from "./plan.ts";

/** A drift as text: class by class, the worst first; acknowledged items last, one line each. */
export function driftLines(report: DriftReport, plan: Plan, reading: ReadSummary | undefined): readonly Line[] {
  const { classes, acknowledged } = groupItems(report);
  const names = planNames(plan);
  return joinSections([
    readingLines("Drift at", plan, reading),
    ...classes.map(({ name, items }) => classLines(name, items, names)),
    acknowledgedLines(acknowledged),
    idleAcknowledgementLines(report),
    [prose(0, formatCoverage(report.drift.coverage), "dim")],
    [...repairLines(report), ...driftSummaryLines(report, plan), ...recordLines(report)],
  ]);
}

/** The same for a review: a table for each class. */
export function driftSections(report: DriftReport, plan: Plan, whole: Inline): readonly Section[] {
  const { classes, acknowledged } = groupItems(report);
  const names = planNames(plan);
  return [
    ...classes.map(({ name, items }, index) => {
      const { title, means } = driftHeadings[name];
      const is: Section["is"] = name === "unmanaged" || name === "information" ? "folded" : "open";
      const section = itemSection(title, items, names, whole);
      return { ...section, body: { ...section.body, note: words(means) }, is, rank: 10 + index };
    }),
    itemSection("Acknowledged", acknowledged, names, whole),
  ];
}

interface GroupedItems {
  readonly classes: readonly { readonly name: DriftClass; readonly items: readonly DriftItem[] }[];
  /** Items whose acknowledgement counts. */
  readonly acknowledged: readonly DriftItem[];
}

function groupItems(report: DriftReport): GroupedItems {
  const isAcknowledged = ({ acknowledged }: DriftItem) => acknowledged?.counts === true;
  const items = reportedItems(report);
  const others = items.filter((item) => !isAcknowledged(item));
  return {
    classes: driftClasses.map((name) => ({ name, items: others.filter((item) => item.class === name) })),
    acknowledged: items.filter(isAcknowledged),
  };
}

/** What each class is called, and what it means. */
const driftHeadings: Readonly<Record<DriftClass, { readonly title: string; readonly means: string }>> = {
  tampered: { title: "Tampered with", means: "Somebody else has changed what our runs had made or put." },
  unapplied: { title: "To apply", means: "The roster asks for it, and no record says that it was so." },
  blocked: { title: "Blocked", means: "The roster asks for it, and something stands in the way." },
  uncorrectable: { title: "Uncorrectable", means: "No call can correct it." },
  unknown: { title: "Unknown", means: "It was not shown, not read or not proven." },
  pending: { title: "Pending", means: "It waits for somebody, or is under way." },
  unmanaged: { title: "Unmanaged", means: "The service has it, and the roster does not name it." },
  information: { title: "To know", means: "Nothing has to be done." },
};

function classLines(name: DriftClass, items: readonly DriftItem[], names: PlanNames): readonly Line[] {
  if (items.length === 0) return [];
  const { title, means } = driftHeadings[name];
  return headed(`${title}: ${items.length}`, [
    prose(0, means, "dim"),
    ...actionsIn(items).flatMap(([action, parts]) => actionPartLines(action, parts, names)),
    ...items.flatMap((item) => (item.of.is === "finding" ? findingItemLines(item, name) : [])),
  ]);
}

/** The actions that items are parts of, each once. */
function actionsIn(items: readonly DriftItem[]): readonly (readonly [string, readonly DriftItem[]])[] {
  const actions = new Map<string, DriftItem[]>();
  for (const item of items) {
    if (item.of.is === "action") actions.set(item.of.action, [...(actions.get(item.of.action) ?? []), item]);
  }
  return [...actions];
}

function actionPartLines(id: string, parts: readonly DriftItem[], names: PlanNames): readonly Line[] {
  const action = names.action(id);
  const shown = action === undefined ? [] : actionLines(partOf(action, parts), names);
  return [
    ...shown,
    ...parts.flatMap((item) => sinceLines(item, parts.length === 1 ? "" : ` ${formatSubject(item.subject)}`)),
  ];
}

/** An addition of members, with only the people of these items. */
function partOf(action: Action, parts: readonly DriftItem[]): Action {
  if (action.kind !== "add-members") return action;
  const people = new Set(parts.map(({ of }) => (of.is === "action" ? of.person : undefined)));
  return { ...action, members: action.members.filter(({ address }) => people.has(address)) };
}

/** There may be thousands of people and keys that are not in the roster: one line each, unless they block. */
function findingItemLines(item: DriftItem, name: DriftClass): readonly Line[] {
  if (item.of.is !== "finding") return [];
  const { finding } = item.of;
  const isShort = name === "unmanaged" && !finding.blocking;
  return [...(isShort ? [findingTitle(finding)] : findingLines(finding)), ...(isShort ? [] : sinceLines(item, ""))];
}

function sinceLines(item: DriftItem, about: string): readonly Line[] {
  const since = item.since === undefined ? "new" : `since ${item.since}`;
  const acknowledgement =
    item.acknowledged === undefined ? [] : [prose(6, formatAcknowledgement(item, item.acknowledged), "alarm")];
  return [...acknowledgement, row(6, [{ ink: "dim", text: `${item.fingerprint}${about}, ${since}` }])];
}

function itemSection(
  title: string,
  items: readonly DriftItem[],
  names: PlanNames,
  whole: Inline,
): Section & { readonly body: Table } {
  return {
    title: `${title} (${items.length})`,
    is: "folded",
    body: {
      kind: "table",
      columns: ["about", "what", "where", "since", "fingerprint"],
      rows: items.map((item) => itemRow(item, names)),
    },
    rank: 75,
    leftOut: andMore(whole),
  };
}

function itemRow(item: DriftItem, names: PlanNames): readonly Inline[] {
  const { subject, since, fingerprint, acknowledged, of, code } = item;
  const finding = of.is === "finding" ? of.finding : undefined;
  const action = of.is === "action" ? names.action(of.action) : undefined;
  const what = of.is === "action" ? [actionSpan(of.action, names)] : phrase`${code}: ${[of.finding.message]}`;
  const acknowledgement = acknowledged === undefined ? [] : phrase` (${[formatAcknowledgement(item, acknowledged)]})`;
  return [
    phrase`${formatSubject(subject)}`,
    phrase`${what}${acknowledgement}`,
    placesCell((finding ?? action)?.because ?? []),
    since === undefined ? [strong(words("new"))] : phrase`${since}`,
    phrase`${fingerprint}`,
  ];
}

function acknowledgedLines(items: readonly DriftItem[]): readonly Line[] {
  const lines = items.flatMap((item) => [
    row(2, [{ ink: "dim", text: `${formatSubject(item.subject)}: ${item.code} (${item.class})` }]),
    ...(item.acknowledged === undefined ? [] : [prose(6, formatAcknowledgement(item, item.acknowledged), "dim")]),
  ]);
  return headed(`Acknowledged: ${items.length}`, lines);
}

function idleAcknowledgementLines({ drift }: DriftReport): readonly Line[] {
  if (drift.idle.length === 0) return [];
  return [
    heading(`Acknowledged, and not there: ${drift.idle.length}`),
    ...drift.idle.map(({ code, subject, place }) =>
      row(2, [{ ink: "dim", text: `${subject}: ${code}` }], formatPlace(place)),
    ),
    prose(2, "Take them out of the file: it is settled, or it is another matter by now.", "dim"),
  ];
}

/** Shown with the whole drift, and so only where nothing was run. */
function repairLines({ repairing }: DriftReport): readonly Line[] {
  if (repairing === undefined) return [];
  return [prose(0, `Nothing of the class ${formatList(repairing)} can be repaired.`, "strong")];
}

function driftSummaryLines(report: DriftReport, plan: Plan): readonly Line[] {
  const { changes, blocking } = remainingDrift(report);
  const notNew = report.shows === "what-is-new" ? " that is new" : "";
  if (changes + blocking === 0) return [prose(0, formatNoDrift(report), "strong")];
  const first = `Drift${notNew}: ${formatDriftCounts({ changes, blocking })}${formatTampered(report)}.`;
  return [first, ...formatCorrection(changes, plan)].map((text) => prose(0, text, "strong"));
}

function formatNoDrift(report: DriftReport): string {
  if (report.shows === "what-is-new") return "No drift that is new.";
  const acknowledged = report.drift.items.filter(
    (item) => item.counts !== "nothing" && item.acknowledged?.counts === true,
  );
  if (acknowledged.length > 0) return "No drift but what is acknowledged.";
  return "No drift. The service agrees with the roster.";
}

function formatTampered(report: DriftReport): string {
  const tampered = reportedItems(report).filter((item) => item.class === "tampered" && countsInExitCode(item)).length;
  return tampered === 0 ? "" : ` (${tampered} tampered with)`;
}

function formatCorrection(changes: number, plan: Plan): readonly string[] {
  if (changes === 0) return ["No call can correct it."];
  const planned = countPlan(plan);
  return [`An apply corrects it with ${formatCallCount(planned)}. ${formatMailCount(planned)}`];
}

function recordLines({ record }: DriftReport): readonly Line[] {
  if (record.is !== "not-recorded") return [];
  return [prose(0, `What is new was not recorded, and stays new: ${record.why}.`, "dim")];
}

/** The drift that remains after a run has repaired the rest. */
export function remainingDriftLines(report: DriftReport): readonly Line[] {
  const { changes, blocking } = remainingDrift(report);
  if (changes + blocking === 0) return [prose(0, "Nothing else differs.", "dim")];
  const parts = formatDriftCounts({ changes, blocking });
  return [prose(0, `Left as they are: ${parts}; \`roster drift\` shows them.`, "strong")];
}

/** `2 changes and 1 blocking finding`. */
export function formatDriftCounts({ changes, blocking }: ReturnType<typeof remainingDrift>): string {
  return formatList(formatCounts([changes, "change"], [blocking, "blocking finding"]));
}
