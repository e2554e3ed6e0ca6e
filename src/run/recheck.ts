import type { Action, ActionId, AddMembers, CreateUser, PersonRef, ReplaceRoles, TeamRef } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import type { AddedMember } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import { type Failure, success } from "../model/result.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import { foldName, isDisambiguatedTeamKey, type MembershipKey, membershipKeyOf, shownTeams } from "../model/team.ts";
import type { AccountService, UserQuery } from "../ports/account-service.ts";
import { type Clock, elapsedSince, type Moment, momentOf } from "../ports/clock.ts";
import { standingOf } from "./effect.ts";
import { type PeopleLookup, type Shown, usersAt } from "./lookups.ts";

/** Whether the facts that an action rests on still hold. */
export type Checked =
  /** `leftOut`: people that an add-members call leaves out, because what was known of them has changed. */
  | { readonly is: "fresh"; readonly action: Action; readonly leftOut: readonly AddedMember[] }
  | { readonly is: "stale"; readonly why: string }
  /** It could not be read, or the reads prove nothing. */
  | { readonly is: "unknown"; readonly failure: Failure };

/** When the facts were read that a plan rests on. */
export interface FactsTime {
  /** ISO 8601, when the oldest read began; absent where another run read it: then no fact is taken as it is. */
  readonly factsAt?: string | undefined;
  /** The same by this process. */
  readonly factsRead?: Moment | undefined;
}

/** Actions, and people of additions, that do not fit any more, each with the reason. */
export interface StaleActions {
  readonly actions: ReadonlyMap<ActionId, string>;
  readonly members: ReadonlyMap<MembershipKey, string>;
}

interface RecheckInput extends FactsTime {
  readonly actions: readonly Action[];
  readonly stale?: StaleActions | undefined;
  /** They show the identifiers of the teams that people are added to. */
  readonly teamMembers?: readonly UserQuery[] | undefined;
  readonly service: Pick<AccountService, "listUsers">;
  readonly clock: Clock;
  readonly look: PeopleLookup;
  /** Takes note of the users that are read. */
  readonly noteShown: (users: readonly ObservedUser[]) => void;
  readonly signal: AbortSignal | undefined;
}

/** Facts older than this are checked again before an action rests on them. */
const maxFactAge = 60_000;

/** How many people are found for together. */
const lookupGroupSize = 100;

/**
 * Checks facts again where they have become too old, or where another run has read them: the people of a plan in groups, so that one
 * read serves many. What is known not to fit is stale without a read.
 */
export function recheckFacts(input: RecheckInput): (action: Action) => Promise<Checked> {
  const { actions, factsAt, factsRead, stale, teamMembers = [], service, clock, look, signal } = input;
  const groups = lookupGroups([...teamMembers, ...actions.flatMap(peopleToRecheck)]);
  const began = { wall: factsAt === undefined ? 0 : Date.parse(factsAt), monotonic: clock.monotonic(), ...factsRead };
  const isFresh = (at: Moment) => elapsedSince(at, clock) <= maxFactAge;
  const readGroup = readsOnce(async (group: readonly UserQuery[]) => {
    const read = await look(group);
    if (read.ok) input.noteShown(group.flatMap(({ address }) => usersAt(read.value, address)));
    return read;
  });
  const listUsers = readsOnce(() => service.listUsers(signal));

  /** Each question is read once while what was read is fresh. */
  function readsOnce<Question, Answer>(read: (question: Question) => Promise<Answer>) {
    const known = new Map<Question, { readonly at: Moment; readonly answer: Promise<Answer> }>();
    return (question: Question): Promise<Answer> => {
      const before = known.get(question);
      if (before !== undefined && isFresh(before.at)) return before.answer;
      const answer = read(question);
      known.set(question, { at: momentOf(clock), answer });
      return answer;
    };
  }

  /** What reads show of these people now. */
  async function readPeople(people: readonly UserQuery[]): ReturnType<PeopleLookup> {
    const shown = new Map<EmailKey, Shown>();
    for (const { address } of people) {
      const group = groups.get(address);
      if (group === undefined) continue;
      const read = await readGroup(group);
      if (!read.ok) return read;
      shown.set(address, read.value);
    }
    const unread = { is: "unknown", why: "this run did not search for it", users: [] } as const;
    return success((address) => shown.get(address)?.(address) ?? unread);
  }

  async function recheck(action: Action): Promise<Checked> {
    const isAddition = action.kind === "add-members" && action.team.createdBy === undefined;
    const people = [...peopleToRecheck(action), ...(isAddition ? teamMembers : [])];
    if (people.length === 0 || (factsAt !== undefined && isFresh(began))) return { is: "fresh", action, leftOut: [] };
    const read = await readPeople(people);
    if (!read.ok) return { is: "unknown", failure: read.error };
    const shown = read.value;
    switch (action.kind) {
      case "create-user":
        return recheckCreation(action, shown) ?? (await recheckTeam(action)) ?? { is: "fresh", action, leftOut: [] };
      case "add-members": {
        const users = people.flatMap(({ address }) => usersAt(shown, address));
        const other = isAddition ? otherTeamIdentifier(action.team, users) : undefined;
        return other === undefined ? recheckAddition(action, shown) : { is: "stale", why: other };
      }
      case "replace-roles":
        return recheckReplacement(action, shown) ?? { is: "fresh", action, leftOut: [] };
    }
  }

  /** Lists the users again, once for all new teams. A person's word that a team is absent has no age; what a list has proven has. */
  async function recheckTeam({ account, createsTeam, restsOn }: CreateUser): Promise<Checked | undefined> {
    if (createsTeam === undefined) return undefined;
    const { team, name } = createsTeam;
    const basis = restsOn.find(({ about }) => about.kind === "team" && about.team === team);
    if (basis?.fact.known === "unknown") return undefined;
    const list = await listUsers(undefined);
    if (!list.ok) return { is: "unknown", failure: list.error };
    const { users, complete } = list.value;
    if (users.some((user) => showsTeam(user, account, name)))
      return { is: "stale", why: `the team ${name} exists now` };
    return complete.yes ? undefined : { is: "unknown", failure: incompleteList(name, complete.why) };
  }

  return async (action) => {
    const why = stale?.actions.get(action.id);
    if (why !== undefined) return { is: "stale", why };
    if (stale === undefined || action.kind !== "add-members") return recheck(action);
    const whyNot = ({ address }: PersonRef) => stale.members.get(membershipKeyOf(action.team.team, address));
    const members = action.members.filter((member) => whyNot(member) === undefined);
    const reasons = action.members.flatMap((member) => whyNot(member) ?? []);
    if (reasons.length === 0) return recheck(action);
    if (members.length === 0) return { is: "stale", why: reasons.join("; ") };
    const checked = await recheck({ ...action, members });
    if (checked.is !== "fresh") return checked;
    const leftOut = action.members.flatMap((member) => {
      const message = whyNot(member);
      // Not a refusal of the service: the code is one that is never remembered.
      return message === undefined ? [] : [notAdded(member, { code: "stale", message, hint: "plan again" })];
    });
    return { ...checked, leftOut: [...checked.leftOut, ...leftOut] };
  };
}

