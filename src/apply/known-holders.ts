import type { FoldedAddress } from "../model/address.ts";
import type { ObservedKey, ObservedTeam, ObservedUser } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import type { TeamKey } from "../model/team.ts";

/** Whose a key is known to be, and for what. */
export interface KnownHolder {
  readonly address: FoldedAddress;
  /** The team that it is a key of, or that it is the person's own, where our records or this run say so. */
  readonly of?: TeamKey | "own";
}

/**
 * To whom reads before a call, the state and this run tie identifiers and prefixes: an answer that gives one of them to somebody
 * else is about somebody else.
 */
export interface KnownHolders {
  personWith(identifier: string): FoldedAddress | undefined;
  holderOf(prefix: string): KnownHolder | undefined;
  /** The name of a team that is known to be there, by the service's own identifier. */
  teamWith(identifier: string): string | undefined;
  /** Whether a key is known to have been this person's before. */
  hadKey(address: FoldedAddress, prefix: string): boolean;
  /** Whether all keys that this person had before are known. */
  areKeysKnown(address: FoldedAddress): boolean;
  /** People as reads show them, before any call about them. */
  note(users: readonly ObservedUser[]): void;
  learnPerson(address: FoldedAddress, identifier: string): void;
  /** What is known of the key already counts more. */
  learnKey(prefix: string, holder: Required<KnownHolder>): void;
  /** A user was created by this run: they have the keys that calls of this run have given them, and no others. */
  learnCreated(address: FoldedAddress): void;
  learnTeam(identifier: string, name: string): void;
}

export function knownHolders(users: readonly ObservedUser[], state: State): KnownHolders {
  const people = new Map<string, FoldedAddress>();
  const keys = new Map<string, KnownHolder>();
  const teams = new Map<string, string>();
  const read = new Set<FoldedAddress>();

  function noteKey(address: FoldedAddress, { prefix, team }: ObservedKey): void {
    const known = keys.get(prefix);
    if (known?.address !== address) keys.set(prefix, { address });
    if (isTeam(team) && team.identifier !== undefined) teams.set(team.identifier, team.name ?? "");
  }

  function note(shown: readonly ObservedUser[]): void {
    for (const { address, identifier, keys: held } of shown) {
      if (identifier !== undefined) people.set(identifier, address);
      if (held !== undefined) read.add(address);
      for (const key of held ?? []) noteKey(address, key);
    }
  }

  for (const { address, identifier, key, founded } of state.users.values()) {
    if (identifier !== undefined) people.set(identifier, address);
    if (key !== undefined) keys.set(key, { address, of: founded ?? "own" });
  }
  for (const { address, team, prefix } of state.memberships.values()) {
    if (prefix !== undefined) keys.set(prefix, { address, of: team });
  }
  for (const { identifier, name } of state.teams.values()) if (identifier !== undefined) teams.set(identifier, name);
  note(users);
  return {
    personWith: (identifier) => people.get(identifier),
    holderOf: (prefix) => keys.get(prefix),
    teamWith: (identifier) => teams.get(identifier),
    hadKey: (address, prefix) => keys.get(prefix)?.address === address,
    areKeysKnown: (address) => read.has(address),
    note,
    learnPerson: (address, identifier) => void people.set(identifier, address),
    learnKey(prefix, holder) {
      const before = keys.get(prefix);
      if (before === undefined || (before.address === holder.address && before.of === undefined))
        keys.set(prefix, holder);
    },
    learnCreated: (address) => void read.add(address),
    learnTeam: (identifier, name) => void teams.set(identifier, name),
  };
}

function isTeam(team: ObservedTeam | "none" | undefined): team is ObservedTeam {
  return team !== undefined && team !== "none";
}
