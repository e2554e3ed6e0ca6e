import type { FoldedAddress } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import { type RoleSet, roleSet } from "../model/role-set.ts";
import type { ObservedRole, ObservedUser, Snapshot } from "../model/snapshot.ts";
import { type Account, active, type Key, type User } from "../reference-server/entities.ts";
import type { NewUser, World } from "../reference-server/world.ts";
import { callerKey, unlistedAccount } from "./caller-key.ts";
import type { KnownService } from "./ground.ts";
import { hiddenMembers } from "./hidden-members.ts";
import { seedKeys } from "./seed-keys.ts";
import { seedNamedResources } from "./seed-named-things.ts";
import { seedTeams } from "./seed-teams.ts";

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

/** In the order in which the details of their accounts show them: whom is asked after first may depend on it. */
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

function newUserFor(user: ObservedUser, account: Account, { state }: KnownService): NewUser {
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
 * By the details of the accounts, else by the state. Whoever is in none of them, although they show everybody, is in one that was
 * not read; otherwise in the first.
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
