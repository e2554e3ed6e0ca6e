import {
  type Action,
  type ActionId,
  type AddMembers,
  type CreateUser,
  type Dependency,
  dependenciesOf,
  type KeyRef,
  type MemberRef,
  type PersonRef,
  type ReplaceRoles,
  type TeamRef,
} from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import { type Fact, factValue } from "../model/fact.ts";
import type { CallEstimate } from "../model/plan.ts";
import { sameRoles } from "../model/role-set.ts";
import type { OwnershipIndex } from "../model/roster.ts";
import { sha256 } from "../model/sha256.ts";
import type { Concern } from "./finding-draft.ts";

/** The same actions, each after those that it depends on and otherwise in the order given. */
export function orderByDependencies(actions: readonly Action[]): readonly Action[] {
  const byId = new Map(actions.map((action) => [action.id, action]));
  const placed = new Map<ActionId, Action>();
  for (const action of actions) placeAfterDependencies(action, byId, placed);
  return [...placed.values()];
}

/** Walks down a path of needs without recursion: it may be as long as there are teams. */
function placeAfterDependencies(
  action: Action,
  byId: ReadonlyMap<ActionId, Action>,
  placed: Map<ActionId, Action>,
): void {
  const path = [action];
  const onPath = new Set([action.id]);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const need = firstUnplacedDependency(top, byId, placed);
    if (need === undefined) {
      placed.set(top.id, top);
      path.pop();
    } else {
      if (onPath.has(need.id)) throw new Error(`the action ${need.id} depends on itself`);
      onPath.add(need.id);
      path.push(need);
    }
  }
}

function firstUnplacedDependency(
  { dependsOn }: Action,
  byId: ReadonlyMap<ActionId, Action>,
  placed: ReadonlyMap<ActionId, Action>,
): Action | undefined {
  const id = dependsOn.find((dependency) => !placed.has(dependency) && byId.has(dependency));
  return id === undefined ? undefined : byId.get(id);
}

/** What is taken out of a plan: a whole action, or one person's part of an addition. */
export interface PruneTarget<C> {
  readonly action: ActionId;
  /** Absent where the whole action is meant. */
  readonly address?: EmailKey;
  readonly cause: C;
}

interface PruneResult<C> {
  /** In the order given; none of them needs anything that is withheld. */
  readonly actions: readonly Action[];
  /** Every action, and every person of an addition, that is left out, with its first cause. */
  readonly pruned: readonly PruneTarget<C>[];
}

/**
 * Takes actions out of a plan, with all that depends on them and nothing else: a user who is not created is not added, an
 * addition goes on without them, and a key that nobody gives gets no roles. Expects each action after those that it
 * depends on. What is not in the plan is passed over.
 */
export function prune<C>(actions: readonly Action[], targets: readonly PruneTarget<C>[]): PruneResult<C> {
  const gone = new PruneState(targets);
  const kept = actions.flatMap((action) => gone.keep(action) ?? []);
  return { actions: kept, pruned: gone.pruned };
}

class PruneState<C> {
  readonly pruned: PruneTarget<C>[] = [];
  readonly #meant = new Map<ActionId, C>();
  readonly #meantMembers = new Map<ActionId, Map<EmailKey, C>>();
  readonly #actions = new Map<ActionId, C>();
  readonly #members = new Map<ActionId, ReadonlyMap<EmailKey, C>>();

  constructor(targets: readonly PruneTarget<C>[]) {
    for (const { action, address, cause } of targets) {
      if (address === undefined) {
        if (!this.#meant.has(action)) this.#meant.set(action, cause);
        continue;
      }
      const members = this.#meantMembers.get(action) ?? new Map<EmailKey, C>();
      if (!members.has(address)) members.set(address, cause);
      this.#meantMembers.set(action, members);
    }
  }

  /** What is left of the action. */
  keep(action: Action): Action | undefined {
    const needed = dependenciesOf(action).map((dependency) => this.#causeIn(dependency));
    const cause = [this.#meant.get(action.id), ...needed].find((one) => one !== undefined);
    if (cause !== undefined) return this.#drop(action, cause);
    return action.kind === "add-members" ? this.#shrink(action) : action;
  }

  #causeIn({ action, person }: Dependency): C | undefined {
    return person === undefined ? this.#actions.get(action) : this.#members.get(action)?.get(person);
  }

  #drop(action: Action, cause: C): undefined {
    this.#actions.set(action.id, cause);
    this.pruned.push({ action: action.id, cause });
  }

  #shrink(action: AddMembers): AddMembers | undefined {
    const fallen = new Map<EmailKey, C>();
    for (const member of action.members) {
      const cause = this.#causeForMember(action, member);
      if (cause !== undefined) fallen.set(member.address, cause);
    }
    const [first] = fallen.values();
    if (first === undefined) return action;
    if (fallen.size === action.members.length) return this.#drop(action, first);
    this.#members.set(action.id, fallen);
    for (const [address, cause] of fallen) this.pruned.push({ action: action.id, address, cause });
    return withoutMembers(action, new Set(fallen.keys()));
  }

