import { catalogue } from "../../codes/catalogue.ts";
import { formatCount, joinList } from "../../codes/message.ts";
import { formatPlace, formatSubject, namesIn, type Place } from "../../model/fact.ts";
import { type Finding, isAccepted, type OutsideChange } from "../../model/finding.ts";
import type { Action, Coverage, Drift, DriftClass, DriftItem, DriftRecording, Tasks } from "../../model/plan.ts";
import { countsInExitCode, driftClasses, privilegesGained } from "../../model/plan.ts";
import type { Change, ReportContext } from "./actions.ts";
import { changeByReplacement, formatPlaces, ownershipNotes, rolePieces, whyLines } from "./actions.ts";
import { capitalized, formatCounts, formatTallies, namesOf, type PlanNames, present } from "./names.ts";
import * as findings from "./tasks.ts";
import * as t from "./tree.ts";

export function driftSummary(report: DriftReport, selected: true | undefined): readonly t.Paragraph[] {
  const { repairing, tasks } = report;
  const { all, tasks: left, privilegedGains: gains } = countDrift(report);
  const count = (name: DriftClass) =>
    reportedItems(report).filter((item) => item.class === name && countsInExitCode(item)).length;
  const [byOthers, unapplied] = [count("tampered"), count("unapplied")];
  const tallies = formatTallies([byOthers, "made by others"], [unapplied, "not applied"]);
  const kinds = tallies.length === 0 ? "" : ` (${tallies.join(", ")})`;
  const none = formatNoDrift(report);
  const part = selected === true ? "the selected part of the roster" : "the roster";
  const agreement = none === "no drift" ? ` The service matches ${part}.` : "";
  const hidden = countDrift({ ...report, shows: "everything" }).all - all;
  const known = formatCount(hidden, "known difference");
  const always = gains > 0 ? " Privileged roles are always shown." : "";
  const closed = formatCount(tasks.closed.length, "task was", "tasks were");
  const isDrift = all > 0;
  const extra = formatCount(gains, "key has", "keys have");
  const notApplied = "the service does not have all of the roster yet";
  const differences = unapplied === all ? notApplied : `${formatCount(all, "difference")}${kinds}`;
  const found = `Drift${selected === true ? " in the selected part" : ""}: ${differences}.`;
  return present(
    repairing && t.sentence(`There is nothing to repair of the class ${joinList(repairing)}.`, "strong"),
    isDrift && gains > 0 && t.sentence(`${extra} a privileged role that the roster does not give.`, "alarm"),
    t.sentence(isDrift ? found : `${capitalized(none)}.${agreement}`, "strong"),
    left > 0 &&
      left < all &&
      t.sentence(`${left} of them ${left === 1 ? "is a task" : "are tasks"} for a person.`, "strong"),
    hidden > 0 && t.sentence(`Not shown because of \`--only-new\`: ${known}.${always}`, "strong"),
    tasks.closed.length > 0 && t.sentence(`${closed} closed: see Closed tasks.`),
  );
}

/** Tasks are told with the plan. */
export function remainingDrift(report: DriftReport): t.Paragraph | undefined {
  const { all, changes } = countDrift(report);
  if (all === 0) return t.sentence("No other drift.", "dim");
  const left = `This run did not repair ${formatCount(changes, "difference")}: see \`roster drift\`.`;
  return changes === 0 ? undefined : t.sentence(left, "strong");
}

/** `3 differences, with extra privileged roles on 1 key`; empty where nothing counts. */
export function formatDriftCounts(report: DriftReport): string {
  const { all, privilegedGains: gains } = countDrift(report);
  const extra = gains === 0 ? "" : `, with extra privileged roles on ${formatCount(gains, "key")}`;
  return all === 0 ? "" : `${formatCount(all, "difference")}${extra}`;
}

/** `no drift except 1 unmanaged item`: true although items that do not count are listed as well. */
export function formatNoDrift(report: DriftReport): string {
  const items = findings.withoutExtraMembers(reportedItems(report));
  const count = (name: DriftClass) => items.filter((item) => item.class === name && item.counts === "nothing").length;
  const [notices, pending, unmanaged] = [count("tampered"), count("pending"), count("unmanaged")];
  const exceptions = [
    ...(items.some((item) => item.counts !== "nothing" && isAccepted(item)) ? ["accepted drift"] : []),
    ...formatCounts([notices, "notice"], [pending, "pending item"], [unmanaged, "unmanaged item"]),
  ];
  const what = report.shows === "what-is-new" ? "no new drift" : "no drift";
  return exceptions.length === 0 ? what : `${what} except ${joinList(exceptions)}`;
}

type Groups = (isShown: (change: Change) => boolean) => readonly t.Entries[];

