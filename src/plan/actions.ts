import { say, sentence } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import { groupBy } from "../model/collections.ts";
import { namesIn, type OwnedThing, type Subject } from "../model/fact.ts";
import type { RecordedRefusal } from "../model/failure.ts";
import { sha256 } from "../model/json.ts";
import { accountStatus } from "../model/key.ts";
import {
  type Action,
  type ActionId,
  type AddMembers,
  type CreateUser,
  creationId,
  type Dependency,
  dependenciesOf,
  giverOf,
  type NamesInCalls,
  type PlanCounts,
  peopleOf,
  prefixOf,
  teamOf,
} from "../model/plan.ts";
import { retryOf } from "../model/policy.ts";
import type { OwnershipLookup, Roster } from "../model/roster.ts";
import { type DesiredTeam, membershipKeyOf } from "../model/team.ts";
import type { DesiredUser, ObservedUser } from "../model/user.ts";
import { type Ownership, type RoleSet, roleSet, rolesWithout, sameRoles, type TeamKey } from "../model/values.ts";
import type { FindingDraft, PlanContext } from "./context.ts";
import { recordedBasis, teamRole } from "./snapshot-index.ts";

export function additionId(team: TeamKey): ActionId {
  return `add-members:${team}`;
}

/** The same actions, each after those that it depends on and otherwise in the order given. */
export function orderByDependencies(actions: readonly Action[]): readonly Action[] {
  const byId = new Map(actions.map((action) => [action.id, action]));
  const placed = new Map<ActionId, Action>();
  for (const action of actions) {
    // Walks down a path of needs without recursion: it may be as long as there are teams.
    const path = [action];
    const onPath = new Set([action.id]);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const need = byId.get(top.dependsOn.find((id) => !placed.has(id) && byId.has(id)) ?? "");
      if (need === undefined) {
        placed.set(top.id, top);
        path.pop();
        continue;
      }
      if (onPath.has(need.id)) throw new Error(`the action ${need.id} depends on itself`);
      onPath.add(need.id);
      path.push(need);
    }
  }
  return [...placed.values()];
}

/** What is taken out of a plan: a whole action, or one person's part of an addition. */
export interface PruneTarget<C> {
  readonly action: ActionId;
  /** Absent where the whole action is meant. */
  readonly address?: EmailKey | undefined;
  readonly cause: C;
}

/**
 * Takes actions out of a plan, with all that depends on them and nothing else: a user who is not created is not added, an
 * addition goes on without them, and a key that nobody gives gets no roles. Expects each action after those that it
 * depends on. What is not in the plan is passed over. `pruned`: every action, and every person of an addition, that is left out, with its first cause.
 */
export function prune<C>(actions: readonly Action[], targets: readonly PruneTarget<C>[]) {
  if (targets.length === 0) return { actions, pruned: [] };
  const byAction = groupBy(targets, ({ action }) => action);
  const pruned: PruneTarget<C>[] = [];
  const lost = new Map<ActionId, C>();
  const lostMembers = new Map<ActionId, ReadonlyMap<EmailKey, C>>();
  const causeOf = ({ action, person }: Dependency) =>
    lost.get(action) ?? (person === undefined ? undefined : lostMembers.get(action)?.get(person));

  function drop({ id }: Action, cause: C): readonly Action[] {
    lost.set(id, cause);
    pruned.push({ action: id, cause });
    return [];
  }

  function keep(action: Action): readonly Action[] {
    // The first that names an action or a person counts.
    const meant = new Map((byAction.get(action.id) ?? []).toReversed().map(({ address, cause }) => [address, cause]));
    const cause = [meant.get(undefined), ...dependenciesOf(action).map(causeOf)].find((one) => one !== undefined);
    if (cause !== undefined) return drop(action, cause);
    if (action.kind !== "add-members") return [action];
    const fallen = new Map<EmailKey, C>();
    for (const { address } of action.members) {
      const why = meant.get(address) ?? lost.get(creationId(address));
      if (why !== undefined) fallen.set(address, why);
    }
    const [first] = fallen.values();
    if (first === undefined) return [action];
    if (fallen.size === action.members.length) return drop(action, first);
    lostMembers.set(action.id, fallen);
    for (const [address, why] of fallen) pruned.push({ action: action.id, address, cause: why });
    return [withoutMembers(action, fallen)];
  }

  return { actions: actions.flatMap(keep), pruned };
}

/** The same call for fewer people, which rests on and waits for what these need. */
function withoutMembers(action: AddMembers, fallen: ReadonlyMap<EmailKey, unknown>): AddMembers {
  const members = action.members.filter(({ address }) => !fallen.has(address));
  const needed = new Set(
    [...[action.firstMember ?? []].flat(), ...members.map(({ address }) => address)].map(creationId),
  );
  return {
    ...action,
    members,
    dependsOn: action.dependsOn.filter((id) => needed.has(id)),
    restsOn: action.restsOn.filter(({ about }) => about.kind !== "member" || !fallen.has(about.address)),
    because: action.because.filter(({ person }) => person === undefined || !fallen.has(person)),
  };
}

