import { daysBetween } from "../../model/calendar.ts";
import { declared, distinctReasons, reasonAt } from "../../model/fact.ts";
import { type DroppedUser, droppedUsers, type RosterKey, type RosterUser } from "../../model/roster.ts";
import { type Presence, presenceLookup } from "../../model/snapshot.ts";
import { keySubject, observedBasis, partOf, recordedBasis, unknownBasis, userSubject } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import { type FindingDraft, formatRoles, truncateList, yamlScalar } from "../finding-draft.ts";
import { type TeamIdentities, userFinding } from "../identities.ts";
import type { DesiredRolesResult, KnownKeyUpdate } from "../keys/desired-roles.ts";
import { desiredLeaverRoles, locateLeavers, teamOfKeyLookup } from "./leaver-keys.ts";
import { reportLeaver } from "./residual-access.ts";

interface OffboardingPlan {
  readonly wishes: readonly KnownKeyUpdate[];
  /** What others wish for, as far as it does not keep a leaver's key in use. */
  readonly wished: readonly DesiredRolesResult[];
  readonly findings: readonly FindingDraft[];
}

/** Whoever is to hold nothing: what calls can do about it, and what only people can. */
export function planOffboarding(
  context: PlanContext,
  teams: TeamIdentities,
  wished: readonly DesiredRolesResult[],
): OffboardingPlan {
  const found = locateLeavers(context);
  const teamOf = found.length === 0 ? () => undefined : teamOfKeyLookup(teams, context);
  const wishes = found.flatMap((one) => desiredLeaverRoles(one, context, teamOf));
  const given = resolveKeyConflicts(wishes, wished);
  const told = found.flatMap((one) => reportLeaver(one, context));
  return { wishes, wished: given.wished, findings: [...told, ...given.findings] };
}

/** The keys of the roster's list, apart from those of leavers, which count as theirs: they have no roles, and may be gone. */
export function listedKeysInUse({ roster, facts }: PlanContext): readonly RosterKey[] {
  return roster.keys.filter(({ prefix, owner }) => {
    if (owner === undefined || !roster.leavers.has(owner.value)) return true;
    const holder = facts.keyPrefixed(prefix)?.holder.address;
    return holder !== undefined && holder !== owner.value;
  });
}

/** What is still wished for where a key is shown as a leaver's: nobody's wish for roles on it counts, and each is told. */
interface ResolvedConflicts {
  readonly wished: readonly DesiredRolesResult[];
  readonly findings: readonly FindingDraft[];
}

/** Where only a record or the roster says whose a key is, the wishes contradict each other, and nothing is done. */
function resolveKeyConflicts(
  leavers: readonly KnownKeyUpdate[],
  wished: readonly DesiredRolesResult[],
): ResolvedConflicts {
  const shown = new Map(
    leavers.filter(({ key }) => key.prefix.known === "observed").map((one) => [one.key.value, one]),
  );
  const kept: DesiredRolesResult[] = [];
  const findings: FindingDraft[] = [];
  for (const wish of wished) {
    const leaver = wish?.is === "known" ? shown.get(wish.key.value) : undefined;
    if (wish?.is !== "known" || leaver === undefined) kept.push(wish);
    else if (wish.roles.length > 0) findings.push(leaverKeyConflict(leaver, wish));
  }
  return { wished: kept, findings };
}

function leaverKeyConflict({ key, holder, because, concern }: KnownKeyUpdate, wish: KnownKeyUpdate): FindingDraft {
  const message =
    `The key ${key.value} is one of ${holder?.email ?? concern.address}, a leaver, and is to have ${formatRoles(wish.roles)} all the same. A leaver holds ` +
    "nothing, so it is given no roles: have a key of somebody else made for what it is used for, and take this one out of here.";
  return {
    code: "conflicting-roles",
    subject: keySubject(key.value),
    message,
    because: distinctReasons([...wish.because, ...because]),
    concerns: [concern, wish.concern],
  };
}

