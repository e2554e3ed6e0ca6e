import type { Fact } from "../../src/model/fact.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import type { State } from "../../src/model/state.ts";
import type { ObservedUser } from "../../src/model/user.ts";
import { picker } from "./random-situations.ts";

/** The same, in another order of users, accounts and keys. */
export function shuffled(snapshot: Snapshot, seed: number): Snapshot {
  const pick = picker(seed);
  return {
    ...snapshot,
    users: shuffle(snapshot.users, pick).map((user) => withKeys(user, (keys) => shuffle(keys, pick))),
    accounts: new Map(shuffle([...snapshot.accounts], pick)),
    absences: new Map(shuffle([...snapshot.absences], pick)),
  };
}

function withKeys(
  user: ObservedUser,
  change: (keys: NonNullable<ObservedUser["keys"]>) => ObservedUser["keys"] & object,
) {
  return user.keys === undefined ? user : { ...user, keys: change(user.keys) };
}

function shuffle<T>(items: readonly T[], pick: (choices: number) => number): readonly T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(pick(left.length), 1));
}

/** The same, read weeks later, with more requests and by reads of other names. */
export function readLater(snapshot: Snapshot): Snapshot {
  const by = "search 9";
  const rename = <T>(fact: Fact<T>): Fact<T> => (fact.known === "observed" ? { ...fact, by } : fact);
  return {
    ...snapshot,
    readAt: "2027-01-01T00:00:00.000Z",
    reads: snapshot.reads + 40,
    roles: rename(snapshot.roles),
    users: snapshot.users.map((user) => ({ ...user, by })),
    absences: new Map([...snapshot.absences].map(([address]) => [address, { proven: true, by }])),
    everyone: { read: "complete", by },
  };
}

/** The same records, made at another time and saved more often. */
export function later(state: State): State {
  const at = "2027-01-01T00:00:00.000Z";
  return {
    ...state,
    serial: state.serial + 7,
    users: new Map([...state.users].map(([key, user]) => [key, { ...user, createdAt: at }])),
    teams: new Map([...state.teams].map(([key, team]) => [key, { ...team, at }])),
    memberships: new Map([...state.memberships].map(([key, membership]) => [key, { ...membership, at }])),
  };
}
