import type { Action } from "../../model/action.ts";
import { countsInExitCode, type DriftClass, type DriftItem, driftClasses } from "../../model/drift.ts";
import { formatPlace, type Place } from "../../model/fact.ts";
import { countPlan, type Plan } from "../../model/plan.ts";
import { multimap } from "../../model/role-set.ts";
import { formatSubject } from "../../model/subject.ts";
import {
  countPrivilegedGains,
  countTodo,
  type DriftReport,
  formatAcknowledgement,
  formatCoverage,
  isPrivilegedGain,
  remainingDrift,
  reportedItems,
} from "../drift.ts";
import type { ReadSummary } from "../outcome.ts";
import { capitalized, formatCount, formatCounts, formatList } from "../phrases.ts";
import { type PlanNames, planNames } from "../plan-names.ts";
import { formatTodoCounts } from "../todo/todo-rows.ts";
import { actionLines, actionSpan, formatPlaces, placesCell } from "./actions.ts";
import {
  andMore,
  headed,
  heading,
  type Inline,
  joinSections,
  type Line,
  phrase,
  plainText,
  prose,
  row,
  type Section,
  strong,
  type Table,
  words,
} from "./blocks.ts";
import { findingDetailLines, findingLines, findingTitle } from "./findings.ts";
import { findingAfterSentences, outsideChangeSentences, outsideSentences, repairSentence } from "./outside-changes.ts";
import { formatCallCount, formatMailCount, readingLines } from "./plan.ts";

