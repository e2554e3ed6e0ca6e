import { type RoleSet, sameRoles } from "../../model/role-set.ts";
import { accountStatus, type ObservedKey, type ObservedUser, type Snapshot } from "../../model/snapshot.ts";
import { shownOwnKey } from "../../model/team.ts";
import { maxRoles, textProblem } from "../decode-file.ts";
import type { ImportedKey } from "./imported.ts";

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

/** A team without an identifier has a remark of its own. */
function isTeamKey({ team }: ObservedKey): boolean {
  return team !== undefined && team !== "none";
}

function unmanagedReason({ team }: ObservedKey): string {
  if (team === undefined) return "the service does not say which team it belongs to";
  return "it is not a project key, and it may not be this person's own key";
}

function unmanagedNote({ prefix }: ObservedKey, { email }: ObservedUser, why: string): string {
  return `The key ${prefix} of ${email} is not managed: ${why}.`;
}

/** Whether a plan could keep the roles of a key as they are, and where it cannot, why. */
export type ManageableRoles = { readonly roles: RoleSet } | { readonly why: string };

/** Judges keys: their roles must be shown, known to the service, and the key must be the only one of its prefix. */
export function roleReader({ users, roles }: Snapshot): (key: ObservedKey) => ManageableRoles {
  const known = roles.known === "unknown" ? undefined : new Set(roles.value.map(({ identifier }) => identifier));
  const holders = new Map<string, number>();
  for (const { keys } of users)
    for (const { prefix } of keys ?? []) holders.set(prefix, (holders.get(prefix) ?? 0) + 1);
  return (key) => {
    if (key.roles === undefined) return { why: "the service does not show its roles" };
    if ((holders.get(key.prefix) ?? 0) > 1) return { why: "the service shows several keys with this prefix" };
    if (textProblem(key.prefix) !== undefined) return { why: "its prefix cannot be written in a roster" };
    if (key.roles.length > maxRoles) return { why: "it has more roles than a roster can give" };
    const strange = key.roles.find((role) => textProblem(role) !== undefined || known?.has(role) === false);
    if (strange !== undefined) return { why: `the service does not list its role ${strange}` };
    return { roles: key.roles };
  };
}

/** Several keys of one person in one team: which of them a plan takes is the service's order, so they must agree. */
export function sharedRoles(
  keys: readonly ObservedKey[],
  judge: (key: ObservedKey) => ManageableRoles,
): ManageableRoles {
  const judged = keys.map(judge);
  const [first] = judged;
  if (first === undefined || "why" in first) return first ?? { why: "this person has no key of the team" };
  const other = judged.find((one) => "why" in one || !sameRoles(one.roles, first.roles));
  if (other === undefined) return first;
  return "why" in other ? other : { why: "this person has several keys of the team, with different roles" };
}

/** A key that is not gone. */
export function isLiveKey({ status }: ObservedKey): boolean {
  return accountStatus(status) !== "deleted";
}

export function isProjectKey({ kind }: ObservedKey): boolean {
  return kind?.trim().toLowerCase() === "project";
}
