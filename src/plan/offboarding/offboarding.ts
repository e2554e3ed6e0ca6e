import type { EmailKey } from "../../model/address.ts";
import { declared, distinctReasons, reasonAt } from "../../model/fact.ts";
import { formatRoles, type RoleSet, roleSet, sameRoles } from "../../model/role-set.ts";
import {
  type DroppedUser,
  daysBetween,
  droppedUsers,
  type Leaver,
  type RosterKey,
  type RosterUser,
} from "../../model/roster.ts";
import {
  accountStatus,
  type ObservedKey,
  type ObservedUser,
  type Presence,
  presenceLookup,
} from "../../model/snapshot.ts";
import type { OpenIntent, RecordedMembership, State } from "../../model/state.ts";
import { keySubject, observedBasis, partOf, recordedBasis, unknownBasis, userSubject } from "../../model/subject.ts";
import { formatDecisionTime, formatResolveCommands, type PlanContext } from "../context.ts";
import { type FindingDraft, joinList, truncateList, yamlScalar } from "../finding-draft.ts";
import { presenceBasis, type TeamIdentities, userFinding } from "../identities.ts";
import type { DesiredRolesResult, KnownKeyUpdate } from "../roles.ts";
import { observedAccount } from "../snapshot-index.ts";
import { desiredLeaverRoles, type LocatedLeaver, leaverBasis, locateLeavers, teamOfKeyLookup } from "./leaver-keys.ts";

interface OffboardingPlan {
  /** No roles on every key of a leaver. */
  readonly leaverRoles: readonly KnownKeyUpdate[];
  /** The roles that are wanted on other keys: none that would keep a leaver's key in use. */
  readonly otherRoles: readonly DesiredRolesResult[];
  readonly findings: readonly FindingDraft[];
}

/** What calls can do about leavers, and what only people can. `desired`: the roles that the roster wants on keys, leavers apart. */
export function planOffboarding(
  context: PlanContext,
  teams: TeamIdentities,
  desired: readonly DesiredRolesResult[],
): OffboardingPlan {
  const leavers = locateLeavers(context);
  const teamOf = leavers.length === 0 ? () => undefined : teamOfKeyLookup(teams, context);
  const leaverRoles = leavers.flatMap((one) => desiredLeaverRoles(one, context, teamOf));
  const { otherRoles, findings } = resolveKeyConflicts(leaverRoles, desired);
  return { leaverRoles, otherRoles, findings: [...leavers.flatMap((one) => reportLeaver(one, context)), ...findings] };
}

/** The keys of the roster's list, apart from those of leavers, which count as theirs: they have no roles, and may be gone. */
export function listedKeysInUse({ roster, facts }: PlanContext): readonly RosterKey[] {
  return roster.keys.filter(({ prefix, owner }) => {
    if (owner === undefined || !roster.leavers.has(owner.value)) return true;
    const holder = facts.keyPrefixed(prefix)?.holder.address;
    return holder !== undefined && holder !== owner.value;
  });
}

/**
 * Roles that are wanted on a key that is shown as a leaver's do not count, and are reported. Where only a record or the roster says
 * whose a key is, the two contradict each other, and nothing is done.
 */
function resolveKeyConflicts(
  leaverRoles: readonly KnownKeyUpdate[],
  desired: readonly DesiredRolesResult[],
): Pick<OffboardingPlan, "otherRoles" | "findings"> {
  const shown = new Map(
    leaverRoles.filter(({ key }) => key.prefix.known === "observed").map((one) => [one.key.value, one]),
  );
  const otherRoles: DesiredRolesResult[] = [];
  const findings: FindingDraft[] = [];
  for (const update of desired) {
    const leaver = update?.is === "known" ? shown.get(update.key.value) : undefined;
    if (update?.is !== "known" || leaver === undefined) otherRoles.push(update);
    else if (update.roles.length > 0) findings.push(leaverKeyConflict(leaver, update));
  }
  return { otherRoles, findings };
}

function leaverKeyConflict({ key, holder, because, concern }: KnownKeyUpdate, update: KnownKeyUpdate): FindingDraft {
  const message =
    `The roster gives ${formatRoles(update.roles)} to the key ${key.value} of ${holder?.email ?? concern.address}, who is a leaver. Leavers have no roles, ` +
    "so roster gives it none. Remove the key from the roster. If something uses it, create a key of another user for it.";
  return {
    code: "conflicting-roles",
    subject: keySubject(key.value),
    roles: update.roles,
    message,
    because: distinctReasons([...update.because, ...because]),
    concerns: [concern, update.concern],
  };
}

