import type { PersonRef, TeamRef } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import { type MembershipKey, membershipKeyOf, type TeamKey } from "../model/names.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";

export interface GivenKey {
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
  /** What a call names a person with: the service's identifier where it is known, else the address as written. */
  nameOf(person: PersonRef): string;
  teamIdentifier(team: TeamRef): string | undefined;
  /** The identifier of a team that this run has founded. */
  foundedTeam(team: TeamKey): string | undefined;
  key(holder: KeyHolder): GivenKey | undefined;
  /** Somebody whom a creation of this run met instead of making them, as reading shows them where it does. */
  meetPerson(address: FoldedAddress, user: ObservedUser | undefined): void;
  /** Whom a creation of this run met. */
  metPerson(address: FoldedAddress): { readonly user: ObservedUser | undefined } | undefined;
  learnPerson(address: FoldedAddress, identifier: string | undefined): void;
  learnTeam(team: TeamKey, identifier: string | undefined): void;
  learnKey(holder: KeyHolder, key: GivenKey | undefined): void;
  learnThatKeysAreHidden(): void;
  /** A search of this run has shown people, and none of them with keys. */
  readonly keysAreHidden: boolean;
}

export function learnedFacts(state: State): LearnedFacts {
  const people = new Map<FoldedAddress, string>();
  const teams = new Map<TeamKey, string>();
  const ownKeys = new Map<FoldedAddress, GivenKey>();
  const teamKeys = new Map<MembershipKey, GivenKey>();
  const met = new Map<FoldedAddress, { readonly user: ObservedUser | undefined }>();
  let keysAreHidden = false;
  return {
    nameOf({ address, email, identifier, createdBy }) {
      // What is recorded at the address of somebody whom this run creates is of another, former user.
      const record = createdBy === undefined ? state.users.get(address)?.identifier : undefined;
      return people.get(address) ?? factValue(identifier) ?? record ?? email;
    },
    teamIdentifier({ team, identifier, foundedBy }) {
      const record = foundedBy === undefined ? state.teams.get(team)?.identifier : undefined;
      return teams.get(team) ?? factValue(identifier) ?? record;
    },
    foundedTeam: (team) => teams.get(team),
    key({ address, team }) {
      return team === undefined ? ownKeys.get(address) : teamKeys.get(membershipKeyOf(team, address));
    },
    meetPerson(address, user) {
      met.set(address, { user });
    },
    metPerson: (address) => met.get(address),
    learnPerson(address, identifier) {
      if (identifier !== undefined) people.set(address, identifier);
    },
    learnTeam(team, identifier) {
      if (identifier !== undefined) teams.set(team, identifier);
    },
    learnKey({ address, team }, key) {
      if (key === undefined) return;
      if (team === undefined) ownKeys.set(address, key);
      else teamKeys.set(membershipKeyOf(team, address), key);
    },
    learnThatKeysAreHidden() {
      keysAreHidden = true;
    },
    get keysAreHidden() {
      return keysAreHidden;
    },
  };
}
