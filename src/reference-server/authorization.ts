import { hash, timingSafeEqual } from "node:crypto";
import { quoted, Refusal } from "./responses/reply.ts";
import { type Account, accountAdmin, accountOfKey, isActive, type Key, systemOwner, type World } from "./world.ts";

/**
 * Whose key the header carries: 401 where there is none that works, 403 where it is not the key of an administrator
 * although that is needed.
 */
export function authorize(world: World, header: string | undefined, needed: "administrator" | "any"): Caller {
  const sent = /^ApiKey ([^\s.]+)\.(\S+)$/.exec(header ?? "");
  if (sent === null) {
    const problem = header === undefined ? "missing" : "malformed";
    throw unauthorized(`The Authorization header is ${problem}; send: Authorization: ApiKey <key>`);
  }
  const [, prefix = "", secret = ""] = sent;
  const key = world.keys.get(prefix);
  // An unknown prefix costs the same comparison as a wrong secret.
  const genuine = timingSafeEqual(digest(secret), digest(key?.secret ?? ""));
  if (key === undefined || !genuine) throw unauthorized("The API key is not known");
  const obstacle = findInactivePart(key);
  if (obstacle !== undefined) throw unauthorized(`The API key does not work: its ${obstacle} is not active`);
  if (key.roles.includes(systemOwner)) return { is: "platform-administrator", key };
  if (key.roles.includes(accountAdmin) || needed === "any")
    return { is: "account-administrator", key, account: accountOfKey(key) };
  throw new Refusal(403, "Only Platform Administrators and Account Administrators may use this interface");
}

function findInactivePart(key: Key): string | undefined {
  if (!isActive(key)) return "status";
  if (!isActive(key.owner)) return "user";
  return isActive(key.owner.account) && isActive(accountOfKey(key)) ? undefined : "account";
}

function unauthorized(message: string): Refusal {
  return new Refusal(401, message, { "www-authenticate": "ApiKey" });
}

function digest(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

/** Who calls: a Platform Administrator anywhere, an Account Administrator in one account. */
export type Caller =
  | { readonly is: "platform-administrator"; readonly key: Key }
  | { readonly is: "account-administrator"; readonly key: Key; readonly account: Account };

export function mayActIn(caller: Caller, account: Account): boolean {
  return caller.is === "platform-administrator" || caller.account === account;
}

/** What the path of a request names, such as a `team`: 404 where it was not found, 403 where it is another administrator's. */
export function checkNamed<T>(
  { caller, pathParameter }: { readonly caller: Caller; readonly pathParameter: string },
  what: string,
  found: T | undefined,
  accountOf: (found: T) => Account,
  elsewhere = "belongs to another account",
): T {
  const name = `The ${what} ${quoted(pathParameter)}`;
  if (found === undefined) throw new Refusal(404, `${name} was not found`);
  if (!mayActIn(caller, accountOf(found))) throw new Refusal(403, `${name} ${elsewhere}`);
  return found;
}
