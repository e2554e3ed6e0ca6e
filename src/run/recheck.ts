import type { EmailKey } from "../model/address.ts";
import type { AddedMember } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import type { Failure } from "../model/failure.ts";
import { accountStatus, shownTeams } from "../model/key.ts";
import {
  type Action,
  type AddMembers,
  type CreateUser,
  type Plan,
  prefixOf,
  type ReplaceRoles,
} from "../model/plan.ts";
import { type Result, success } from "../model/result.ts";
import { foldName, isDisambiguatedTeamKey, membershipKeyOf } from "../model/team.ts";
import type { AddressedUser, ObservedUser } from "../model/user.ts";
import type { TeamKey } from "../model/values.ts";
import { elapsedSince, type Moment, momentOf } from "../ports/clock.ts";
import type { ApplyInput, StaleActions } from "./apply-input.ts";
import { batchLookups, onlyUser, type Shown, standingOf, usersAt } from "./assess.ts";
import { queryOf, type RunSession } from "./session.ts";

export type Checked =
  /** `leftOut`: people that an add-members call leaves out, because what was known of them has changed. */
  { readonly is: "fresh"; readonly action: Action; readonly leftOut: readonly AddedMember[] } | NotFresh;

/** `unknown`: it could not be read, or the reads prove nothing. */
interface NotFresh {
  readonly is: "stale" | "unknown";
  readonly failure: Failure;
}

/** Facts older than this are checked again before an action rests on them. */
const maxFactAge = 60_000;

const lookupGroupSize = 100;

/**
 * Checks facts again where they have become too old, or where another run has read them: the people of a plan in groups, so that one
 * read serves many. What is known not to fit is stale without a read.
 */
