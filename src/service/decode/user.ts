import type { Profile } from "../../model/action.ts";
import { foldAddress } from "../../model/address.ts";
import { success } from "../../model/result.ts";
import type { ObservedUser } from "../../model/snapshot.ts";
import {
  asText,
  type Decoded,
  describeShape,
  held,
  identifierOf,
  isObject,
  type JsonObject,
  misreading,
  shown,
  textOf,
} from "./json.ts";
import { decodeKeys, statusOf } from "./key.ts";

/** A user as a list or a search shows one. Without an address nobody can be told apart, so that it is a misreading. */
export function decodeUser(value: unknown, by: string): Decoded<ObservedUser> {
  if (!isObject(value)) return misreading(`a user was expected, and ${describeShape(value)} came`);
  const email = addressIn(value);
  if (email === undefined) return misreading(`a user with an email was expected, and ${describeShape(value)} came`);
  const identifier = userIdentifier(value);
  const status = statusOf(value);
  const account = accountOf(value);
  const keys = decodeKeys(value);
  return success({
    ...(identifier === undefined ? {} : { identifier }),
    email,
    address: foldAddress(email),
    ...decodeProfile(value),
    ...(status === undefined ? {} : { status }),
    ...(account === undefined ? {} : { account }),
    ...(keys === undefined ? {} : { keys }),
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
