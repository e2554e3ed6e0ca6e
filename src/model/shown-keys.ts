import { foldName } from "./names.ts";
import { type ObservedKey, type ObservedUser, standing } from "./snapshot.ts";

/** A team as a key may name it. */
export interface TeamName {
  readonly name: string;
  readonly identifier?: string | undefined;
}

/** `unknown`: the service does not show enough to tell. */
export type ShownTeamKey =
  | { readonly is: "shown"; readonly key: ObservedKey }
  | { readonly is: "absent" }
  | { readonly is: "unknown" };

/** The key that a user holds in a team, a deleted one only where there is no other. */
export function shownTeamKey(user: ObservedUser, team: TeamName): ShownTeamKey {
  if (user.keys === undefined) return { is: "unknown" };
  const held = user.keys.filter((key) => belongs(key, team) === "yes");
  const key = held.find(({ status }) => standing(status) !== "deleted") ?? held[0];
  if (key !== undefined) return { is: "shown", key };
  return user.keys.some((other) => belongs(other, team) === "unknown") ? { is: "unknown" } : { is: "absent" };
}

/** The key that a user got at a creation without a team, where exactly one key can be it. */
export function shownOwnKey(user: ObservedUser): ObservedKey | undefined {
  const candidates = (user.keys ?? []).filter(isOwn);
  const marked = candidates.filter(({ isDefault }) => isDefault === true);
  const chosen = marked.length > 0 ? marked : candidates;
  return chosen.length === 1 ? chosen[0] : undefined;
}

function isOwn({ team, kind, status }: ObservedKey): boolean {
  const word = kind?.trim().toLowerCase();
  if (word === "project" || word === "team" || standing(status) === "deleted") return false;
  return team === "none" || (team === undefined && word !== undefined);
}

/** By identifier where both have one, else by name. */
function belongs({ team }: ObservedKey, wanted: TeamName): "yes" | "no" | "unknown" {
  if (team === undefined) return "unknown";
  if (team === "none") return "no";
  if (team.identifier !== undefined && wanted.identifier !== undefined) {
    return team.identifier === wanted.identifier ? "yes" : "no";
  }
  if (team.name === undefined) return "unknown";
  return foldName(team.name) === foldName(wanted.name) ? "yes" : "no";
}