  #causeForMember({ id }: AddMembers, { address, createdBy }: MemberRef): C | undefined {
    const meant = this.#meantMembers.get(id)?.get(address);
    return meant === undefined && createdBy !== undefined ? this.#actions.get(createdBy) : meant;
  }
}

/** The same call for fewer people, which rests on and waits for what these need. */
function withoutMembers(action: AddMembers, fallen: ReadonlySet<EmailKey>): AddMembers {
  const members = action.members.filter(({ address }) => !fallen.has(address));
  const needed = new Set([action.team.createdBy, ...members.map(({ createdBy }) => createdBy)]);
  return {
    ...action,
    members,
    dependsOn: action.dependsOn.filter((id) => needed.has(id)),
    restsOn: action.restsOn.filter(({ about }) => about.kind !== "member" || !fallen.has(about.address)),
    because: action.because.filter(({ person }) => person === undefined || !fallen.has(person)),
  };
}

/** Digests what would be done to which people, and nothing of when, why or how that became known. */
export function planId(service: string, actions: readonly Action[]): string {
  return sha256(JSON.stringify([service, ...actions.map(actionParts)])).slice(0, 16);
}

/** Written as lists, so that no order of fields can change the text. */
function actionParts(action: Action): readonly unknown[] {
  const common = [action.id, action.dependsOn];
  switch (action.kind) {
    case "create-user": {
      const { email, firstName, lastName, title, externalIdentifier, source } = action.user;
      const user = [email, firstName, lastName, title, externalIdentifier, source].map((field) => field ?? null);
      const { createsTeam } = action;
      const team = createsTeam && [
        createsTeam.team,
        createsTeam.name,
        createsTeam.admin && personParts(createsTeam.admin),
        createsTeam.accessKeyRoles,
      ];
      return [...common, action.account, user, team ?? null];
    }
    case "add-members":
      return [...common, teamParts(action.team), action.members.map(personParts)];
    case "replace-roles":
      return [...common, keyParts(action.key), action.roles, action.ifInexact];
  }
}

function personParts(ref: PersonRef): readonly unknown[] {
  return [ref.email, valueOrNull(ref.identifier), ref.createdBy ?? null];
}

function teamParts(ref: TeamRef): readonly unknown[] {
  return [ref.team, valueOrNull(ref.identifier), ref.createdBy ?? null];
}

function keyParts(key: KeyRef): readonly unknown[] {
  return key.of === "prefix" ? [key.of, valueOrNull(key.prefix)] : [key.of, key.address, key.givenBy];
}

function valueOrNull(fact: Fact<string>): string | null {
  return factValue(fact) ?? null;
}

/** How many requests the plan took and will take. A first member's key that is asked for exactly needs no second call. */
export function countCalls(actions: readonly Action[], reads: number): CallEstimate {
  const creations = new Map(
    actions.flatMap((action) => (action.kind === "create-user" ? [[action.id, action] as const] : [])),
  );
  const writes = actions.filter((action) => !isExpectedExact(action, creations)).length;
  return { reads, writes, atMost: actions.length };
}

function isExpectedExact(action: Action, creations: ReadonlyMap<ActionId, CreateUser>): boolean {
  if (action.kind !== "replace-roles" || !action.ifInexact || action.key.of !== "team-key") return false;
  const createsTeam = creations.get(action.key.givenBy)?.createsTeam;
  return createsTeam !== undefined && sameRoles(createsTeam.accessKeyRoles, action.roles);
}

/** The same action, saying whose it is; of an addition also each membership. */
export function withOwnership<A extends Action>(action: A, index: OwnershipIndex): A {
  const ownership = index.of(concernOf(action));
  const owned = ownership === undefined ? action : { ...action, ownership };
  if (owned.kind !== "add-members") return owned;
  const { team } = owned.team;
  const members = owned.members.map((member) => {
    const own = index.of({ address: member.address, team });
    return own === undefined ? member : { ...member, ownership: own };
  });
  return { ...owned, members };
}

/** A user who creates a team is created for the team. */
function concernOf(action: Action): Concern {
  switch (action.kind) {
    case "create-user":
      return {
        address: action.address,
        ...(action.createsTeam === undefined ? {} : { team: action.createsTeam.team }),
      };
    case "add-members":
      return { team: action.team.team };
    case "replace-roles":
      return concernOfKey(action);
  }
}

function concernOfKey({ key, owner }: ReplaceRoles): Concern {
  const team = key.of === "own-key" ? undefined : key.team?.team;
  const inTeam = team === undefined ? {} : { team };
  const held = owner === undefined ? inTeam : { ...inTeam, address: owner.address };
  if (key.of !== "prefix") return { ...held, address: key.address };
  const prefix = factValue(key.prefix);
  return prefix === undefined ? held : { ...held, prefix };
}
