import { type AcceptEntry, isAccepted } from "../../model/accept.ts";
import type { Action } from "../../model/action.ts";
import { groupBy, multimap } from "../../model/collections.ts";
import { countsInExitCode, type DriftClass, type DriftItem, driftClasses } from "../../model/drift.ts";
import type { Place } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import { countPlan, type Plan } from "../../model/plan.ts";
import type { ReadSummary } from "../../model/snapshot.ts";
import { formatSubject } from "../../model/subject.ts";
import {
  acceptLine,
  countDrift,
  countPrivilegedGains,
  countTasks,
  type DriftReport,
  formatCoverage,
  isPrivilegedGain,
  remainingDrift,
  reportedItems,
} from "../drift.ts";
import { capitalized, formatCount, formatCounts, formatList, formatTallies } from "../phrases.ts";
import { actionDetailLines, actionMark, actionTitle, formatCallCount, type PlanNames, planNames } from "./actions.ts";
import {
  andMore,
  type Inline,
  joinInline,
  joinSections,
  type Line,
  phrase,
  prose,
  row,
  type Section,
  strong,
  value,
  values,
  words,
} from "./blocks.ts";
import {
  acceptedGroups,
  acceptedNotes,
  type Entry,
  type EntryGroup,
  groupLines,
  ownershipNotes,
  type Tracked,
} from "./entries.ts";
import { findingDetailLines, findingEntry } from "./findings.ts";
import { itemSentences } from "./outside-changes.ts";
import { formatMailCount, readingLines } from "./plan.ts";

/** A drift as text. */
export function driftLines(report: DriftReport, plan: Plan, reading: ReadSummary | undefined): readonly Line[] {
  return joinSections([
    readingLines("Drift at", plan, reading),
    ...driftGroups(report, plan).map(groupLines),
    [prose(0, formatCoverage(report.drift.coverage), "dim")],
    [
      ...repairLines(report),
      ...driftSummaryLines(report, plan),
      ...taskLines(report),
      ...recordLines(report),
      ...acceptHint(report),
    ],
  ]);
}

/** Privileged roles that the roster does not give first; then class by class, changes outside roster first; then what is accepted. */
export function driftGroups(report: DriftReport, plan: Plan): readonly EntryGroup[] {
  const names = planNames(plan);
  const items = reportedItems(report);
  const toEntries = (those: readonly DriftItem[]) => itemEntries(those, names);
  const privileged = items.filter(isPrivilegedGain);
  const others = items.filter((item) => !isAccepted(item) && !isPrivilegedGain(item));
  const [guarded, accepted] = acceptedGroups(items, toEntries);
  return [
    { ...privilegedHeading, is: "open", rank: 9, entries: toEntries(privileged) },
    guarded,
    ...driftClasses.map((name, index): EntryGroup => {
      const is = name === "unmanaged" || name === "information" ? "folded" : "open";
      const entries = toEntries(others.filter((item) => item.class === name));
      return { ...driftHeadings[name], is, rank: 10 + index, entries };
    }),
    accepted,
    {
      title: "Unused entries under `accept`",
      means: "Remove them: this drift is gone or has changed.",
      is: "folded",
      rank: 76,
      entries: report.drift.unusedAccepts.map(unusedEntry),
    },
  ];
}

/** For a review: what each earlier run saw first, the latest first, and what is gone. Nothing where the state knows of nothing. */
export function historySection(report: DriftReport, whole: Inline): Section {
  const { closed } = report.tasks;
  const items = reportedItems(report);
  const isKnown = closed.length > 0 || items.some(({ since }) => since !== undefined);
  const bySince = [...groupBy(items, ({ since = "" }) => since)];
  const earlier = bySince.filter(([since]) => since !== "").sort(([a], [b]) => (a < b ? 1 : -1));
  const rows = [...bySince.filter(([since]) => since === ""), ...earlier].map(([since, those]) => [
    since === "" ? [strong(words("new"))] : phrase`${since}`,
    joinInline(firstSeen(those), "; "),
  ]);
  const gone = closed.map(({ since, subject, code }) => [phrase`${since}`, phrase`gone now: ${subject}, ${code}`]);
  return {
    title: "History",
    is: "folded",
    body: { kind: "table", columns: ["first seen", "what"], rows: isKnown ? [...rows, ...gone] : [] },
    rank: 77,
    leftOut: andMore(whole),
  };
}

