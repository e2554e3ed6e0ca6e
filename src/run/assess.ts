import type { EmailKey } from "../model/address.ts";
import type { CreationIntent, Intent, IntentOf, OpenIntent } from "../model/call.ts";
import type { Visibility } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import { consistencyWindow, decidedFrom } from "../model/consistency-window.ts";
import type { AddedMember, EventOf, LearnedOutcome } from "../model/event.ts";
import type { Failure } from "../model/failure.ts";
import { accountStatus, type ObservedKey, shownOwnKey, shownTeam, shownTeamKey } from "../model/key.ts";
import { type Result, success } from "../model/result.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import type { TeamIdentity } from "../model/team.ts";
import type { AddressedUser, ObservedUser } from "../model/user.ts";
import { formatRoles, type Profile, type RoleSet, sameRoles } from "../model/values.ts";
import type { UserReader } from "../service/port.ts";

type Found =
  | { readonly is: "present"; readonly user: ObservedUser }
  | { readonly is: "absent" }
  /** Several users share the address, or nobody was found and that proves nothing. */
  | { readonly is: "unknown"; readonly why: string; readonly users: readonly ObservedUser[] };

export type Shown = (address: EmailKey) => Found;

function shownBy({ users, absences }: Pick<Snapshot, "users" | "absences">): Shown {
  const found = new Map<EmailKey, ObservedUser[]>();
  for (const user of users) {
    const known = found.get(user.address) ?? [];
    const others = known.filter(({ identifier }) => identifier !== user.identifier);
    found.set(user.address, [...others, user]);
  }
  return (address) => {
    const [user, ...others] = found.get(address) ?? [];
    if (user !== undefined && others.length === 0) return { is: "present", user };
    if (user !== undefined) return { is: "unknown", why: "several users share the address", users: [user, ...others] };
    const absence = absences.get(address) ?? { proven: false, why: "this run did not search for it" };
    return absence.proven ? { is: "absent" } : { is: "unknown", why: absence.why, users: [] };
  };
}

export function usersAt(shown: Shown, address: EmailKey): readonly ObservedUser[] {
  const found = shown(address);
  if (found.is === "absent") return [];
  return found.is === "present" ? [found.user] : found.users;
}

export function onlyUser(shown: Shown, address: EmailKey): ObservedUser | undefined {
  const found = shown(address);
  return found.is === "present" ? found.user : undefined;
}

/** Looks for people; a failure is a failed read, never somebody's absence. */
export type PeopleLookup = (people: readonly AddressedUser[]) => Promise<Result<Shown, Failure>>;

/** People who are asked for while a read is under way are looked for together after it. */
export function batchLookups(reader: UserReader, purpose: string, signal: AbortSignal | undefined): PeopleLookup {
  let waiting = new Map<EmailKey, AddressedUser>();
  let next: ReturnType<PeopleLookup> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function readWaiting(): ReturnType<PeopleLookup> {
    const people = [...waiting.values()];
    waiting = new Map();
    next = undefined;
    const read = await reader.read(people, purpose, signal);
    return read.ok ? success(shownBy(read.value)) : read;
  }

  return (people) => {
    for (const person of people) waiting.set(person.address, person);
    if (next === undefined) {
      next = last.then(readWaiting, readWaiting);
      last = next;
    }
    return next;
  };
}

/** What a call brings about for one person, or what it rests on: the user, a membership with its team key, a key with its roles. */
export type Effect = { readonly address: EmailKey } & (
  | {
      readonly of: "user";
      /** What they must be, as far as it is known. */
      readonly identifier?: string | undefined;
      readonly account?: string | undefined;
      readonly team?: TeamIdentity | undefined;
    }
  | { readonly of: "membership"; readonly team: TeamIdentity }
  | { readonly of: "roles"; readonly prefix: string; readonly roles: RoleSet }
);

export type Standing =
  | { readonly is: "present"; readonly key?: ObservedKey }
  | { readonly is: "absent"; readonly why: string }
  /** There is another thing in its place. */
  | { readonly is: "mismatch"; readonly why: string; readonly key?: ObservedKey }
  | { readonly is: "unknown"; readonly why: string };

/** What should be there after a call. `learned`: what is known of how it was done. */
export function effectsOf(intent: Intent, learned?: LearnedOutcome): readonly Effect[] {
  switch (intent.kind) {
    case "create-user": {
      const user = creationEffect(intent, learned?.kind === "create-user" ? learned.teamIdentifier : undefined);
      const { address, team } = user;
      return team === undefined ? [user] : [user, { of: "membership", address, team }];
    }
    case "add-members": {
      const { team, name, identifier, addresses } = intent;
      const added = learned?.kind === "add-members" ? [...addressesAdded(learned.members)] : addresses;
      return added.map((address) => ({ of: "membership", address, team: { team, name, identifier } }));
    }
    case "replace-roles": {
      const { owner, prefix, roles } = intent;
      return owner === undefined ? [] : [{ of: "roles", address: owner, prefix, roles }];
    }
  }
}

