import { formatCount, joinList, truncateList } from "../../codes/message.ts";
import type { RunSummary, UnsuccessfulOutcome } from "../../log/summary.ts";
import { countOutcomes, isWhole, refusedMembers, unsuccessfulOutcomes } from "../../log/summary.ts";
import type { EmailKey } from "../../model/address.ts";
import { type Group, groupBy, multimap } from "../../model/collections.ts";
import { mergeOwnership, withoutCommon } from "../../model/fact.ts";
import { type Finding, isAccepted, isOpenProblem } from "../../model/finding.ts";
import type { Action, Plan, PlanCounts, RosterCounts } from "../../model/plan.ts";
import { countPlan, creationId, ownershipOfPart, prefixOf, teamOf } from "../../model/plan.ts";
import { allowCommand } from "../../model/policy.ts";
import type { ReadSummary, UserListStatus } from "../../model/snapshot.ts";
import type { PrivilegedKey } from "../../model/user.ts";
import type { Ownership, RoleSet, TeamKey } from "../../model/values.ts";
import { defaultPrivilegedRoles, rolesWithout } from "../../model/values.ts";
import type { PlanFileReport } from "../json/document-format.ts";
import type { CommandOutcome } from "../outcome.ts";
import type { Change, ReportContext, RoleChange } from "./actions.ts";
import {
  changeBlocks,
  formatPlaces,
  ownershipNotes,
  partOf,
  planChanges,
  privilegedPart,
  rolePieces,
  unreadFacts,
  whyLines,
} from "./actions.ts";
import * as text from "./names.ts";
import { formatCallCount, formatCounts, formatKey, isSure, type PlanNames, planNames, present } from "./names.ts";
import { failureNotes, findingSections, formatFindingCounts } from "./tasks.ts";
import * as t from "./tree.ts";

export function planSummary(plan: Plan, lead: string, shown: Partial<CommandOutcome>): readonly t.Paragraph[] {
  const { actions, findings } = plan;
  if (actions.length === 0) return [t.sentence(formatInSync(findings, shown), "strong")];
  const counts = countPlan(plan);
  const mails = counts.mails === 0 ? "No mails" : formatCount(counts.mails, "mail");
  const unsure = actions.filter((action) => !isSure(action)).length;
  const size = shown.run === undefined ? `${mails}, ${formatCallCount(actions)}. ` : "";
  return [
    t.sentence(`${lead} ${formatChangeCounts({ ...counts, unsure }, "ahead")}.`, "strong"),
    ...privilegeSummary(plan, shown),
    t.sentence(`${size}Plan ID ${plan.id}.`, "strong"),
    ...(findings.length === 0 ? [] : [t.sentence(`${formatFindingCounts(findings)}.`, "strong")]),
  ];
}

function formatInSync(findings: readonly Finding[], shown: Partial<CommandOutcome>): string {
  const { selected, problem, planFile, diagnostics = [] } = shown;
  const isEmpty = diagnostics.some(({ code }) => code === "empty-roster");
  if (problem?.code === "guard") return `roster stops: ${isEmpty ? "the roster is empty. See" : "see"} the error.`;
  const tasks = findings.filter(isOpenProblem).length;
  if (tasks > 0) return `Nothing to apply. ${formatCount(tasks, "task is", "tasks are")} left for a person.`;
  if (findings.some(isAccepted)) return "No changes, except for what is accepted.";
  if (findings.length > 0) return `No changes. ${formatFindingCounts(findings)}.`;
  const part = "The service matches the selected part of the roster. The rest was not compared.";
  const isSaved = planFile !== undefined && planFile.is !== "written";
  const whole = `The service ${isSaved ? "matched the roster when the plan was made" : "matches the roster"}.`;
  return `No changes. ${selected === true ? part : whole}`;
}

const nothingChanged = "nothing was changed";
const verbs = { ahead: ["create", "invite", "change"], done: ["created", "invited", "changed"] } as const;

/** `found`: people that a run found, and did not create. `unsure`: new keys, which may have their roles already. */
type ChangeCounts = Pick<PlanCounts, "createUsers" | "createTeams" | "mails" | "replaceRoles"> &
  Partial<Record<"addMembers" | "found" | "unsure", number>>;

