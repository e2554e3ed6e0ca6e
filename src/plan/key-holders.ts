import type { FoldedAddress } from "../model/address.ts";
import { accountStatus, type ObservedKey } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import type { TeamKey } from "../model/team.ts";
import type { SnapshotIndex, UserKey } from "./facts.ts";

/** Who holds a key, by reads and by records. What the roster says about holders is not in it. */
export interface KeyHolderIndex {
  shown(prefix: string): readonly UserKey[];
  recorded(prefix: string): readonly RecordedKeyHolder[];
  /** Whether a read shows any key that is, or may be, of this kind. */
  shows(kind: DeclaredKeyKind): boolean;
}

/** A user's own key, or a member's key in a team. */
export type DeclaredKeyKind = "own" | "team";

export interface RecordedKeyHolder {
  readonly address: FoldedAddress;
  readonly of: "own" | TeamKey;
  /** ISO 8601; absent where the record does not say when it learned of the person. */
  readonly at?: string | undefined;
}

/** Each index is built at the first question: most plans never ask. */
export function indexKeyHolders(facts: SnapshotIndex, state: State): KeyHolderIndex {
  const shownKeys = lazy(() => [...facts.people.values()].flat().flatMap(keysOfUser));
  const shown = lazy(() => groupedBy(shownKeys(), ({ key }) => key.prefix));
  const recorded = lazy(() => groupedBy(recordedKeys(state), ({ prefix }) => prefix));
  const kinds = {
    own: lazy(() => shownKeys().some(({ key }) => mayBeOwnKey(key))),
    team: lazy(() => shownKeys().some(({ key }) => mayBeTeamKey(key))),
  };
  return {
    shown: (prefix) => shown().get(prefix) ?? [],
    recorded: (prefix) => recorded().get(prefix) ?? [],
    shows: (kind) => kinds[kind](),
  };
}

function keysOfUser(holder: UserKey["holder"]): readonly UserKey[] {
  return (holder.keys ?? []).map((key) => ({ holder, key }));
}

function recordedKeys(state: State): readonly (RecordedKeyHolder & { readonly prefix: string })[] {
  const created = [...state.users.values()].flatMap(({ address, key, founded, createdAt, seenAt }) => {
    const of = founded ?? ("own" as const);
    return key === undefined ? [] : [{ prefix: key, address, of, at: createdAt ?? seenAt }];
  });
  const inTeams = [...state.memberships.values()].flatMap(({ team, address, prefix, at }) =>
    prefix === undefined ? [] : [{ prefix, address, of: team, at }],
  );
  return [...created, ...inTeams];
}

function mayBeOwnKey({ team, kind, status }: ObservedKey): boolean {
  const word = kind?.trim().toLowerCase();
  if (accountStatus(status) === "deleted" || word === "team" || word === "project") return false;
  return team === undefined || team === "none";
}

function mayBeTeamKey({ team, kind, status }: ObservedKey): boolean {
  if (accountStatus(status) === "deleted" || team === "none") return false;
  const word = kind?.trim().toLowerCase();
  return word === "team" || team !== undefined || word === undefined;
}

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
