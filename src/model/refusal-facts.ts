import type { RoleSet } from "./role-set.ts";
import type { ObservedAccount, ObservedKey, ObservedUser, Snapshot } from "./snapshot.ts";

/** What of an account, and of a team's administrator who is there, may decide whether a creation is refused. */
export function factsOfCreation(account: ObservedAccount | undefined, admin?: ObservedUser): string {
  return JSON.stringify([account?.status ?? null, admin === undefined ? null : personIn(admin)]);
}

/** What of a person may decide whether they are let into a team. */
export function factsOfAddition(user: ObservedUser): string {
  return JSON.stringify(personIn(user));
}

/** What of a key, of its holder and of the roles asked for may decide whether it is given them. */
export function factsOfRoles(
  asked: RoleSet,
  seen: {
    readonly roles: Snapshot["roles"];
    readonly holder: ObservedUser | undefined;
    readonly key: ObservedKey | undefined;
  },
): string {
  const { roles, holder, key } = seen;
  const kinds = roles.known === "unknown" ? null : asked.map((role) => kindOf(role, roles.value));
  const carried = key === undefined ? null : [key.status ?? null, key.roles ?? null];
  return JSON.stringify([holder === undefined ? null : personIn(holder), carried, kinds]);
}

function personIn({ identifier, status, account }: ObservedUser): readonly unknown[] {
  return [identifier ?? null, status ?? null, account ?? null];
}

function kindOf(role: string, listed: readonly { readonly identifier: string; readonly type?: string }[]): unknown {
  const found = listed.find(({ identifier }) => identifier === role);
  return found === undefined ? null : (found.type ?? "listed");
}