/** `create 2 users and 1 team, invite 3 members to 1 team, change the roles of 4 keys`; for a run, also the people it found. */
function formatChangeCounts(counts: ChangeCounts, tense: keyof typeof verbs): string {
  const [create, invite, change] = verbs[tense];
  const { createUsers, createTeams, mails, replaceRoles, addMembers: teams = 0, found = 0, unsure = 0 } = counts;
  const created = formatCounts([createUsers, "user"], [createTeams, "team"]);
  const sure = replaceRoles - unsure;
  const parts = present(
    created.length > 0 && `${create} ${joinList(created)}`,
    found > 0 && `found ${formatCount(found, "user")}`,
    mails > 0 && `${invite} ${[formatCount(mails, "member"), ...formatCounts([teams, "team"])].join(" to ")}`,
    sure > 0 && `${change} the roles of ${formatCount(sure, "key")}`,
    unsure > 0 && `set the roles of ${formatCount(unsure, "new key")}`,
  );
  return parts.length === 0 ? nothingChanged : parts.join(", ");
}

export function readingFacts({ reading, roster, selected }: CommandOutcome): readonly t.Paragraph[] {
  const { keysOnUsers, rolesOnKeys } = reading?.capabilities ?? {};
  const hidden = present(
    keysOnUsers === "hidden" && "the keys of users",
    rolesOnKeys === "hidden" && "the roles of keys",
  );
  const files = roster && roster.files > 0 ? `${formatCount(roster.files, "file")}, ` : "";
  const part = selected === true ? t.inked("strong", "; only the selected part was compared") : "";
  return present(
    reading?.kept && t.sentence("This is a preview from a snapshot. It cannot be applied.", "alarm"),
    reading && t.paragraph(t.phrase`roster read the service at ${reading.readAt}.${whoWasRead(reading.everyone)}`),
    hidden.length > 0 && t.sentence(`The service does not show ${joinList(hidden)}.`),
    roster && t.paragraph([...t.words(`Roster: ${files}${formatRosterCounts(roster)}`), part, ...t.words(".")]),
  );
}

function whoWasRead(everyone: UserListStatus): t.Inline {
  if (everyone.read === "complete") return [];
  if (everyone.read === "incomplete") return [` The list of users is incomplete: ${everyone.why}.`];
  return t.words(" It did not read users outside the roster.");
}

/** `3 users, 1 leaver, 2 teams, 1 entry under keys`, without leavers and keys where there are 0. */
export function formatRosterCounts({ users, leavers, teams, keys }: Omit<RosterCounts, "files">): string {
  const named = formatCounts([keys, "entry under `keys`", "entries under `keys`"]);
  const some = formatCounts([leavers, "leaver"]);
  return [formatCount(users, "user"), ...some, formatCount(teams, "team"), ...named].join(", ");
}

export function planFileFacts({ path, file, digest, is }: PlanFileReport): readonly t.Paragraph[] {
  const { file: id, madeAt, madeBy, basis } = file;
  const { roster } = basis;
  const flags = file.policy.words.length === 0 ? [] : t.phrase`, with ${file.policy.words.join(" ")}`;
  const counts = t.words(formatRosterCounts(roster));
  const expired = `The plan expired at ${file.expiresAt} and cannot be applied. Plan again.`;
  return present(
    t.paragraph(t.phrase`Plan file ${path} (file ID ${id}), made at ${madeAt} by roster ${madeBy}${flags}.`),
    is !== "applied" && t.paragraph(t.phrase`Its roster has ${counts} (digest ${roster.digest}).`),
    t.paragraph(t.phrase`SHA-256 of the plan file: ${digest}`),
    is === "shown" && t.sentence(`The plan can be applied once, before ${file.expiresAt}.`),
    is === "shown-expired" && t.sentence(expired, "alarm"),
  );
}

export function savedPlanBlocks({ path, file, digest, is, apply }: PlanFileReport, plan: Plan): readonly t.Block[] {
  if (is !== "written") return [];
  const how = `To apply exactly this plan, run \`${apply}\` before ${file.expiresAt}.`;
  const next = plan.actions.length === 0 ? "It has no changes to apply." : how;
  return [
    t.paragraph([...t.phrase`The plan is saved in ${path}. `, next]),
    t.sentence(`SHA-256 of the plan file: ${digest}`, "dim"),
  ];
}

