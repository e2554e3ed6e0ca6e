import type { FoldedAddress } from "../model/address.ts";
import type { RosterApplied } from "../model/event.ts";
import { droppedUsers, type Roster } from "../model/roster.ts";
import { presenceLookup, type Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";

/**
 * The event that remembers whom a roster is about that is applied as a whole: its users, and those who were dropped and
 * may still be there. Undefined where the state knows just this. A person's word releases somebody; whoever is gone is forgotten.
 */
export function rosterApplied(
  roster: Roster,
  snapshot: Snapshot,
  state: State,
  said: { readonly at: string; readonly digest: string; readonly released: readonly FoldedAddress[] },
): RosterApplied | undefined {
  const { at, digest, released } = said;
  const presenceOf = presenceLookup(snapshot);
  const dropped = droppedUsers(roster, state).filter(
    ({ address }) => !released.includes(address) && presenceOf(address).is !== "gone",
  );
  const users = [...roster.users.values()].map(({ address, email }) => ({ address, email }));
  const people = [...users, ...dropped];
  return isAlreadyApplied(people, digest, state) ? undefined : { type: "roster-applied", at, digest, people };
}

function isAlreadyApplied(people: RosterApplied["people"], digest: string, { applied }: State): boolean {
  if (applied === undefined || applied.digest !== digest || applied.people.size !== people.length) return false;
  return people.every(({ address, email }) => applied.people.get(address)?.email === email);
}