/** Days ahead from which on it is told that somebody will be a leaver. */
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
    `${user.email} is a leaver from ${until.value} on, in ${left === 1 ? "1 day" : `${left} days`}: every key of theirs is then planned ` +
    "to have no roles, and their places in teams no longer count. Give `until` another date, or take it out, where they stay.";
  const restsOn = [
    { about: partOf("until", userSubject(user.address)), fact: declared(until.value, until.place) },
    observedBasis({ kind: "other", name: "today" }, today, "clock"),
  ];
  return {
    ...userFinding(user, { code: "until-soon", message, restsOn }),
    because: [reasonAt(until.place, "until", { name: until.value }), ...user.because.slice(0, 1)],
  };
}

/** With more people than these, one finding more tells of all at once: a file was perhaps lost. */
const maxReportedSingly = 3;

interface DroppedUserPresence {
  readonly person: DroppedUser;
  readonly presence: Exclude<Presence, { readonly is: "gone" }>;
  /** When the roster was applied that still named them, or named them as dropped. */
  readonly at: string;
}

/** People of the last applied roster whom nobody names any more, and who are not known to be gone: nobody disappears in silence. */
export function findDroppedUsers(context: PlanContext): readonly FindingDraft[] {
  const dropped = presentDroppedUsers(context);
  const each = dropped.map((one) => droppedUserFinding(one, context));
  return dropped.length <= maxReportedSingly ? each : [droppedUsersSummary(dropped), ...each];
}

function presentDroppedUsers({ roster, snapshot, state, policy }: PlanContext): readonly DroppedUserPresence[] {
  const candidates = droppedUsers(roster, state).filter(({ address }) => !policy.released.includes(address));
  if (candidates.length === 0) return [];
  const presenceOf = presenceLookup(snapshot);
  const at = state.applied?.at ?? "";
  return candidates.flatMap((person) => {
    const presence = presenceOf(person.address);
    return presence.is === "gone" ? [] : [{ person, presence, at }];
  });
}

function droppedUserFinding(
  { person, presence, at }: DroppedUserPresence,
  { policy, roster }: PlanContext,
): FindingDraft {
  const { address, email } = person;
  const isDisarmed = roster.teams.some(({ onRemoval }) => onRemoval === "disarm");
  const beside = isDisarmed ? ", beside what teams with `onRemoval: disarm` ask" : "";
  const subject = userSubject(address);
  const there =
    presence.is === "there"
      ? "and the service still shows the person"
      : `and it is not proven that the person is gone: ${presence.why}`;
  const message =
    `${email} was in an applied roster and is in none of its files now, neither as a user nor as a leaver, ${there}. ` +
    `Nothing is done about somebody who may have been left out by mistake${beside}: ` +
    "write the person under `leavers`, or back among the users; " +
    `or say --release ${email} for one run, and they are nobody's matter from then on.`;
  const basis =
    presence.is === "there"
      ? presence.users.map(({ by }) => observedBasis(subject, "present", by))
      : [unknownBasis(subject, presence.why)];
  return {
    code: "dropped",
    subject,
    message,
    because: [],
    restsOn: [recordedBasis(subject, "in the applied roster", at), ...basis],
    suggestedYaml: `leavers:\n  - email: ${yamlScalar(email)}\n    since: ${policy.today}\n`,
    concerns: [{ address }],
  };
}

function droppedUsersSummary(dropped: readonly DroppedUserPresence[]): FindingDraft {
  const names = truncateList(dropped.map(({ person }) => person.email));
  const message =
    `${dropped.length} people of applied rosters are in none of its files now: ${names}. ` +
    "If a file was lost in a merge, bring it back; else each of them is a finding of their own.";
  const concerns = dropped.map(({ person: { address } }) => ({ address }));
  return { code: "dropped", subject: { kind: "other", name: "roster" }, message, because: [], concerns };
}