export function runSections(run: RunSummary, context: ReportContext): readonly t.Section[] {
  const names = text.namesOf(context.plan);
  const keys = run.keys.map(({ address, team, prefix }) => [
    t.phrase`${names.email(address)}`,
    team === undefined ? t.words("own key") : t.phrase`team ${names.teamInFull(team)}`,
    t.phrase`${prefix}`,
  ]);
  const recorded = run.ended?.logLost ? "maybe not in the log" : "also in the log";
  const title = t.words(`Prefixes of new keys (${keys.length}), ${recorded}`);
  const failed = unsuccessfulOutcomes(run);
  // Calls that were skipped for one reason are told together.
  const groups = groupBy(failed, (one) => (one.is === "skipped" ? one.why : one));
  return [
    t.section(
      "Did not succeed",
      [...groups.values()].map((group) => outcomeEntry(group, names, run.ended)),
      { count: failed.length },
    ),
    ...findingSections(run.findings, context, ", found by this run"),
    { title, is: "folded", blocks: t.table(["person", "kind of key", "prefix of the key"], keys) },
  ];
}

function outcomeEntry(group: Group<UnsuccessfulOutcome>, names: PlanNames, ended: RunSummary["ended"]): t.Entry {
  const [outcome] = group;
  const actions = group.map(({ action }) => action);
  const label = outcome.is === "unknown" ? "unknown outcome" : outcome.is;
  // Why the run ended stands once, at its end, and not at each action that it no longer started.
  const isEnd = outcome.is === "skipped" && ended !== undefined && outcome.why === ended.why;
  const why = "why" in outcome ? (isEnd ? `the run was ${ended.ended}` : outcome.why) : "";
  const calls = actions.map((id) => text.actionLabel(id, names));
  const what =
    outcome.is === "refused"
      ? t.phrase`invite ${names.email(outcome.address)} to team ${names.teamInFull(outcome.team)}`
      : [calls.length > 1 ? `${calls.length} calls, because ${why}` : (calls[0] ?? "")];
  const notes =
    "failure" in outcome ? failureNotes(outcome.failure) : [t.sentence(calls.length > 1 ? truncateList(calls) : why)];
  return t.entry(what, { mark: "!", ink: "alarm", about: [t.inked("alarm", label)], notes, labels: [label], actions });
}

/** A refused call is not sent again by itself. What was allowed is passed again: it holds for what is left. */
export function runNext(run: RunSummary, plan: Plan | undefined, planAgain = "roster apply"): readonly t.Block[] {
  const { failed, skipped, unknown, stale } = countOutcomes(run);
  const refused = [...run.outcomes.values()].flatMap(refusedMembers).length;
  const { retry = [] } = run;
  const hasHint = unsuccessfulOutcomes(run).some((one) => "failure" in one && one.failure.hint !== undefined);
  const todo = present(hasHint && "follow the hints above", run.findings.length > 0 && "do the tasks above");
  const first = todo.length === 0 ? "" : `${joinList(todo)}. Then `;
  const { allowed = [], reason } = plan ?? {};
  const of = (code: string) => code.split("#", 1).join();
  const codes = allowed.map(({ code }) => code).filter((code) => !retry.some((other) => of(other) === of(code)));
  const isLeft = failed + skipped + refused > 0;
  const again = [
    `run \`${allowCommand(codes, { planAgain, reason })}\` again.`,
    ...present(
      unknown > 0 && "It first reads the service to find out about unknown outcomes.",
      isLeft && "It does only what is left.",
    ),
  ].join(" ");
  const next = stale > 0 ? "plan again. The service has changed since this plan was made." : again;
  const isDone = stale + unknown === 0 && !isLeft;
  const when = retry.length > 0 ? "if you corrected the roster, " : first;
  const steps = isDone ? [] : [t.sentence(`Next: ${when}${next}`, "dim")];
  if (retry.length === 0) return steps;
  const resend = t.sentence("To send the refused calls again without a change in the roster, run:", "dim");
  return [...steps, resend, t.code("shell", allowCommand([...codes, ...retry], { planAgain, reason }))];
}

