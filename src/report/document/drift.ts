import { formatCount, joinList } from "../../codes/message.ts";
import { type AcceptEntry, isAccepted } from "../../model/accept.ts";
import type { Action } from "../../model/action.ts";
import { multimap } from "../../model/collections.ts";
import { countsInExitCode, type DriftClass, type DriftItem, driftClasses } from "../../model/drift.ts";
import { formatPlace, type Place } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import { formatSubject } from "../../model/subject.ts";
import {
  acceptLine,
  countDrift,
  countPrivilegedGains,
  type DriftReport,
  isPrivilegedGain,
  remainingDrift,
  reportedItems,
} from "../drift.ts";
import { capitalized, formatCounts } from "../phrases.ts";
import { actionEntry, formatPlaces, ownershipNotes, type PlanNames } from "./actions.ts";
import { itemSentences } from "./outside-changes.ts";
import { reasonLines } from "./reasons.ts";
import { acceptedNotes, acceptedSections, type FindingContext, findingEntry, findingReasons } from "./tasks.ts";
import {
  type Block,
  code,
  type Entry,
  entriesOf,
  entry,
  joinInline,
  lines,
  type Paragraph,
  paragraph,
  phrase,
  type Section,
  section,
  sentence,
  value,
  words,
} from "./tree.ts";

/** Privileged roles that the roster does not give first; then class by class, changes outside roster first; then what is accepted. */
export function driftSections(report: DriftReport, context: FindingContext): readonly Section[] {
  const items = reportedItems(report);
  const toEntries = (those: readonly DriftItem[]) => itemEntries(those, context);
  const others = items.filter((item) => !isAccepted(item) && !isPrivilegedGain(item));
  const [guarded, accepted] = acceptedSections(items, toEntries);
  const gains = toEntries(items.filter(isPrivilegedGain));
  return [
    section("Privileged roles not in the roster", { rank: 2, notes: [sentence(gainsMeaning, "dim")] }, gains),
    guarded,
    ...driftClasses.map((name, index) => {
      const { title, means } = driftHeadings[name];
      const is = name === "unmanaged" || name === "information" ? "folded" : "open";
      const notes = [sentence(means, "dim")];
      return section(title, { rank: 10 + index, is, notes }, toEntries(others.filter((item) => item.class === name)));
    }),
    accepted,
    section(
      "Unused entries under `accept`",
      { rank: 76, is: "folded", notes: [sentence("Remove them: this drift is gone or has changed.", "dim")] },
      report.drift.unusedAccepts.map(unusedEntry),
    ),
    section(
      "Tasks that are done",
      { rank: 77, is: "folded" },
      report.tasks.closed.slice(0, maxClosed).map(closedEntry),
    ),
  ];
}

const maxClosed = 10;

const gainsMeaning =
  "These users can administer the service, and the roster does not give them that. Check them first.";

/** What each class is called, and what it means. */
const driftHeadings: Readonly<Record<DriftClass, { readonly title: string; readonly means: string }>> = {
  tampered: {
    title: "Changed outside roster",
    means: "Changed in the service since roster last wrote or saw it, not by roster.",
  },
  unapplied: { title: "Not applied", means: "In the roster, but not applied yet." },
  blocked: { title: "Tasks", means: "roster cannot correct or verify this." },
  pending: { title: "Pending", means: "Waiting for a person, or in progress." },
  unmanaged: { title: "Unmanaged", means: "Exists in the service but not in the roster." },
  information: { title: "Notices", means: "Nothing to do." },
};

/** Changes outside roster first, then what apply would do, then what findings say. */
function itemEntries(items: readonly DriftItem[], context: FindingContext): readonly Entry[] {
  const others = items.filter(({ outside }) => outside === undefined);
  const actions = multimap(others.flatMap((item) => (item.of.is === "action" ? [[item.of.action, item]] : [])));
  return [
    ...items.filter(({ outside }) => outside !== undefined).map((item) => outsideEntry(item, context)),
    ...[...actions].map(([id, parts]) => plannedEntry(id, parts, context)),
    ...others.flatMap((item) => (item.of.is === "finding" ? [foundEntry(item, item.of.finding, context)] : [])),
  ];
}

