import type { FoldedAddress } from "../model/address.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { RecordedMembership, State } from "../model/state.ts";
import { shownTeamKey } from "../model/team.ts";
import type { AddressQuery } from "./asked-addresses.ts";

/** When we did what the reads do not show, for people who were asked for: ISO 8601, in no order. */
export function pendingWrites(
  state: State,
  asked: readonly AddressQuery[],
  users: readonly ObservedUser[],
): readonly string[] {
  const shown = new Map(users.map((user) => [user.address, user]));
  const wanted = new Set(asked.map(({ address }) => address));
  const created = [...state.users.values()].flatMap(({ address, createdAt }) =>
    createdAt !== undefined && wanted.has(address) && !shown.has(address) ? [createdAt] : [],
  );
  const added = [...state.memberships.values()].flatMap((membership) =>
    wanted.has(membership.address) && isUnshown(membership, state, shown) ? [membership.at] : [],
  );
  return [...created, ...added];
}

function isUnshown(
  { team, address, how }: RecordedMembership,
  { teams }: State,
  shown: ReadonlyMap<FoldedAddress, ObservedUser>,
): boolean {
  const user = shown.get(address);
  const record = teams.get(team);
  if (how === "seen" || user === undefined || record === undefined) return false;
  return shownTeamKey(user, record).is === "absent";
}