const verificationMessages = {
  converged: "Verified: all changes are in place.",
  pending: "Not verified yet: the service does not show all changes. Plan again later.",
  diverged: "Verification failed: the service shows other values than roster sent. Plan again.",
  unverified: "Not fully verified: roster could not check every change.",
} as const;

export function runSummary(run: RunSummary, plan: Plan | undefined): readonly t.Paragraph[] {
  const { verified, ended } = run;
  const isPartly = verified?.result === "converged" && unsuccessfulOutcomes(run).length > 0;
  const partly = "Verified: the changes that were made are in place.";
  const counts = countOutcomes(run);
  const others = text.formatTallies(
    [counts.failed, "failed"],
    [counts.unknown, "with an unknown outcome"],
    [counts.skipped, "skipped"],
    [counts.stale, "stale"],
  );
  const done = formatDone(run, text.namesOf(plan));
  const isNothing = done === nothingChanged;
  const what = isNothing && counts.unknown > 0 ? "no change is confirmed" : done;
  const how = isWhole(run) ? "Done: " : isNothing ? "" : "Partly done: ";
  const rest = others.length === 0 ? "" : ` ${isNothing ? "Calls" : "Other calls"}: ${others.join(", ")}.`;
  const unneeded = formatCount(counts.unneeded, "planned call was", "planned calls were");
  const end = `the run was ${ended?.ended}`;
  const why = ended?.why === undefined || ended.why === end ? "" : `: ${ended.why}`;
  return present(
    verified && t.sentence(isPartly ? partly : verificationMessages[verified.result]),
    ...(verified?.remarks ?? []).map((remark) => t.sentence(`- ${remark}`)),
    ended === undefined && t.sentence("The run did not finish.", "alarm"),
    ended !== undefined && ended.ended !== "completed" && t.sentence(`${text.capitalized(end)}${why}.`, "alarm"),
    t.sentence(`${text.capitalized(`${how}${what}`)}.${rest}`, "strong"),
    counts.unneeded > 0 && t.sentence(`${unneeded} not needed: the service already had the result.`),
  );
}

function formatDone({ outcomes }: RunSummary, names: PlanNames): string {
  const made = { createUsers: 0, createTeams: 0, mails: 0, replaceRoles: 0, unsure: 0, found: 0 };
  for (const [id, outcome] of outcomes) {
    if (outcome.is !== "succeeded") continue;
    const { learned } = outcome;
    const action = names.action(id);
    if (learned.kind === "replace-roles") {
      made.replaceRoles += 1;
      if (action !== undefined && !isSure(action)) made.unsure += 1;
    } else if (learned.kind === "add-members") made.mails += learned.members.filter((one) => one.outcome.added).length;
    else if (learned.was !== undefined) made.found += 1;
    else {
      made.createUsers += 1;
      if (action?.kind === "create-user" && action.createsTeam !== undefined) made.createTeams += 1;
    }
  }
  return formatChangeCounts(made, "done");
}

export interface ChangeContext extends ReportContext {
  readonly plan: Plan;
  readonly privileged: RoleSet;
  /** Keys that were shown with a privileged role; absent where the plan was not made just now. */
  readonly shown: ReadSummary["privileges"];
}

const byHolder = text.onceOfEach((plan: Plan): readonly Group<Change>[] => [
  ...groupBy(planChanges(plan), ({ address, action }) => address ?? `key ${prefixOfKey(action)}`).values(),
]);

function prefixOfKey(action: Action): string {
  return (action.kind === "replace-roles" ? prefixOf(action) : undefined) ?? action.id;
}

/** `ada@acme.example (Ada Lovelace)`; the name only of a person that the plan creates. */
function holderName({ address, action }: Change, names: PlanNames): t.Inline {
  if (address === undefined) return t.phrase`key ${prefixOfKey(action)}`;
  const creation = names.action(creationId(address));
  const email = names.email(address);
  if (creation?.kind !== "create-user") return t.phrase`${email}`;
  return t.phrase`${email} (${`${creation.user.firstName} ${creation.user.lastName}`})`;
}

