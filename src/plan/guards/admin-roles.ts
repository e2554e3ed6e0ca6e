import type { Action, ReplaceRoles } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { factValue } from "../../model/fact.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { accountStatus } from "../../model/snapshot.ts";
import type { GuardInput } from "./guard-types.ts";

/** The keys of one person, with their roles before the plan and after it where they are known. */
interface RolesBeforeAndAfter {
  readonly before: readonly (RoleSet | "unknown")[];
  readonly after: readonly (RoleSet | "unknown")[];
}

interface KeyRolesOfUser {
  readonly address: FoldedAddress;
  readonly before: RoleSet | "unknown" | "no-key";
  readonly after: RoleSet | "unknown";
}

/** What everybody who was read, and is active, holds before the plan and after it. */
export function rolesByUser({ context, actions }: GuardInput): ReadonlyMap<FoldedAddress, RolesBeforeAndAfter> {
  const { snapshot, state } = context;
  const keys = new Map<string, KeyRolesOfUser>();
  for (const { address, status, keys: shown = [] } of snapshot.users) {
    if (accountStatus(status) !== "active") continue;
    for (const { prefix, status: word, roles } of shown) {
      if (accountStatus(word) === "deleted") continue;
      const before = roles ?? state.keys.get(prefix)?.put ?? "unknown";
      keys.set(prefix, { address, before, after: before });
    }
  }
  for (const action of actions) applyAction(keys, action);
  const held = new Map<FoldedAddress, RolesBeforeAndAfter>();
  for (const { address, before, after } of keys.values()) {
    const known = held.get(address) ?? { before: [], after: [] };
    const had = before === "no-key" ? [] : [before];
    held.set(address, { before: [...known.before, ...had], after: [...known.after, after] });
  }
  return held;
}

function applyAction(keys: Map<string, KeyRolesOfUser>, action: Action): void {
  if (action.kind === "create-user" && action.founds !== undefined) {
    const { address, founds, id } = action;
    keys.set(`${id} ${address}`, { address, before: "no-key", after: founds.accessKeyRoles });
  }
  if (action.kind === "replace-roles") applyReplacement(keys, action);
}

function applyReplacement(keys: Map<string, KeyRolesOfUser>, { key, owner, before, roles }: ReplaceRoles): void {
  if (key.of !== "prefix") {
    keys.set(`${key.givenBy} ${key.address}`, { address: key.address, before: "no-key", after: roles });
    return;
  }
  const prefix = factValue(key.prefix);
  const known = prefix === undefined ? undefined : keys.get(prefix);
  const address = known?.address ?? owner?.address;
  if (prefix === undefined || address === undefined) return;
  const had = known?.before ?? factValue(before) ?? "unknown";
  keys.set(prefix, { address, before: had, after: isOnlyDeclared(key) ? rolesAlreadyHeld(roles, had) : roles });
}

/** Nobody is known to hold the key: what it gains is not counted for the person that the roster names. */
function isOnlyDeclared(key: ReplaceRoles["key"]): boolean {
  return key.of === "prefix" && key.prefix.known === "declared";
}

function rolesAlreadyHeld(roles: RoleSet, had: KeyRolesOfUser["before"]): RoleSet {
  return typeof had === "string" ? [] : roles.filter((role) => had.includes(role));
}

/** Whether one of the keys carries one of the roles; `unknown` where only a key of unknown roles may. */
export function holdsAny(keys: readonly (RoleSet | "unknown")[], roles: RoleSet): "yes" | "no" | "unknown" {
  const carries = (key: RoleSet | "unknown") => key !== "unknown" && key.some((role) => roles.includes(role));
  if (keys.some(carries)) return "yes";
  return keys.includes("unknown") ? "unknown" : "no";
}
