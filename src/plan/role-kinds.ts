import type { ObservedKey, ObservedRole, Snapshot } from "../model/snapshot.ts";

/** What a key is, as far as it bears on the roles that it may carry; `unclear` where the service does not say. */
export type KeyKind = "team" | "own" | "project" | "unclear";

/** Role identifiers that the service knows and lets a key of this kind carry. */
export type RolesByKind = (kind: KeyKind) => ReadonlySet<string>;

export function rolesByKind(known: readonly ObservedRole[], users: Snapshot["users"]): RolesByKind {
  const all = new Set(known.map(({ identifier }) => identifier));
  const project = new Set(known.filter(isProjectRole).map(({ identifier }) => identifier));
  const system = systemRoles(known, users);
  const without = (taken: readonly ReadonlySet<string>[]) =>
    new Set([...all].filter((role) => !taken.some((set) => set.has(role))));
  const sets = { team: without([project, system]), own: without([project]), project: all, unclear: all };
  return (kind) => sets[kind];
}

export function kindOfKey(key: ObservedKey | undefined): KeyKind {
  const word = normalize(key?.kind);
  if (word === "project") return "project";
  if (word === "team" || (key?.team !== undefined && key.team !== "none")) return "team";
  return "unclear";
}

function isProjectRole({ identifier, type }: ObservedRole): boolean {
  return identifier === "PROJECT" || normalize(type) === "project";
}

/** A type that every role has, or that the role of a team key has, tells nothing of team keys. */
function systemRoles(known: readonly ObservedRole[], users: Snapshot["users"]): ReadonlySet<string> {
  const isSystem = ({ type }: ObservedRole) => normalize(type) === "system";
  if (!known.some(isSystem) || known.every(isSystem)) return new Set();
  const system = new Set(known.filter(isSystem).map(({ identifier }) => identifier));
  system.delete("TEAM_ROLE");
  for (const { keys = [] } of users) {
    for (const key of keys) if (kindOfKey(key) === "team") for (const role of key.roles ?? []) system.delete(role);
  }
  return system;
}

function normalize(word: string | undefined): string | undefined {
  return word?.trim().toLowerCase();
}
