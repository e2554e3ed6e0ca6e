import type { EmailKey } from "../../model/address.ts";
import type { AccessSeen } from "../../model/event.ts";
import { type RoleSet, sameRoles } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import { isDeleted, type ObservedKey, type ObservedUser, type Snapshot, uniqueUsers } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { formatSubject, keySubject, memberSubject, userSubject } from "../../model/subject.ts";
import { membershipKeyOf } from "../../model/team.ts";
import { baselineOf } from "./baseline.ts";
import { indexRoster, type RosterIndex } from "./unmanaged.ts";

interface SeenInput {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  /** As it is to be recorded in. */
  readonly state: State;
  readonly privilegedRoles: RoleSet;
  /** Formatted subjects that runs work on or have changed since the read: it says nothing of them. */
  readonly moving: ReadonlySet<string>;
  readonly at: string;
}

/**
 * What a read makes known of the users, members and keys that the roster names. A key is known where the read equals the roster, or where nothing
 * was known of it and the roster leaves its roles alone. A privileged role that the roster does not give is never taken for what was there.
 */
export function accessSeen({
  roster,
  snapshot,
  state,
  privilegedRoles,
  moving,
  at,
}: SeenInput): AccessSeen | undefined {
  const names = indexRoster(roster, state);
  const isStill = (subject: Parameters<typeof formatSubject>[0]) => !moving.has(formatSubject(subject));
  const shown = [...uniqueUsers(snapshot.users).values()].filter((user) => isKnownPerson(user, names, state));
  const held = shown.flatMap((holder) =>
    (holder.keys ?? []).filter((key) => !isDeleted(key)).map((key) => ({ holder, key })),
  );
  const users = shown
    .map(({ address }) => address)
    .filter((address) => isUnshown(state.users.get(address)) && isStill(userSubject(address)));
  const members = held.flatMap(({ holder, key }) => {
    const place = names.placeOf(key, holder);
    if (place === undefined || !isStill(memberSubject(holder.address, place.team.key))) return [];
    const team = place.team.key;
    const known = state.memberships.get(membershipKeyOf(team, holder.address));
    const isNew = known === undefined || (known.how !== "seen" && known.seenAt === undefined);
    return isNew ? [{ team, address: holder.address, prefix: key.prefix }] : [];
  });
  const keys = held.flatMap(({ holder, key }) => {
    const roles = rolesToRemember(key, holder, { names, state, privilegedRoles });
    if (roles === undefined || !isStill(keySubject(key.prefix))) return [];
    return [{ prefix: key.prefix, address: holder.address, roles }];
  });
  if (users.length + members.length + keys.length === 0) return undefined;
  return { type: "access-seen", at, service: snapshot.service, users, members, keys };
}

/** Somebody whom the roster names by this address, and who is not another user than the recorded one. */
function isKnownPerson({ address, identifier, ...user }: ObservedUser, names: RosterIndex, { users }: State): boolean {
  const known: EmailKey | undefined = names.isLeaver(address) ? address : names.userAt(address)?.address;
  if (known !== address || isDeleted(user)) return false;
  const recorded = users.get(address)?.identifier;
  return identifier === undefined || recorded === undefined || recorded === identifier;
}

function isUnshown(user: { readonly createdAt?: string; readonly seenAt?: string } | undefined): boolean {
  return user?.createdAt !== undefined && user.seenAt === undefined;
}

/** Whether no read has surely shown yet what a run wrote. */
function isUnread(prefix: string, { keys, seenKeys }: Pick<State, "keys" | "seenKeys">): boolean {
  const written = seenKeys?.has(prefix) === true ? undefined : keys.get(prefix);
  return written !== undefined && (written.readAs === undefined || written.early === true);
}

function rolesToRemember(
  key: ObservedKey,
  holder: ObservedUser,
  { names, state, privilegedRoles }: { names: RosterIndex } & Pick<SeenInput, "state" | "privilegedRoles">,
): RoleSet | undefined {
  const { roles } = key;
  const coverage = names.coverage(key, holder);
  if (roles === undefined || (coverage !== "managed" && coverage !== "named")) return undefined;
  const given = names.rolesOf(key, holder);
  const baseline = baselineOf(key.prefix, state);
  if (given !== undefined) {
    const isNews =
      baseline === undefined || isUnread(key.prefix, state) || !sameRoles(baseline.readAs ?? baseline.put, roles);
    return sameRoles(given, roles) && isNews ? roles : undefined;
  }
  return baseline === undefined && !roles.some((role) => privilegedRoles.includes(role)) ? roles : undefined;
}
