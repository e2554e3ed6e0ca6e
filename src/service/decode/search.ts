import { success } from "../../model/result.ts";
import {
  type Decoded,
  describeShape,
  held,
  isObject,
  type JsonObject,
  misreading,
  refusalIn,
  refused,
} from "./json.ts";
import { decodeList, type ListBody } from "./list.ts";
import { addressIn } from "./user.ts";

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
  return misreading(`found users were expected, and ${describeShape(body)} came`);
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
