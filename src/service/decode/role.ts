import { success } from "../../model/result.ts";
import type { ObservedRole } from "../../model/snapshot.ts";
import { asText, type Decoded, describeShape, identifierOf, isObject, misreading, textOf } from "./json.ts";

/** A role as an object or as its bare identifier. */
export function decodeRole(value: unknown): Decoded<ObservedRole> {
  const identifier = isObject(value) ? identifierOf(value, "identifier", "id") : asText(value);
  if (identifier === undefined || identifier === "") {
    return misreading(`a role with an identifier was expected, and ${describeShape(value)} came`);
  }
  const name = isObject(value) ? textOf(value, "name") : undefined;
  const type = isObject(value) ? textOf(value, "type") : undefined;
  return success({
    identifier,
    ...(name === undefined ? {} : { name }),
    ...(type === undefined ? {} : { type }),
  });
}
