import type { EmailKey } from "./address.ts";
import type { TeamKey } from "./recorded.ts";
import { accountStatus, type ObservedKey, type ObservedTeam, type ObservedUser } from "./snapshot.ts";

export type { TeamKey } from "./recorded.ts";

declare const membershipKey: unique symbol;

/** One person's place in one team. */
export type MembershipKey = string & { readonly [membershipKey]: true };

/** Names are compared without regard to case, composition and runs of white space. Folded again, a name stays the same. */
export function foldName(name: string): string {
  return name.normalize("NFC").trim().replace(/\s+/gu, " ").toLowerCase().normalize("NFC");
}

export function teamKeyOf(account: string, name: string): TeamKey {
  return `${account}/${foldName(name)}` as TeamKey;
}

/** Of two teams of one name. No folded name holds a capital letter, so that no other team has this key. */
export function disambiguatedTeamKey(account: string, name: string, identifier: string): TeamKey {
  return `${teamKeyOf(account, name)} ID ${identifier}` as TeamKey;
}

/** Whether a team shares its name with another one, so that its name alone tells nothing. */
export function isDisambiguatedTeamKey(team: TeamKey): boolean {
  return team.includes(" ID ");
}

export function membershipKeyOf(team: TeamKey, address: EmailKey): MembershipKey {
  return `${team} ${address}` as MembershipKey;
}

/** A team as a key may name it. */
export interface TeamIdentity {
  readonly team: TeamKey;
  readonly name: string;
  readonly identifier?: string | undefined;
}

/** `unknown`: the service does not show enough to tell. */
export type ShownTeamKey =
  | { readonly is: "present"; readonly key: ObservedKey }
  | { readonly is: "absent" }
  | { readonly is: "unknown" };

/** A team as keys may show it. */
interface TeamOnKeys {
  /** Folded. */
  readonly names: ReadonlySet<string>;
  readonly identifier?: string | undefined;
  /** Another team has the same name. */
  readonly isTwin?: boolean;
}

/** The key that a user holds in a team. A deleted key is no longer held. */
export function shownTeamKey(user: ObservedUser, team: TeamIdentity | TeamOnKeys): ShownTeamKey {
  const held = user.keys;
  if (held === undefined) return { is: "unknown" };
  const wanted = "names" in team ? team : teamOnKeys(team);
  const key = held.find((one) => keyBelongsToTeam(one, wanted) === "yes");
  if (key !== undefined) return { is: "present", key };
  return held.some((one) => keyBelongsToTeam(one, wanted) === "unknown") ? { is: "unknown" } : { is: "absent" };
}

function teamOnKeys({ name, identifier, team }: TeamIdentity): TeamOnKeys {
  return { names: new Set([foldName(name)]), identifier, isTwin: isDisambiguatedTeamKey(team) };
}

/** The key that a user got at a creation without a team, where exactly one key can be it. */
export function shownOwnKey(user: Pick<ObservedUser, "keys">): ObservedKey | undefined {
  const keys = user.keys ?? [];
  const showsTeams = shownTeams(keys).length > 0;
  const candidates = keys.filter((key) => isOwnKey(key, showsTeams ? "team-keys-show-it" : "team-keys-may-hide-it"));
  const marked = candidates.filter(({ isDefault }) => isDefault === true);
  const chosen = marked.length > 0 ? marked : candidates;
  return chosen.length === 1 ? chosen[0] : undefined;
}

/** The default key of somebody may be a team's, where the team is not shown. */
function isOwnKey(key: ObservedKey, teams: "team-keys-show-it" | "team-keys-may-hide-it"): boolean {
  const kind = keyKind(key);
  if (kind === "project" || kind === "team" || accountStatus(key.status) === "deleted") return false;
  if (key.team !== undefined) return key.team === "none";
  return kind !== undefined || (key.isDefault === true && teams === "team-keys-show-it");
}

/** The teams that keys show themselves to be of, one for each such key. */
export function shownTeams(keys: readonly Pick<ObservedKey, "team">[]): readonly ObservedTeam[] {
  return keys.flatMap(({ team }) => (team === undefined || team === "none" ? [] : [team]));
}

/** Whether a key is held in a team: by identifier where both have one, else by one of its folded names. */
export function keyBelongsToTeam(key: ObservedKey, wanted: TeamOnKeys): "yes" | "no" | "unknown" {
  const { team } = key;
  const kind = keyKind(key);
  if (accountStatus(key.status) === "deleted" || team === "none" || kind === "project") return "no";
  if (team === undefined) return kind === undefined || kind === "team" ? "unknown" : "no";
  if (team.identifier !== undefined && wanted.identifier !== undefined) {
    return team.identifier === wanted.identifier ? "yes" : "no";
  }
  if (team.name === undefined) return "unknown";
  if (!wanted.names.has(foldName(team.name))) return "no";
  return wanted.isTwin ? "unknown" : "yes";
}

/** Whether the words for the kinds of keys tell which keys are their users' own. */
export type KindWords = "tell-own-keys" | "unclear";

/** Where no key shows its team, nor is called a team's, `user` only says that a key is no project's. */
export function kindWords(users: Iterable<Pick<ObservedUser, "keys">>): KindWords {
  for (const { keys = [] } of users)
    if (keys.some((key) => key.team !== undefined || keyKind(key) === "team")) return "tell-own-keys";
  return "unclear";
}

/** A key without a word that does not tell whether it is its user's own or a team's. */
export function withClearKind(key: ObservedKey, words: KindWords): ObservedKey {
  if (words === "tell-own-keys" || key.team !== undefined || !mayMeanOwn(key)) return key;
  const { kind: _, ...rest } = key;
  return rest;
}

/** The same for every key that was read. */
export function withClearKinds(users: readonly ObservedUser[], words: KindWords): readonly ObservedUser[] {
  if (words === "tell-own-keys") return users;
  return users.map((user) =>
    user.keys === undefined ? user : { ...user, keys: user.keys.map((key) => withClearKind(key, words)) },
  );
}

function mayMeanOwn(key: ObservedKey): boolean {
  const kind = keyKind(key);
  return kind !== undefined && kind !== "team" && kind !== "project";
}

function keyKind({ kind }: ObservedKey): string | undefined {
  return kind?.trim().toLowerCase();
}
