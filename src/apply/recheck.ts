import type { Action, ActionId, AddMembers, CreateUser, PersonRef, ReplaceRoles } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import type { AddedMember } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import { type Failure, success } from "../model/result.ts";
import { type RoleSet, sameRoles } from "../model/role-set.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import { type MembershipKey, membershipKeyOf, shownTeamKey } from "../model/team.ts";
import type { AccountService, UserQuery } from "../ports/account-service.ts";
import { type Clock, elapsedSince, type Moment, momentOf } from "../ports/clock.ts";
import type { LookupResult, LookupResults, PeopleLookup } from "./learned-facts.ts";
import { createTeamRecheck, otherTeamIdentifier, type TeamRecheck } from "./recheck-teams.ts";

export type Recheck = (action: Action) => Promise<RecheckResult>;

/** Facts older than this are checked again before an action rests on them. */
const maxFactAge = 60_000;

/** How many people are found for together. */
const lookupGroupSize = 100;

/** When the facts were read that a plan rests on. */
export interface FactsTime {
  /** ISO 8601, when the oldest read began; absent where another run read it: then no fact is taken as it is. */
  readonly factsAt?: string | undefined;
  /** The same by this process. */
  readonly factsRead?: Moment | undefined;
}

/**
 * Checks facts again where they have become too old, or where another run has read them (`factsAt` is undefined): the people
 * of a plan in groups, so that one read serves many. `teamMembers` show the identifiers of the teams that people are added to.
 */
export function createRecheck(
  actions: readonly Action[],
  { factsAt, factsRead }: FactsTime,
  ports: {
    readonly service: AccountService;
    readonly clock: Clock;
    readonly lookUp: PeopleLookup;
    readonly signal: AbortSignal | undefined;
    readonly teamMembers?: readonly UserQuery[] | undefined;
  },
): Recheck {
  const { clock, lookUp, teamMembers = [] } = ports;
  const groups = lookupGroups([...teamMembers, ...actions.flatMap(peopleToRecheck)]);
  const reads = new Map<readonly UserQuery[], { readonly at: Moment; readonly shown: ReturnType<PeopleLookup> }>();
  const teamRecheck = createTeamRecheck({ ...ports, keeps: maxFactAge });
  const began = { wall: factsAt === undefined ? 0 : Date.parse(factsAt), monotonic: clock.monotonic() };
  const isFresh = (at: Moment) => elapsedSince(at, clock) <= maxFactAge;

  function readAgain(group: readonly UserQuery[]): ReturnType<PeopleLookup> {
    const known = reads.get(group);
    if (known !== undefined && isFresh(known.at)) return known.shown;
    const shown = lookUp(group);
    reads.set(group, { at: momentOf(clock), shown });
    return shown;
  }

  async function find(people: readonly UserQuery[]): ReturnType<PeopleLookup> {
    const shown = new Map<FoldedAddress, LookupResult>();
    for (const { address } of people) {
      const group = groups.get(address);
      const read = group === undefined ? undefined : await readAgain(group);
      if (read !== undefined && !read.ok) return read;
      if (read !== undefined) shown.set(address, read.value(address));
    }
    return success((address) => shown.get(address) ?? { is: "unproven", why: "this run did not search for it" });
  }

  return async (action) => {
    const isAddition = action.kind === "add-members" && action.team.foundedBy === undefined;
    const people = [...peopleToRecheck(action), ...(isAddition ? teamMembers : [])];
    if (people.length === 0 || (factsAt !== undefined && isFresh({ ...began, ...factsRead })))
      return { is: "fresh", action, leftOut: [] };
    const found = await find(people);
    if (!found.ok) return { is: "unread", failure: found.error };
    const other = isAddition ? otherTeamIdentifier(action.team, people.flatMap(usersIn(found.value))) : undefined;
    if (other !== undefined) return { is: "stale", why: other };
    const checked = compareFacts(action, found.value);
    return checked.is === "fresh" ? recheckTeam(checked, teamRecheck) : checked;
  };
}

/** A person's word that a team is absent has no age; what a list has proven has. */
async function recheckTeam(
  fresh: Extract<RecheckResult, { is: "fresh" }>,
  recheck: TeamRecheck,
): Promise<RecheckResult> {
  const { action } = fresh;
  if (action.kind !== "create-user" || action.founds === undefined) return fresh;
  const { founds } = action;
  const basis = action.restsOn.find(({ about }) => about.kind === "team" && about.team === founds.team);
  if (basis?.fact.known === "unknown") return fresh;
  const team = await recheck(action, founds);
  if (!team.ok) return { is: "unread", failure: team.error };
  return team.value === "absent" ? fresh : { is: "stale", why: `the team ${founds.name} exists now` };
}

