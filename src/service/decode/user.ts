import { type EmailKey, foldAddress } from "../../model/address.ts";
import { definedFields } from "../../model/collections.ts";
import { accountStatus } from "../../model/key.ts";
import type { Profile } from "../../model/recorded.ts";
import { success } from "../../model/result.ts";
import type { ObservedAccount } from "../../model/snapshot.ts";
import { type ObservedUser, profileFieldNames } from "../../model/user.ts";
import {
  asText,
  type Decoded,
  decodeIdentified,
  decodeList,
  describeShape,
  held,
  identifierOf,
  isCount,
  isObject,
  type JsonObject,
  type ListBody,
  misreading,
  onlyOne,
  refusalIn,
  refused,
  shown,
  textOf,
  type Writable,
} from "./json.ts";
import { decodeKeys, statusOf } from "./key.ts";

/** A user as a list or a search shows one (trap 59). A user without an address cannot be identified, so that it is a misreading. */
export function decodeUser(value: unknown, by: string): Decoded<ObservedUser> {
  if (!isObject(value)) return misreading(`expected a user, but got ${describeShape(value)}`);
  const email = addressIn(value);
  if (email === undefined) return misreading(`expected a user with an email, but got ${describeShape(value)}`);
  const identifier = userIdentifier(value);
  const status = statusOf(value);
  const account = accountOf(value);
  const keys = decodeKeys(value);
  const user: Writable<ObservedUser> = { email, address: foldAddress(email), by };
  if (identifier !== undefined) user.identifier = identifier;
  readProfile(value, user);
  if (status !== undefined) user.status = status;
  if (account !== undefined) user.account = account;
  if (keys !== undefined) user.keys = keys;
  return success(user);
}

export function userIdentifier(user: JsonObject): string | undefined {
  return identifierOf(user, ...userIdentifierNames);
}

const userIdentifierNames = ["identifier", "id", "userIdentifier", "userId"] as const;

const emailNames = ["email", "emailAddress"] as const;

/** The address that a record shows, as the service writes it. */
export function addressIn(record: JsonObject): string | undefined {
  const email = textOf(record, ...emailNames)?.trim();
  if (email) return email;
  const name = textOf(record, "username")?.trim();
  return name?.includes("@") ? name : undefined;
}

/** Every field of a user that is read, but for the lists of keys. */
export const userFieldNames: readonly string[] = [
  ...userIdentifierNames,
  ...profileFieldNames,
  ...emailNames,
  ...["username", "status", "state", "active", "account", "accountIdentifier", "accountId"],
];

/** The descriptive fields that are shown. A field shown as null is shown to be empty. */
export function decodeProfile(record: JsonObject): Profile {
  const profile: Writable<Profile> = {};
  readProfile(record, profile);
  return profile;
}

function readProfile(record: JsonObject, profile: Writable<Profile>): void {
  for (const field of profileFieldNames) {
    const value = shown(record, field);
    const text = value === null ? "" : asText(value);
    if (text !== undefined) profile[field] = text;
  }
}

function accountOf(user: JsonObject): string | undefined {
  const account = held(user, "account");
  if (isObject(account)) return identifierOf(account, "identifier", "id");
  return (asText(account) || undefined) ?? identifierOf(user, "accountIdentifier", "accountId");
}

/**
 * The users of an answer to a search (trap 19): a list of any shape, found and not found, a map by address, a single user, or
 * nothing at all. A place that is null is nobody.
 */
export function decodeFound(body: unknown): Decoded<ListBody> {
  if (body === undefined || body === null) return success({ rows: [] });
  const refusal = refusalIn(body);
  if (refusal !== undefined) return refused(refusal);
  const list = decodeList(body);
  if (list.ok) return success({ ...list.value, rows: list.value.rows.filter((row) => row !== null) });
  if (!isObject(body)) return list;
  const rows = foundAndNotFound(body) ?? byAddress(body) ?? singleUser(body);
  return rows === undefined ? misreading(`expected found users, but got ${describeShape(body)}`) : success({ rows });
}