/** The group that each person is read with. */
function lookupGroups(people: readonly UserQuery[]): ReadonlyMap<EmailKey, readonly UserQuery[]> {
  const groups = new Map<EmailKey, UserQuery[]>();
  let group: UserQuery[] = [];
  for (const person of people) {
    if (groups.has(person.address)) continue;
    if (group.length === lookupGroupSize) group = [];
    group.push(person);
    groups.set(person.address, group);
  }
  return groups;
}

/** People of whom the plan knew something that can have changed. Users that this run creates are known from this run. */
function peopleToRecheck(action: Action): readonly UserQuery[] {
  const isThere = (person: PersonRef | undefined) => person !== undefined && person.createdBy === undefined;
  switch (action.kind) {
    case "create-user": {
      const former = (action.formerly ?? []).map((address) => ({ address, email: address }));
      const admin = action.createsTeam?.admin;
      const there = admin !== undefined && isThere(admin) ? [admin] : [];
      return [{ address: action.address, email: action.user.email }, ...former, ...there];
    }
    case "add-members":
      return action.members.filter(isThere);
    case "replace-roles": {
      const { owner, before } = action;
      return owner !== undefined && isThere(owner) && before.known === "observed" ? [owner] : [];
    }
  }
}

/** Nobody may be there by now, and the administrator of a new team must be. */
function recheckCreation({ address, user, formerly = [], createsTeam }: CreateUser, shown: Shown): Checked | undefined {
  for (const one of [address, ...formerly]) {
    const found = shown(one);
    const name = one === address ? user.email : `${one}, a former address of ${user.email},`;
    if (found.is === "absent") continue;
    if (found.is === "present" || found.users.length > 0) return { is: "stale", why: `${name} exists now` };
    return { is: "unknown", failure: unprovenFailure(`that ${name} is absent`, found.why) };
  }
  const admin = createsTeam?.admin;
  const now = admin === undefined || admin.createdBy !== undefined ? undefined : checkPerson(admin, shown);
  if (now === undefined || now.is === "present") return undefined;
  return now.is === "unknown" ? now : { is: "stale", why: now.failure.message };
}

function recheckAddition(action: AddMembers, shown: Shown): Checked {
  const { team } = action;
  const leftOut: AddedMember[] = [];
  const gone: Exclude<PersonCheck, { readonly is: "present" }>[] = [];
  const members = action.members.filter((member) => {
    const now = member.createdBy === undefined ? checkMember(member, team, shown) : undefined;
    if (now === undefined || now.is === "present") return true;
    leftOut.push(notAdded(member, now.failure));
    gone.push(now);
    return false;
  });
  if (members.length > 0 || gone.length === 0) return { is: "fresh", action: { ...action, members }, leftOut };
  const unread = gone.find(({ is }) => is === "unknown");
  if (unread !== undefined) return { is: "unknown", failure: unread.failure };
  return { is: "stale", why: gone.map(({ failure }) => failure.message).join("; ") };
}