/** Days ahead of the notice that somebody will be a leaver. */
const noticeDays = 14;

/** Users who are leavers soon, so that nobody is surprised on the day. */
export function findUpcomingLeavers({ roster, policy: { today } }: PlanContext): readonly FindingDraft[] {
  return [...roster.users.values()].flatMap((user) => {
    const { until } = user;
    if (until === undefined || daysBetween(today, until.value) > noticeDays) return [];
    return [upcomingLeaverFinding(user, until, today)];
  });
}

function upcomingLeaverFinding(user: RosterUser, until: NonNullable<RosterUser["until"]>, today: string): FindingDraft {
  const left = daysBetween(today, until.value);
  const message =
    `${user.email} leaves in ${left === 1 ? "1 day" : `${left} days`}, on ${until.value}. From then on, roster removes the roles from their keys ` +
    "and ignores their team memberships. If they stay, change or remove `until`.";
  const restsOn = [
    { about: partOf("until", userSubject(user.address)), fact: declared(until.value, until.place) },
    observedBasis({ kind: "other", name: "today" }, today, "clock"),
  ];
  return {
    ...userFinding(user, { code: "date-ahead", aspect: "until", message, restsOn }),
    because: [reasonAt(until.place, "until", { name: until.value }), ...user.because.slice(0, 1)],
  };
}

/** With more people than these, one finding more names all at once: a file was perhaps lost. */
const maxReportedSingly = 3;

interface DroppedUserPresence {
  readonly person: DroppedUser;
  readonly presence: Exclude<Presence, { readonly is: "absent" }>;
  /** When the roster was applied that still named them, or named them as dropped. */
  readonly at: string;
}

/** People of the last applied roster that nobody names any more, and who are not known to be gone: nobody disappears in silence. */
export function findDroppedUsers(context: PlanContext): readonly FindingDraft[] {
  const dropped = presentDroppedUsers(context);
  const each = dropped.map((one) => droppedUserFinding(one, context));
  return dropped.length <= maxReportedSingly ? each : [droppedUsersSummary(dropped), ...each];
}

function presentDroppedUsers({ roster, snapshot, state, grants }: PlanContext): readonly DroppedUserPresence[] {
  const candidates = droppedUsers(roster, state).filter(({ address }) => !grants.covers({ is: "release", address }));
  if (candidates.length === 0) return [];
  const presenceOf = presenceLookup(snapshot);
  const at = state.applied?.at ?? "";
  return candidates.flatMap((person) => {
    const presence = presenceOf(person.address);
    return presence.is === "absent" ? [] : [{ person, presence, at }];
  });
}

function droppedUserFinding(
  { person, presence, at }: DroppedUserPresence,
  { policy, roster }: PlanContext,
): FindingDraft {
  const { address, email } = person;
  const isRevoked = roster.teams.some(({ onRemoval }) => onRemoval === "revoke");
  const exception = isRevoked ? ", except in teams with `onRemoval: revoke`" : "";
  const subject = userSubject(address);
  const there =
    presence.is === "present"
      ? "The service still shows them"
      : `roster cannot prove that they are gone: ${presence.why}`;
  const message =
    `${email} was in an applied roster. Now no file lists them as a user or a leaver. ${there}. ` +
    `roster changes nothing${exception}, because a file may be missing. ` +
    "List the user under `leavers`, or add them again. To stop managing them, allow it.";
  const basis =
    presence.is === "present"
      ? presence.users.map(({ by }) => observedBasis(subject, "present", by))
      : [unknownBasis(subject, presence.why)];
  return {
    code: "user-removed",
    subject,
    message,
    because: [],
    restsOn: [recordedBasis(subject, "in the applied roster", at), ...basis],
    suggestedYaml: `leavers:\n  - email: ${yamlScalar(email)}\n    since: ${policy.today}\n`,
    allow: [{ is: "release", address }],
    concerns: [{ address }],
  };
}

