import { success } from "../../model/result.ts";
import type { ObservedAccount } from "../../model/snapshot.ts";
import { asText, type Decoded, describeShape, identifierOf, isObject, misreading, textOf } from "./json.ts";

/** An account as a list shows one, or as its bare identifier. */
export function decodeListedAccount(value: unknown): Decoded<ObservedAccount> {
  const identifier = isObject(value) ? identifierOf(value, "identifier", "id") : asText(value);
  if (identifier === undefined || identifier === "") {
    return misreading(`an account with an identifier was expected, and ${describeShape(value)} came`);
  }
  const name = isObject(value) ? textOf(value, "name") : undefined;
  const status = isObject(value) ? textOf(value, "status") : undefined;
  return success({
    identifier,
    by: "accounts",
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
  });
}