export function creationEffect(
  { address, account, createsTeam }: CreationIntent,
  teamIdentifier?: string,
): Extract<Effect, { readonly of: "user" }> {
  const team = createsTeam && { team: createsTeam.team, name: createsTeam.name, identifier: teamIdentifier };
  return { of: "user", address, account, team };
}

export function standingOf(effect: Effect, user: ObservedUser): Standing {
  switch (effect.of) {
    case "user":
      return userStanding(effect, user);
    case "membership": {
      const shown = shownTeamKey(user, effect.team);
      if (shown.is === "present") return shown;
      return shown.is === "absent"
        ? { is: "absent", why: `${user.email} is not a member of ${effect.team.name}` }
        : { is: "unknown", why: "the service does not show which team a key belongs to" };
    }
    case "roles": {
      const { prefix, roles } = effect;
      const key = user.keys?.find((one) => one.prefix === prefix);
      if (user.keys === undefined) return { is: "unknown", why: "the service does not show the keys of users" };
      if (key === undefined) return { is: "absent", why: `the service does not show the key ${prefix}` };
      if (key.roles === undefined) return { is: "unknown", why: "the service does not show the roles of keys" };
      if (sameRoles(key.roles, roles)) return { is: "present", key };
      return { is: "mismatch", why: `the key ${prefix} has ${formatRoles(key.roles)}`, key };
    }
  }
}

function userStanding(effect: Extract<Effect, { readonly of: "user" }>, user: ObservedUser): Standing {
  const { email, identifier, account, status, keys = [] } = user;
  const differs = (wanted: string | undefined, shown: string | undefined) =>
    wanted !== undefined && shown !== undefined && wanted !== shown;
  if (accountStatus(status) === "deleted") return { is: "absent", why: `${email} was deleted` };
  if (differs(effect.identifier, identifier))
    return { is: "mismatch", why: `another user has the address ${email} now` };
  if (differs(effect.account, account)) return { is: "mismatch", why: `${email} is in the account ${account}` };
  // The team would have come with the user: whoever has keys, and none of it, is another user.
  if (effect.team !== undefined && keys.length > 0 && shownTeamKey(user, effect.team).is === "absent")
    return { is: "mismatch", why: `${email} exists without the team ${effect.team.name}` };
  return { is: "present" };
}

export function isShown(effect: Effect, shown: Shown): boolean {
  const found = shown(effect.address);
  return found.is === "present" && (effect.of === "user" || standingOf(effect, found.user).is === "present");
}

/** How somebody who is shown stands to a team: a member, with the key of the membership, surely none, or not known. */
export function membershipOf(user: ObservedUser, team: TeamIdentity): AddedMember | "absent" | "unknown" {
  const { address } = user;
  const standing = standingOf({ of: "membership", address, team }, user);
  if (standing.is !== "present") return standing.is === "absent" ? "absent" : "unknown";
  const { prefix, roles } = standing.key ?? {};
  return { address, outcome: { added: true }, prefix, roles };
}

export function addressesAdded(outcomes: readonly AddedMember[]): ReadonlySet<EmailKey> {
  return new Set(outcomes.flatMap(({ address, outcome }) => (outcome.added ? [address] : [])));
}

/** What reading says of a call: how it ended, and the people whose outcome is not known yet. */
export type Verdict = Pick<EventOf<"resolved">, "as" | "except">;

/** Whether a call is old enough for what does not show to be taken as not done. */
export type CallAge = "fresh" | "decided";

export interface Evidence {
  readonly shown: Shown;
  readonly teamsOnKeys: Visibility;
  readonly recorded: State;
  /** Milliseconds since the epoch: what was changed before is surely shown. */
  readonly shownUntil: number;
}

/** `consistency`: milliseconds within which reads may not show a write, where a person has set them. */
export interface ResolutionTimes {
  /** ISO 8601, now. */
  readonly at: string;
  readonly consistency: number | undefined;
}

/**
 * Resolves the open calls of earlier runs by the facts of a snapshot, never by sending again: what is shown was done, also where it was
 * taken for not done before; what complete reads do not show once the consistency window is over was not done; the rest stays open.
 */
