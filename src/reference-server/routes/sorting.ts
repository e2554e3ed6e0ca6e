import type { Knobs } from "../knobs/registry.ts";
import { badParameter, isRefusal, type Refusal, refuse, singleValue } from "../responses/reply.ts";

/** What a field holds: for a field within a list, every value that its name leads to. */
export type SortValue = string | boolean | null | undefined | readonly (string | boolean | null)[];

/** The fields that a collection can be sorted by, under the names by which callers know them. */
export type SortColumns<T> = ReadonlyMap<string, (item: T) => SortValue>;

/** An order of items. */
export interface SortOrder<T> {
  /** One for all arrangements that are alike. */
  readonly name: string;
  /** The places of the items in the order in which they are to stand; items that are alike keep theirs. */
  readonly places: (items: readonly T[]) => number[];
}

/** The order that `sort-by` and `direction` ask for; `as-they-are` where they ask for none. */
export function parseSortOrder<T>(
  query: URLSearchParams,
  columns: SortColumns<T>,
  knobs: Knobs,
): SortOrder<T> | "as-they-are" | Refusal {
  const direction = parseDirection(query);
  if (isRefusal(direction)) return direction;
  const names = singleValue(query, "sort-by");
  if (isRefusal(names)) return names;
  const getters = names === undefined ? [] : parseSortKeys(names, columns, knobs);
  if (isRefusal(getters)) return getters;
  if (getters.length === 0) return direction === "ascending" ? "as-they-are" : newestFirst;
  return {
    name: `${names} ${direction}`,
    places: (items) => sortedPlaces(items, getters, direction),
  };
}

/** New users come first. */
const newestFirst: SortOrder<unknown> = {
  name: "turned round",
  places: (items) => Array.from(items, (_, index) => items.length - 1 - index),
};

type SortKey<T> = (item: T) => SortValue;

function parseSortKeys<T>(names: string, columns: SortColumns<T>, knobs: Knobs): readonly SortKey<T>[] | Refusal {
  const getters: SortKey<T>[] = [];
  for (const name of names.split(",").map((written) => written.trim())) {
    const getter = knobs.sortable === "all" ? columns.get(name) : undefined;
    const refusal = getter === undefined ? refuseSortField(knobs.sortUnknown, name, columns.keys()) : undefined;
    if (refusal !== undefined) return refusal;
    if (getter !== undefined) getters.push(getter);
  }
  return getters;
}

type Direction = "ascending" | "descending";

function parseDirection(query: URLSearchParams): Direction | Refusal {
  const value = singleValue(query, "direction") ?? "ASC";
  if (isRefusal(value)) return value;
  if (/^asc$/i.test(value)) return "ascending";
  return /^desc$/i.test(value) ? "descending" : badParameter("direction", value, "must be ASC or DESC");
}

function sortedPlaces<T>(items: readonly T[], getters: readonly SortKey<T>[], direction: Direction): number[] {
  const rows = items.map((item, place) => ({ place, values: valuesOf(item, getters, direction) }));
  rows.sort((a, b) => compareRows(a.values, b.values, direction));
  return rows.map((row) => row.place);
}

function valuesOf<T>(item: T, getters: readonly SortKey<T>[], direction: Direction): readonly ComparedValue[] {
  return getters.map((getter) => representativeValue(getter(item), direction));
}

type ComparedValue = string | boolean | undefined;

/** Several values stand where the one stands that comes first in this direction. */
function representativeValue(found: SortValue, direction: Direction): ComparedValue {
  if (typeof found === "string") return found;
  const values = (Array.isArray(found) ? found : [found]).filter((value) => value !== null && value !== undefined);
  return values.reduce<ComparedValue>(
    (best, value) => (compareValues(value, best, direction) < 0 ? value : best),
    undefined,
  );
}

function compareRows(a: readonly ComparedValue[], b: readonly ComparedValue[], direction: Direction): number {
  for (let index = 0; index < a.length; index += 1) {
    const order = compareValues(a[index], b[index], direction);
    if (order !== 0) return order;
  }
  return 0;
}

/** Nothing comes last in either direction. */
function compareValues(a: ComparedValue, b: ComparedValue, direction: Direction): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  const ascending = a < b ? -1 : 1;
  return direction === "ascending" ? ascending : -ascending;
}

/** Undefined where the name does no harm. */
function refuseSortField(how: Knobs["sortUnknown"], name: string, known: Iterable<string>): Refusal | undefined {
  switch (how) {
    case "400":
      return badParameter("sort-by", name, `must name fields of this list (${[...known].join(", ")})`);
    case "500":
      return refuse(500, `No property '${name}' found for type`);
    case "ignore":
      return undefined;
  }
}