export function namesOf(actions: readonly Action[], { users, teams }: NamesInCalls): NamesInCalls {
  const people = new Set(actions.flatMap(peopleOf));
  const named = new Set(actions.map(teamOf));
  return {
    users: new Map([...users].filter(([address]) => people.has(address))),
    teams: new Map([...teams].filter(([team]) => named.has(team))),
  };
}

/** How many requests the plan took and will take. A first member's key that is asked for exactly needs no second call. */
export function countCalls(actions: readonly Action[], reads: number): PlanCounts["calls"] {
  const creations = new Map(
    actions.flatMap((action) => (action.kind === "create-user" ? [[action.id, action] as const] : [])),
  );
  const writes = actions.filter((action) => !isExpectedExact(action, creations)).length;
  return { reads, writes, atMost: actions.length };
}

function isExpectedExact(action: Action, creations: ReadonlyMap<ActionId, CreateUser>): boolean {
  if (action.kind !== "replace-roles" || !action.ifInexact || action.key.of !== "team-key") return false;
  const createsTeam = creations.get(giverOf(action) ?? "")?.createsTeam;
  return createsTeam !== undefined && sameRoles(createsTeam.accessKeyRoles, action.roles);
}

/** The same action, saying whose it is; of an addition also each membership. */
export function withOwnership<A extends Action>(action: A, index: OwnershipLookup): A {
  const ownership = index(concernOf(action));
  const owned = ownership === undefined ? action : { ...action, ownership };
  if (owned.kind !== "add-members") return owned;
  const members = owned.members.map((member) => {
    const own = index({ address: member.address, team: owned.team });
    return own === undefined ? member : { ...member, ownership: own };
  });
  return { ...owned, members };
}

/** Whose a finding is: that of its subject; where it is about a key, also that of the only person or team that it concerns. */
export function findingOwnership(
  subject: Subject,
  concerns: readonly OwnedThing[],
  index: OwnershipLookup,
): Ownership | undefined {
  const { prefix, address, team } = namesIn(subject);
  const only = prefix !== undefined && concerns.length === 1 ? concerns[0] : undefined;
  return index({ prefix, address: address ?? only?.address, team: team ?? only?.team });
}

/** Who is to see to something: the owner that the roster declares, else the admin of its team, else the holder of its key. */
export function ownerLookup(roster: Roster): (subject: Subject, ownership?: Ownership) => string | undefined {
  const admins = new Map(roster.teams.map(({ key, admin }) => [key, admin?.value]));
  const holders = new Map(roster.keys.map(({ prefix, owner }) => [prefix, owner?.value]));
  return (subject, ownership) => {
    const { team, prefix } = namesIn(subject);
    return ownership?.owner ?? (team && admins.get(team)) ?? (prefix === undefined ? undefined : holders.get(prefix));
  };
}

/** A user who creates a team is created for the team. */
function concernOf(action: Action): OwnedThing {
  const team = teamOf(action);
  if (action.kind === "create-user") return { address: action.address, team };
  return action.kind === "add-members" ? { team } : { address: action.key.address, team, prefix: prefixOf(action) };
}

/**
 * The refusal of this very request, which would be refused again. Undefined where the roster asks for something else, where a read shows
 * something else of those whom it is about, or where a person wants it sent again.
 */
export function refusalOf(
  request: string | undefined,
  { state, allowances }: PlanContext,
): RecordedRefusal | undefined {
  const refusal = request === undefined ? undefined : state.refusals.get(request);
  return refusal === undefined || allowances.ask(retryOf(refusal)).isAllowed ? undefined : refusal;
}

/** Digests the creation of a user without a team, and what of the account may decide whether it is refused. */
export function creationRequest(user: DesiredUser, context: PlanContext): string {
  return digestRequest(["create", ...creationFields(user, context)]);
}

/** The same with a team. Undefined where the administrator does not exist yet. */
export function teamCreationRequest(user: DesiredUser, team: DesiredTeam, context: PlanContext): string | undefined {
  const admin = team.admin?.value === user.address ? undefined : team.admin?.value;
  const shown = admin === undefined ? undefined : observedUserAt(admin, context);
  if (admin !== undefined && shown === undefined) return undefined;
  const { accessKeyRoles } = firstMemberRoles(team, user.address, context);
  const asked = ["create-with-team", ...creationFields(user, context), team.name, accessKeyRoles];
  return digestRequest([...asked, admin, ...userFacts(shown)]);
}

/** One person's part of an addition, where person and team are there: what this plan makes may be refused for that alone. */
export function additionRequest(email: string, shown: ObservedUser, identifier: string): string {
  return digestRequest(["add", identifier, email, ...userFacts(shown)]);
}

