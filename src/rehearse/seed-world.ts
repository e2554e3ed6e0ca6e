import type { ReplaceRoles, TeamRef } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import type { Plan } from "../model/plan.ts";
import { type RoleSet, roleSet } from "../model/role-set.ts";
import type { ObservedKey, ObservedRole, ObservedTeam, ObservedUser, Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { foldName, type TeamKey, teamKeyOf } from "../model/team.ts";
import type { World, WorldUserInput } from "../reference-server/world.ts";
import {
  type Account,
  accountAdmin,
  active,
  isActive,
  type Key,
  systemOwner,
  type Team,
  teamRole,
  type User,
} from "../reference-server/world.ts";

/** Puts into an empty world what is known of a service, and returns the key by which it is asked. */
export function seedWorld(ground: KnownService, world: World): Key {
  const teams = seedTeams(ground, world);
  seedAccounts(ground, world);
  seedRoles(ground, world);
  for (const user of seedUsers(ground, world)) seedKeys(user.shown, user.holder, { ground, world, teams });
  const caller = callerKey(ground, world);
  seedNamedResources(ground, { world, teams, somebody: caller.owner });
  return caller;
}

function seedAccounts({ snapshot }: KnownService, world: World): void {
  for (const { identifier, name = identifier, status = active } of snapshot.accounts.values()) {
    world.addAccount(identifier, name, status);
  }
  for (const { account } of snapshot.users) {
    if (account !== undefined && !world.accounts.has(account)) world.addAccount(account, account, active);
  }
}

/** Where they were not read, or are not shown, those that anything names are taken to be there. */
function seedRoles(ground: KnownService, { roles }: World): void {
  const named = (): readonly ObservedRole[] => namedRoles(ground).map((identifier) => ({ identifier }));
  for (const { identifier, name = identifier, type } of factValue(ground.snapshot.roles) ?? named()) {
    roles.set(identifier, { identifier, name, description: "", type: type === "system" ? "system" : "user" });
  }
}

function namedRoles({ snapshot, plan }: KnownService): RoleSet {
  const held = snapshot.users.flatMap(({ keys = [] }) => keys.flatMap((key) => key.roles ?? []));
  const asked = plan.actions.flatMap((action) => {
    if (action.kind === "replace-roles") return action.roles;
    return action.kind === "create-user" ? (action.founds?.accessKeyRoles ?? []) : [];
  });
  return roleSet([...held, ...asked]);
}

interface SeededUser {
  readonly shown: ObservedUser;
  readonly holder: User;
}

/** In the order in which the details of their accounts show them: which of them is read first may depend on it. */
function seedUsers(ground: KnownService, world: World): readonly SeededUser[] {
  const { snapshot } = ground;
  const accountOf = accountsByMember(ground, world);
  const hidden = hiddenMembers(snapshot).map(({ address, account, status }) => {
    const home = world.accounts.get(account) ?? accountOf(address);
    return { address, newUser: { account: home, email: address, firstName: "", lastName: "", status } };
  });
  const shown = snapshot.users.map((user) => {
    const account = world.accounts.get(user.account ?? "") ?? accountOf(user.address);
    return { address: user.address, user, newUser: newUserFor(user, account, ground) };
  });
  const places = memberOrder(snapshot);
  const placeOf = ({ address }: { readonly address: FoldedAddress }) => places.get(address) ?? Number.MAX_SAFE_INTEGER;
  const ordered = [...shown, ...hidden].sort((a, b) => placeOf(a) - placeOf(b));
  return ordered.flatMap(({ newUser, ...one }): readonly SeededUser[] => {
    const holder = world.addUser(newUser);
    return "user" in one ? [{ shown: one.user, holder }] : [];
  });
}

function newUserFor(user: ObservedUser, account: Account, { state }: KnownService): WorldUserInput {
  const { address, email, firstName = "", lastName = "", status } = user;
  return {
    identifier: user.identifier ?? state.users.get(address)?.identifier,
    account,
    email,
    firstName,
    lastName,
    // What is shown to be empty was shown as null.
    title: user.title || undefined,
    externalIdentifier: user.externalIdentifier || undefined,
    source: user.source || undefined,
    status,
  };
}

function memberOrder({ accounts }: Snapshot): ReadonlyMap<FoldedAddress, number> {
  const members = [...accounts.values()].flatMap((account) => account.members ?? []);
  return new Map(members.map((address, index) => [address, index]));
}

/**
 * By the details of the accounts, else by the state. If the details show every member, a user who is in none of them is in an
 * account that was not read; otherwise in the first.
 */
function accountsByMember({ snapshot, state }: KnownService, { accounts }: World): (address: FoldedAddress) => Account {
  const details = [...snapshot.accounts.values()];
  const byMember = new Map<FoldedAddress, Account | undefined>();
  for (const { identifier, members = [] } of details) {
    for (const member of members) byMember.set(member, accounts.get(identifier));
  }
  const elsewhere = unlistedAccount("elsewhere");
  const showEverybody = details.every(({ members, membersCut }) => members !== undefined && membersCut !== true);
  const [first = elsewhere] = accounts.values();
  const otherwise = showEverybody ? elsewhere : first;
  return (address) => byMember.get(address) ?? accounts.get(state.users.get(address)?.account ?? "") ?? otherwise;
}

/** All that is known of a service without asking it. */
export interface KnownService {
  readonly snapshot: Snapshot;
  /** What it remembers fills in what the service does not show. */
  readonly state: State;
  /** What its actions name counts as existing, from whatever source: the roster may know what no read shows. */
  readonly plan: Plan;
  /** The public part of the key in use. */
  readonly keyInUse?: string | undefined;
}

/** The teams of a world, as far as keys, the state and the plan name them. */
interface SeededTeams {
  /** The team that a key of this owner shows. */
  of(shown: ObservedTeam, owner: User): Team;
  identified(identifier: string, name: string, at: { readonly account: Account; readonly admin: User }): Team;
}

/** A team is named by its identifier where one is known, else by its name in its owner's account. */
function seedTeams(ground: KnownService, world: World): SeededTeams {
  const known = knownTeams(ground);
  const byName = new Map<TeamKey, Team>();

  function identified(identifier: string, name: string, at: { account: Account; admin: User }): Team {
    return world.teams.get(identifier) ?? noted(world.addTeam({ identifier, name, ...at }));
  }

  function noted(team: Team): Team {
    byName.set(teamKeyOf(team.account.identifier, team.name), team);
    return team;
  }

  return {
    identified,
    of({ identifier, name }, owner) {
      const at = { account: owner.account, admin: owner };
      if (identifier !== undefined) {
        const record = known.byIdentifier.get(identifier);
        const account = world.accounts.get(record?.account ?? "") ?? owner.account;
        return identified(identifier, name ?? record?.name ?? identifier, { account, admin: owner });
      }
      const key = teamKeyOf(owner.account.identifier, name ?? "");
      const learned = known.byKey.get(key);
      if (learned !== undefined) return identified(learned, name ?? "", at);
      return byName.get(key) ?? noted(world.addTeam({ name: name ?? "", ...at }));
    },
  };
}

interface KnownTeams {
  readonly byIdentifier: ReadonlyMap<string, { readonly name: string; readonly account: string }>;
  readonly byKey: ReadonlyMap<TeamKey, string>;
}

/** What the plan says of a team counts more than what the state remembers. */
function knownTeams({ state, plan }: KnownService): KnownTeams {
  const byIdentifier = new Map<string, { name: string; account: string }>();
  const byKey = new Map<TeamKey, string>();
  const named = namedTeams(plan).map((team) => ({ ...team, identifier: factValue(team.identifier) }));
  for (const { identifier, name, account } of [...state.teams.values(), ...named]) {
    if (identifier === undefined) continue;
    byIdentifier.set(identifier, { name, account });
    byKey.set(teamKeyOf(account, foldName(name)), identifier);
  }
  return { byIdentifier, byKey };
}

interface SeedContext {
  readonly ground: KnownService;
  readonly world: World;
  readonly teams: SeededTeams;
}

/** The keys that a user shows: those that are not deleted make members. */
function seedKeys({ keys = [] }: ObservedUser, owner: User, seeding: SeedContext): void {
  for (const key of keys) seedKey(key, owner, seeding);
}

function seedKey(key: ObservedKey, owner: User, { ground, world, teams }: SeedContext): void {
  const { prefix, status, isDefault } = key;
  const team = key.team === undefined || key.team === "none" ? undefined : teams.of(key.team, owner);
  const roles = key.roles ?? rememberedRoles(prefix, ground.state) ?? defaultKeyRoles(ground);
  world.addKey({ prefix, status, isDefault, owner, team, roles, kind: keyKind(key, team) });
}

/** A kind that is not shown, or is named in the service's own words, is that of a user's own key. */
function keyKind({ kind }: ObservedKey, team: Team | undefined): Key["kind"] {
  if (team !== undefined || kind === "team") return "team";
  return kind === "project" ? "project" : "user";
}

/** What our last replacement left on a key. */
function rememberedRoles(prefix: string, { keys }: State): RoleSet | undefined {
  const record = keys.get(prefix);
  return record?.readAs ?? record?.put;
}

function defaultKeyRoles({ snapshot }: KnownService): RoleSet {
  const listed = factValue(snapshot.roles);
  return listed === undefined || listed.some(({ identifier }) => identifier === teamRole) ? [teamRole] : [];
}

interface NamedSeedContext {
  readonly world: World;
  readonly teams: SeededTeams;
  /** Stands for the unknown owners of keys. */
  readonly somebody: User;
}

/** Teams and keys that the plan names, because the state or the roster knows them, and that no read shows. */
function seedNamedResources(ground: KnownService, naming: NamedSeedContext): void {
  const { world, teams, somebody } = naming;
  for (const { identifier, name, account } of namedTeams(ground.plan)) {
    const known = factValue(identifier);
    const home = accountOrDefault(account, naming);
    if (known !== undefined) teams.identified(known, name, { account: home, admin: somebody });
  }
  for (const action of ground.plan.actions) {
    if (action.kind !== "replace-roles" || action.key.of !== "prefix") continue;
    const prefix = factValue(action.key.prefix);
    if (prefix === undefined || world.keys.has(prefix)) continue;
    const team = teamOfNamedKey(action, world);
    const owner = world.userByAddress(action.owner?.email ?? "") ?? somebody;
    const roles = rememberedRoles(prefix, ground.state) ?? factValue(action.before) ?? defaultKeyRoles(ground);
    world.addKey({ prefix, owner, team, roles, kind: team === undefined ? "project" : "team" });
  }
}

function teamOfNamedKey({ key }: ReplaceRoles, { teams }: World): Team | undefined {
  if (key.of === "own-key" || key.team === undefined) return undefined;
  return teams.get(factValue(key.team.identifier) ?? "");
}

function accountOrDefault(identifier: string, { world, somebody }: NamedSeedContext): Account {
  return world.accounts.get(identifier) ?? somebody.account;
}

/** The teams that the actions of a plan name. */
export function namedTeams({ actions }: Plan): readonly TeamRef[] {
  return actions.flatMap((action): readonly TeamRef[] => {
    if (action.kind === "add-members") return [action.team];
    if (action.kind !== "replace-roles" || action.key.of === "own-key") return [];
    return action.key.team === undefined ? [] : [action.key.team];
  });
}

/** Somebody whom the details of an account name, and of whom no read shows more. */
interface HiddenMember {
  readonly address: FoldedAddress;
  readonly account: string;
  readonly status?: string | undefined;
}

/**
 * Members that no read had to look for. A person who was looked for and not found, or who is not in a complete list, is not among
 * them: the rehearsal could only show such a person where the service shows none.
 */
function hiddenMembers({ accounts, users, absences, everyone }: Snapshot): readonly HiddenMember[] {
  if (everyone.read !== "not-read") return [];
  const shown = new Set(users.map(({ address }) => address));
  return [...accounts.values()].flatMap(({ identifier, members = [], memberStatuses }) =>
    members
      .filter((address) => !shown.has(address) && !absences.has(address))
      .map((address) => ({ address, account: identifier, status: memberStatuses?.get(address) })),
  );
}

/**
 * The key by which a rehearsal asks: the one in use where it is shown as an administrator's, so that what takes that from it is
 * felt; else one that no read shows and that may ask anything.
 */
function callerKey({ keyInUse }: KnownService, world: World): Key {
  const own = keyInUse === undefined ? undefined : world.keys.get(keyInUse);
  if (own !== undefined && administers(own, world)) return own;
  const account = unlistedAccount("rehearsal");
  const owner: User = {
    identifier: "rehearsal",
    account,
    createdAt: 0,
    email: "rehearsal",
    firstName: "",
    lastName: "",
    title: null,
    externalIdentifier: null,
    source: null,
    status: active,
    keys: [],
  };
  const key: Key = {
    prefix: world.keys.has("rehearsal") ? "rehearsal-caller" : "rehearsal",
    secret: "rehearsal",
    kind: "user",
    owner,
    team: undefined,
    isDefault: true,
    createdAt: 0,
    status: active,
    roles: [systemOwner],
    formerRoles: [],
  };
  world.keys.set(key.prefix, key);
  return key;
}

/** One in which people may be, and that no list of accounts shows. */
function unlistedAccount(identifier: string): Account {
  return { identifier, name: identifier, status: active, users: [] };
}

/** An Account Administrator may ask everything only where everybody is in their account. */
function administers(key: Key, { userList }: World): boolean {
  if (!isActive(key) || !isActive(key.owner) || !isActive(key.owner.account)) return false;
  if (key.roles.includes(systemOwner)) return true;
  const own = key.team?.account ?? key.owner.account;
  return key.roles.includes(accountAdmin) && userList.every(({ account }) => account === own);
}