/** Team by team, then outside of teams. A person stands in each team in which they change. */
export function changeGroups(context: ChangeContext, isShown = (_: Change) => true): readonly t.Entries[] {
  const placements = byHolder(context.plan).flatMap((changes) => placementsOf(changes, isShown));
  const byTeam = multimap(placements.map((one) => [one.team, one]));
  const inOrder = [...context.plan.teams.keys(), undefined].map((team) => [team, byTeam.get(team)] as const);
  return inOrder.flatMap(([team, people]) => (people ? [teamGroup(team, people, context)] : []));
}

interface Placement {
  readonly team: TeamKey | undefined;
  readonly changes: Group<Change>;
}

/** The creation of a person stands in the team that it creates, else in their first team. */
function placementsOf(changes: Group<Change>, isShown: (change: Change) => boolean): readonly Placement[] {
  const creation = changes.find(({ is }) => is === "account")?.action;
  const home = (creation && teamOf(creation)) ?? changes.find(({ team }) => team !== undefined)?.team;
  const placeOf = (change: Change) => {
    const isNewKey = change.is === "roles" && change.of === "own-key" && change.before.known === "new-key";
    return change.is === "account" || isNewKey ? home : change.team;
  };
  const placed = multimap(changes.filter(isShown).map((change) => [placeOf(change), change]));
  return [...placed].map(([team, own]) => ({ team, changes: own }));
}

function actionsOf(people: readonly Placement[]): readonly Action[] {
  return [...new Set(people.flatMap(({ changes }) => changes.map(({ action }) => action)))];
}

function teamGroup(team: TeamKey | undefined, people: readonly Placement[], context: ChangeContext): t.Entries {
  const names = planNames(context.plan);
  const actions = actionsOf(people);
  const mails = people.flatMap(({ changes }) => changes.filter(({ is }) => is === "added")).length;
  const keys = people.filter(({ changes }) => changes[0].address === undefined).length;
  const counts = formatCounts([people.length - keys, "person", "people"], [keys, "key"]);
  const creation = team && actions.find((one) => one.kind === "create-user" && one.createsTeam?.team === team);
  const owners = people.map(ownershipOf);
  const shared = owners.reduce((left, one) => withoutCommon(left, withoutCommon(left, one)), owners[0]);
  const common = people.length === 1 ? undefined : shared;
  const isKeys = people.every(({ changes }) => changes.every(({ is }) => is === "roles"));
  const outside = isKeys ? "Keys outside teams" : "Users and keys outside teams";
  const name = team === undefined ? outside : `Team ${names.teamInFull(team)}`;
  const admin = creation?.kind === "create-user" ? (creation.createsTeam?.admin ?? creation.address) : undefined;
  const known = team && (names.identifier(team) ?? "identifier unknown");
  const state = admin === undefined ? known : `new, admin ${names.email(admin)}`;
  const aside = state === undefined || name.includes(`(${state})`) ? "" : ` (${state})`;
  const size = [...counts, ...formatCounts([mails, "mail"])].join(", ");
  return {
    kind: "entries",
    as: "changes",
    title: [t.inked("strong", name), `${aside}: changes for ${size}`],
    notes: [...ownershipNotes(common), ...unreadFacts(actions.filter(({ kind }) => kind === "add-members"))],
    entries: people.map((one, index) => personEntry(one, withoutCommon(owners[index], common), context)),
  };
}

/** What is said of the membership counts before what is said of the user, who may come with it. */
function ownershipOf(placement: Placement): Ownership | undefined {
  const actions = actionsOf([placement]);
  const inOrder = actions.toSorted((a, b) => Number(a.kind === "create-user") - Number(b.kind === "create-user"));
  return mergeOwnership(...inOrder.map((action) => ownershipOfPart(action, placement.changes[0].address)));
}

/** Why a person loses all roles of a key. */
const removals: Readonly<Record<string, string>> = {
  "leaver-roles-removed": "leaver",
  "extra-member-roles-removed": "not a member in the roster",
};

