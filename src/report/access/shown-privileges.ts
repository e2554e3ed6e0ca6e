import type { FoldedAddress } from "../../model/address.ts";
import type { Plan } from "../../model/plan.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import { accountStatus, type ObservedUser } from "../../model/snapshot.ts";
import type { AccessHolder } from "./access-change.ts";
import { accessInPlanOrder } from "./access-changes.ts";

/** A key of somebody that carries privileged roles, as the service shows it. */
export interface PrivilegedKey {
  readonly address: FoldedAddress;
  readonly prefix: string;
  /** The name of its team, where that is shown. */
  readonly team?: string;
  /** The privileged ones alone; never empty. */
  readonly roles: RoleSet;
}

/** Every key that was shown with a privileged role, before anything is done. */
export function privilegedKeys(users: readonly ObservedUser[], privileged: RoleSet): readonly PrivilegedKey[] {
  return users.flatMap(({ address, keys = [] }) =>
    keys.flatMap(({ prefix, roles = [], team, status }): readonly PrivilegedKey[] => {
      const grave = roles.filter((role) => privileged.includes(role));
      if (grave.length === 0 || accountStatus(status) === "deleted") return [];
      const name = team === undefined || team === "none" ? undefined : team.name;
      return [{ address, prefix, roles: grave, ...(name === undefined ? {} : { team: name }) }];
    }),
  );
}

/** What of it is there still once a plan is done. */
export function remainingPrivileges(shown: readonly PrivilegedKey[], plan: Plan): readonly PrivilegedKey[] {
  if (shown.length === 0) return shown;
  const lost = new Map<string, RoleSet>();
  for (const { changes } of accessInPlanOrder(plan)) {
    for (const change of changes) {
      const prefix = change.is === "roles" ? change.key.prefix : undefined;
      if (change.is === "roles" && prefix !== undefined) lost.set(prefix, change.loses);
    }
  }
  return shown.flatMap((one) => {
    const roles = rolesWithout(one.roles, lost.get(one.prefix) ?? []);
    return roles.length === 0 ? [] : [{ ...one, roles }];
  });
}

/** Keys of a person that carry one of some roles. What gains or has lost them is among them neither before nor after. */
export function privilegedKeysOf(
  shown: readonly PrivilegedKey[],
  { who, roles }: { readonly who: AccessHolder; readonly roles: RoleSet },
): readonly PrivilegedKey[] {
  if (who.is === "key") return [];
  return shown.filter((one) => one.address === who.address && one.roles.some((role) => roles.includes(role)));
}