function droppedUsersSummary(dropped: readonly DroppedUserPresence[]): FindingDraft {
  const names = truncateList(dropped.map(({ person }) => person.email));
  const message =
    `${dropped.length} users of applied rosters are in no file now: ${names}. ` +
    "Check if a file was lost in a merge. If not, each user has a finding with the next step.";
  const concerns = dropped.map(({ person: { address } }) => ({ address }));
  return { code: "user-removed", subject: { kind: "other", name: "roster" }, message, because: [], concerns };
}

/** What the API cannot end about a leaver, as one finding, and what is in doubt; nothing of those who are gone. */
function reportLeaver(found: LocatedLeaver, context: PlanContext): readonly FindingDraft[] {
  const { leaver, presence } = found;
  const opens = openIntentsFor(found, context);
  const doubt = opens.length === 0 ? [] : [leaverInDoubt(found, opens, context)];
  switch (presence.is) {
    case "absent":
      return doubt;
    case "unknown":
      return [...doubt, unprovenLeaver(found, presence.why)];
    case "present": {
      const isBarred = presence.users.every(({ status }) => accountStatus(status) === "barred");
      const residual = residualAccess(leaver, presence.users, context);
      return [...doubt, isBarred ? barredLeaver(found, residual) : remainingLeaver(found, residual, context)];
    }
  }
}

function leaverFinding(
  { leaver }: LocatedLeaver,
  { restsOn = [], ...finding }: Pick<FindingDraft, "code" | "roles" | "message" | "restsOn" | "notice" | "aspect">,
): FindingDraft {
  const { address, because } = leaver;
  return {
    ...finding,
    subject: userSubject(address),
    because,
    restsOn: [leaverBasis(leaver), ...restsOn],
    concerns: [{ address }],
  };
}

function remainingLeaver(
  found: LocatedLeaver,
  { users, remains, roles }: ResidualAccess,
  context: PlanContext,
): FindingDraft {
  const names = users.map((user) => describeUser(user, found, context));
  const message =
    `${found.leaver.email} is a leaver${formatSince(found)}, and the service still has ${joinList(names)}${remains.length === 0 ? "" : `, with ${joinList(remains)}`}. ` +
    "The API cannot delete users, end memberships or withdraw invitations. " +
    `Delete or disable ${names.length === 1 ? "this user" : "these users"} in the service.${firstMemberWarning(found, context)}`;
  return leaverFinding(found, { code: "leaver-remains", roles, message, restsOn: users.map(presenceBasis) });
}

function barredLeaver(found: LocatedLeaver, { users, remains, roles }: ResidualAccess): FindingDraft {
  const words = [...new Set(users.map(({ status }) => status ?? ""))];
  const message =
    `${found.leaver.email} is a leaver${formatSince(found)}, and the service shows the user as ${joinList(words)}${remains.length === 0 ? "" : `, with ${joinList(remains)}`}. ` +
    "Their keys give no access. roster keeps these keys without roles while the leaver is in the roster.";
  return leaverFinding(found, {
    code: "leaver-remains",
    notice: true,
    roles,
    message,
    restsOn: users.map(presenceBasis),
  });
}

function unprovenLeaver(found: LocatedLeaver, why: string): FindingDraft {
  const message =
    `${found.leaver.email} is a leaver${formatSince(found)}, and roster cannot prove that they are gone: ${why}. ` +
    "Plan again. If it stays, check what your key can see, and look in the service.";
  return leaverFinding(found, {
    code: "leaver-remains",
    aspect: "unproven",
    message,
    restsOn: [unknownBasis(userSubject(found.leaver.address), why)],
  });
}

function leaverInDoubt(found: LocatedLeaver, opens: readonly OpenIntent[], context: PlanContext): FindingDraft {
  const doings = opens.map(({ intent, at }) =>
    intent.kind === "add-members" ? `to add them to ${intent.name} at ${at}` : `to create them at ${at}`,
  );
  const message =
    `${found.leaver.email} is a leaver${formatSince(found)}. roster sent a call ${joinList(doings)}, and the outcome is unknown. ` +
    `roster does not send it again. ${formatDecisionTime(opens, context)}. Or look in the service and ${formatResolveCommands(opens)}.`;
  const subject = userSubject(found.leaver.address);
  return leaverFinding(found, {
    code: "unknown-outcome",
    message,
    restsOn: opens.map(({ run, at }) => recordedBasis(subject, `call announced by run ${run}`, at)),
  });
}

