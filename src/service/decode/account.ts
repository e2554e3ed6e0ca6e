import { type FoldedAddress, foldAddress } from "../../model/address.ts";
import { success } from "../../model/result.ts";
import type { ObservedAccount } from "../../model/snapshot.ts";
import {
  asText,
  type Decoded,
  decodeIdentified,
  definedFields,
  describeShape,
  held,
  identifierOf,
  isObject,
  type JsonObject,
  misreading,
  refusalIn,
  refused,
  textOf,
} from "./json.ts";
import { statusOf } from "./key.ts";
import { decodeList, isCount, type ListBody } from "./page.ts";
import { addressIn } from "./user.ts";

/** The details of the account that was asked for: as they are, in an envelope, or as a list of one. */
export function decodeAccount(body: unknown, asked: string): Decoded<ObservedAccount> {
  const refusal = refusalIn(body);
  if (refusal !== undefined) return refused(refusal);
  const account = [body, ...unwrapped(body)].find(isDetailed);
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

function unwrapped(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body.length === 1 ? body : [];
  return isObject(body) ? [held(body, "account"), held(body, "data"), held(body, "result")] : [];
}

function isDetailed(value: unknown): value is JsonObject {
  return (
    isObject(value) && (identifierOf(value, "identifier", "id") !== undefined || held(value, "users") !== undefined)
  );
}

/** A member without an address cannot be matched with anybody and is left out. */
function membersOf(account: JsonObject): Pick<ObservedAccount, "members" | "memberStatuses" | "membersCut"> {
  const list = decodeList(held(account, "users"));
  if (!list.ok) return {};
  const { rows } = list.value;
  const members: FoldedAddress[] = [];
  const memberStatuses = new Map<FoldedAddress, string>();
  for (const row of rows) {
    const email = isObject(row) ? addressIn(row) : asText(row);
    if (!email?.includes("@")) continue;
    const address = foldAddress(email);
    members.push(address);
    const status = isObject(row) ? statusOf(row) : undefined;
    if (status !== undefined) memberStatuses.set(address, status);
  }
  if (rows.length > 0 && members.length === 0) return {};
  const isCut = members.length < rows.length || countedIn(account, list.value) > rows.length;
  return {
    members,
    ...(memberStatuses.size === 0 ? {} : { memberStatuses }),
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