/** Privileged gains first; then class by class, changes outside roster first; then what is accepted. */
export function driftSections(report: DriftReport, context: ReportContext, groups: Groups): readonly t.Section[] {
  const items = reportedItems(report);
  const toEntries = (those: readonly DriftItem[]) => [
    ...itemEntries(those, context),
    ...plannedGroups(those, groups).flatMap(({ entries }) => entries),
  ];
  const [guarded, accepted] = findings.acceptedSections(items, toEntries);
  const unused = "Remove them: this drift is gone or has changed.";
  const privileged = toEntries(items.filter(isPrivilegedGain));
  const unusedAccepts = report.drift.unusedAccepts.map(({ code: name, place }) =>
    t.entry(t.phrase`${name}`, { ink: "dim", place: formatPlace(place) }),
  );
  const leavers = new Set(
    report.tasks.open.map(({ code, subject }) => code === "leaver-remains" && namesIn(subject).address),
  );
  const done = report.tasks.closed.slice(0, 10).map(({ subject, code: name, since }) => {
    // Who has to leave altogether has to leave each team.
    const isPart = subject.kind === "member" && leavers.has(subject.address);
    const end = isPart ? t.phrase`now a part of the task ${"leaver-remains"} of this user` : t.words("no longer found");
    const what = t.phrase`${name} (first reported at ${since}), ${end}`;
    return t.entry(what, { ink: "dim", about: t.phrase`${formatSubject(subject)}`, labels: ["done"] });
  });
  return [
    t.section("Privileged roles not in the roster", privileged, { notes: [t.sentence("Check these first.", "dim")] }),
    guarded,
    ...driftClasses.map((name): t.Section => {
      const all = items.filter((item) => item.class === name && !isAccepted(item) && !isPrivilegedGain(item));
      const those = findings.withoutExtraMembers(all, items);
      const by = name === "tampered" ? "" : notByRoster;
      const { title = name, means = "" } = catalogue(name).find(({ kind }) => kind === "drift-class") ?? {};
      const blocks = [...t.entriesOf(itemEntries(those, context, by)), ...plannedGroups(those, groups)];
      const noted = blocks.length === 0 || by === "" ? blocks : [t.sentence(means, "dim"), ...blocks];
      const is = name === "unmanaged" || name === "information" ? "folded" : "open";
      const count = name === "unapplied" ? "" : ` (${those.length})`;
      return { title: t.words(`${capitalized(title)}${count}`), is, blocks: noted };
    }),
    accepted,
    t.section("Unused entries under `accept`", unusedAccepts, { is: "folded", notes: [t.sentence(unused, "dim")] }),
    t.section("Closed tasks", done, { is: "folded" }),
  ];
}

/** What is only not applied yet is applied, not accepted. */
function acceptBlock(item: DriftItem): readonly t.Block[] {
  return item.counts === "nothing" || item.class === "unapplied" ? [] : findings.acceptLine(item);
}

export function acceptNext(report: DriftReport): readonly t.Block[] {
  if (reportedItems(report).every((item) => acceptBlock(item).length === 0)) return [];
  const repaired = " This does not stop `roster apply`: it still changes roles back to those of the roster.";
  return [findings.howToAccept(countDrift(report).changes > 0 ? repaired : "")];
}

/** Changes of the plan that others did not cause, as the plan shows them. */
function plannedGroups(items: readonly DriftItem[], groups: Groups): readonly t.Entries[] {
  const nameOf = (action: string, person = "") => `${person} ${action}`;
  const parts = items.flatMap(({ of, outside }) => {
    return of.is === "action" && outside === undefined ? [nameOf(of.action, of.person)] : [];
  });
  const names = new Set(parts);
  const isShown = ({ action: { id }, address }: Change) => names.has(nameOf(id)) || names.has(nameOf(id, address));
  return parts.length === 0 ? [] : groups(isShown);
}

function itemEntries(items: readonly DriftItem[], context: ReportContext, by = notByRoster): readonly t.Entry[] {
  return [
    ...items.filter(({ outside }) => outside !== undefined).map((item) => outsideEntry(item, context, by)),
    ...items.flatMap((item) =>
      item.of.is === "finding" && item.outside === undefined ? [foundEntry(item, item.of.finding, context)] : [],
    ),
  ];
}

export function itemPlaces({ of }: DriftItem, names: PlanNames): readonly Place[] {
  return (of.is === "finding" ? of.finding : names.action(of.action))?.because ?? [];
}

