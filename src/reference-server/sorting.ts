import { badParameter, singleValue } from "./query-parameter.ts";
import { isRefusal, type Refusal } from "./reply.ts";

/** What a field holds: for a field within a list, every value that its name leads to. */
export type Sortable = string | boolean | null | undefined | readonly (string | boolean | null)[];

/** The fields that a collection can be sorted by, under the names by which callers know them. */
export type Columns<T> = ReadonlyMap<string, (item: T) => Sortable>;

/** Returns the same items in another order, without changing the list. */
export type Arrangement<T> = (items: readonly T[]) => readonly T[];

/** The order that `sort-by` and `direction` ask for. */
export function readArrangement<T>(query: URLSearchParams, columns: Columns<T>): Arrangement<T> | Refusal {
  const direction = readDirection(query);
  if (isRefusal(direction)) return direction;
  const names = singleValue(query, "sort-by");
  if (isRefusal(names)) return names;
  if (names === undefined) return direction === "ascending" ? (items) => items : (items) => items.toReversed();
  const getters: ((item: T) => Sortable)[] = [];
  for (const name of names.split(",")) {
    const getter = columns.get(name.trim());
    if (getter === undefined) return unknownField(name.trim(), columns);
    getters.push(getter);
  }
  return (items) => sorted(items, getters, direction);
}

type Direction = "ascending" | "descending";

function readDirection(query: URLSearchParams): Direction | Refusal {
  const value = singleValue(query, "direction") ?? "ASC";
  if (isRefusal(value)) return value;
  if (/^asc$/i.test(value)) return "ascending";
  return /^desc$/i.test(value) ? "descending" : badParameter("direction", value, "must be ASC or DESC");
}

function unknownField(name: string, columns: ReadonlyMap<string, unknown>): Refusal {
  return badParameter("sort-by", name, `must name fields of this list (${[...columns.keys()].join(", ")})`);
}

function sorted<T>(
  items: readonly T[],
  getters: readonly ((item: T) => Sortable)[],
  direction: Direction,
): readonly T[] {
  const rows = items.map((item) => ({ item, values: getters.map((getter) => standFor(getter(item), direction)) }));
  rows.sort((a, b) => compareRows(a.values, b.values, direction));
  return rows.map((row) => row.item);
}

type Value = string | boolean | undefined;

/** Several values stand where the one stands that comes first in this direction. */
function standFor(found: Sortable, direction: Direction): Value {
  const values = (Array.isArray(found) ? found : [found]).filter((value) => value !== null && value !== undefined);
  return values.reduce<Value>((best, value) => (compareValues(value, best, direction) < 0 ? value : best), undefined);
}

function compareRows(a: readonly Value[], b: readonly Value[], direction: Direction): number {
  for (let index = 0; index < a.length; index += 1) {
    const order = compareValues(a[index], b[index], direction);
    if (order !== 0) return order;
  }
  return 0;
}

/** Nothing comes last in either direction. */
function compareValues(a: Value, b: Value, direction: Direction): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  const ascending = a < b ? -1 : 1;
  return direction === "ascending" ? ascending : -ascending;
}