function notAdded({ address }: PersonRef, failure: Failure): AddedMember {
  return { address, outcome: { added: false, failure } };
}

/** What a read says of a user that a plan took to be there. */
type PersonCheck =
  | { readonly is: "present"; readonly user: ObservedUser }
  /** Gone, deleted, or no longer the user that the plan meant. */
  | { readonly is: "changed"; readonly failure: Failure }
  | { readonly is: "unknown"; readonly failure: Failure };

function changed(message: string, code: Failure["code"]): PersonCheck {
  return {
    is: "changed",
    failure: { code, message, hint: "Plan again. This user has changed since the plan was made" },
  };
}

/** Checks that the user at the address is the one that the plan meant. */
function checkPerson({ address, email, identifier }: PersonRef, shown: Shown): PersonCheck {
  const found = shown(address);
  const meant = factValue(identifier);
  if (found.is === "absent") return changed(`${email} does not exist any more`, "not-found");
  if (found.is === "unknown" && found.users.length === 0)
    return { is: "unknown", failure: unprovenFailure(`that ${email} still exists`, found.why) };
  const user =
    found.is === "present" ? found.user : found.users.find((one) => meant !== undefined && one.identifier === meant);
  if (user === undefined) return changed(`several users have the address ${email} now`, "not-found");
  const standing = standingOf({ of: "user", address, identifier: meant }, user);
  return standing.is === "absent" || standing.is === "mismatch"
    ? changed(standing.why, "not-found")
    : { is: "present", user };
}

/** The same for somebody who is to become a member, and is none yet. */
function checkMember(member: PersonRef, team: TeamRef, shown: Shown): PersonCheck {
  const now = checkPerson(member, shown);
  if (now.is !== "present") return now;
  const { address, email } = member;
  const { status } = now.user;
  if (accountStatus(status) === "barred") return changed(`${email} is ${status} now`, "stale");
  const named = { ...team, identifier: factValue(team.identifier) };
  const isMember = standingOf({ of: "membership", address, team: named }, now.user).is === "present";
  return isMember ? changed(`${email} is already a member of ${team.name}`, "conflict") : now;
}

/** The key must have the roles that the plan saw. A prefix belongs to one key, also where several users have the address. */
function recheckReplacement({ owner, before, key }: ReplaceRoles, shown: Shown): Checked | undefined {
  const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
  if (owner === undefined || prefix === undefined || before.known !== "observed") return undefined;
  const { address, email } = owner;
  const found = shown(address);
  if (found.is === "absent") return { is: "stale", why: `${email} does not exist any more` };
  const users = usersAt(shown, address);
  if (found.is === "unknown" && users.length === 0)
    return { is: "unknown", failure: unprovenFailure(`that ${email} still exists`, found.why) };
  const standings = users.map((user) => standingOf({ of: "roles", address, prefix, roles: before.value }, user));
  const mismatch = standings.find(({ is }) => is === "mismatch");
  if (mismatch?.is === "mismatch")
    return { is: "stale", why: `the key ${prefix} has other roles now: ${mismatch.key?.roles?.join(", ") || "none"}` };
  const isGone = standings.every(({ is }) => is === "absent");
  return isGone ? { is: "stale", why: `the service does not show the key ${prefix} any more` } : undefined;
}

function unprovenFailure(what: string, why: string): Failure {
  return { code: "stale", message: `roster cannot prove any more ${what}: ${why}`, hint: "Plan again later" };
}

function showsTeam({ keys = [], account: shown }: ObservedUser, account: string, name: string): boolean {
  if (shown !== undefined && shown !== account) return false;
  return shownTeams(keys).some((team) => team.name !== undefined && foldName(team.name) === foldName(name));
}

function incompleteList(name: string, why: string): Failure {
  return {
    code: "stale",
    message: `roster cannot prove any more that the team ${name} is absent: the list of users is incomplete (${why})`,
    hint: "Plan again. roster creates no team from an incomplete list",
  };
}

/** Why a team is not the one that the plan names: keys show its name with other identifiers alone. */
function otherTeamIdentifier(team: TeamRef, users: readonly ObservedUser[]): string | undefined {
  const meant = factValue(team.identifier);
  if (meant === undefined || isDisambiguatedTeamKey(team.team)) return undefined;
  const shown = users
    .filter(({ account = team.account }) => account === team.account)
    .flatMap(({ keys = [] }) => shownTeams(keys))
    .flatMap(({ identifier, name = "" }) =>
      identifier !== undefined && foldName(name) === foldName(team.name) ? [identifier] : [],
    );
  const [other] = shown;
  if (other === undefined || shown.includes(meant)) return undefined;
  return `the service shows the team ${team.name} with the identifier ${other}, and the plan adds to ${meant}`;
}