/** Where the roster asks for what the item is about. */
export function itemPlaces({ of }: DriftItem, names: PlanNames): readonly Place[] {
  return (of.is === "finding" ? of.finding : names.action(of.action))?.because ?? [];
}

/** What was changed outside roster, and then what apply does about it or what a finding says. */
function outsideEntry(item: DriftItem, context: FindingContext): Entry {
  const { of } = item;
  const { changes, repair, finding } = itemSentences(item, context.names);
  const isGain = isPrivilegedGain(item);
  const action = of.is === "action" ? context.names.action(of.action) : undefined;
  return {
    mark: "!",
    ink: isGain ? "alarm" : "change",
    about: [],
    what: [...(isGain ? words("privileged: ") : []), ...joinInline(changes, " ")],
    place: formatPlaces(itemPlaces(item, context.names)),
    notes: [
      ...[...repair, ...finding].map(paragraph),
      ...ownershipNotes(item.ownership),
      ...(of.is === "finding" && of.finding.suggestedYaml !== undefined
        ? [code("yaml", of.finding.suggestedYaml)]
        : []),
      ...acceptedNotes(item),
      ...trackedNotes(item, "with-subject"),
    ],
    labels: isGain ? ["privileged"] : [],
    details: () => (of.is === "finding" ? findingReasons(of.finding, context) : actionReasons(action, context)),
    actions: action === undefined ? [] : [action.id],
  };
}

function actionReasons(action: Action | undefined, context: FindingContext): readonly Block[] {
  if (action === undefined) return [];
  const planned = actionEntry(action, context.names);
  return entriesOf([{ ...planned, notes: [...planned.notes, ...lines(reasonLines(action, context))] }]);
}

function plannedEntry(id: string, parts: readonly DriftItem[], context: FindingContext): Entry {
  const action = context.names.action(id);
  const about = parts.length === 1 ? "without-subject" : "with-subject";
  const notes = parts.flatMap((item) => [...acceptedNotes(item), ...trackedNotes(item, about)]);
  if (action === undefined) {
    return entry([value(id)], { mark: "~", ink: "change", notes });
  }
  const planned = actionEntry(partOf(action, parts), context.names);
  return { ...planned, notes: [...planned.notes, ...notes], details: () => lines(reasonLines(action, context)) };
}

/** An addition of members, with only the people of these items. */
function partOf(action: Action, parts: readonly DriftItem[]): Action {
  if (action.kind !== "add-members") return action;
  const people = new Set(parts.map(({ of }) => (of.is === "action" ? of.person : undefined)));
  return { ...action, members: action.members.filter(({ address }) => people.has(address)) };
}

/** There may be thousands of users and keys that are not in the roster: what is said of each stands in its details. */
function foundEntry(item: DriftItem, finding: Finding, context: FindingContext): Entry {
  const found = findingEntry(finding, context);
  const tracked = trackedNotes(item, "without-subject");
  if (item.class !== "unmanaged" || finding.kind === "task") return { ...found, notes: [...found.notes, ...tracked] };
  return {
    ...found,
    notes: acceptedNotes(item),
    details: () => [...found.notes, ...tracked, ...findingReasons(finding, context)],
  };
}

/** Its fingerprint, since when it is known, and YAML that accepts it. What is only not applied yet is applied, not accepted. */
function trackedNotes(item: DriftItem, is: "with-subject" | "without-subject"): readonly Block[] {
  const { fingerprint, since, subject } = item;
  const accept = isOffered(item) ? acceptLine(item) : undefined;
  const about = is === "with-subject" ? ` ${formatSubject(subject)}` : "";
  return [
    sentence(`${fingerprint}${about}, ${since === undefined ? "new" : `since ${since}`}`, "dim"),
    ...(accept === undefined ? [] : [code("yaml", accept)]),
  ];
}

function isOffered({ class: ofClass, counts }: DriftItem): boolean {
  return counts !== "nothing" && ofClass !== "unapplied";
}

function unusedEntry({ code: unused, place }: AcceptEntry): Entry {
  return entry(phrase`${unused}`, { ink: "dim", place: formatPlace(place) });
}

