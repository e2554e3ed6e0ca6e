import type { Knobs } from "../knobs/registry.ts";
import { badParameter, isRefusal, type Refusal, refuse, singleValue } from "../responses/reply.ts";

/** What a field holds: for a field within a list, every value that its name leads to. */
export type SortValue = string | boolean | null | undefined | readonly (string | boolean | null)[];

type SortKey<T> = (item: T) => SortValue;

/** The fields that a collection can be sorted by, under the names by which callers know them. */
export type SortColumns<T> = ReadonlyMap<string, SortKey<T>>;

/** An order of items. */
export interface SortOrder<T> {
  /** One for all arrangements that are alike. */
  readonly name: string;
  /** The places of the items in the order in which they are to stand; items that are alike keep theirs. */
  readonly places: (items: readonly T[]) => readonly number[];
}

/** The order that `sort-by` and `direction` ask for; `as-they-are` where they ask for none. */
export function parseSortOrder<T>(
  query: URLSearchParams,
  columns: SortColumns<T>,
  { sortable, sortUnknown }: Knobs,
): SortOrder<T> | "as-they-are" | Refusal {
  const direction = singleValue(query, "direction") ?? "ASC";
  if (isRefusal(direction)) return direction;
  const isDescending = /^desc$/i.test(direction);
  if (!isDescending && !/^asc$/i.test(direction)) return badParameter("direction", direction, "must be ASC or DESC");
  const names = singleValue(query, "sort-by");
  if (isRefusal(names)) return names;
  const keys: SortKey<T>[] = [];
  for (const name of names?.split(",").map((written) => written.trim()) ?? []) {
    const key = sortable === "all" ? columns.get(name) : undefined;
    if (key !== undefined) keys.push(key);
    else if (sortUnknown === "500") return refuse(500, `No property '${name}' found for type`);
    else if (sortUnknown === "400") {
      return badParameter("sort-by", name, `must name fields of this list (${[...columns.keys()].join(", ")})`);
    }
  }
  if (keys.length === 0) return isDescending ? newestFirst : "as-they-are";
  return {
    name: `${names} ${isDescending ? "descending" : "ascending"}`,
    places(items) {
      const compare = isDescending ? compareDescending : compareAscending;
      const rows = items.map((item, place) => ({ place, values: keys.map((key) => firstValue(key(item), compare)) }));
      rows.sort((a, b) => compareRows(a.values, b.values, compare));
      return rows.map((row) => row.place);
    },
  };
}

/** New users come first. */
const newestFirst: SortOrder<unknown> = {
  name: "turned round",
  places: (items) => Array.from(items, (_, index) => items.length - 1 - index),
};

type ComparedValue = string | boolean | undefined;
type Compare = (a: ComparedValue, b: ComparedValue) => number;

/** Several values stand where the one stands that comes first in this direction. */
function firstValue(found: SortValue, compare: Compare): ComparedValue {
  if (typeof found === "string") return found;
  const values = (Array.isArray(found) ? found : [found]).filter((value) => value !== null && value !== undefined);
  return values.reduce<ComparedValue>((best, value) => (compare(value, best) < 0 ? value : best), undefined);
}

function compareRows(a: readonly ComparedValue[], b: readonly ComparedValue[], compare: Compare): number {
  for (let index = 0; index < a.length; index += 1) {
    const order = compare(a[index], b[index]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Nothing comes last in either direction. */
function compareAscending(a: ComparedValue, b: ComparedValue): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b ? -1 : 1;
}

function compareDescending(a: ComparedValue, b: ComparedValue): number {
  return a === undefined || b === undefined ? compareAscending(a, b) : compareAscending(b, a);
}
