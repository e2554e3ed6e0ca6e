import type { PersonRef } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import {
  declared,
  type Fact,
  type Place,
  type Reason,
  type ReasonKind,
  reasonAt,
  recorded,
  unknown,
} from "../../model/fact.ts";
import type { Leaver } from "../../model/roster.ts";
import { accountStatus, type ObservedUser } from "../../model/snapshot.ts";
import type { RecordedUser, State } from "../../model/state.ts";
import { leaverAddresses } from "../declared-keys.ts";
import type { PlanContext } from "../question.ts";
import { shownRef } from "../references.ts";
import { type KnownKey, knownKey } from "../shown-keys.ts";
import type { LocatedLeaver } from "./found-leavers.ts";

/** A key of a leaver that may open something. */
export interface LeaverKey {
  readonly key: KnownKey;
  readonly holder: PersonRef;
  /** Where the roster names it. */
  readonly places: readonly Reason[];
}

interface NamedPrefix {
  readonly prefix: string;
  readonly fact: Fact<string>;
  readonly reason?: Reason;
}

/**
 * Every key of a leaver: those that the service shows and has not switched off, then those that only records or the roster
 * name, as long as nothing shows that they are gone or somebody else's.
 */
export function leaverKeys({ leaver, presence }: LocatedLeaver, context: PlanContext): readonly LeaverKey[] {
  if (presence.is === "gone") return [];
  const users: readonly ObservedUser[] = presence.is === "there" ? presence.users : [];
  const shown = users.flatMap((user) => observedKeys(user));
  const allShown = users.length > 0 && users.every(({ keys }) => keys !== undefined);
  const [first] = users;
  const holder = first === undefined ? recordedRef(leaver, context) : shownRef(first);
  const others = allShown ? [] : unobservedKeys(leaver.address, holder, context);
  const places = placesByPrefix(leaver.address, context);
  return [...shown, ...others].map((held) => ({ ...held, places: places.get(held.key.value) ?? [] }));
}

type LeaverKeyWithoutPlaces = Omit<LeaverKey, "places">;

function observedKeys(user: ObservedUser): readonly LeaverKeyWithoutPlaces[] {
  const open = (user.keys ?? []).filter(({ status }) => !isDisabledKey(status));
  return open.map((key) => ({ key: knownKey(key, user), holder: shownRef(user) }));
}

function isDisabledKey(status: string | undefined): boolean {
  const word = accountStatus(status);
  return word === "barred" || word === "deleted";
}

/** Keys whose holder the reads do not show with their keys. */
function unobservedKeys(
  address: FoldedAddress,
  holder: PersonRef,
  context: PlanContext,
): readonly LeaverKeyWithoutPlaces[] {
  const { state, facts } = context;
  const named = new Map<string, Fact<string>>();
  for (const { prefix, fact } of [...recordedPrefixes(address, state), ...declaredPrefixes(address, context)]) {
    if (named.has(prefix) || facts.keyPrefixed(prefix) !== undefined) continue;
    if (fact.known === "recorded" || !isRecordedOfAnother(prefix, address, context)) named.set(prefix, fact);
  }
  return [...named].map(([value, prefix]) => ({ key: { prefix, value }, holder }));
}

function isRecordedOfAnother(prefix: string, address: FoldedAddress, { holders, roster }: PlanContext): boolean {
  const leaver = roster.leavers.get(address);
  const theirs = leaver === undefined ? [address] : leaverAddresses(leaver, roster.leavers);
  return holders.recorded(prefix).some((record) => !theirs.includes(record.address));
}

function recordedRef({ address, email }: Leaver, { state }: PlanContext): PersonRef {
  const record = state.users.get(address);
  const at = knownSince(record);
  const identifier =
    record?.identifier === undefined || at === undefined
      ? unknown<string>("the service does not show this user")
      : recorded(record.identifier, at);
  return { address, email, identifier };
}

function recordedPrefixes(address: FoldedAddress, state: State): readonly NamedPrefix[] {
  const user = state.users.get(address);
  const at = knownSince(user);
  const own = user?.key === undefined || at === undefined ? [] : [{ prefix: user.key, fact: recorded(user.key, at) }];
  const inTeams = [...state.memberships.values()].flatMap((held) =>
    held.address === address && held.prefix !== undefined
      ? [{ prefix: held.prefix, fact: recorded(held.prefix, held.at) }]
      : [],
  );
  return [...own, ...inTeams];
}

function knownSince(user: RecordedUser | undefined): string | undefined {
  return user?.createdAt ?? user?.seenAt;
}

function declaredPrefixes(address: FoldedAddress, { roster }: PlanContext): readonly NamedPrefix[] {
  const leaver = roster.leavers.get(address);
  const own = [leaver?.key, ...(leaver?.teamKeys ?? [])].filter((one) => one !== undefined);
  const listed = roster.keys.flatMap(({ prefix, owner, place }) =>
    owner?.value === address ? [declaredPrefix(prefix, place, "key")] : [],
  );
  return [...own.map(({ value, place }) => declaredPrefix(value, place, "known-prefix")), ...listed];
}

function declaredPrefix(prefix: string, place: Place, as: ReasonKind): NamedPrefix {
  return { prefix, fact: declared(prefix, place), reason: reasonAt(place, as) };
}

function placesByPrefix(address: FoldedAddress, context: PlanContext): ReadonlyMap<string, readonly Reason[]> {
  const places = new Map<string, readonly Reason[]>();
  for (const { prefix, reason } of declaredPrefixes(address, context)) {
    if (reason !== undefined) places.set(prefix, [...(places.get(prefix) ?? []), reason]);
  }
  return places;
}