/** Calls that can still bring them in, or in further. */
function openIntentsFor({ leaver: { address } }: LocatedLeaver, { state }: PlanContext): readonly OpenIntent[] {
  return state.open.filter(({ intent }) => {
    if (intent.kind === "add-members") return intent.addresses.includes(address);
    return intent.kind === "create-user" && intent.address === address;
  });
}

/** A person who created a team may be its administrator, which no answer shows. */
function firstMemberWarning({ leaver: { address } }: LocatedLeaver, { state }: PlanContext): string {
  const createdTeam = [...state.teams.values()]
    .filter(({ firstMember }) => firstMember === address)
    .map(({ name }) => name);
  if (createdTeam.length === 0) return "";
  return ` roster created ${joinList(createdTeam)} with them as first member. Check that ${createdTeam.length === 1 ? "it has" : "these teams have"} another admin.`;
}

function describeUser(user: ObservedUser, { leaver }: LocatedLeaver, { facts }: PlanContext): string {
  const account = observedAccount(user, facts);
  const identifier = user.identifier === undefined ? "the user" : `the user ${user.identifier}`;
  const elsewhere = user.address === leaver.address ? "" : ` as ${user.email}`;
  const pending = accountStatus(user.status) === "pending" ? `, ${user.status},` : "";
  return `${identifier}${elsewhere}${pending}${account === undefined ? "" : ` in ${account}`}`;
}

function formatSince({ leaver: { since } }: LocatedLeaver): string {
  return since === undefined ? "" : ` (since ${since})`;
}

/** What a leaver has besides the account. */
interface ResidualAccess {
  readonly users: readonly ObservedUser[];
  /** In words that name it: places in teams, roles that the service keeps on keys, keys that nobody sees. */
  readonly remains: readonly string[];
  /** Roles that the service keeps on keys. */
  readonly roles: RoleSet;
}

function residualAccess(leaver: Leaver, users: readonly ObservedUser[], { state }: PlanContext): ResidualAccess {
  const keys = users.flatMap((user) => user.keys ?? []).filter(({ status }) => accountStatus(status) !== "deleted");
  const isHidden = users.some((user) => user.keys === undefined);
  const recorded = isHidden ? recordedMembershipsOf(leaver.address, state) : [];
  const kept = [...keys, ...recorded].flatMap((key) => keptRoles(key, state));
  const remains = [
    ...keys.flatMap(describeMembership),
    ...recorded.map((held) => describeRecordedMembership(held, state)),
    ...kept.map(({ prefix, roles }) => `${roles.join(", ")} on the key ${prefix}, which the service does not remove`),
    ...(isHidden ? ["keys that the service does not show"] : []),
  ];
  return { users, remains, roles: roleSet(kept.flatMap(({ roles }) => roles)) };
}

function describeMembership({ team, prefix }: ObservedKey): readonly string[] {
  if (team === undefined || team === "none") return [];
  const { name, identifier } = team;
  const known = [identifier, `key ${prefix}`].filter((one) => one !== undefined).join(", ");
  return [`a membership in ${name ?? "a team"} (${known})`];
}

function recordedMembershipsOf(address: EmailKey, { memberships }: State): readonly RecordedMembership[] {
  return [...memberships.values()].filter((held) => held.address === address);
}

function describeRecordedMembership({ team, prefix }: RecordedMembership, { teams }: State): string {
  const { name, identifier } = teams.get(team) ?? {};
  const known = [identifier, prefix === undefined ? undefined : `key ${prefix}`, "from the state"];
  return `a membership in ${name ?? team} (${known.filter((one) => one !== undefined).join(", ")})`;
}

/** Roles that are still on a key after we asked for none. */
function keptRoles({ prefix, roles }: ResidualKey, { keys }: State): readonly Required<ResidualKey>[] {
  const record = prefix === undefined ? undefined : keys.get(prefix);
  if (record?.readAs === undefined || record.put.length > 0 || record.readAs.length === 0) return [];
  const isStill = roles === undefined || sameRoles(roles, record.readAs);
  return isStill ? [{ prefix: record.prefix, roles: record.readAs }] : [];
}

interface ResidualKey {
  readonly prefix?: string;
  readonly roles?: RoleSet;
}
