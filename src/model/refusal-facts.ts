import type { RoleSet } from "./role-set.ts";
import type { ObservedAccount, ObservedKey, ObservedUser, Snapshot } from "./snapshot.ts";

/** What of an account, and of a team's administrator who is there, may decide whether a creation is refused. */
export function creationRefusalFacts(account: ObservedAccount | undefined, admin?: ObservedUser): string {
  return JSON.stringify([account?.status ?? null, admin === undefined ? null : userFacts(admin)]);
}

/** What of a person may decide whether they are let into a team. */
export function additionRefusalFacts(user: ObservedUser): string {
  return JSON.stringify(userFacts(user));
}

/** What of a key, of its holder and of the roles asked for may decide whether it is given them. */
export function roleRefusalFacts(
  asked: RoleSet,
  seen: {
    readonly roles: Snapshot["roles"];
    readonly holder: ObservedUser | undefined;
    readonly key: ObservedKey | undefined;
  },
): string {
  const { roles, holder, key } = seen;
  const kinds = roles.known === "unknown" ? null : asked.map((role) => roleKind(role, roles.value));
  const carried = key === undefined ? null : [key.status ?? null, key.roles ?? null];
  return JSON.stringify([holder === undefined ? null : userFacts(holder), carried, kinds]);
}

function userFacts({ identifier, status, account }: ObservedUser): readonly unknown[] {
  return [identifier ?? null, status ?? null, account ?? null];
}

function roleKind(role: string, listed: readonly { readonly identifier: string; readonly type?: string }[]): unknown {
  const found = listed.find(({ identifier }) => identifier === role);
  return found === undefined ? null : (found.type ?? "listed");
}