function usersIn(shown: LookupResults): (person: UserQuery) => readonly ObservedUser[] {
  return ({ address }) => {
    const found = shown(address);
    if (found.is === "user") return [found.user];
    return found.is === "several" ? found.users : [];
  };
}

/** The group that each person is read with. */
function lookupGroups(people: readonly UserQuery[]): ReadonlyMap<FoldedAddress, readonly UserQuery[]> {
  const groups = new Map<FoldedAddress, UserQuery[]>();
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
  switch (action.kind) {
    case "create-user": {
      const former = (action.formerly ?? []).map((address) => ({ address, email: address }));
      const admin = action.founds?.admin;
      const there = admin === undefined || admin.createdBy !== undefined ? [] : [admin];
      return [{ address: action.address, email: action.user.email }, ...former, ...there];
    }
    case "add-members":
      return action.members.filter(({ createdBy }) => createdBy === undefined);
    case "replace-roles": {
      const { owner, before } = action;
      return owner === undefined || owner.createdBy !== undefined || before.known !== "observed" ? [] : [owner];
    }
  }
}

/** Actions, and people of additions, that do not fit any more, each with the reason. */
export interface StaleActions {
  readonly actions: ReadonlyMap<ActionId, string>;
  readonly members: ReadonlyMap<MembershipKey, string>;
}

/** What is known not to fit is stale without a read; the rest is checked as ever. */
export function skipStaleActions(stale: StaleActions | undefined, recheck: Recheck): Recheck {
  if (stale === undefined) return recheck;
  return async (action) => {
    const why = stale.actions.get(action.id);
    if (why !== undefined) return { is: "stale", why };
    return action.kind === "add-members" ? recheckMembers(action, stale, recheck) : recheck(action);
  };
}

async function recheckMembers(action: AddMembers, stale: StaleActions, recheck: Recheck): Promise<RecheckResult> {
  const why = (address: FoldedAddress) => stale.members.get(membershipKeyOf(action.team.team, address));
  const members = action.members.filter(({ address }) => why(address) === undefined);
  if (members.length === action.members.length) return recheck(action);
  const leftOut = action.members.flatMap(({ address }) => leftOutMember(address, why(address)));
  if (members.length === 0) return { is: "stale", why: joinReasons(leftOut) };
  const checked = await recheck({ ...action, members });
  return checked.is === "fresh" ? { ...checked, leftOut: [...checked.leftOut, ...leftOut] } : checked;
}

/** Not a refusal of the service: the code is one that is never remembered. */
function leftOutMember(address: AddedMember["address"], message: string | undefined): readonly AddedMember[] {
  if (message === undefined) return [];
  return [{ address, outcome: { added: false, failure: { code: "stale", message, hint: "plan again" } } }];
}

function joinReasons(leftOut: readonly AddedMember[]): string {
  return leftOut.flatMap(({ outcome }) => (outcome.added ? [] : [outcome.failure.message])).join("; ");
}

/** Whether the facts that an action rests on still hold. */
export type RecheckResult =
  /** `leftOut`: people that an add-members call leaves out, because what was known of them has changed. */
  | { readonly is: "fresh"; readonly action: Action; readonly leftOut: readonly AddedMember[] }
  | { readonly is: "stale"; readonly why: string }
  | { readonly is: "unread"; readonly failure: Failure };

/** Compares what an action rests on with what was read again. */
function compareFacts(action: Action, shown: LookupResults): RecheckResult {
  switch (action.kind) {
    case "create-user":
      return recheckCreation(action, shown);
    case "add-members":
      return recheckAddition(action, shown);
    case "replace-roles":
      return recheckReplacement(action, shown);
  }
}

function recheckCreation(action: CreateUser, shown: LookupResults): RecheckResult {
  const { address, user, formerly = [] } = action;
  for (const one of [address, ...formerly]) {
    const found = shown(one);
    const name = one === address ? user.email : `${one}, a former address of ${user.email},`;
    if (found.is === "unproven") return { is: "unread", failure: unprovenFailure(`that ${name} is absent`, found.why) };
    if (found.is !== "absent") return { is: "stale", why: `${name} exists now` };
  }
  const admin = action.founds?.admin;
  const now = admin === undefined || admin.createdBy !== undefined ? undefined : checkPerson(admin, shown);
  if (now?.is === "moved") return { is: "stale", why: now.failure.message };
  if (now?.is === "unproven") return { is: "unread", failure: now.failure };
  return { is: "fresh", action, leftOut: [] };
}

type ChangedPerson = Extract<PersonCheck, { readonly failure: Failure }>;

