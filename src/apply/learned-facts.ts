import type { PersonRef, TeamRef } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import { type Failure, type Result, success } from "../model/result.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { ObservedKey, ObservedTeam, ObservedUser } from "../model/snapshot.ts";
import type { RecordedKey, State } from "../model/state.ts";
import { type MembershipKey, membershipKeyOf, type TeamIdentity, type TeamKey } from "../model/team.ts";
import type { UserLookup, UserQuery, UserReader } from "../ports/account-service.ts";

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

/** What this run has learned so far, and what reads should show of its calls. */
export interface LearnedFacts {
  readonly holders: KnownHolders;
  readonly effects: ExpectedEffects;
  /** What the state knew of a key before this run. */
  recordedKey(prefix: string): RecordedKey | undefined;
  /** The service's identifier of a person, where it is known, and the address as written: the identifier first. */
  namesInCalls(person: PersonRef): readonly [string, ...string[]];
  /** What a creation names a person with: the service's identifier where it is known, else the address as written. */
  nameOf(person: PersonRef): string;
  teamIdentifier(team: TeamRef): string | undefined;
  /** The identifier of a team that this run has founded. */
  foundedTeam(team: TeamKey): string | undefined;
  key(holder: KeyHolder): KeyWithRoles | undefined;
  /** A creation of this run found this user, and did not make them. They are given as a read shows them, if one does. */
  recordObserved(address: FoldedAddress, user: ObservedUser | undefined): void;
  /** The user that a creation of this run found. */
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

/** `shown`: the users that the reads of the plan showed. `former`: recorded users who are known to be gone. */
export function learnedFacts(
  state: State,
  shown: readonly ObservedUser[],
  former: ReadonlySet<FoldedAddress>,
): LearnedFacts {
  const holders = knownHolders(shown, state, former);
  const people = new Map<FoldedAddress, string>();
  const teams = new Map<TeamKey, string>();
  const ownKeys = new Map<FoldedAddress, KeyWithRoles>();
  const teamKeys = new Map<MembershipKey, KeyWithRoles>();
  const found = new Map<FoldedAddress, { readonly user: ObservedUser | undefined }>();
  let keysAreHidden = false;
  let readsAreLate = false;

  function namesInCalls({ address, email, identifier, createdBy }: PersonRef): readonly [string, ...string[]] {
    // What is recorded at the address of a user that this run creates is of another, former user.
    const record = createdBy === undefined ? state.users.get(address)?.identifier : undefined;
    const named = people.get(address) ?? factValue(identifier) ?? record;
    return named === undefined || named === email ? [email] : [named, email];
  }

  return {
    holders,
    effects: expectedEffects(),
    recordedKey: (prefix) => state.keys.get(prefix),
    nameOf: (person) => namesInCalls(person)[0],
    namesInCalls,
    teamIdentifier({ team, identifier, foundedBy }) {
      const record = foundedBy === undefined ? state.teams.get(team)?.identifier : undefined;
      return teams.get(team) ?? factValue(identifier) ?? record;
    },
    foundedTeam: (team) => teams.get(team),
    key({ address, team }) {
      return team === undefined ? ownKeys.get(address) : teamKeys.get(membershipKeyOf(team, address));
    },
    recordObserved(address, user) {
      found.set(address, { user });
    },
    observed: (address) => found.get(address),
    learnPerson(address, identifier) {
      if (identifier === undefined) return;
      people.set(address, identifier);
      holders.learnPerson(address, identifier);
    },
    learnTeam({ team, name }, identifier) {
      if (identifier === undefined) return;
      teams.set(team, identifier);
      holders.learnTeam(identifier, name);
    },
    learnKey({ address, team }, key) {
      if (key === undefined) return;
      holders.learnKey(key.prefix, { address, of: team ?? "own" });
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

/** What a successful call should have brought about, for a later read to show. */
export type ExpectedEffect = {
  readonly address: FoldedAddress;
  readonly email: string;
  /** Milliseconds since the epoch, when the call was answered; undefined where only reading has shown that it was done. */
  readonly at: number | undefined;
} & (
  | { readonly of: "user" }
  | { readonly of: "membership"; readonly team: TeamIdentity }
  | {
      readonly of: "roles";
      readonly prefix: string;
      readonly roles: RoleSet;
      readonly answered: RoleSet | undefined;
      /** What the key had before, where a read showed that. */
      readonly before: RoleSet | undefined;
    }
);

/** What the calls of a run should have brought about so far. */
export interface ExpectedEffects {
  expect(effect: ExpectedEffect): void;
  /** The roles of a key whose owner nobody knows were replaced: no search can show them. */
  expectUnsearchable(): void;
  readonly all: readonly ExpectedEffect[];
  readonly unsearchable: number;
}

function expectedEffects(): ExpectedEffects {
  const all: ExpectedEffect[] = [];
  let unsearchable = 0;
  return {
    all,
    get unsearchable() {
      return unsearchable;
    },
    expect: (effect) => void all.push(effect),
    expectUnsearchable() {
      unsearchable += 1;
    },
  };
}

/** Whose a key is known to be, and for what. */
interface KnownHolder {
  readonly address: FoldedAddress;
  /** The team that it is a key of, or that it is the person's own, where our records or this run say so. */
  readonly of?: TeamKey | "own";
}

/**
 * The person of each identifier and prefix, by reads before a call, the state and this run. An answer that gives one to somebody
 * else is about somebody else. `born`: when what an answer shows was created, in milliseconds since the epoch. What is later than a record
 * is another thing: a service that started anew gives its identifiers once more.
 */
export interface KnownHolders {
  personWith(identifier: string, born?: number | undefined): FoldedAddress | undefined;
  holderOf(prefix: string, born?: number | undefined): KnownHolder | undefined;
  /** The name of a team that is known to be there, by the service's own identifier. */
  teamWith(identifier: string, born?: number | undefined): string | undefined;
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

/** Milliseconds by which a service's clock may stand still between two of its times. */
export const clockSlack = 2000;

/** What the state alone tells was last known to be so at that time, in milliseconds since the epoch. */
interface Remembered {
  readonly at?: number;
}

function isOutlived({ at }: Remembered, born: number | undefined): boolean {
  return at !== undefined && born !== undefined && born > at + clockSlack;
}

/** `former`: users who are gone: what is recorded of them says nothing of who has an identifier or a key now. @internal */
export function knownHolders(
  users: readonly ObservedUser[],
  state: State,
  former: ReadonlySet<FoldedAddress>,
): KnownHolders {
  const people = new Map<string, Remembered & { readonly address: FoldedAddress }>();
  const keys = new Map<string, Remembered & KnownHolder>();
  const teams = new Map<string, Remembered & { readonly name: string }>();
  const read = new Set<FoldedAddress>();

  function noteKey(address: FoldedAddress, { prefix, team }: ObservedKey): void {
    const known = keys.get(prefix);
    if (known?.address !== address) keys.set(prefix, { address });
    if (isTeam(team) && team.identifier !== undefined) teams.set(team.identifier, { name: team.name ?? "" });
  }

  function note(shown: readonly ObservedUser[]): void {
    for (const { address, identifier, keys: held } of shown) {
      if (identifier !== undefined) people.set(identifier, { address });
      if (held !== undefined) read.add(address);
      for (const key of held ?? []) noteKey(address, key);
    }
  }

  const isLeft = ({ address }: { readonly address: FoldedAddress }) => !former.has(address);
  for (const { address, identifier, key, founded, createdAt, seenAt } of [...state.users.values()].filter(isLeft)) {
    const at = Date.parse(seenAt ?? createdAt ?? "");
    if (identifier !== undefined) people.set(identifier, { address, at });
    if (key !== undefined) keys.set(key, { address, of: founded ?? "own", at });
  }
  for (const { address, team, prefix, at, seenAt = at } of [...state.memberships.values()].filter(isLeft)) {
    if (prefix !== undefined) keys.set(prefix, { address, of: team, at: Date.parse(seenAt) });
  }
  for (const { identifier, name, at } of state.teams.values())
    if (identifier !== undefined) teams.set(identifier, { name, at: Date.parse(at) });
  note(users);
  const lookup = <T extends Remembered>(map: ReadonlyMap<string, T>, name: string, born: number | undefined) => {
    const known = map.get(name);
    return known === undefined || isOutlived(known, born) ? undefined : known;
  };
  return {
    personWith: (identifier, born) => lookup(people, identifier, born)?.address,
    holderOf: (prefix, born) => lookup(keys, prefix, born),
    teamWith: (identifier, born) => lookup(teams, identifier, born)?.name,
    hadKey: (address, prefix) => keys.get(prefix)?.address === address,
    areKeysKnown: (address) => read.has(address),
    note,
    learnPerson: (address, identifier) => void people.set(identifier, { address }),
    learnKey(prefix, holder) {
      const before = keys.get(prefix);
      if (before === undefined || (before.address === holder.address && before.of === undefined))
        keys.set(prefix, holder);
    },
    learnCreated: (address) => void read.add(address),
    learnTeam: (identifier, name) => void teams.set(identifier, { name }),
  };
}

function isTeam(team: ObservedTeam | "none" | undefined): team is ObservedTeam {
  return team !== undefined && team !== "none";
}

/** What reads show at one address. `several`: users share it. `unproven`: nobody was found, and that proves nothing. */
export type LookupResult =
  | { readonly is: "user"; readonly user: ObservedUser }
  | { readonly is: "several"; readonly users: readonly ObservedUser[] }
  | { readonly is: "absent" }
  | { readonly is: "unproven"; readonly why: string };

/** What one read has shown. */
export type LookupResults = (address: FoldedAddress) => LookupResult;

/** Looks for people; a failure is a failed read, never somebody's absence. */
export type PeopleLookup = (people: readonly UserQuery[]) => Promise<Result<LookupResults, Failure>>;

/** People who are asked for while a read is under way are looked for together after it. */
export function batchLookups(reader: UserReader, purpose: string, signal: AbortSignal | undefined): PeopleLookup {
  let waiting = new Map<FoldedAddress, UserQuery>();
  let next: ReturnType<PeopleLookup> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function readWaiting(): ReturnType<PeopleLookup> {
    const people = [...waiting.values()];
    waiting = new Map();
    next = undefined;
    const read = await reader.read(people, purpose, signal);
    return read.ok ? success(lookupResults(read.value)) : read;
  }

  return (people) => {
    for (const person of people) waiting.set(person.address, person);
    if (next === undefined) {
      next = last.then(readWaiting, readWaiting);
      last = next;
    }
    return next;
  };
}

function lookupResults({ users, absences }: UserLookup): LookupResults {
  const found = new Map<FoldedAddress, ObservedUser[]>();
  for (const user of users) {
    const known = found.get(user.address) ?? [];
    const others = known.filter(({ identifier }) => identifier !== user.identifier);
    found.set(user.address, [...others, user]);
  }
  return (address) => {
    const [user, ...others] = found.get(address) ?? [];
    if (user !== undefined) {
      return others.length === 0 ? { is: "user", user } : { is: "several", users: [user, ...others] };
    }
    const absence = absences.get(address) ?? { proven: false, why: "this run did not search for it" };
    return absence.proven ? { is: "absent" } : { is: "unproven", why: absence.why };
  };
}

/** The one user found at an address. */
export function onlyUser(shown: LookupResults, address: FoldedAddress): ObservedUser | undefined {
  const found = shown(address);
  return found.is === "user" ? found.user : undefined;
}
