import type { FoldedAddress } from "../../model/address.ts";
import type { Leaver } from "../../model/roster.ts";
import { accountStatus, type ObservedUser, type Presence, presenceLookup } from "../../model/snapshot.ts";
import type { PlanContext } from "../question.ts";

/** A leaver, and whether the service still has them: under their address, or as the recorded user under another one. */
export interface LocatedLeaver {
  readonly leaver: Leaver;
  readonly presence: Presence;
}

/** In the order of the roster. */
export function locateLeavers(context: PlanContext): readonly LocatedLeaver[] {
  const { roster, snapshot } = context;
  if (roster.leavers.size === 0) return [];
  const presenceOf = presenceLookup(snapshot);
  const named = namedAddresses(context);
  return [...roster.leavers.values()].map((leaver) => {
    const elsewhere = shownElsewhere(leaver, named, context);
    const presence = presenceOf(leaver.address);
    if (elsewhere === undefined) return { leaver, presence };
    const others = presence.is === "there" ? presence.users : [];
    return { leaver, presence: { is: "there", users: [elsewhere, ...others] } };
  });
}

/** Whoever has one of these addresses is somebody whom the roster names for their own sake. */
function namedAddresses({ roster: { users, leavers } }: PlanContext): ReadonlySet<FoldedAddress> {
  const former = [...users.values()].flatMap(({ previously }) => previously.map(({ value }) => value));
  return new Set([...users.keys(), ...leavers.keys(), ...former]);
}

/** The recorded user with another address by now, which is nobody's of the roster. */
function shownElsewhere(
  { address }: Leaver,
  named: ReadonlySet<FoldedAddress>,
  { state, facts }: PlanContext,
): ObservedUser | undefined {
  const identifier = state.users.get(address)?.identifier;
  const user = identifier === undefined ? undefined : facts.userIdentifiedBy(identifier);
  if (user === undefined || named.has(user.address) || accountStatus(user.status) === "deleted") return undefined;
  return user;
}