function outsideEntry(item: DriftItem, context: ReportContext, by: string): t.Entry {
  const names = namesOf(context.plan);
  const { changes, repair, finding } = itemSentences(item, names, by);
  const isGain = isPrivilegedGain(item);
  const found = item.of.is === "finding" ? item.of.finding : undefined;
  const action = item.of.is === "action" ? names.action(item.of.action) : undefined;
  return t.entry(t.inkRoles(t.joinInline(changes, " "), context.privileged), {
    mark: "!",
    ink: isGain ? "alarm" : "change",
    place: formatPlaces(itemPlaces(item, names)),
    notes: [
      ...[...repair, ...finding].map((spans) => t.paragraph(t.inkRoles(spans, context.privileged))),
      ...ownershipNotes(item.ownership),
      ...(found?.suggestedYaml === undefined ? [] : [t.code("yaml", found.suggestedYaml)]),
      ...findings.acceptedNotes(item),
      ...firstSeen(item),
      ...acceptBlock(item),
    ],
    labels: isGain ? ["privileged"] : [],
    details: () => whyLines(present(found ?? action), context),
    actions: action === undefined ? [] : [action.id],
  });
}

/** There may be thousands of users and keys that are not in the roster: what is said of each stands in its details. */
function foundEntry(item: DriftItem, finding: Finding, context: ReportContext): t.Entry {
  const found = findings.findingEntry(finding, context);
  const details = () => whyLines([finding], context);
  if (finding.kind === "task")
    return { ...found, notes: [...firstSeen(item), ...found.notes, ...acceptBlock(item)], details };
  if (item.class !== "unmanaged") return found;
  return { ...found, notes: findings.acceptedNotes(item), details: () => [...found.notes, ...details()] };
}

function firstSeen({ since }: DriftItem): readonly t.Paragraph[] {
  return since === undefined ? [] : [t.sentence(`first reported at ${since}`, "dim")];
}

export function itemSentences({ of, outside = [] }: DriftItem, names: PlanNames, by = notByRoster) {
  const changes = outside.map((change) => outsideSentence(change, by));
  if (changes.length === 0) return { changes, repair: [], finding: of.is === "finding" ? [[of.finding.message]] : [] };
  if (of.is === "action") return { changes, repair: [actionRepair(names.action(of.action), names)], finding: [] };
  const repair = of.finding.kind === "task" ? [] : [t.words("`roster apply` does not change it.")];
  return { changes, repair, finding: [[of.finding.message]] };
}

export function itemText(item: DriftItem, names: PlanNames): string {
  const { changes, repair, finding } = itemSentences(item, names);
  return findings.joinSentences(...[...changes, ...repair, ...finding].map(t.plainText));
}

const notByRoster = " (not by roster)";

/** Such as `olga@acme.example's key in Pricing gained ACCOUNT_ADMIN (not by roster).` */
export function outsideSentence(change: OutsideChange, by = notByRoster): t.Inline {
  const { is, person } = change;
  const what = happenings[is](change, person === undefined ? t.words("A user") : t.phrase`${person.email}`);
  const isLasting = is === "privileged-roles-found" || is === "privileged-roles-left";
  return [...what, ...t.words(isLasting ? ". The roster does not give this access." : `${by}.`)];
}

const happenings: Readonly<Record<OutsideChange["is"], (change: OutsideChange, who: t.Inline) => t.Inline>> = {
  "roles-changed": (change) => {
    const { gained, lost } = change;
    const gains = gained.length === 0 ? [] : t.phrase`gained ${t.values(gained)}`;
    const losses = lost.length === 0 ? [] : t.phrase`lost ${t.values(lost)}`;
    return t.phrase`${whoseKey(change)} ${t.joinInline([gains, losses], " and ")}`;
  },
  "privileged-roles-found": (change) => t.phrase`${whoseKey(change)} has ${t.values(change.gained)}`,
  "privileged-roles-left": (change) => t.phrase`${whoseKey(change)} still has ${t.values(change.gained)}`,
  "key-removed": ({ person, team, key, lost }) => {
    const where = team === undefined ? [] : t.phrase` in ${team}`;
    const whose = person === undefined ? [] : t.phrase` of ${person.email}`;
    return t.phrase`The key ${key?.prefix ?? ""}${whose}${where}${rolesAfter(" with ", lost)} was removed`;
  },
  "member-added": ({ team = "a team", gained }, who) =>
    t.phrase`${who} was added to ${team}${rolesAfter(" and gained ", gained)}`,
  "member-removed": ({ team = "a team", lost }, who) =>
    t.phrase`${who} was removed from ${team}${rolesAfter(" and lost ", lost)}`,
  "user-removed": ({ lost }, who) => t.phrase`${who} was removed from the service${rolesAfter(" and lost ", lost)}`,
  "user-replaced": (_, who) => t.phrase`${who} is another user now`,
  "email-changed": ({ to = "another one" }, who) => t.phrase`The address of ${who} was changed to ${to}`,
  "account-changed": ({ to = "another one" }, who) => t.phrase`${who} was moved to the account ${to}`,
  "profile-changed": ({ fields = [] }, who) => t.phrase`The profile of ${who} was changed (${t.values(fields)})`,
  "team-renamed": ({ team = "a team", to = "another one" }) => t.phrase`The team ${team} was renamed to ${to}`,
};