export function rolesRequest(
  { prefix, owner }: { readonly prefix: string; readonly owner: EmailKey | undefined },
  roles: RoleSet,
  context: PlanContext,
): string {
  const held = context.facts.keyPrefixed(prefix);
  const holder = held?.holder ?? (owner === undefined ? undefined : observedUserAt(owner, context));
  const listed = context.snapshot.roles.known === "unknown" ? [] : context.snapshot.roles.value;
  const kinds = listed.flatMap(({ identifier, type }) => (roles.includes(identifier) ? [[identifier, type]] : []));
  const { status, roles: carried } = held?.key ?? {};
  return digestRequest(["roles", prefix, roles, ...userFacts(holder), status, carried, kinds.sort()]);
}

/** Of a list, so that no order of fields can change it. What is absent is written as null. */
function digestRequest(parts: readonly unknown[]): string {
  return sha256(JSON.stringify(parts)).slice(0, 16);
}

function creationFields(user: DesiredUser, { snapshot }: PlanContext): readonly unknown[] {
  const { account, email, firstName, lastName, title, externalIdentifier, source } = user;
  const { status } = snapshot.accounts.get(account) ?? {};
  return [account, status, email, firstName, lastName, title, externalIdentifier, source];
}

function userFacts(user: ObservedUser | undefined): readonly unknown[] {
  return [user?.identifier, user?.status, user?.account];
}

/** The one user who is shown with the address and not deleted. */
function observedUserAt(address: EmailKey, { facts }: PlanContext): ObservedUser | undefined {
  const [shown, another] = facts.people.get(address) ?? [];
  return another === undefined && shown !== undefined && accountStatus(shown.status) !== "deleted" ? shown : undefined;
}

/** What is told of a refused request. `correct`: what a person can change in the roster or the service. */
export function refusedFinding(about: Subject, refusal: RecordedRefusal, correct: string) {
  const { asked } = refusal;
  const texts = say("refused/request", { refusals: formatRefusal(refusal), correct: asSentence(correct), asked });
  const restsOn = [recordedBasis(about, "refused", refusal.at)];
  return { ...texts, restsOn, allow: [retryOf(refusal)] } satisfies Partial<FindingDraft>;
}

export function formatRefusal({ asked, at, failure }: RecordedRefusal): string {
  const { serviceSays } = failure;
  return sentence("refusal", { asked, at, answer: serviceSays && withFullStop(JSON.stringify(serviceSays)) });
}

function asSentence(text: string): string {
  return withFullStop(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);
}

function withFullStop(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}

export function firstMemberRoles(team: DesiredTeam, firstMember: EmailKey, context: PlanContext): SentRoles {
  const { facts, policy, held } = context;
  const { privilegedRoles: privileged } = policy;
  const wanted = team.members.find(({ address }) => address === firstMember)?.roles;
  const known = facts.rolesFor?.("team");
  const sent = rolesToSend(wanted, known, privileged);
  if (wanted === undefined || !held.privileges.has(membershipKeyOf(team.key, firstMember))) return sent;
  // The key stays without them until the guard lets its roles be made exact.
  return { ...rolesToSend(rolesWithout(wanted, privileged), known, privileged), exact: sent.exact };
}

/** Roles of this first member that the service does not know: the team cannot be created with them. */
export function unknownFirstMemberRoles(team: DesiredTeam, firstMember: EmailKey, { facts }: PlanContext): RoleSet {
  const known = facts.rolesFor?.("unclear");
  const wanted = team.members.find(({ address }) => address === firstMember)?.roles ?? [];
  return known === undefined ? [] : wanted.filter((role) => !known.has(role));
}

/** What the first member's key is asked to carry, and what of it nobody wanted. */
export interface SentRoles {
  /** Never empty: without any role the service grants ACCOUNT_ADMIN. */
  readonly accessKeyRoles: RoleSet;
  readonly temporaryRoles: RoleSet;
  /** The roles that the key is to end with. */
  readonly exact: RoleSet;
}

/**
 * The default role is asked for where nothing harmless is wanted. No other role takes the place of one that the roster gives.
 * `wanted`: undefined where the roster does not manage the key. `known`: undefined where the service does not say what it knows.
 */
function rolesToSend(wanted: RoleSet | undefined, known: ReadonlySet<string> | undefined, privileged: RoleSet) {
  const askable = (wanted ?? []).filter((role) => known?.has(role) ?? true);
  const isHarmless = (role: string) => !privileged.includes(role);
  const needsDefault = askable.length === 0 || (!askable.some(isHarmless) && isHarmless(teamRole));
  const accessKeyRoles = roleSet([...askable, ...(needsDefault ? [teamRole] : [])]);
  const unwanted = rolesWithout(accessKeyRoles, wanted ?? []);
  const temporaryRoles = unwanted.filter((role) => !isHarmless(role));
  const isWhole = wanted !== undefined && askable.length === wanted.length;
  return { accessKeyRoles, temporaryRoles, exact: isWhole ? wanted : rolesWithout(accessKeyRoles, temporaryRoles) };
}
