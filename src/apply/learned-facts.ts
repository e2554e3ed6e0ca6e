import type { PersonRef, TeamRef } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { type MembershipKey, membershipKeyOf, type TeamKey } from "../model/team.ts";
import type { KnownHolders } from "./known-holders.ts";

export interface KeyWithRoles {
  readonly prefix: string;
  /** The roles that the key was last shown with. */
  readonly roles?: RoleSet;
}

/** Whose key it is: without a team, the user's own. */
interface KeyHolder {
  readonly address: FoldedAddress;
  readonly team?: TeamKey | undefined;
}

/** What this run has learned so far and later calls need. */
export interface LearnedFacts {
  /** The service's identifier of a person, where it is known, and the address as written: the identifier first. */
  namesOf(person: PersonRef): readonly [string, ...string[]];
  /** What a creation names a person with: the service's identifier where it is known, else the address as written. */
  nameOf(person: PersonRef): string;
  teamIdentifier(team: TeamRef): string | undefined;
  /** The identifier of a team that this run has founded. */
  foundedTeam(team: TeamKey): string | undefined;
  key(holder: KeyHolder): KeyWithRoles | undefined;
  /** Somebody whom a creation of this run met instead of making them, as reading shows them where it does. */
  recordObserved(address: FoldedAddress, user: ObservedUser | undefined): void;
  /** Whom a creation of this run met. */
  observed(address: FoldedAddress): { readonly user: ObservedUser | undefined } | undefined;
  learnPerson(address: FoldedAddress, identifier: string | undefined): void;
  learnTeam(team: Pick<TeamRef, "team" | "name">, identifier: string | undefined): void;
  learnKey(holder: KeyHolder, key: KeyWithRoles | undefined): void;
  learnThatKeysAreHidden(): void;
  learnThatReadsAreLate(): void;
  /** Reads of this run did not show for half a minute what a call had given. */
  readonly readsAreLate: boolean;
  /** A search of this run has shown people, and none of them with keys. */
  readonly keysAreHidden: boolean;
}

/** `known`: learns to whom identifiers and keys belong. */
export function learnedFacts(state: State, known: KnownHolders): LearnedFacts {
  const people = new Map<FoldedAddress, string>();
  const teams = new Map<TeamKey, string>();
  const ownKeys = new Map<FoldedAddress, KeyWithRoles>();
  const teamKeys = new Map<MembershipKey, KeyWithRoles>();
  const met = new Map<FoldedAddress, { readonly user: ObservedUser | undefined }>();
  let keysAreHidden = false;
  let readsAreLate = false;

  function namesOf({ address, email, identifier, createdBy }: PersonRef): readonly [string, ...string[]] {
    // What is recorded at the address of somebody whom this run creates is of another, former user.
    const record = createdBy === undefined ? state.users.get(address)?.identifier : undefined;
    const named = people.get(address) ?? factValue(identifier) ?? record;
    return named === undefined || named === email ? [email] : [named, email];
  }

  return {
    nameOf: (person) => namesOf(person)[0],
    namesOf,
    teamIdentifier({ team, identifier, foundedBy }) {
      const record = foundedBy === undefined ? state.teams.get(team)?.identifier : undefined;
      return teams.get(team) ?? factValue(identifier) ?? record;
    },
    foundedTeam: (team) => teams.get(team),
    key({ address, team }) {
      return team === undefined ? ownKeys.get(address) : teamKeys.get(membershipKeyOf(team, address));
    },
    recordObserved(address, user) {
      met.set(address, { user });
    },
    observed: (address) => met.get(address),
    learnPerson(address, identifier) {
      if (identifier === undefined) return;
      people.set(address, identifier);
      known.learnPerson(address, identifier);
    },
    learnTeam({ team, name }, identifier) {
      if (identifier === undefined) return;
      teams.set(team, identifier);
      known.learnTeam(identifier, name);
    },
    learnKey({ address, team }, key) {
      if (key === undefined) return;
      known.learnKey(key.prefix, { address, of: team ?? "own" });
      if (team === undefined) ownKeys.set(address, key);
      else teamKeys.set(membershipKeyOf(team, address), key);
    },
    learnThatKeysAreHidden() {
      keysAreHidden = true;
    },
    learnThatReadsAreLate() {
      readsAreLate = true;
    },
    get readsAreLate() {
      return readsAreLate;
    },
    get keysAreHidden() {
      return keysAreHidden;
    },
  };
}