function rolesAfter(before: string, roles: readonly string[]): t.Inline {
  return roles.length === 0 ? [] : t.phrase`${t.words(before)}${t.values(roles)}`;
}

function whoseKey({ person, team, key }: OutsideChange): t.Inline {
  const prefix = key?.prefix ?? "";
  if (person === undefined) return t.phrase`The key ${prefix}`;
  const own = key?.isOwn === true ? t.words("own key") : t.phrase`key ${prefix}`;
  return t.phrase`${person.email}'s ${team === undefined ? own : t.phrase`key in ${team}`}`;
}

function actionRepair(action: Action | undefined, names: PlanNames): t.Inline {
  if (action === undefined) return t.words("`roster apply` corrects it.");
  if (action.kind === "replace-roles")
    return t.phrase`${t.words("`roster apply` changes the roles")}: ${rolePieces(changeByReplacement(action, names))}.`;
  return t.words(
    action.kind === "create-user" ? "`roster apply` creates the user again." : "`roster apply` adds the member again.",
  );
}

export interface DriftReport {
  readonly drift: Drift;
  readonly tasks: Tasks;
  /** What is shown and counted: what no recorded run has seen before, or everything. */
  readonly shows: "everything" | "what-is-new";
  readonly record: DriftRecording;
  readonly repairing?: readonly DriftClass[] | undefined;
}

/** The items that are shown, in the order of the plan. A privileged gain of the roster's own users is shown until it is taken back. */
export function reportedItems({ drift, shows }: DriftReport): readonly DriftItem[] {
  if (shows === "everything") return drift.items;
  const isGain = (item: DriftItem) => item.class !== "unmanaged" && privilegesGained(item).length > 0;
  return drift.items.filter((item) => item.since === undefined || isGain(item));
}

/**
 * What the exit code counts. A privileged role that the roster does not give blocks, even where apply can remove it. Accepted items do
 * not count. `besidesGains`: each once, without privileged gains.
 */
export function countDrift(report: DriftReport) {
  const items = reportedItems(report);
  const counted = items.filter(countsInExitCode);
  const [gains, others] = [items.filter(isPrivilegedGain), counted.filter((item) => !isPrivilegedGain(item))];
  const changesIn = (those: readonly DriftItem[]) => those.filter(({ counts }) => counts === "change").length;
  const [changes, otherChanges] = [changesIn(counted), changesIn(others)];
  const keys = gains.flatMap(({ outside = [] }) => outside.filter(({ privileged }) => privileged.length > 0));
  return {
    all: counted.length,
    changes,
    tasks: counted.length - changes,
    blocking: counted.filter((item) => item.counts === "blocking" || isPrivilegedGain(item)).length,
    // A finding and an action may show the same change.
    privilegedGains: new Set(keys.map(({ key, person }) => key?.prefix ?? person?.address)).size,
    besidesGains: { changes: otherChanges, problems: others.length - otherChanges },
  };
}

/** `new`: what no recorded run has seen before. It is among `open`. */
export function countTasks({ open, closed }: Tasks): Readonly<Record<"open" | "new" | "closed", number>> {
  return { open: open.length, new: open.filter(({ since }) => since === undefined).length, closed: closed.length };
}

export function isPrivilegedGain(item: DriftItem): boolean {
  return privilegesGained(item).length > 0 && !isAccepted(item);
}

export function formatCoverage({ users, teams, keys, without }: Coverage): string {
  const kinds = Object.entries({ user: users, team: teams, key: keys });
  const there = formatCounts(...kinds.map(([name, one]) => [one?.shown ?? 0, name] as const));
  const others = formatCounts(
    ...kinds.map(([name, one]) => [one === undefined ? 0 : one.shown - one.named, name] as const),
  );
  const aside = without === undefined ? "" : ", not counting the owner of the API key";
  if (there.length === 0) return `The service shows no users, teams or keys${aside}.`;
  const except = others.length === 0 ? "" : `, except ${joinList(others)}`;
  const isUnread = teams === undefined && keys !== undefined && keys.shown > keys.named;
  const unread = isUnread ? " Their teams are unread: more keys may belong to it." : "";
  return `The service has ${joinList(there)}${aside}. All belong to the roster${except}.${unread}`;
}
