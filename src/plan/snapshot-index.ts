import type { EmailKey } from "../model/address.ts";
import { byCodeUnit, groupBy, multimap } from "../model/collections.ts";
import { type Basis, observed, recorded, type Subject, unknown } from "../model/fact.ts";
import { isDeleted, type ObservedKey, shownTeam } from "../model/key.ts";
import type { Policy } from "../model/policy.ts";
import type { Roster, RosterIndex } from "../model/roster.ts";
import { listedMembers, type ObservedRole, presenceLookup, type Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { foldName } from "../model/team.ts";
import { byUserAddress, type ObservedUser } from "../model/user.ts";
import type { TeamKey } from "../model/values.ts";

export interface PlanFacts {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  /** With what could be resolved of earlier runs already resolved. */
  readonly state: State;
  readonly policy: Policy;
  /** The prefix of the key with which the plan would be applied, where it is known. */
  readonly keyInUse?: string | undefined;
  /**
   * Users whose absence only the complete list shows, without a search. Set for a snapshot that an earlier run kept: then the plan is
   * a preview, and says so.
   */
  readonly unsearched?: ReadonlySet<EmailKey> | undefined;
}

/** The roster beside what reads show and what is recorded. A plan and its drift are made of the same one. */
export interface Comparison extends PlanFacts {
  readonly facts: SnapshotIndex;
  /** Indexed at the first question. */
  readonly names: () => RosterIndex;
}

export interface UserKey {
  readonly holder: ObservedUser;
  readonly key: ObservedKey;
}

export function heldKeys(users: readonly ObservedUser[]): readonly UserKey[] {
  return users.flatMap((holder) => (holder.keys ?? []).map((key) => ({ holder, key })));
}

export function observedBasis(about: Subject, is: string, by: string): Basis {
  return { about, ...observed(is, by) };
}

export function recordedBasis(about: Subject, is: string, at: string): Basis {
  return { about, ...recorded(is, at) };
}

export function unknownBasis(about: Subject, why: string): Basis {
  return { about, ...unknown(why) };
}

export type SnapshotIndex = ReturnType<typeof indexSnapshot>;

/** What reads and records show, looked up by what the plan asks for. Independent of the order in which users were read. */
export function indexSnapshot(snapshot: Snapshot, state: State) {
  // What most plans never ask is indexed at the first question.
  const users = [...snapshot.users].sort((a, b) => byUserAddress(a, b) || byCodeUnit(a.email, b.email));
  const held = heldKeys(users);
  // Thousands of keys carry a few names.
  const folded = new Map<string, string>();
  const fold = (name: string) => {
    const known = folded.get(name) ?? foldName(name);
    folded.set(name, known);
    return known;
  };
  const presence = lazy(() => presenceLookup(snapshot));
  const byIdentifier = lazy(() => new Map(users.map((user) => [user.identifier, user])));
  const byPrefix = lazy(() => groupBy(held, ({ key }) => key.prefix));
  const recorded = lazy(() => groupBy(recordedKeys(state), ({ prefix }) => prefix));
  const prefixes = lazy(() =>
    multimap([...recordedKeys(state), ...(state.seenKeys?.values() ?? [])].map((one) => [one.address, one.prefix])),
  );
  const kinds = {
    own: lazy(() => held.some(({ key }) => !isDeleted(key) && kindOfKey(key) === "unclear")),
    team: lazy(() => held.some(({ key }) => mayBeTeamKey(key))),
  };
  const listing = lazy(() => multimap(listedMembers(snapshot.accounts.values())));
  const { roles } = snapshot;
  return {
    people: groupBy(users, (user) => user.address),
    presenceOf: (address: EmailKey) => presence()(address),
    userIdentifiedBy: (identifier: string) => byIdentifier().get(identifier),
    keyPrefixed: (prefix: string) => byPrefix().get(prefix)?.at(-1),
    /** More than one where the service shows several users with the prefix. */
    keysPrefixed: (prefix: string): readonly UserKey[] => byPrefix().get(prefix) ?? [],
    /** Who holds a key, by records. */
    recordedHolders: (prefix: string): readonly RecordedKeyHolder[] => recorded().get(prefix) ?? [],
    /** The keys that somebody has, or had, by records. */
    recordedPrefixes: (address: EmailKey): readonly string[] => prefixes().get(address) ?? [],
    /** Whether a read shows any key that is, or may be, a user's own; or a member's key in a team. */
    shows: (kind: "own" | "team") => kinds[kind](),
    /** Keys by the folded name of their team. */
    byTeamName: groupBy(held, ({ key }) => {
      const name = shownTeam(key)?.name;
      return name === undefined ? undefined : fold(name);
    }),
    /** Keys by the identifier of their team. */
    byTeamIdentifier: groupBy(held, ({ key }) => shownTeam(key)?.identifier),
    /** Accounts whose details list the address. */
    accountsListing: (address: EmailKey): readonly string[] => listing().get(address) ?? [],
    /** Role identifiers that the service knows, by the kind of key that may carry them; undefined where it did not say. */
    rolesFor: roles.known === "unknown" ? undefined : rolesByKind(roles.value, snapshot.users),
    /** The read that showed them. */
    rolesBy: roles.known === "observed" ? roles.by : undefined,
  };
}

export function observedAccount(user: ObservedUser, facts: SnapshotIndex): string | undefined {
  if (user.account !== undefined) return user.account;
  const listing = facts.accountsListing(user.address);
  return listing.length === 1 ? listing[0] : undefined;
}

export interface RecordedKeyHolder {
  readonly address: EmailKey;
  readonly of: "own" | TeamKey;
  /** ISO 8601; absent where the record does not say when it learned of the person. */
  readonly at?: string | undefined;
}

function recordedKeys(state: State): readonly (RecordedKeyHolder & { readonly prefix: string })[] {
  const created = [...state.users.values()].flatMap(({ address, key, createdTeam, createdAt, seenAt }) => {
    const of = createdTeam ?? ("own" as const);
    return key === undefined ? [] : [{ prefix: key, address, of, at: createdAt ?? seenAt }];
  });
  const inTeams = [...state.memberships.values()].flatMap(({ team, address, prefix, at }) =>
    prefix === undefined ? [] : [{ prefix, address, of: team, at }],
  );
  return [...created, ...inTeams];
}

function mayBeTeamKey(key: ObservedKey): boolean {
  if (isDeleted(key) || key.team === "none") return false;
  const word = normalize(key.kind);
  return word === "team" || word === undefined || key.team !== undefined;
}

/** Made at the first question. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What a key is, as far as it bears on the roles that it may carry; `unclear` where the service does not say. */
export type KeyKind = "team" | "own" | "project" | "unclear";

function rolesByKind(known: readonly ObservedRole[], users: Snapshot["users"]) {
  const all = new Set([...known.map(({ identifier }) => identifier), ...(known.length === 0 ? [] : [teamRole])]);
  const project = new Set(known.filter(isProjectRole).map(({ identifier }) => identifier));
  const system = systemRoles(known, users);
  const without = (taken: readonly ReadonlySet<string>[]) =>
    new Set([...all].filter((role) => !taken.some((set) => set.has(role))));
  const sets = { team: without([project, system]), own: without([project]), project: all, unclear: all };
  return (kind: KeyKind): ReadonlySet<string> => sets[kind];
}

export function kindOfKey(key: ObservedKey | undefined): KeyKind {
  const word = normalize(key?.kind);
  if (word === "project") return "project";
  return word === "team" || (key !== undefined && shownTeam(key) !== undefined) ? "team" : "unclear";
}

function isProjectRole({ identifier, type }: ObservedRole): boolean {
  return identifier === "PROJECT" || normalize(type) === "project";
}

/** What each team key has, as the interface names it. Public lists of roles leave it out. */
export const teamRole = "TEAM_ROLE";

/** A type that every role has, or that the role of a team key has, tells nothing of team keys. */
function systemRoles(known: readonly ObservedRole[], users: Snapshot["users"]): ReadonlySet<string> {
  const isSystem = ({ type }: ObservedRole) => normalize(type) === "system";
  if (!known.some(isSystem) || known.every(isSystem)) return new Set();
  const system = new Set(known.filter(isSystem).map(({ identifier }) => identifier));
  system.delete(teamRole);
  for (const { keys = [] } of users) {
    for (const key of keys) if (kindOfKey(key) === "team") for (const role of key.roles ?? []) system.delete(role);
  }
  return system;
}

function normalize(word: string | undefined): string | undefined {
  return word?.trim().toLowerCase();
}