export function resolveOpen(
  state: State,
  snapshot: Snapshot,
  { at, consistency }: ResolutionTimes,
): readonly EventOf<"resolved">[] {
  const { open: opens, presumedUndone = [] } = state;
  if (opens.length + presumedUndone.length === 0) return [];
  const evidence = {
    shown: shownBy(snapshot),
    teamsOnKeys: snapshot.capabilities.teamsOnKeys,
    recorded: state,
    shownUntil: Date.parse(snapshot.readAt) - consistencyWindow(consistency),
  };
  const events: EventOf<"resolved">[] = [];
  for (const [index, presumed] of presumedUndone.entries()) {
    // Of two such calls the later one was done: it was sent because reads did not show the first.
    const later = [...presumedUndone.slice(index + 1), ...opens];
    if (later.some(({ intent }) => asksForTheSame(intent, presumed.intent))) continue;
    const verdict = assessOpenIntent(presumed, evidence, "fresh");
    if (verdict?.as.done === true) events.push(resolvedBy(presumed, verdict, at));
  }
  for (const open of opens) {
    const age = decidedFrom(open, snapshot, state, consistency) <= Date.parse(snapshot.readAt) ? "decided" : "fresh";
    const verdict = assessOpenIntent(open, evidence, age);
    if (verdict !== undefined) events.push(resolvedBy(open, verdict, at));
  }
  return events;
}

function asksForTheSame(one: Intent, another: Intent): boolean {
  if (one.kind !== "create-user" || another.kind !== "create-user") return false;
  return one.address === another.address && one.createsTeam?.team === another.createsTeam?.team;
}

export function resolvedBy(
  { run, action }: Pick<OpenIntent, "run" | "action">,
  verdict: Verdict,
  at: string,
): EventOf<"resolved"> {
  return { type: "resolved", at, run, action, ...verdict };
}

export function membersAdded(verdict: Verdict | undefined): readonly AddedMember[] {
  return verdict?.as.done === true && verdict.as.learned.kind === "add-members" ? verdict.as.learned.members : [];
}

function assessOpenIntent(open: OpenIntent, evidence: Evidence, age: CallAge): Verdict | undefined {
  const { intent, declined, former } = open;
  if (intent.kind === "create-user" && declined !== undefined)
    return assessDeclinedCreation(intent, declined, evidence, age);
  // By its name as it is read now.
  if (intent.kind === "add-members" && former === true)
    return assessAddition({ ...intent, identifier: undefined }, evidence, age);
  return assessCall(intent, evidence, age);
}

/** What reading says of a call of unknown outcome; undefined where it cannot tell yet. */
export function assessCall(intent: Intent, evidence: Evidence, age: CallAge): Verdict | undefined {
  switch (intent.kind) {
    case "create-user":
      return assessCreation(intent, evidence, age);
    case "add-members":
      return assessAddition(intent, evidence, age);
    case "replace-roles":
      return assessReplacement(intent, evidence, age);
  }
}

/**
 * Asking for the same roles again does no harm: the plan does so where they are not as wanted. Other roles prove nothing: reads may be late,
 * and a service may keep or add roles.
 */
function assessReplacement(intent: IntentOf<"replace-roles">, evidence: Evidence, age: CallAge): Verdict {
  const { kind, prefix, roles } = intent;
  const isReplaced = effectsOf(intent).some((effect) =>
    usersAt(evidence.shown, effect.address).some((user) => standingOf(effect, user).is === "present"),
  );
  const isProven = isReplaced && (age === "decided" || !mayShowFormerRoles(intent, evidence));
  return isProven ? doneVerdict({ kind, prefix, roles }) : { as: { done: false, unproven: true } };
}

/** Whether a late read may show these roles from before another change of the key. */
function mayShowFormerRoles({ prefix, roles, owner }: IntentOf<"replace-roles">, { recorded, shownUntil }: Evidence) {
  const { keys, seenKeys, users, open } = recorded;
  const record = keys.get(prefix);
  const changes = [record?.at, owner && users.get(owner)?.formerRolesAt];
  const former = [record?.setRoles, record?.observedRoles, seenKeys?.get(prefix)?.roles];
  return (
    changes.some((at) => at !== undefined && Date.parse(at) >= shownUntil) ||
    former.some((one) => one !== undefined && sameRoles(one, roles)) ||
    open.some(({ intent }) => {
      return intent.kind === "replace-roles" && intent.prefix === prefix && !sameRoles(intent.roles, roles);
    })
  );
}