function personEntry(placement: Placement, whose: Ownership | undefined, context: ChangeContext): t.Entry {
  const { plan, privileged, run } = context;
  const { changes } = placement;
  const [{ address }] = changes;
  const actions = actionsOf([placement]);
  const isPrivileged = changes.some((change) => privilegedPart(change, privileged) !== undefined);
  const why = actions.flatMap(({ rule }) => (rule === undefined ? [] : (removals[rule] ?? [])));
  const retries = actions.reduce((sum, { id }) => sum + (run?.retries.get(id) ?? 0), 0);
  const retried = () => `Retried ${formatCount(retries, "time")}: the service did not accept the call at once.`;
  const ownPart = (action: Action) => partOf(action, address);
  const mark = changeMark(changes);
  return {
    mark,
    ink: isPrivileged ? "alarm" : t.markInks[mark],
    about: [...holderName(changes[0], planNames(plan)), ...(why[0] === undefined ? [] : t.words(` (${why[0]})`))],
    what: changePieces(placement, context),
    place: formatPlaces(changes.flatMap(({ because }) => because.slice(0, 1))),
    notes: [...ownershipNotes(whose), ...unreadFacts(actions.filter(({ kind }) => kind !== "add-members"))],
    labels: present(isPrivileged && "privileged", run && partResult(run, actions, address), retries > 0 && "retried"),
    details: () => [...(retries === 0 ? [] : [t.sentence(retried())]), ...whyLines(actions.map(ownPart), context)],
    actions: actions.map(({ id }) => id),
  };
}

/** `~` the roles of a key that exists are changed, `-` no role is left on it, `+` everything here is new. */
function changeMark(changes: readonly Change[]): t.Mark {
  const keys = changes.filter((change) => change.is === "roles" && change.before.known !== "new-key");
  if (keys.length === 0) return "+";
  const isEmptied = (change: Change) =>
    change.is === "roles" && change.before.known !== "unknown" && change.gains.length + change.keeps.length === 0;
  return changes.every(isEmptied) ? "-" : "~";
}

function changePieces(placement: Placement, { plan, privileged }: ChangeContext): readonly t.Piece[] {
  const { changes, team } = placement;
  // What the service gives a new person's own key is the same for everybody, and no line of the plan is about it.
  const shown = changes.filter(
    (change) => !(change.is === "roles" && change.of === "own-key" && change.after === "whatever-comes"),
  );
  const hasOwn = shown.some((change) => change.is === "roles" && change.of !== "team-key");
  return shown.flatMap((change, index): readonly t.Piece[] => {
    const isNextKey = change.is === "roles" && shown[index - 1]?.is === "roles";
    const between = index === 0 ? [] : [isNextKey ? "; " : ", "];
    if (change.is !== "roles") return [...between, joiningText(change, placement, plan)];
    const isClear = change.address === undefined || (team !== undefined && change.of === "team-key" && !hasOwn);
    const end = change.before.known === "new-key" ? " " : ": ";
    const key = isClear ? [] : [`${formatKey(change, planNames(plan))}${end}`];
    return [...between, ...key, ...rolePieces(change, privileged)];
  });
}

function joiningText(joins: Exclude<Change, RoleChange>, { changes, team }: Placement, plan: Plan): string {
  const { is, action, address } = joins;
  const account = action.kind === "create-user" && team === undefined ? ` in ${action.account}` : "";
  const creation = address === undefined ? undefined : planNames(plan).action(creationId(address));
  // A first member stands as new with the team that comes with them.
  const isNew = creation?.kind === "create-user" && creation.createsTeam === undefined;
  const added = isNew && changes.every((one) => one.is !== "account") ? "new, invited by mail" : "invited by mail";
  return { account: `new${account}`, "first-member": "created with the team (no mail)", added }[is];
}

function partResult(run: RunSummary, actions: readonly Action[], person: EmailKey | undefined): string {
  const outcomes = actions.map(({ id }) => run.outcomes.get(id));
  const ends = new Set(outcomes.map((outcome) => outcome?.is));
  const worst = (["failed", "unknown", "stale", "skipped"] as const).find((is) => ends.has(is));
  if (worst !== undefined) return worst === "unknown" ? "unknown outcome" : worst;
  const refused = outcomes.flatMap((outcome) => (outcome === undefined ? [] : refusedMembers(outcome)));
  if (refused.some(({ address }) => address === person)) return "refused";
  if (ends.has(undefined)) return "not started";
  return ends.has("succeeded") ? "done" : "unchanged";
}