function foundAndNotFound(body: JsonObject): readonly unknown[] | undefined {
  const found = held(body, "found", "matches");
  if (Array.isArray(found)) return found.filter((row) => row !== null);
  return Array.isArray(shown(body, "notFound")) && found === undefined ? [] : undefined;
}

/** Users by the address that was asked for, null where there is nobody; a user without an address has that one. */
function byAddress(body: JsonObject): readonly unknown[] | undefined {
  const entries = Object.entries(body);
  const isMap =
    entries.length > 0 && entries.every(([name, value]) => name.includes("@") && (value === null || isObject(value)));
  if (!isMap) return undefined;
  return entries.flatMap(([email, value]) => {
    if (!isObject(value)) return [];
    return [addressIn(value) === undefined ? { ...value, email } : value];
  });
}

function singleUser(body: JsonObject): readonly unknown[] | undefined {
  const places = [body, held(body, "user"), held(body, "data")];
  const user = places.find((place) => isObject(place) && addressIn(place) !== undefined);
  return user === undefined ? undefined : [user];
}

/** The details of the account that was asked for: as they are, in an envelope, or as a list of one. */
export function decodeAccount(body: unknown, asked: string): Decoded<ObservedAccount> {
  const refusal = refusalIn(body);
  if (refusal !== undefined) return refused(refusal);
  const outer = onlyOne(body);
  const inner = isObject(outer) ? ["account", "data", "result"].map((name) => shown(outer, name)) : [];
  const account = [outer, ...inner].find(isDetailed);
  if (account === undefined) {
    return misreading(`expected the details of an account, but got ${describeShape(body)}`);
  }
  const name = textOf(account, "name");
  const status = statusOf(account);
  return success({
    identifier: asked,
    by: `account ${asked}`,
    ...definedFields({ name, status }),
    ...membersOf(account),
  });
}

function isDetailed(value: unknown): value is JsonObject {
  return (
    isObject(value) && (identifierOf(value, "identifier", "id") !== undefined || held(value, "users") !== undefined)
  );
}

/** A member without an address cannot be matched with anybody and is left out. */
function membersOf(account: JsonObject): Pick<ObservedAccount, "members" | "deletedMembers" | "membersCut"> {
  const list = decodeList(held(account, "users"));
  if (!list.ok) return {};
  const { rows } = list.value;
  const members: EmailKey[] = [];
  const present = new Set<EmailKey>();
  for (const row of rows) {
    const email = isObject(row) ? addressIn(row) : asText(row);
    if (!email?.includes("@")) continue;
    const address = foldAddress(email);
    members.push(address);
    if (!isObject(row) || accountStatus(statusOf(row)) !== "deleted") present.add(address);
  }
  if (rows.length > 0 && members.length === 0) return {};
  const deletedMembers = members.filter((address) => !present.has(address));
  const isCut = members.length < rows.length || countedIn(account, list.value) > rows.length;
  return {
    members,
    ...(deletedMembers.length === 0 ? {} : { deletedMembers }),
    ...(isCut ? { membersCut: true } : {}),
  };
}

/** How many users the details count, next to the list or in its envelope. */
function countedIn(account: JsonObject, { total, next }: ListBody): number {
  const counts = [held(account, "userCount"), held(account, "usersCount"), held(account, "totalUsers"), total];
  return next === undefined ? Math.max(0, ...counts.filter(isCount)) : Number.POSITIVE_INFINITY;
}

/** An account as a list shows one, or as its bare identifier. */
export function decodeListedAccount(value: unknown): Decoded<ObservedAccount> {
  const listed = decodeIdentified(value, "an account");
  if (!listed.ok) return listed;
  const { identifier, record } = listed.value;
  return success({
    identifier,
    by: "accounts",
    ...definedFields({ name: textOf(record, "name"), status: textOf(record, "status") }),
  });
}