/** Whether a creation of unknown outcome was done; undefined where reading cannot tell yet. */
function assessCreation(intent: CreationIntent, { shown }: Evidence, age: CallAge): Verdict | undefined {
  const [user, another] = possibleUsers(intent, shown);
  if (another !== undefined) return undefined;
  if (user === undefined) {
    const isNobodyNew = usersAt(shown, intent.address).length > 0 || shown(intent.address).is === "absent";
    return isNobodyNew ? notDoneOnceDecided(age) : undefined;
  }
  if (standingOf(creationEffect(intent), user).is !== "present") return notDoneOnceDecided(age);
  return doneVerdict(learnedFromUser(user, intent.createsTeam));
}

/**
 * The same for a creation that the service declined: a user who is there was there before. Only a team that is shown with
 * the user tells that they were created all the same. After a conflict they may have been, as long as no read shows their keys.
 */
export function assessDeclinedCreation(
  intent: CreationIntent,
  { code }: Failure,
  evidence: Evidence,
  age: CallAge,
): Verdict | undefined {
  const { createsTeam } = intent;
  const [user] = possibleUsers(intent, evidence.shown);
  if (user !== undefined && standingOf(creationEffect(intent), user).is !== "present") return { as: { done: false } };
  const verdict = assessCreation(intent, evidence, age);
  if (verdict?.as.done !== true || verdict.as.learned.kind !== "create-user") return verdict;
  if (createsTeam === undefined) return doneVerdict({ ...verdict.as.learned, was: "there-before" });
  if (user === undefined) return undefined;
  const team = shownTeamKey(user, createsTeam);
  if (team.is === "present") return verdict;
  return code === "conflict" && team.is === "unknown" ? undefined : notDoneOnceDecided(age);
}

/** No creation makes a deleted user, or one of another account: they were there before. */
function possibleUsers(intent: CreationIntent, shown: Shown): readonly ObservedUser[] {
  const anyTeam = { ...creationEffect(intent), team: undefined };
  return usersAt(shown, intent.address).filter((user) => standingOf(anyTeam, user).is === "present");
}

function notDoneOnceDecided(age: CallAge): Verdict | undefined {
  return age === "decided" ? { as: { done: false } } : undefined;
}

function doneVerdict(learned: LearnedOutcome): Verdict {
  return { as: { done: true, learned } };
}

function learnedFromUser(user: ObservedUser, team: TeamIdentity | undefined): LearnedOutcome {
  const { address, identifier, firstName, lastName, title, externalIdentifier, source } = user;
  const key = team === undefined ? shownOwnKey(user) : firstMemberKey(user, team);
  const answered: Profile = definedFields({ firstName, lastName, title, externalIdentifier, source });
  const teamIdentifier = key && shownTeam(key)?.identifier;
  return { kind: "create-user", address, answered, prefix: key?.prefix, identifier, team: team?.team, teamIdentifier };
}

/** The only key of somebody who came with a team is the team's, where it is some team's. */
function firstMemberKey(user: ObservedUser, team: TeamIdentity): ObservedKey | undefined {
  const shown = shownTeamKey(user, team);
  if (shown.is === "present") return shown.key;
  const [only, another] = user.keys ?? [];
  const isSomeTeams = only !== undefined && shownTeam(only) !== undefined;
  return another === undefined && shown.is === "unknown" && isSomeTeams ? only : undefined;
}

/** Which people an addition of unknown outcome has added, as far as reads show; undefined where they show nothing. */
function assessAddition(
  intent: TeamIdentity & Pick<IntentOf<"add-members">, "addresses">,
  evidence: Evidence,
  age: CallAge,
): Verdict | undefined {
  const members: AddedMember[] = [];
  const except: EmailKey[] = [];
  for (const address of intent.addresses) {
    const member = assessMember(address, intent, evidence);
    if (member === undefined || (!member.outcome.added && age === "fresh")) except.push(address);
    else members.push(member);
  }
  if (members.length === 0) return undefined;
  if (except.length === 0 && !members.some(({ outcome }) => outcome.added)) return { as: { done: false } };
  const verdict = doneVerdict({ kind: "add-members", team: intent.team, members });
  return except.length === 0 ? verdict : { ...verdict, except };
}

function assessMember(
  address: EmailKey,
  { team, name, identifier }: TeamIdentity,
  { shown, teamsOnKeys }: Evidence,
): AddedMember | undefined {
  const message = `the answer was lost, and the service showed later that ${address} was not added to the team ${name}`;
  const notAdded: AddedMember = { address, outcome: { added: false, failure: { code: "unreachable", message } } };
  const user = onlyUser(shown, address);
  if (user === undefined) return shown(address).is === "absent" ? notAdded : undefined;
  const member = membershipOf(user, { team, name, identifier });
  if (typeof member !== "string") return member;
  return member === "absent" && teamsOnKeys === "shown" ? notAdded : undefined;
}
