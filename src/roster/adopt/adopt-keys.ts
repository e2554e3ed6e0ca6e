import type { RoleSet } from "../../model/role-set.ts";
import { shownOwnKey } from "../../model/shown-keys.ts";
import type { ObservedKey, ObservedUser } from "../../model/snapshot.ts";
import type { ImportedKey } from "./adoption.ts";
import { isLiveKey, isProjectKey, type ManageableRoles } from "./manageable-roles.ts";

/** What is adopted of one person's keys that belong to no team. */
export interface ImportedOwnKeys {
  readonly ownKeyRoles?: RoleSet;
  readonly keys: readonly ImportedKey[];
  /** One sentence for each key that is not adopted. */
  readonly remarks: readonly string[];
}

type RoleReader = (key: ObservedKey) => ManageableRoles;

/** The key that a plan would take for the one created with the person, and the project keys by their prefix. */
export function importOwnKeys(user: ObservedUser, judge: RoleReader): ImportedOwnKeys {
  const own = shownOwnKey(user);
  const ownRoles = own === undefined ? undefined : judge(own);
  const others = (user.keys ?? []).filter(
    (key) => isLiveKey(key) && key !== own && (isProjectKey(key) || !isTeamKey(key)),
  );
  const keys: ImportedKey[] = [];
  const remarks: string[] = [];
  for (const key of others) {
    const roles = isProjectKey(key) ? judge(key) : { why: unmanagedReason(key) };
    if ("why" in roles) remarks.push(unmanagedNote(key, user, roles.why));
    else keys.push({ prefix: key.prefix, owner: user.email, roles: roles.roles });
  }
  if (own === undefined || ownRoles === undefined) return { keys, remarks };
  if ("why" in ownRoles) return { keys, remarks: [...remarks, unmanagedNote(own, user, ownRoles.why)] };
  return { keys, remarks, ownKeyRoles: ownRoles.roles };
}

/** A team without an identifier is told by itself. */
function isTeamKey({ team }: ObservedKey): boolean {
  return team !== undefined && team !== "none";
}

function unmanagedReason({ team }: ObservedKey): string {
  if (team === undefined) return "the service does not say to which team it belongs";
  return "it is neither a project key nor clearly the one that was created with this person";
}

function unmanagedNote({ prefix }: ObservedKey, { email }: ObservedUser, why: string): string {
  return `The key ${prefix} of ${email} is not managed: ${why}.`;
}
