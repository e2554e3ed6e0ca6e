import type { Profile } from "../../model/action.ts";
import { foldAddress } from "../../model/address.ts";
import { success } from "../../model/result.ts";
import type { ObservedUser } from "../../model/snapshot.ts";
import {
  asText,
  type Decoded,
  definedFields,
  describeShape,
  held,
  identifierOf,
  isObject,
  type JsonObject,
  misreading,
  refusalIn,
  refused,
  shown,
  textOf,
} from "./json.ts";
import { decodeKeys, statusOf } from "./key.ts";
import { decodeList, type ListBody } from "./page.ts";

/** A user as a list or a search shows one. A user without an address cannot be identified, so that it is a misreading. */
export function decodeUser(value: unknown, by: string): Decoded<ObservedUser> {
  if (!isObject(value)) return misreading(`expected a user, but got ${describeShape(value)}`);
  const email = addressIn(value);
  if (email === undefined) return misreading(`expected a user with an email, but got ${describeShape(value)}`);
  const identifier = userIdentifier(value);
  const status = statusOf(value);
  const account = accountOf(value);
  const keys = decodeKeys(value);
  return success({
    ...(identifier === undefined ? {} : { identifier }),
    email,
    address: foldAddress(email),
    ...decodeProfile(value),
    ...definedFields({ status, account, keys }),
    by,
  });
}

export function userIdentifier(user: JsonObject): string | undefined {
  return identifierOf(user, ...userIdentifierNames);
}

const userIdentifierNames = ["identifier", "id", "userIdentifier", "userId"] as const;

/** The address that a record shows, as the service writes it. */
export function addressIn(record: JsonObject): string | undefined {
  const email = textOf(record, "email", "emailAddress")?.trim();
  if (email !== undefined && email !== "") return email;
  const name = textOf(record, "username")?.trim();
  return name?.includes("@") ? name : undefined;
}

const profileFields = ["firstName", "lastName", "title", "externalIdentifier", "source"] as const;

/** Every field of a user that is read, but for the lists of keys. */
export const userFieldNames: readonly string[] = [
  ...userIdentifierNames,
  ...profileFields,
  ...["email", "emailAddress", "username", "status", "state", "active", "account", "accountIdentifier", "accountId"],
];

/** The descriptive fields that are shown. A field shown as null is shown to be empty. */
export function decodeProfile(record: JsonObject): Profile {
  const profile: Partial<Record<(typeof profileFields)[number], string>> = {};
  for (const field of profileFields) {
    const value = shown(record, field);
    const text = value === null ? "" : asText(value);
    if (text !== undefined) profile[field] = text;
  }
  return profile;
}

function accountOf(user: JsonObject): string | undefined {
  const account = held(user, "account");
  if (isObject(account)) return identifierOf(account, "identifier", "id");
  return (asText(account) || undefined) ?? identifierOf(user, "accountIdentifier", "accountId");
}

/** How one family of services answers a search; `undefined` where the body is not of that family. */
type SearchShape = (body: JsonObject) => readonly unknown[] | undefined;

const shapes: readonly SearchShape[] = [foundAndNotFound, byAddress, singleUser];

/**
 * The users of an answer to a search: a list of any shape, found and not found, a map by address, a single user, or
 * nothing at all. A place that is null is nobody.
 */
export function decodeFound(body: unknown): Decoded<ListBody> {
  if (body === undefined || body === null) return success({ rows: [] });
  const refusal = refusalIn(body);
  if (refusal !== undefined) return refused(refusal);
  const list = decodeList(body);
  if (list.ok) return success({ ...list.value, rows: list.value.rows.filter((row) => row !== null) });
  if (!isObject(body)) return list;
  for (const shape of shapes) {
    const rows = shape(body);
    if (rows !== undefined) return success({ rows });
  }
  return misreading(`expected found users, but got ${describeShape(body)}`);
}

function foundAndNotFound(body: JsonObject): readonly unknown[] | undefined {
  const found = held(body, "found", "matches");
  if (Array.isArray(found)) return found.filter((row) => row !== null);
  return Array.isArray(held(body, "notFound")) && found === undefined ? [] : undefined;
}

/** Users by the address that was asked for, null where there is nobody; a user without an address has that one. */
function byAddress(body: JsonObject): readonly unknown[] | undefined {
  const entries = Object.entries(body);
  const isMap = entries.length > 0 && entries.every(([name, value]) => name.includes("@") && isPerson(value));
  if (!isMap) return undefined;
  return entries.flatMap(([email, value]) => {
    if (!isObject(value)) return [];
    return [addressIn(value) === undefined ? { ...value, email } : value];
  });
}

function isPerson(value: unknown): boolean {
  return value === null || isObject(value);
}

function singleUser(body: JsonObject): readonly unknown[] | undefined {
  const places = [body, held(body, "user"), held(body, "data")];
  const user = places.find((place) => isObject(place) && addressIn(place) !== undefined);
  return user === undefined ? undefined : [user];
}