/** An entry for each key, none of them ever folded. */
export function privilegeSection(title: string, context: ChangeContext): t.Section {
  const { plan, privileged, shown } = context;
  // Who gains a privileged role comes first, then who has one for a short time, then who loses one.
  const kinds = ["gains", "temporary", "loses"] as const;
  const all = byHolder(plan).map((changes) => changes.flatMap((change) => privilegedPart(change, privileged) ?? []));
  const people = groupBy(all, (own) => kinds.find((kind) => own.some((change) => change[kind].length > 0)));
  const changes = kinds.flatMap((kind) => people.get(kind) ?? []).flat();
  const lost = new Map(changes.map((change) => [change.prefix, change.loses]));
  const left = (shown ?? []).map((one) => ({ ...one, roles: rolesWithout(one.roles, lost.get(one.prefix) ?? []) }));
  const entries = changes.map((change) => privilegeEntry(change, left, context));
  const unknown = t.sentence(
    "The users below can have privileged roles on other keys. A saved plan does not show these keys.",
    "dim",
  );
  return t.section(title, entries, { notes: shown === undefined && context.run === undefined ? [unknown] : [] });
}

/** `left`: the privileged roles that the plan leaves on the keys that were shown. */
function privilegeEntry(change: RoleChange, left: readonly PrivilegedKey[], context: ChangeContext): t.Entry {
  const { plan, shown = [] } = context;
  const names = planNames(plan);
  const { action, address, because, gains, loses, temporary, before } = change;
  const rolesOf = (roles: RoleSet): t.Inline => [t.inked("alarm", roles.join(", "))];
  // A key whose roles were not shown may have had it before.
  const gain = t.words(before.known === "unknown" ? "gets (before unknown)" : "gains");
  const parts = [
    gains.length === 0 ? [] : t.phrase`${gain} ${rolesOf(gains)}`,
    temporary.length === 0 ? [] : t.phrase`has ${rolesOf(temporary)} for a short time`,
    loses.length === 0 ? [] : t.phrase`loses ${rolesOf(loses)}`,
  ];
  const where = address === undefined ? [] : t.phrase` on the ${[formatKey(change, names)]}`;
  const elsewhere = [
    ...otherKeys("already has it", shown, address, gains),
    ...otherKeys("still has it", left, address, loses),
  ];
  return t.entry([...t.joinInline(parts, " and "), ...where, ...elsewhere], {
    mark: loses.length === 0 ? "+" : gains.length + temporary.length === 0 ? "-" : "~",
    ink: "alarm",
    about: holderName(change, names),
    place: formatPlaces(because.slice(0, 1)),
    labels: ["privileged"],
    details: () => [...changeBlocks(action, names), ...whyLines([action], context)],
    actions: [action.id],
  });
}

/** `, and still has it on the key p1 in Ops`: other keys of the same person that carry one of these roles. */
function otherKeys(verb: string, shown: readonly PrivilegedKey[], person: EmailKey | undefined, roles: RoleSet) {
  const keys = shown.filter((one) => one.address === person && one.roles.some((role) => roles.includes(role)));
  if (keys.length === 0) return [];
  const places = keys.map(({ team, prefix }) =>
    team === undefined ? t.phrase`the key ${prefix}` : t.phrase`the key ${prefix} in ${team}`,
  );
  const first = text.firstOf(places, 3, (more) => t.words(`${more} more keys`));
  return t.phrase`, and ${t.inked("strong", verb)} on ${t.listInline(first)}`;
}

function privilegeSummary(plan: Plan, { run, privilegedRoles }: Partial<CommandOutcome>): readonly t.Paragraph[] {
  const privileged = privilegedRoles ?? defaultPrivilegedRoles;
  const all = planChanges(plan).flatMap((change) => privilegedPart(change, privileged) ?? []);
  const isSeen = all.some(({ before }) => before.known !== "unknown");
  const isDone = run !== undefined && isWhole(run);
  const change = isDone ? (isSeen ? "changed" : "may have changed") : isSeen ? "change" : "may change";
  const where = formatCount(all.length, "key");
  return all.length === 0 ? [] : [t.sentence(`Privileged roles ${change} on ${where}.`, "alarm")];
}
