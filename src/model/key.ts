import type { EmailKey } from "./address.ts";
import { anyOf, boolean, described, list, literal, object, optional, type Static } from "./declare.ts";
import type { Located, Place, Reason, RoleEnding } from "./fact.ts";
import { foldName, isDisambiguatedTeamKey, type ObservedTeam, observedTeam, type TeamIdentity } from "./team.ts";
import { address, name, type Ownership, type RoleSet, roles, team, text, time } from "./values.ts";

export interface DesiredKey {
  readonly ownership?: Ownership | undefined;
  readonly prefix: string;
  readonly owner?: Located<EmailKey> | undefined;
  readonly roles: RoleSet;
  readonly endings?: readonly RoleEnding[] | undefined;
  readonly place: Place;
  /** The entry, then the role sets. */
  readonly because: readonly Reason[];
}

interface KeyHolder {
  /** Absent where the service does not show the keys of users. */
  readonly keys?: readonly ObservedKey[] | undefined;
}

export type ObservedKey = Static<typeof observedKey>;
export const observedKey = object("The public part of a key; never its secret part.", {
  prefix: name,
  status: optional(text),
  /** `team`, `project` or the service's own word; absent where that word does not tell whose key it is. */
  kind: optional(text),
  team: optional(
    anyOf(literal("none"), observedTeam),
    "`none` if the service says that the key belongs to no team. Absent if it does not say.",
  ),
  roles: optional(roles, "Role identifiers, sorted. Absent if the service does not show them."),
  isDefault: optional(boolean(), "The service marks it as the user's own key."),
});

export type RecordedKey = Static<typeof recordedKey>;
export const recordedKey = object("A key with replaced roles: what was requested, and what a read showed afterwards.", {
  prefix: name,
  setRoles: roles,
  at: time,
  /** What the key read as after it: the same again is no reason to ask once more. */
  observedRoles: optional(roles),
  provisional: optional(literal(true), "It was read so soon that it may be what the key had before."),
});

export type SeenKey = Static<typeof seenKey>;
export const seenKey = object(
  "A key as a read showed it. The read matched the roster, or the roster does not manage the roles of the key.",
  { prefix: name, address: described(address, "The user who has the key."), roles, at: time },
);

export type RecordedAccess = Static<typeof recordedAccess>;
export const recordedAccess = object("A key that a call made or changed, or whose prefix a read showed.", {
  prefix: name,
  address: optional(address),
  team: optional(object({ team, name })),
  roles: optional(
    list(object({ role: name, at: optional(time), run: optional(name) })),
    "Its roles, each with the time and the run that gave it. A role that a call found on the key has neither. Absent if no call set the roles.",
  ),
});

/** How a status word, in any letter case, bears on what can be done with its holder. */
export type AccountStatus = "active" | "pending" | "barred" | "deleted";

/** Unknown words are kept verbatim elsewhere and count as active: they are not ours to interpret. */
export function accountStatus(status = ""): AccountStatus {
  return statusWords.get(status.trim().toLowerCase()) ?? "active";
}

const statusWords: ReadonlyMap<string, AccountStatus> = new Map([
  ["invited", "pending"],
  ["pending", "pending"],
  ["inactive", "barred"],
  ["rejected", "barred"],
  ["disabled", "barred"],
  ["deleted", "deleted"],
]);

export function isOpen({ status }: Pick<ObservedKey, "status">): boolean {
  return !["barred", "deleted"].includes(accountStatus(status));
}

export function isDeleted({ status }: Pick<ObservedKey, "status">): boolean {
  return accountStatus(status) === "deleted";
}

/** `unknown`: the service does not show enough to tell. */
export type ShownTeamKey =
  | { readonly is: "present"; readonly key: ObservedKey }
  | { readonly is: "absent" }
  | { readonly is: "unknown" };

/** By its folded names, where it may have several. */
type TeamOnKeys =
  | TeamIdentity
  | { readonly names: ReadonlySet<string>; readonly identifier?: string | undefined; readonly isTwin?: boolean };

/** The key that a user holds in a team. A deleted key is no longer held. */
export function shownTeamKey({ keys }: KeyHolder, team: TeamOnKeys): ShownTeamKey {
  const key = keys?.find((one) => keyBelongsToTeam(one, team) === "yes");
  if (key !== undefined) return { is: "present", key };
  const isUnclear = keys?.some((one) => keyBelongsToTeam(one, team) === "unknown") ?? true;
  return { is: isUnclear ? "unknown" : "absent" };
}

/** The key that a user got at a creation without a team, where exactly one key can be it. */
export function shownOwnKey(user: KeyHolder): ObservedKey | undefined {
  const keys = user.keys ?? [];
  const showsTeams = shownTeams(keys).length > 0;
  const candidates = keys.filter((key) => {
    const kind = keyKind(key);
    if (kind === "project" || kind === "team" || isDeleted(key)) return false;
    if (key.team !== undefined) return key.team === "none";
    // The default key of somebody may be a team's, where the team is not shown.
    return kind !== undefined || (key.isDefault === true && showsTeams);
  });
  const marked = candidates.filter(({ isDefault }) => isDefault === true);
  const chosen = marked.length > 0 ? marked : candidates;
  return chosen.length === 1 ? chosen[0] : undefined;
}

export function shownTeam({ team }: Pick<ObservedKey, "team">): ObservedTeam | undefined {
  return team === "none" ? undefined : team;
}

export function shownTeams(keys: readonly Pick<ObservedKey, "team">[]): readonly ObservedTeam[] {
  return keys.flatMap((key) => shownTeam(key) ?? []);
}

/** Whether a key is held in a team: by identifier where both have one, else by one of its folded names. */
export function keyBelongsToTeam(key: ObservedKey, wanted: TeamOnKeys): "yes" | "no" | "unknown" {
  const { team } = key;
  const kind = keyKind(key);
  if (isDeleted(key) || team === "none" || kind === "project") return "no";
  if (team === undefined) return kind === undefined || kind === "team" ? "unknown" : "no";
  if (team.identifier !== undefined && wanted.identifier !== undefined) {
    return team.identifier === wanted.identifier ? "yes" : "no";
  }
  if (team.name === undefined) return "unknown";
  const name = foldName(team.name);
  if (!("names" in wanted ? wanted.names.has(name) : foldName(wanted.name) === name)) return "no";
  return ("names" in wanted ? wanted.isTwin : isDisambiguatedTeamKey(wanted.team)) ? "unknown" : "yes";
}

export type KindWords = "tell-own-keys" | "unclear";

/** Where no key shows its team, nor is called a team's, `user` only says that a key is no project's. */
export function kindWords(users: Iterable<KeyHolder>): KindWords {
  for (const { keys = [] } of users)
    if (keys.some((key) => key.team !== undefined || keyKind(key) === "team")) return "tell-own-keys";
  return "unclear";
}

/** A key without a word that does not tell whether it is its user's own or a team's. */
export function withClearKind(key: ObservedKey, words: KindWords): ObservedKey {
  const kind = keyKind(key);
  const mayMeanOwn = kind !== undefined && kind !== "team" && kind !== "project";
  if (words === "tell-own-keys" || key.team !== undefined || !mayMeanOwn) return key;
  const { kind: _, ...rest } = key;
  return rest;
}

export function keyKind({ kind }: ObservedKey): string | undefined {
  return kind?.trim().toLowerCase();
}
