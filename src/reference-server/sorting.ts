import { refuseField } from "./knobs/sort-unknown.ts";
import type { Knobs } from "./knobs.ts";
import { badParameter, singleValue } from "./query-parameter.ts";
import { isRefusal, type Refusal } from "./reply.ts";

/** What a field holds: for a field within a list, every value that its name leads to. */
export type Sortable = string | boolean | null | undefined | readonly (string | boolean | null)[];

/** The fields that a collection can be sorted by, under the names by which callers know them. */
export type Columns<T> = ReadonlyMap<string, (item: T) => Sortable>;

/** Returns the same items in another order, without changing the list. */
export type Arrangement<T> = (items: readonly T[]) => readonly T[];

/** The order that `sort-by` and `direction` ask for. */
export function readArrangement<T>(
  query: URLSearchParams,
  columns: Columns<T>,
  knobs: Knobs,
): Arrangement<T> | Refusal {
  const direction = readDirection(query);
  if (isRefusal(direction)) return direction;
  const names = singleValue(query, "sort-by");
  if (isRefusal(names)) return names;
  const getters = names === undefined ? [] : readGetters(names, columns, knobs);
  if (isRefusal(getters)) return getters;
  if (getters.length > 0) return (items) => sorted(items, getters, direction);
  return direction === "ascending" ? (items) => items : (items) => items.toReversed();
}

type Getter<T> = (item: T) => Sortable;

function readGetters<T>(names: string, columns: Columns<T>, knobs: Knobs): readonly Getter<T>[] | Refusal {
  const getters: Getter<T>[] = [];
  for (const name of names.split(",").map((written) => written.trim())) {
    const getter = knobs.sortable === "all" ? columns.get(name) : undefined;
    const refusal = getter === undefined ? refuseField(knobs.sortUnknown, name, columns.keys()) : undefined;
    if (refusal !== undefined) return refusal;
    if (getter !== undefined) getters.push(getter);
  }
  return getters;
}

type Direction = "ascending" | "descending";

function readDirection(query: URLSearchParams): Direction | Refusal {
  const value = singleValue(query, "direction") ?? "ASC";
  if (isRefusal(value)) return value;
  if (/^asc$/i.test(value)) return "ascending";
  return /^desc$/i.test(value) ? "descending" : badParameter("direction", value, "must be ASC or DESC");
}

function sorted<T>(items: readonly T[], getters: readonly Getter<T>[], direction: Direction): readonly T[] {
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
