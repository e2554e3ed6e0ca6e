import type { Roster } from "../model/roster.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";

/** Whether somebody of the roster is not shown whom the state knows by an identifier: under which address they may be now, only a list can tell. */
export function hasVanishedUser(roster: Roster, state: State, users: readonly ObservedUser[]): boolean {
  const known = [...state.users.values()].filter(
    ({ address, identifier }) => identifier !== undefined && roster.users.has(address),
  );
  if (known.length === 0) return false;
  const addresses = new Set(users.map(({ address }) => address));
  const identifiers = new Set(users.map(({ identifier }) => identifier));
  return known.some(({ address, identifier }) => !addresses.has(address) && !identifiers.has(identifier));
}