function recheckAddition(action: AddMembers, shown: LookupResults): RecheckResult {
  const leftOut: AddedMember[] = [];
  const gone: ChangedPerson[] = [];
  const members = action.members.filter((member) => {
    const why = member.createdBy === undefined ? reasonNotToAdd(member, action, shown) : undefined;
    if (why === undefined) return true;
    leftOut.push({ address: member.address, outcome: { added: false, failure: why.failure } });
    gone.push(why);
    return false;
  });
  if (gone.length === 0) return { is: "fresh", action, leftOut };
  if (members.length > 0) return { is: "fresh", action: { ...action, members }, leftOut };
  const unread = gone.find(({ is }) => is === "unproven");
  if (unread !== undefined) return { is: "unread", failure: unread.failure };
  return { is: "stale", why: gone.map(({ failure }) => failure.message).join("; ") };
}

function reasonNotToAdd(member: PersonRef, { team }: AddMembers, shown: LookupResults): ChangedPerson | undefined {
  const now = checkPerson(member, shown);
  if (now.is !== "there") return now;
  const { email } = member;
  if (accountStatus(now.user.status) === "barred") return changedPerson(`${email} is ${now.user.status} now`, "stale");
  const key = shownTeamKey(now.user, { ...team, identifier: factValue(team.identifier) });
  return key.is === "shown" ? changedPerson(`${email} is already a member of ${team.name}`, "conflict") : undefined;
}

function changedPerson(message: string, code: Failure["code"]): ChangedPerson {
  return { is: "moved", failure: { code, message, hint: planAgainHint } };
}

function recheckReplacement(action: ReplaceRoles, shown: LookupResults): RecheckResult {
  const { owner, before, key } = action;
  const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
  const fresh: RecheckResult = { is: "fresh", action, leftOut: [] };
  if (owner === undefined || prefix === undefined || before.known !== "observed") return fresh;
  const found = shown(owner.address);
  switch (found.is) {
    case "absent":
      return { is: "stale", why: `${owner.email} does not exist any more` };
    case "unproven":
      return { is: "unread", failure: unprovenFailure(`that ${owner.email} still exists`, found.why) };
    case "user":
      return recheckKey([found.user], prefix, before.value) ?? fresh;
    case "several":
      return recheckKey(found.users, prefix, before.value) ?? fresh;
  }
}

/** A prefix belongs to one key, also where several users have the address. */
function recheckKey(holders: readonly ObservedUser[], prefix: string, before: RoleSet): RecheckResult | undefined {
  const held = holders.flatMap(({ keys = [] }) => keys).find((one) => one.prefix === prefix);
  if (held === undefined) {
    const isHidden = holders.some(({ keys }) => keys === undefined);
    return isHidden ? undefined : { is: "stale", why: `the service does not show the key ${prefix} any more` };
  }
  if (held.roles === undefined || sameRoles(held.roles, before)) return undefined;
  return { is: "stale", why: `the key ${prefix} has other roles now: ${held.roles.join(", ") || "none"}` };
}

/** What a read says of a user that a plan took to be there. */
type PersonCheck =
  | { readonly is: "there"; readonly user: ObservedUser }
  /** Gone, deleted, or no longer the user that the plan meant. */
  | { readonly is: "moved"; readonly failure: Failure }
  | { readonly is: "unproven"; readonly failure: Failure };

/** Checks that the user at the address is the one that the plan meant. */
function checkPerson(person: PersonRef, shown: LookupResults): PersonCheck {
  const { address, email } = person;
  const found = shown(address);
  switch (found.is) {
    case "absent":
      return changedCheck(`${email} does not exist any more`);
    case "unproven":
      return { is: "unproven", failure: unprovenFailure(`that ${email} still exists`, found.why) };
    case "user":
      return checkUser(person, found.user);
    case "several": {
      const known = factValue(person.identifier);
      const meant = found.users.find(({ identifier }) => identifier !== undefined && identifier === known);
      return meant === undefined
        ? changedCheck(`several users have the address ${email} now`)
        : checkUser(person, meant);
    }
  }
}

function checkUser({ email, identifier }: PersonRef, user: ObservedUser): PersonCheck {
  if (accountStatus(user.status) === "deleted") return changedCheck(`${email} was deleted`);
  const known = factValue(identifier);
  const isAnother = known !== undefined && user.identifier !== undefined && user.identifier !== known;
  return isAnother ? changedCheck(`another user has the address ${email} now`) : { is: "there", user };
}

function changedCheck(message: string): PersonCheck {
  return { is: "moved", failure: { code: "not-found", message, hint: planAgainHint } };
}

const planAgainHint = "Plan again. This user has changed since the plan was made";

function unprovenFailure(what: string, why: string): Failure {
  return { code: "stale", message: `roster cannot prove any more ${what}: ${why}`, hint: "Plan again later" };
}
