import { refuseField } from "./knobs/sort-unknown.ts";
import type { Knobs } from "./knobs.ts";
import { badParameter, singleValue } from "./query-parameter.ts";
import { isRefusal, type Refusal } from "./reply.ts";

/** What a field holds: for a field within a list, every value that its name leads to. */
export type Sortable = string | boolean | null | undefined | readonly (string | boolean | null)[];

/** The fields that a collection can be sorted by, under the names by which callers know them. */
export type Columns<T> = ReadonlyMap<string, (item: T) => Sortable>;

/** An order of items. */
export interface Arrangement<T> {
  /** One for all arrangements that are alike. */
  readonly name: string;
  readonly restsOn: "items" | "their-keys";
  /** The places of the items in the order in which they are to stand; items that are alike keep theirs. */
  readonly places: (items: readonly T[]) => number[];
  readonly compare: (a: T, b: T) => number;
}

/** The order that `sort-by` and `direction` ask for; `as-they-are` where they ask for none. */
export function readArrangement<T>(
  query: URLSearchParams,
  columns: Columns<T>,
  knobs: Knobs,
): Arrangement<T> | "as-they-are" | Refusal {
  const direction = readDirection(query);
  if (isRefusal(direction)) return direction;
  const names = singleValue(query, "sort-by");
  if (isRefusal(names)) return names;
  const getters = names === undefined ? [] : readGetters(names, columns, knobs);
  if (isRefusal(getters)) return getters;
  if (getters.length === 0) return direction === "ascending" ? "as-they-are" : turnedRound;
  return {
    name: `${names} ${direction}`,
    restsOn: names?.includes("accessKeys.") ? "their-keys" : "items",
    places: (items) => sortedPlaces(items, getters, direction),
    compare: (a, b) => compareRows(valuesOf(a, getters, direction), valuesOf(b, getters, direction), direction),
  };
}

/** Whoever is new comes first. */
const turnedRound: Arrangement<unknown> = {
  name: "turned round",
  restsOn: "items",
  places: (items) => Array.from(items, (_, index) => items.length - 1 - index),
  compare: () => -1,
};

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

function sortedPlaces<T>(items: readonly T[], getters: readonly Getter<T>[], direction: Direction): number[] {
  const rows = items.map((item, place) => ({ place, values: valuesOf(item, getters, direction) }));
  rows.sort((a, b) => compareRows(a.values, b.values, direction));
  return rows.map((row) => row.place);
}

function valuesOf<T>(item: T, getters: readonly Getter<T>[], direction: Direction): readonly Value[] {
  return getters.map((getter) => standFor(getter(item), direction));
}

type Value = string | boolean | undefined;

/** Several values stand where the one stands that comes first in this direction. */
function standFor(found: Sortable, direction: Direction): Value {
  if (typeof found === "string") return found;
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