function firstSeen(items: readonly DriftItem[]): readonly Inline[] {
  const byClass = multimap(items.map((item) => [item.class, formatSubject(item.subject)]));
  return driftClasses.flatMap((name) => {
    const subjects = byClass.get(name);
    return subjects === undefined ? [] : [phrase`${words(driftHeadings[name].title)}: ${values(subjects, 5)}`];
  });
}

const privilegedHeading = {
  title: "Privileged roles not in the roster",
  means: "These users can administer the service, and the roster does not give them that. Check them first.",
};

/** What each class is called, and what it means. */
const driftHeadings: Readonly<Record<DriftClass, { readonly title: string; readonly means: string }>> = {
  tampered: {
    title: "Changed outside roster",
    means: "Changed in the service since roster last wrote or saw it, not by roster.",
  },
  unapplied: { title: "Not applied", means: "In the roster, but not applied yet." },
  blocked: { title: "Needs manual action", means: "roster cannot correct or verify this." },
  pending: { title: "Pending", means: "Waiting for a person, or in progress." },
  unmanaged: { title: "Unmanaged", means: "Exists in the service but not in the roster." },
  information: { title: "Notices", means: "Nothing to do." },
};

/** Changes outside roster first, then what apply would do, then what findings say. */
function itemEntries(items: readonly DriftItem[], names: PlanNames): readonly Entry[] {
  const changed = items.filter(({ outside }) => outside !== undefined);
  const others = items.filter(({ outside }) => outside === undefined);
  return [
    ...changed.map((item) => outsideEntry(item, names)),
    ...actionsIn(others).map(([action, parts]) => actionEntry(action, parts, names)),
    ...others.flatMap((item) => (item.of.is === "finding" ? [findingItemEntry(item, item.of.finding)] : [])),
  ];
}

/** Where the roster asks for what the item is about. */
export function itemPlaces({ of }: DriftItem, names: PlanNames): readonly Place[] {
  return (of.is === "finding" ? of.finding : names.action(of.action))?.because ?? [];
}

/** What was changed outside roster, and then what apply does about it or what a finding says. */
function outsideEntry(item: DriftItem, names: PlanNames): Entry {
  const { of } = item;
  const about = phrase`${formatSubject(item.subject)}`;
  const { changes, repair, finding } = itemSentences(item, names);
  return {
    ink: isPrivilegedGain(item) ? "alarm" : "change",
    mark: "!",
    ...(isPrivilegedGain(item) ? { label: "privileged" } : {}),
    about,
    what: { is: "sentences", texts: changes },
    notes: [...[...repair, ...finding].map((spans) => ({ spans })), ...ownershipNotes(item.ownership)],
    ...acceptedNotes([item]),
    details: of.is === "finding" ? findingDetailLines(of.finding) : [],
    places: itemPlaces(item, names),
    of: of.is === "finding" ? of.finding : names.action(of.action),
    tracked: [trackedItem(item, "with-subject")],
  };
}

/** The actions that items are parts of, each once. */
function actionsIn(items: readonly DriftItem[]): readonly (readonly [string, readonly DriftItem[]])[] {
  return [...multimap(items.flatMap((item) => (item.of.is === "action" ? [[item.of.action, item]] : [])))];
}

