import type { EmailKey } from "../../model/address.ts";
import { consistencyWindow } from "../../model/consistency-window.ts";
import type { EventOf } from "../../model/event.ts";
import { formatSubject, keySubject, memberSubject, userSubject } from "../../model/fact.ts";
import { removals } from "../../model/finding.ts";
import { isDeleted } from "../../model/key.ts";
import type { Policy } from "../../model/policy.ts";
import { indexRoster, type Roster, type RosterIndex } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { membershipKeyOf } from "../../model/team.ts";
import { type ObservedUser, uniqueUsers } from "../../model/user.ts";
import { sameRoles } from "../../model/values.ts";
import { heldKeys, type UserKey } from "../snapshot-index.ts";
import { baselineOf } from "./outside-changes.ts";

export type SeenPolicy = Pick<Policy, "privilegedRoles" | "consistency">;

interface SeenInput {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  /** As it is to be recorded in. */
  readonly state: State;
  readonly policy: SeenPolicy;
  /** Formatted subjects that runs work on or have changed since the read: it says nothing of them. */
  readonly moving: ReadonlySet<string>;
  readonly at: string;
}

/**
 * What a read makes known of the users, members and keys that the roster names. A key is known where the read equals the roster, or where nothing
 * was known of it and the roster leaves its roles alone. A privileged role that the roster does not give is never taken for what was there.
 */
export function accessSeen(input: SeenInput): EventOf<"access-seen"> | undefined {
  const { roster, snapshot, state, moving, at } = input;
  const names = indexRoster(roster, state);
  const isStill = (subject: Parameters<typeof formatSubject>[0]) => !moving.has(formatSubject(subject));
  const shown = [...uniqueUsers(snapshot.users).values()].filter((user) => isKnownPerson(user, names, state));
  const held = heldKeys(shown).filter(({ key }) => !isDeleted(key));
  const there = new Set(held.map(({ key }) => key.prefix));
  const removed = removedSince(state);
  const isBack = ({ key, holder }: UserKey, seenAt = "") =>
    [key.prefix, holder.address].some((id) => (removed.get(id) ?? "") > seenAt);
  const users = shown.flatMap(({ address }) => {
    const { createdAt, seenAt } = state.users.get(address) ?? {};
    return createdAt !== undefined && seenAt === undefined && isStill(userSubject(address)) ? [address] : [];
  });
  const members = held.flatMap((one) => {
    const { team } = names.keyOf(one);
    const { address } = one.holder;
    if (team === undefined || !isStill(memberSubject(address, team))) return [];
    const known = state.memberships.get(membershipKeyOf(team, address));
    const { prefix } = one.key;
    if (known?.prefix !== undefined && known.prefix !== prefix && there.has(known.prefix)) return [];
    const isNew = known?.prefix !== prefix || (known.how !== "seen" && known.seenAt === undefined);
    return isNew || isBack(one, known.seenAt ?? known.at) ? [{ team, address, prefix }] : [];
  });
  const keys = held.flatMap((one) => {
    const { prefix, roles = [] } = one.key;
    const isNews = isBack(one, state.seenKeys?.get(prefix)?.at) || hasChanged(one, state);
    return isNews && isKnownKey(one, names, input) && isStill(keySubject(prefix))
      ? [{ prefix, address: one.holder.address, roles }]
      : [];
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

/** Since when a key, or a user with all keys, was not shown any more: to see it again is news. */
function removedSince({ openFindings }: State): ReadonlyMap<string, string> {
  const changes = [...(openFindings?.values() ?? [])].flatMap(({ outside = [], since }) =>
    outside.flatMap((one) => (removals.includes(one.is) ? [{ ...one, since }] : [])),
  );
  return new Map(
    changes.flatMap(({ is, key, person, since }) => {
      const id = is === "user-removed" ? person?.address : key?.prefix;
      return id === undefined ? [] : [[id, since] as const];
    }),
  );
}

function isKnownKey(held: UserKey, names: RosterIndex, input: SeenInput): boolean {
  const { snapshot, state, policy } = input;
  const { prefix, roles } = held.key;
  // A call may have replaced the roles: a late read shows what was before it.
  const formerRolesAt = Date.parse(state.users.get(held.holder.address)?.formerRolesAt ?? "");
  if (Date.parse(snapshot.readAt) < formerRolesAt + consistencyWindow(policy.consistency)) return false;
  const { is, roles: given } = names.keyOf(held);
  if (roles === undefined || is === "unclear" || is === "unlisted") return false;
  const wanted = given ?? baselineOf(prefix, state)?.observedRoles;
  if (wanted === undefined) return !roles.some((role) => policy.privilegedRoles.includes(role));
  return sameRoles(wanted, roles);
}

function hasChanged({ key }: UserKey, state: State): boolean {
  const { prefix, roles = [] } = key;
  const baseline = baselineOf(prefix, state);
  // No read has surely shown yet what a run wrote.
  const written = state.seenKeys?.has(prefix) === true ? undefined : state.keys.get(prefix);
  const isUnread = written !== undefined && (written.observedRoles === undefined || written.provisional === true);
  return baseline === undefined || isUnread || !sameRoles(baseline.observedRoles, roles);
}
