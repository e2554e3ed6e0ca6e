import type { FoldedAddress } from "./address.ts";
import type { Roster } from "./roster.ts";
import type { State } from "./state.ts";

/** Somebody whom the last applied roster named, and whom the roster does not name any more. */
export interface DroppedUser {
  readonly address: FoldedAddress;
  readonly email: string;
}

/** In the order of the last applied roster. Whoever moved to another file, account or address is still named. */
export function droppedUsers({ users, leavers }: Roster, { applied }: State): readonly DroppedUser[] {
  if (applied === undefined) return [];
  const former = new Set([...users.values()].flatMap(({ previously }) => previously.map(({ value }) => value)));
  const isNamed = (address: FoldedAddress) => users.has(address) || leavers.has(address) || former.has(address);
  return [...applied.people].flatMap(([address, { email }]) => (isNamed(address) ? [] : [{ address, email }]));
}