function actionEntry(id: string, parts: readonly DriftItem[], names: PlanNames): Entry {
  const action = names.action(id);
  const shown = action === undefined ? undefined : partOf(action, parts);
  return {
    ...(shown === undefined ? { ink: "change", mark: "~" } : actionMark(shown)),
    about: joinInline(
      parts.map(({ subject }) => phrase`${formatSubject(subject)}`),
      ", ",
    ),
    what: { is: "sentences", texts: [[shown === undefined ? value(id) : actionTitle(shown, names)]] },
    notes: ownershipNotes(shown?.ownership),
    ...acceptedNotes(parts),
    details: shown === undefined ? [] : actionDetailLines(shown, names),
    places: action?.because ?? [],
    of: shown,
    tracked: parts.map((item) => trackedItem(item, parts.length === 1 ? "without-subject" : "with-subject")),
  };
}

/** An addition of members, with only the people of these items. */
function partOf(action: Action, parts: readonly DriftItem[]): Action {
  if (action.kind !== "add-members") return action;
  const people = new Set(parts.map(({ of }) => (of.is === "action" ? of.person : undefined)));
  return { ...action, members: action.members.filter(({ address }) => people.has(address)) };
}

/** There may be thousands of users and keys that are not in the roster. */
function findingItemEntry(item: DriftItem, finding: Finding): Entry {
  const isShort = item.class === "unmanaged" && finding.kind === "notice";
  return {
    ...findingEntry(finding),
    tracked: [trackedItem(item, "without-subject")],
    ...(isShort ? { brief: true } : {}),
  };
}

function trackedItem(item: DriftItem, is: "with-subject" | "without-subject"): Tracked {
  const { fingerprint, since, subject } = item;
  const line = isOffered(item) ? acceptLine(item) : undefined;
  return {
    fingerprint,
    since,
    ...(is === "with-subject" ? { about: phrase`${formatSubject(subject)}` } : {}),
    ...(line === undefined ? {} : { acceptLine: line }),
  };
}

/** What is only not applied yet is applied, not accepted. */
function isOffered({ class: ofClass, counts }: DriftItem): boolean {
  return counts !== "nothing" && ofClass !== "unapplied";
}

function unusedEntry({ code, place }: AcceptEntry): Entry {
  const about = phrase`${code}`;
  return { ink: "dim", about, what: { is: "sentences", texts: [about] }, notes: [], details: [], places: [place] };
}

/** What is done; what is open is listed above. */
function taskLines({ tasks }: DriftReport): readonly Line[] {
  if (tasks.closed.length === 0) return [];
  const { open, new: opened, closed } = countTasks(tasks);
  const counts = formatTallies([open, "open"], [opened, "new"], [closed, "closed"]);
  const shown = tasks.closed.slice(0, maxTaskLines);
  return [
    prose(0, `Tasks: ${counts.join(", ")}.`, "strong"),
    ...shown.map(({ subject, code }) => row(2, [{ ink: "dim", text: `closed: ${subject}: ${code}` }])),
  ];
}

const maxTaskLines = 10;

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

/** `1 key has a privileged role that the roster does not give.` */
export function formatPrivilegedGains(count: number): string {
  return `${formatCount(count, "key")} ${count === 1 ? "has" : "have"} a privileged role that the roster does not give.`;
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
  const count = (name: DriftClass) => items.filter((item) => item.class === name && item.counts === "nothing").length;
  return [
    ...(items.some((item) => item.counts !== "nothing" && isAccepted(item)) ? ["accepted drift"] : []),
    ...formatCounts(
      [count("tampered"), "notice"],
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
  return `apply needs ${formatCallCount(plan.actions)}. ${formatMailCount(countPlan(plan))}`;
}

function recordLines({ record }: DriftReport): readonly Line[] {
  if (record.is !== "not-recorded") return [];
  return [prose(0, `New drift was not recorded and stays new: ${record.why}.`, "dim")];
}

/** Where the lines that accept something belong. */
function acceptHint(report: DriftReport): readonly Line[] {
  if (!reportedItems(report).some((item) => isOffered(item) && acceptLine(item) !== undefined)) return [];
  const text = "To accept drift until a date, copy its line under `accept:` in a roster file, and write a reason.";
  return [prose(0, text, "dim")];
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
  const { changes, problems } = countDrift(report);
  return formatList(formatCounts([changes, "change"], [problems, "problem"]));
}