export function recheckFacts(
  { plan, factsRead, stale, teamMembers = [] }: ApplyInput,
  { knowledge, people: reader, service, clock, signal }: RunSession,
): (action: Action) => Promise<Checked> {
  // Whom the plan creates is known from this run.
  const created = new Set(plan.actions.flatMap((action) => (action.kind === "create-user" ? action.address : [])));
  /** Undefined while no fact is old. */
  let groups: ReturnType<typeof lookupGroups> | undefined;
  const isFresh = (at: Moment) => elapsedSince(at, clock) <= maxFactAge;
  const look = batchLookups(reader, "recheck", signal);
  const readGroup = readsOnce(async (group: readonly AddressedUser[]) => {
    const read = await look(group);
    // What is read before a call shows who holds which key and identifier.
    if (read.ok) knowledge.noteShown(group.flatMap(({ address }) => usersAt(read.value, address)));
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

  /** What reads show of these people now; undefined where nothing has to be read again. */
  async function readPeople(people: readonly AddressedUser[]): Promise<Result<Shown | undefined, Failure>> {
    if (people.length === 0 || (factsRead !== undefined && isFresh(factsRead))) return success(undefined);
    const shown = new Map<EmailKey, Shown>();
    groups ??= lookupGroups([...teamMembers, ...plan.actions.flatMap((one) => peopleToRecheck(one, plan, created))]);
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

  /** Lists the users again, once for all new teams. A person's word that a team is absent has no age; what a list has proven has. */
  async function recheckTeam({ account, createsTeam, restsOn }: CreateUser): Promise<NotFresh | undefined> {
    if (createsTeam === undefined) return undefined;
    const { team, name } = createsTeam;
    const basis = restsOn.find(({ about }) => about.kind === "team" && about.team === team);
    if (basis?.known === "unknown") return undefined;
    const list = await listUsers(undefined);
    if (!list.ok) return { is: "unknown", failure: list.error };
    const { users, complete } = list.value;
    if (users.some((user) => showsTeam(user, account, name))) return staleFact(`the team ${name} exists now`);
    if (complete.yes) return undefined;
    const why = `the list of users is incomplete (${complete.why})`;
    const hint = "Plan again. roster creates no team from an incomplete list";
    return unproven(`that the team ${name} is absent`, why, hint);
  }

  return async (action) => {
    const why = stale?.actions.get(action.id);
    if (why !== undefined) return staleFact(why);
    const isToOldTeam = action.kind === "add-members" && action.firstMember === undefined;
    const people = [...peopleToRecheck(action, plan, created), ...(isToOldTeam ? teamMembers : [])];
    const read = await readPeople(people);
    if (!read.ok) return { is: "unknown", failure: read.error };
    const shown = read.value;
    if (action.kind === "add-members") {
      const other = shown && otherTeamIdentifier(action, people, shown, plan);
      return other === undefined ? recheckAddition(action, shown, plan, created, stale) : staleFact(other);
    }
    const fresh = { is: "fresh", action, leftOut: [] } as const;
    if (shown === undefined) return fresh;
    if (action.kind === "replace-roles") return recheckReplacement(action, shown, plan) ?? fresh;
    return recheckCreation(action, shown, plan, created) ?? (await recheckTeam(action)) ?? fresh;
  };
}

function lookupGroups(people: readonly AddressedUser[]): ReadonlyMap<EmailKey, readonly AddressedUser[]> {
  const groups = new Map<EmailKey, AddressedUser[]>();
  let group: AddressedUser[] = [];
  for (const person of people) {
    if (groups.has(person.address)) continue;
    if (group.length === lookupGroupSize) group = [];
    group.push(person);
    groups.set(person.address, group);
  }
  return groups;
}

/** People of whom the plan knew something that can have changed. */
function peopleToRecheck(action: Action, plan: Plan, created: ReadonlySet<EmailKey>): readonly AddressedUser[] {
  const there = (people: readonly (EmailKey | undefined)[]): readonly AddressedUser[] =>
    people.flatMap((one) => (one === undefined || created.has(one) ? [] : [queryOf(one, plan)]));
  switch (action.kind) {
    case "create-user": {
      const former = (action.formerly ?? []).map((address) => ({ address, email: address }));
      return [{ address: action.address, email: action.user.email }, ...former, ...there([action.createsTeam?.admin])];
    }
    case "add-members":
      return there(action.members.map(({ address }) => address));
    case "replace-roles":
      return action.before.known === "observed" ? there([action.key.address]) : [];
  }
}

/** Nobody may be there by now, and the administrator of a new team must be. */
function recheckCreation(
  { address, user, formerly = [], createsTeam }: CreateUser,
  shown: Shown,
  plan: Plan,
  created: ReadonlySet<EmailKey>,
): NotFresh | undefined {
  for (const one of [address, ...formerly]) {
    const found = shown(one);
    const name = one === address ? user.email : `${one}, a former address of ${user.email},`;
    if (found.is === "absent") continue;
    if (found.is === "present" || found.users.length > 0) return staleFact(`${name} exists now`);
    return unproven(`that ${name} is absent`, found.why);
  }
  const admin = createsTeam?.admin;
  const now = admin === undefined || created.has(admin) ? undefined : checkPerson(admin, shown, plan);
  return now?.is === "present" ? undefined : now;
}

/** Leaves out those who do not fit any more. `shown`: undefined where nothing had to be read again. */
function recheckAddition(
  action: AddMembers,
  shown: Shown | undefined,
  plan: Plan,
  created: ReadonlySet<EmailKey>,
  stale: StaleActions | undefined,
): Checked {
  const { team } = action;
  const gone: NotFresh[] = [];
  const leftOut: AddedMember[] = [];
  const members = action.members.filter(({ address }) => {
    const message = stale?.members.get(membershipKeyOf(team, address));
    const isRead = shown !== undefined && !created.has(address);
    const read = isRead ? checkMember(address, team, shown, plan) : undefined;
    // Not a refusal of the service: the code is one that is never remembered.
    const now = message === undefined ? read : staleFact(message);
    if (now === undefined || now.is === "present") return true;
    gone.push(now);
    const again = message === undefined ? "Plan again. This user has changed since the plan was made" : "plan again";
    const failure = { ...now.failure, hint: now.failure.hint ?? again };
    leftOut.push({ address, outcome: { added: false, failure } });
    return false;
  });
  if (members.length > 0 || gone.length === 0) return { is: "fresh", action: { ...action, members }, leftOut };
  return gone.find(({ is }) => is === "unknown") ?? staleFact(gone.map(({ failure }) => failure.message).join("; "));
}

/** Checks that somebody is still at an address where a plan took a user to be. */
function checkAddress({ address, email }: AddressedUser, shown: Shown): NotFresh | undefined {
  const found = shown(address);
  if (found.is === "absent") return staleFact(`${email} does not exist any more`, "not-found");
  const isUnproven = found.is === "unknown" && found.users.length === 0;
  return isUnproven ? unproven(`that ${email} still exists`, found.why) : undefined;
}

type PersonCheck = { readonly is: "present"; readonly user: ObservedUser } | NotFresh;

/** Checks that the user at the address is the one that the plan meant. */
function checkPerson(address: EmailKey, shown: Shown, plan: Plan): PersonCheck {
  const { email } = queryOf(address, plan);
  const named = plan.users.get(address);
  const meant = named && factValue(named.identifier);
  const gone = checkAddress({ address, email }, shown);
  if (gone !== undefined) return gone;
  const isMeant = (one: ObservedUser) => meant !== undefined && one.identifier === meant;
  const user = onlyUser(shown, address) ?? usersAt(shown, address).find(isMeant);
  if (user === undefined) return staleFact(`several users have the address ${email} now`, "not-found");
  const standing = standingOf({ of: "user", address, identifier: meant }, user);
  return standing.is === "absent" || standing.is === "mismatch"
    ? staleFact(standing.why, "not-found")
    : { is: "present", user };
}

/** The same for somebody who is to become a member, and is none yet. */
function checkMember(address: EmailKey, team: TeamKey, shown: Shown, plan: Plan): PersonCheck {
  const now = checkPerson(address, shown, plan);
  const planned = plan.teams.get(team);
  if (now.is !== "present" || planned === undefined) return now;
  const { name, identifier } = planned;
  const { email } = queryOf(address, plan);
  const { status } = now.user;
  if (accountStatus(status) === "barred") return staleFact(`${email} is ${status} now`);
  const named = { team, name, identifier: factValue(identifier) };
  const isMember = standingOf({ of: "membership", address, team: named }, now.user).is === "present";
  return isMember ? staleFact(`${email} is already a member of ${name}`, "conflict") : now;
}

/** The key must have the roles that the plan saw. A prefix belongs to one key, also where several users have the address. */
function recheckReplacement(action: ReplaceRoles, shown: Shown, plan: Plan): NotFresh | undefined {
  const { key, before } = action;
  const prefix = prefixOf(action);
  if (key.address === undefined || prefix === undefined || before.known !== "observed") return undefined;
  const owner = queryOf(key.address, plan);
  const gone = checkAddress(owner, shown);
  if (gone !== undefined) return gone;
  const { address } = owner;
  const effect = { of: "roles", address, prefix, roles: before.value } as const;
  const standings = usersAt(shown, address).map((user) => standingOf(effect, user));
  const mismatch = standings.find(({ is }) => is === "mismatch");
  if (mismatch?.is === "mismatch") {
    const roles = mismatch.key?.roles?.join(", ") || "no roles";
    return staleFact(`others changed the key ${prefix} after the plan. It has ${roles} now`);
  }
  const isGone = standings.every(({ is }) => is === "absent");
  return isGone ? staleFact(`the service does not show the key ${prefix} any more`) : undefined;
}

function staleFact(message: string, code: Failure["code"] = "stale"): NotFresh {
  return { is: "stale", failure: { code, message } };
}

function unproven(what: string, why: string, hint = "Plan again later"): NotFresh {
  const message = `roster cannot prove any more ${what}: ${why}`;
  return { is: "unknown", failure: { code: "stale", message, hint } };
}

function showsTeam({ keys = [], account: shown }: ObservedUser, account: string, name: string): boolean {
  if (shown !== undefined && shown !== account) return false;
  return shownTeams(keys).some((team) => team.name !== undefined && foldName(team.name) === foldName(name));
}

/** Why a team that was there is not the one that the plan names: keys show its name with other identifiers alone. */
function otherTeamIdentifier(
  { team: key, firstMember }: AddMembers,
  people: readonly AddressedUser[],
  shown: Shown,
  { teams }: Plan,
): string | undefined {
  const team = firstMember === undefined ? teams.get(key) : undefined;
  const meant = team && factValue(team.identifier);
  if (team === undefined || meant === undefined || isDisambiguatedTeamKey(key)) return undefined;
  const identifiers = people
    .flatMap(({ address }) => usersAt(shown, address))
    .filter(({ account = team.account }) => account === team.account)
    .flatMap(({ keys = [] }) => shownTeams(keys))
    .flatMap(({ identifier, name = "" }) =>
      identifier !== undefined && foldName(name) === foldName(team.name) ? [identifier] : [],
    );
  const [other] = identifiers;
  if (other === undefined || identifiers.includes(meant)) return undefined;
  return `the service shows the team ${team.name} with the identifier ${other}, and the plan adds to ${meant}`;
}
