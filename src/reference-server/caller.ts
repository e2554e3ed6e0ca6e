import type { Account, Key } from "./entities.ts";

/** Who calls: a Platform Administrator anywhere, an Account Administrator in one account. */
export type Caller =
  | { readonly is: "platform-administrator"; readonly key: Key }
  | { readonly is: "account-administrator"; readonly key: Key; readonly account: Account };

export function mayActIn(caller: Caller, account: Account): boolean {
  return caller.is === "platform-administrator" || caller.account === account;
}
