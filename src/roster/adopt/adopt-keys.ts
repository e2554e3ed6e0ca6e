import type { RoleSet } from "../../model/role-set.ts";
import { shownOwnKey } from "../../model/shown-keys.ts";
import type { ObservedKey, ObservedUser } from "../../model/snapshot.ts";
import type { AdoptedKey } from "./adoption.ts";
import { isLive, isProjectKey, type Manageable } from "./manageable-roles.ts";

/** What is adopted of one person's keys that belong to no team. */
export interface OwnKeys {
  readonly ownKeyRoles?: RoleSet;
  readonly keys: readonly AdoptedKey[];
  /** One sentence for each key that is not adopted. */
  readonly remarks: readonly string[];
}

type Judge = (key: ObservedKey) => Manageable;

/** The key that a plan would take for the one created with the person, and the project keys by their prefix. */
export function adoptOwnKeys(user: ObservedUser, judge: Judge): OwnKeys {
  const own = shownOwnKey(user);
  const ownRoles = own === undefined ? undefined : judge(own);
  const others = (user.keys ?? []).filter((key) => isLive(key) && key !== own && (isProjectKey(key) || !isInTeam(key)));
  const keys: AdoptedKey[] = [];
  const remarks: string[] = [];
  for (const key of others) {
    const roles = isProjectKey(key) ? judge(key) : { why: whyNeither(key) };
    if ("why" in roles) remarks.push(notManaged(key, user, roles.why));
    else keys.push({ prefix: key.prefix, owner: user.email, roles: roles.roles });
  }
  if (own === undefined || ownRoles === undefined) return { keys, remarks };
  if ("why" in ownRoles) return { keys, remarks: [...remarks, notManaged(own, user, ownRoles.why)] };
  return { keys, remarks, ownKeyRoles: ownRoles.roles };
}

/** A team without an identifier is told by itself. */
function isInTeam({ team }: ObservedKey): boolean {
  return team !== undefined && team !== "none";
}

function whyNeither({ team }: ObservedKey): string {
  if (team === undefined) return "the service does not say to which team it belongs";
  return "it is neither a project key nor clearly the one that was created with this person";
}

function notManaged({ prefix }: ObservedKey, { email }: ObservedUser, why: string): string {
  return `The key ${prefix} of ${email} is not managed: ${why}.`;
}
