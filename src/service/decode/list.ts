import { success } from "../../model/result.ts";
import { type Decoded, describeShape, isObject, type JsonObject, misreading, shown } from "./json.ts";

/** The rows of a list answer, and how many rows the service says there are in all. */
export interface ListBody {
  readonly rows: readonly unknown[];
  readonly total?: number;
}

const listNames = ["content", "data", "items", "results", "users", "roles", "accounts", "members"];
const totalNames = ["total", "totalElements", "totalCount", "totalResults"];

/** A bare array, or an object that holds exactly one list under a usual name. Never takes anything else for an empty list. */
export function decodeList(body: unknown): Decoded<ListBody> {
  if (Array.isArray(body)) return success({ rows: body });
  if (!isObject(body)) return misreading(`a list was expected, and ${describeShape(body)} came`);
  const lists = listNames.map((name) => shown(body, name)).filter((value) => Array.isArray(value));
  const [rows] = lists;
  if (rows === undefined || lists.length > 1) {
    const count = lists.length > 1 ? "one list was expected" : "a list was expected";
    return misreading(`${count}, and ${describeShape(body)} came`);
  }
  const total = totalIn(body);
  return success({ rows, ...(total === undefined ? {} : { total }) });
}

function totalIn(body: JsonObject): number | undefined {
  return totalNames
    .map((name) => shown(body, name))
    .find((value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 0);
}

/** Decodes each row, or says which one could not be read. */
export function decodeRows<T>(rows: readonly unknown[], decode: (row: unknown) => Decoded<T>): Decoded<readonly T[]> {
  const decoded: T[] = [];
  for (const [index, row] of rows.entries()) {
    const result = decode(row);
    if (!result.ok) return misreading(`row ${index + 1} of ${rows.length}: ${result.error.why}`);
    decoded.push(result.value);
  }
  return success(decoded);
}
