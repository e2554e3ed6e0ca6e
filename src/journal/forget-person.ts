import { type FoldedAddress, foldAddress } from "../model/address.ts";
import type { Intent, Sighting } from "../model/event.ts";
import type { RecordedRefusal, RefusedPart } from "../model/refusal.ts";
import type { OpenIntent, RecordedKey, RecordedMembership, RecordedUser, SeenKey, State } from "../model/state.ts";

/** What a state records of one person. */
export interface RecordsOfPerson {
  readonly user?: RecordedUser;
  readonly memberships: readonly RecordedMembership[];
  /** Prefixes of the keys that are recorded as theirs. */
  readonly prefixes: readonly string[];
  /** What was put on those keys. */
  readonly keys: readonly RecordedKey[];
  readonly refusals: readonly RecordedRefusal[];
  /** Names of teams that were founded with them. */
  readonly founded: readonly string[];
  /** Fingerprints of what differed about them. */
  readonly sightings: readonly string[];
  /** The last applied roster named them, or they were dropped before and are still to be dealt with. */
  readonly inLastRoster: boolean;
  /** ISO 8601, since when it is proven that they are gone. */
  readonly goneSince?: string;
  /** Calls about them whose outcome is not known. */
  readonly open: readonly OpenIntent[];
}

export function recordsOfPerson(state: State, address: FoldedAddress): RecordsOfPerson {
  const user = state.users.get(address);
  const memberships = [...state.memberships.values()].filter((held) => held.address === address);
  const prefixes = [user?.key, ...memberships.map(({ prefix }) => prefix)].filter((prefix) => prefix !== undefined);
  const isAbout = aboutPerson(address, new Set(prefixes));
  const goneSince = state.gone?.get(address)?.since;
  return {
    ...(user === undefined ? {} : { user }),
    memberships,
    prefixes: [...new Set(prefixes)],
    keys: [...state.keys.values()].filter(({ prefix }) => prefixes.includes(prefix)),
    refusals: [...state.refusals.values()].filter(({ part }) => isAbout.refused(part)),
    founded: [...state.teams.values()].flatMap(({ founder, name }) => (founder === address ? [name] : [])),
    sightings: [...(state.sightings ?? [])].flatMap(([fingerprint, { subject }]) =>
      isAbout.subject(subject) ? [fingerprint] : [],
    ),
    inLastRoster: state.applied?.people.has(address) === true,
    ...(goneSince === undefined ? {} : { goneSince }),
    open: state.open.filter(({ intent }) => isAbout.intent(intent)),
  };
}

/** All people with records in the state, except those who have only an open call. */
export function recordedPeople({ users, memberships, refusals, applied, gone }: State): readonly FoldedAddress[] {
  const refused = [...refusals.values()].map(({ part }) => (part.of === "roles" ? part.owner : part.address));
  const held = [...memberships.values()].map(({ address }) => address);
  const known = [users, applied?.people, gone].flatMap((records) => [...(records?.keys() ?? [])]);
  return [...new Set([...known, ...held, ...refused.filter((address) => address !== undefined)])];
}

/** Whether anything is recorded of them. */
export function hasRecords({ user, inLastRoster, goneSince, ...lists }: RecordsOfPerson): boolean {
  return (
    user !== undefined ||
    inLastRoster ||
    goneSince !== undefined ||
    Object.values(lists).some((list) => list.length > 0)
  );
}

/**
 * The same state without its records of one person. Teams stay, and so does every call that is open. Where the service said something
 * of another person's request that names this one, its words are left out, and so are facts of another difference that name them.
 */
export function withoutPerson(state: State, address: FoldedAddress): State {
  const { user: _, ...records } = recordsOfPerson(state, address);
  const refused = new Set(records.refusals);
  const {
    applied,
    sightings = new Map<string, Sighting>(),
    gone = new Map<FoldedAddress, { readonly since: string }>(),
    seenKeys: shownKeys = new Map<string, SeenKey>(),
    ...rest
  } = state;
  const seenKeys = without(shownKeys, ([, key]) => key.address === address);
  const stillGone = without(gone, ([one]) => one === address);
  const others = without(sightings, ([fingerprint]) => records.sightings.includes(fingerprint));
  const seen = new Map([...others].map(([fingerprint, one]) => [fingerprint, withoutFactsAbout(one, address)]));
  return {
    ...rest,
    users: without(state.users, ([one]) => one === address),
    teams: new Map(
      [...state.teams].map(([key, { founder, ...team }]) => [
        key,
        founder === undefined || founder === address ? team : { ...team, founder },
      ]),
    ),
    memberships: without(state.memberships, ([, held]) => held.address === address),
    keys: without(state.keys, ([prefix]) => records.prefixes.includes(prefix)),
    refusals: new Map(
      [...state.refusals].flatMap(([key, refusal]) =>
        refused.has(refusal) ? [] : [[key, withoutWordsAbout(refusal, address)]],
      ),
    ),
    ...(seenKeys.size === 0 ? {} : { seenKeys }),
    ...(applied === undefined
      ? {}
      : { applied: { ...applied, people: without(applied.people, ([one]) => one === address) } }),
    ...(seen.size === 0 ? {} : { sightings: seen }),
    ...(stillGone.size === 0 ? {} : { gone: stillGone }),
  };
}

function without<K, V>(all: ReadonlyMap<K, V>, isGone: (entry: readonly [K, V]) => boolean): ReadonlyMap<K, V> {
  return new Map([...all].filter((entry) => !isGone(entry)));
}

function withoutWordsAbout(refusal: RecordedRefusal, address: FoldedAddress): RecordedRefusal {
  const { serviceSays, ...failure } = refusal.failure;
  return serviceSays === undefined || !names(serviceSays, address) ? refusal : { ...refusal, failure };
}

function withoutFactsAbout(sighting: Sighting, address: FoldedAddress): Sighting {
  const { facts, changed, ...rest } = sighting;
  const said = [...(facts ?? []), ...(changed?.changes ?? [])].flatMap((one) => Object.values(one));
  return said.some((text) => names(text, address)) ? rest : sighting;
}

function aboutPerson(address: FoldedAddress, prefixes: ReadonlySet<string>) {
  return {
    refused: (part: RefusedPart) =>
      part.of === "roles" ? part.owner === address || prefixes.has(part.prefix) : part.address === address,
    intent: (intent: Intent) => {
      switch (intent.kind) {
        case "create-user":
          return intent.address === address;
        case "add-members":
          return intent.addresses.includes(address);
        case "replace-roles":
          return intent.owner === address || prefixes.has(intent.prefix);
      }
    },
    subject: (subject: string) =>
      names(subject, address) || [...prefixes].some((prefix) => words(subject).includes(prefix)),
  };
}

/** Whether a text names an address. A part of a longer address is another one. */
function names(text: string, address: FoldedAddress): boolean {
  return words(text).some((word) => foldAddress(word) === address);
}

function words(text: string): readonly string[] {
  return text.split(/[\s"'`<>()[\]{},;:]+/u).map((word) => word.replace(/[.!?]+$/u, ""));
}