function closedEntry({ subject, code: closed, since }: DriftReport["tasks"]["closed"][number]): Entry {
  const what = phrase`${closed}, since ${since}`;
  return entry(what, { ink: "dim", about: phrase`${subject}`, labels: ["done"] });
}

/** Privileged gains first, then how much drift there is. What apply would do about it stands with its plan. */
export function driftSummary(report: DriftReport): readonly Paragraph[] {
  const { repairing, shows, tasks } = report;
  const { changes, blocking } = remainingDrift(report);
  const gains = countPrivilegedGains(report);
  const outside = reportedItems(report).filter((item) => item.class === "tampered" && countsInExitCode(item)).length;
  const where = outside === 0 ? "" : ` (${outside} made outside roster)`;
  const isNew = shows === "what-is-new" ? "New drift" : "Drift";
  const agreement = formatNoDrift(report) === "no drift" ? " The service matches the roster." : "";
  const found =
    changes + blocking === 0
      ? [sentence(`${capitalized(formatNoDrift(report))}.${agreement}`, "strong")]
      : [
          ...(gains === 0 ? [] : [sentence(formatPrivilegedGains(gains), "alarm")]),
          sentence(`${isNew}: ${formatChangesAndTasks(report)}${where}.`, "strong"),
        ];
  return [
    ...(repairing === undefined
      ? []
      : [sentence(`There is nothing to repair of the class ${joinList(repairing)}.`, "strong")]),
    ...found,
    ...(changes === 0 && blocking > 0 ? [sentence("apply cannot correct it.", "strong")] : []),
    ...(tasks.closed.length === 0
      ? []
      : [sentence(`${formatCount(tasks.closed.length, "task is", "tasks are")} done.`)]),
  ];
}

/** Where the lines that accept something belong, and that nothing was recorded. */
export function driftNext(report: DriftReport): readonly Block[] {
  const { record } = report;
  const isAcceptable = reportedItems(report).some((item) => isOffered(item) && acceptLine(item) !== undefined);
  const hint = "To accept drift until a date, copy its line under `accept:` in a roster file, and write a reason.";
  return [
    ...(record.is === "not-recorded"
      ? [sentence(`New drift was not recorded and stays new: ${record.why}.`, "dim")]
      : []),
    ...(isAcceptable ? [sentence(hint, "dim")] : []),
  ];
}

/** `1 key has a privileged role that the roster does not give.` */
function formatPrivilegedGains(count: number): string {
  return `${formatCount(count, "key")} ${count === 1 ? "has" : "have"} a privileged role that the roster does not give.`;
}

/** `no drift except 1 unmanaged item`: true although items that do not count are listed as well. */
export function formatNoDrift(report: DriftReport): string {
  const items = reportedItems(report);
  const count = (name: DriftClass) => items.filter((item) => item.class === name && item.counts === "nothing").length;
  const exceptions = [
    ...(items.some((item) => item.counts !== "nothing" && isAccepted(item)) ? ["accepted drift"] : []),
    ...formatCounts(
      [count("tampered"), "notice"],
      [count("pending"), "pending item"],
      [count("unmanaged"), "unmanaged item"],
    ),
  ];
  const what = report.shows === "what-is-new" ? "no new drift" : "no drift";
  return exceptions.length === 0 ? what : `${what} except ${joinList(exceptions)}`;
}

/** The drift that remains after a run has repaired the rest. */
export function remainingDriftSummary(report: DriftReport): readonly Paragraph[] {
  const { changes, blocking } = remainingDrift(report);
  if (changes + blocking === 0) return [sentence("No other drift.", "dim")];
  return [sentence(`Not repaired: ${formatChangesAndTasks(report)}. \`roster drift\` shows them.`, "strong")];
}

/** `1 privileged gain among 2 changes and 1 task`; empty where nothing counts. */
export function formatDriftCounts(report: DriftReport): string {
  const privileged = countPrivilegedGains(report);
  const all = formatChangesAndTasks(report);
  return privileged === 0 ? all : `${formatCount(privileged, "privileged gain")} among ${all}`;
}

function formatChangesAndTasks(report: DriftReport): string {
  const { changes, problems } = countDrift(report);
  const counts = formatCounts([changes, "change"], [problems, "task"]);
  return counts.length === 0 ? "" : joinList(counts);
}
