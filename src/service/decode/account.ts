import { type FoldedAddress, foldAddress } from "../../model/address.ts";
import { success } from "../../model/result.ts";
import type { ObservedAccount } from "../../model/snapshot.ts";
import { asText, type Decoded, describeShape, held, isObject, misreading, shown, textOf } from "./json.ts";
import { decodeList } from "./list.ts";
import { addressIn } from "./user.ts";

/** The details of the account that was asked for. */
export function decodeAccount(body: unknown, asked: string): Decoded<ObservedAccount> {
  if (!isObject(body) || held(body, "identifier", "id", "users") === undefined) {
    return misreading(`the details of an account were expected, and ${describeShape(body)} came`);
  }
  const name = textOf(body, "name");
  const status = textOf(body, "status");
  const members = membersOf(shown(body, "users"));
  return success({
    identifier: asked,
    by: `account ${asked}`,
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(members === undefined ? {} : { members }),
  });
}

/** Whoever is shown without an address cannot be matched with anybody and is left out. */
function membersOf(users: unknown): readonly FoldedAddress[] | undefined {
  const list = decodeList(users);
  if (!list.ok) return undefined;
  const addresses = list.value.rows.map((user) => (isObject(user) ? addressIn(user) : asText(user)));
  return addresses.filter((address) => address?.includes("@")).map((address) => foldAddress(address ?? ""));
}