/** A drift as text: class by class, changes outside roster first; acknowledged items last, one line each. */
export function driftLines(report: DriftReport, plan: Plan, reading: ReadSummary | undefined): readonly Line[] {
  const { classes, acknowledged } = groupItems(report);
  const names = planNames(plan);
  return joinSections([
    readingLines("Drift at", plan, reading),
    ...classes.map(({ name, items }) => classLines(name, items, names)),
    acknowledgedLines(acknowledged),
    idleAcknowledgementLines(report),
    [prose(0, formatCoverage(report.drift.coverage), "dim")],
    [...repairLines(report), ...driftSummaryLines(report, plan), ...todoLines(report), ...recordLines(report)],
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
  tampered: { title: "Changed outside roster", means: "Changed in the service since the last apply, not by roster." },
  unapplied: { title: "Not applied", means: "In the roster, but not applied yet." },
  blocked: { title: "Blocked", means: "In the roster, but something prevents it." },
  uncorrectable: { title: "Needs manual action", means: "The API cannot change this." },
  unknown: { title: "Unknown", means: "The service did not show it, or roster could not verify it." },
  pending: { title: "Pending", means: "Waiting for a person, or in progress." },
  unmanaged: { title: "Unmanaged", means: "Exists in the service but not in the roster." },
  information: { title: "Notices", means: "Nothing to do." },
};

function classLines(name: DriftClass, items: readonly DriftItem[], names: PlanNames): readonly Line[] {
  if (items.length === 0) return [];
  const { title, means } = driftHeadings[name];
  const changed = items.filter(({ outside }) => outside !== undefined);
  const others = items.filter(({ outside }) => outside === undefined);
  return headed(`${title}: ${items.length}`, [
    prose(0, means, "dim"),
    ...changed.flatMap((item) => outsideLines(item, names)),
    ...actionsIn(others).flatMap(([action, parts]) => actionPartLines(action, parts, names)),
    ...others.flatMap((item) => (item.of.is === "finding" ? findingItemLines(item, name) : [])),
  ]);
}

/** Where the roster asks for what the item is about. */
export function itemPlaces({ of }: DriftItem, names: PlanNames): readonly Place[] {
  return (of.is === "finding" ? of.finding : names.action(of.action))?.because ?? [];
}

/** What was changed outside roster, and then what apply does about it or what a finding says. */
function outsideLines(item: DriftItem, names: PlanNames): readonly Line[] {
  const { of } = item;
  const ink = isPrivilegedGain(item) ? "alarm" : "change";
  const mark = { ink, text: isPrivilegedGain(item) ? "! privileged:" : "!" } as const;
  const sentences = outsideChangeSentences(item).map(plainText);
  return [
    ...sentences.map((text, index) =>
      row(2, [mark, ` ${text}`], index === 0 ? formatPlaces(itemPlaces(item, names)) : undefined),
    ),
    prose(6, plainText(repairSentence(item, names))),
    ...(of.is === "finding" ? [prose(6, plainText(findingAfterSentences(of.finding, item)))] : []),
    ...(of.is === "finding" ? findingDetailLines(of.finding) : []),
    ...sinceLines(item, ` ${formatSubject(item.subject)}`),
  ];
}

/** The actions that items are parts of, each once. */
function actionsIn(items: readonly DriftItem[]): readonly (readonly [string, readonly DriftItem[]])[] {
  return [...multimap(items.flatMap((item) => (item.of.is === "action" ? [[item.of.action, item]] : [])))];
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

/** There may be thousands of users and keys that are not in the roster: one line each, unless they block. */
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
  const { subject, since, fingerprint, acknowledged } = item;
  const acknowledgement = acknowledged === undefined ? [] : phrase` (${[formatAcknowledgement(item, acknowledged)]})`;
  return [
    phrase`${formatSubject(subject)}`,
    phrase`${whatDiffers(item, names)}${acknowledgement}`,
    placesCell(itemPlaces(item, names)),
    since === undefined ? [strong(words("new"))] : phrase`${since}`,
    phrase`${fingerprint}`,
  ];
}

/** What was changed outside roster, else what apply would do or what the finding says. */
function whatDiffers(item: DriftItem, names: PlanNames): Inline {
  const { of, code } = item;
  const outside = outsideSentences(item, names);
  if (outside === undefined) {
    return of.is === "action" ? [actionSpan(of.action, names)] : phrase`${code}: ${[of.finding.message]}`;
  }
  const privileged = isPrivilegedGain(item) ? phrase`${strong(words("Privileged gain:"))} ` : [];
  const message = of.is === "finding" ? phrase` ${findingAfterSentences(of.finding, item)}` : [];
  return phrase`${privileged}${outside}${message}`;
}

function acknowledgedLines(items: readonly DriftItem[]): readonly Line[] {
  const lines = items.flatMap((item) => [
    row(2, [{ ink: "dim", text: formatAcknowledgedItem(item) }]),
    ...(item.acknowledged === undefined ? [] : [prose(6, formatAcknowledgement(item, item.acknowledged), "dim")]),
  ]);
  return headed(`Acknowledged: ${items.length}`, lines);
}

function formatAcknowledgedItem(item: DriftItem): string {
  const changes = outsideChangeSentences(item).map(plainText);
  return changes.length > 0 ? changes.join(" ") : `${formatSubject(item.subject)}: ${item.code} (${item.class})`;
}

function idleAcknowledgementLines({ drift }: DriftReport): readonly Line[] {
  if (drift.idle.length === 0) return [];
  return [
    heading(`Unused acknowledgements: ${drift.idle.length}`),
    ...drift.idle.map(({ code, subject, place }) =>
      row(2, [{ ink: "dim", text: `${subject}: ${code}` }], formatPlace(place)),
    ),
    prose(2, "Remove them from the file: this drift is gone or has changed.", "dim"),
  ];
}

/** What is late and what is done; what is open is listed above. */
function todoLines({ todo }: DriftReport): readonly Line[] {
  const { overdue, closed } = countTodo(todo);
  if (overdue + closed === 0) return [];
  return [
    prose(0, `Manual work: ${formatTodoCounts(todo)}. \`roster todo\` lists it.`, overdue > 0 ? "alarm" : "strong"),
    ...todo.open
      .filter(({ status }) => status === "overdue")
      .slice(0, maxTodoLines)
      .map(({ finding, due = "" }) =>
        row(2, [{ ink: "alarm", text: `overdue since ${due}: ${formatSubject(finding.subject)}: ${finding.code}` }]),
      ),
    ...todo.closed
      .slice(0, maxTodoLines)
      .map(({ subject, code }) => row(2, [{ ink: "dim", text: `closed: ${subject}: ${code}` }])),
  ];
}

const maxTodoLines = 10;

/** Shown with the whole drift, and so only where nothing was run. */
function repairLines({ repairing }: DriftReport): readonly Line[] {
  if (repairing === undefined) return [];
  return [prose(0, `There is nothing to repair of the class ${formatList(repairing)}.`, "strong")];
}

function driftSummaryLines(report: DriftReport, plan: Plan): readonly Line[] {
  const { changes, blocking } = remainingDrift(report);
  const isNew = report.shows === "what-is-new" ? "New drift" : "Drift";
  if (changes + blocking === 0) return [prose(0, noDriftSentence(report), "strong")];
  const privileged = countPrivilegedGains(report);
  return [
    ...(privileged === 0 ? [] : [prose(0, formatPrivilegedGains(privileged), "alarm")]),
    prose(0, `${isNew}: ${formatChangesAndProblems(report)}${formatOutside(report)}.`, "strong"),
    prose(0, formatCorrection(changes, plan), "strong"),
  ];
}

/** `1 key gained a privileged role outside roster.` */
export function formatPrivilegedGains(count: number): string {
  return `${formatCount(count, "key")} gained a privileged role outside roster.`;
}

function noDriftSentence(report: DriftReport): string {
  const exceptions = noDriftExceptions(report);
  if (exceptions.length > 0) return `${capitalized(formatNoDrift(report))}.`;
  return report.shows === "what-is-new" ? "No new drift." : "No drift. The service matches the roster.";
}

/** `no drift except 1 unmanaged item`: true although items that do not count are listed as well. */
export function formatNoDrift(report: DriftReport): string {
  const exceptions = noDriftExceptions(report);
  const what = report.shows === "what-is-new" ? "no new drift" : "no drift";
  return exceptions.length === 0 ? what : `${what} except ${formatList(exceptions)}`;
}

function noDriftExceptions(report: DriftReport): readonly string[] {
  const items = reportedItems(report);
  const isAcknowledged = (item: DriftItem) => item.counts !== "nothing" && item.acknowledged?.counts === true;
  const count = (name: DriftClass) => items.filter((item) => item.class === name && item.counts === "nothing").length;
  return [
    ...(items.some(isAcknowledged) ? ["acknowledged drift"] : []),
    ...formatCounts(
      [count("tampered"), "notice"],
      [count("blocked"), "blocked item"],
      [count("uncorrectable"), "item that needs manual action", "items that need manual action"],
      [count("unknown"), "unknown item"],
      [count("pending"), "pending item"],
      [count("unmanaged"), "unmanaged item"],
    ),
  ];
}

function formatOutside(report: DriftReport): string {
  const outside = reportedItems(report).filter((item) => item.class === "tampered" && countsInExitCode(item)).length;
  return outside === 0 ? "" : ` (${outside} made outside roster)`;
}

function formatCorrection(changes: number, plan: Plan): string {
  if (changes === 0) return "apply cannot correct it.";
  const planned = countPlan(plan);
  return `apply needs ${formatCallCount(planned)}. ${formatMailCount(planned)}`;
}

function recordLines({ record }: DriftReport): readonly Line[] {
  if (record.is !== "not-recorded") return [];
  return [prose(0, `New drift was not recorded and stays new: ${record.why}.`, "dim")];
}

/** The drift that remains after a run has repaired the rest. */
export function remainingDriftLines(report: DriftReport): readonly Line[] {
  const { changes, blocking } = remainingDrift(report);
  if (changes + blocking === 0) return [prose(0, "No other drift.", "dim")];
  return [prose(0, `Not repaired: ${formatChangesAndProblems(report)}. \`roster drift\` shows them.`, "strong")];
}

/** `1 privileged gain among 2 changes and 1 problem`; empty where nothing counts. */
export function formatDriftCounts(report: DriftReport): string {
  const privileged = countPrivilegedGains(report);
  const all = formatChangesAndProblems(report);
  return privileged === 0 ? all : `${formatCount(privileged, "privileged gain")} among ${all}`;
}

function formatChangesAndProblems(report: DriftReport): string {
  const { changes, blocking } = remainingDrift(report);
  return formatList(formatCounts([changes, "change"], [blocking, "problem"]));
}
