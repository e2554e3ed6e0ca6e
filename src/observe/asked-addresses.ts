import type { FoldedAddress } from "../model/address.ts";
import type { Intent } from "../model/event.ts";
import type { RoleSet } from "../model/role-set.ts";
import { droppedUsers, type Roster, type RosterTeam } from "../model/roster.ts";
import type { State } from "../model/state.ts";

/** An address to ask for: folded for comparison, and as it is sent. */
export interface AddressQuery {
  readonly address: FoldedAddress;
  readonly sent: string;
}

/** Everybody of whom a plan must know whether they are there: once each, in the order of the roster, then of the state. */
export function addressesToRead(roster: Roster, state: State): readonly AddressQuery[] {
  const asked = new Map<FoldedAddress, AddressQuery>();
  const ask = (address: FoldedAddress, sent: string = address) => {
    if (!asked.has(address)) asked.set(address, { address, sent });
  };
  for (const { address, email } of roster.users.values()) ask(address, email);
  for (const { previously } of roster.users.values()) for (const { value } of previously) ask(value);
  for (const { address, email } of roster.leavers.values()) ask(address, email);
  for (const { address, email } of droppedUsers(roster, state)) ask(address, email);
  const holders = recordedHolders(state);
  for (const { owner } of roster.keys) if (owner !== undefined) ask(owner.value);
  for (const holder of declaredPrefixes(roster).flatMap(({ prefix }) => holders.get(prefix) ?? [])) ask(holder);
  for (const address of recordedMembers(roster, state)) ask(address, state.users.get(address)?.email);
  for (const { intent } of state.open) for (const address of addressesInIntent(intent, holders)) ask(address);
  return [...asked.values()];
}

/**
 * Whoever was put into a team of the roster: one of them may have left its members since, and only one of them can show
 * a team whose identifier was never learned.
 */
function recordedMembers({ teams }: Roster, { memberships, teams: records }: State): readonly FoldedAddress[] {
  const isNameless = ({ key, identifier }: RosterTeam) =>
    identifier === undefined && records.has(key) && records.get(key)?.identifier === undefined;
  const asking = new Set(teams.filter((team) => !team.open || isNameless(team)).map(({ key }) => key));
  return [...memberships.values()].flatMap(({ team, address }) => (asking.has(team) ? [address] : []));
}

/** Whose key a prefix is, as far as the state remembers. */
function recordedHolders(state: State): ReadonlyMap<string, FoldedAddress> {
  const holders = new Map<string, FoldedAddress>();
  for (const { key, address } of state.users.values()) if (key !== undefined) holders.set(key, address);
  for (const { prefix, address } of state.memberships.values()) if (prefix !== undefined) holders.set(prefix, address);
  return holders;
}

function addressesInIntent(intent: Intent, holders: ReadonlyMap<string, FoldedAddress>): readonly FoldedAddress[] {
  switch (intent.kind) {
    case "create-user":
      return [intent.address];
    case "add-members":
      return intent.addresses;
    case "replace-roles": {
      const holder = holders.get(intent.prefix);
      return holder === undefined ? [] : [holder];
    }
  }
}

/** A prefix that the roster names, with the roles that it asks for on that key. */
interface DeclaredPrefix {
  readonly prefix: string;
  readonly roles: RoleSet;
}

/** Every prefix whose roles the roster manages. A leaver's keys get no roles. */
export function declaredPrefixes({ users, teams, keys, leavers }: Roster): readonly DeclaredPrefix[] {
  const own = [...users.values()].flatMap(({ key, ownKeyRoles }) =>
    key === undefined || ownKeyRoles === undefined ? [] : [{ prefix: key.value, roles: ownKeyRoles.value }],
  );
  const inTeams = teams.flatMap(({ members }) =>
    members.flatMap(({ key, roles }) =>
      key === undefined || roles === undefined ? [] : [{ prefix: key.value, roles }],
    ),
  );
  const ofLeavers = [...leavers.values()].flatMap(({ key, teamKeys }) =>
    [...(key === undefined ? [] : [key]), ...teamKeys].map(({ value }) => ({ prefix: value, roles: [] })),
  );
  return [...own, ...inTeams, ...keys.map(({ prefix, roles }) => ({ prefix, roles })), ...ofLeavers];
}
