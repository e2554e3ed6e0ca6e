import type { Knobs } from "../knobs/registry.ts";
import { badParameter, Refusal, singleValue } from "../responses/reply.ts";

/** What a field holds: for a field within a list, every value that its name leads to. */
export type SortValue = string | boolean | null | undefined | readonly (string | boolean | null)[];

/** The fields that a collection can be sorted by, under the names by which callers know them. */
export type SortColumns<T> = ReadonlyMap<string, (item: T) => SortValue>;

export function columnsOf<Name extends string>(
  ...names: readonly Name[]
): SortColumns<Readonly<Record<Name, SortValue>>> {
  return new Map(names.map((name) => [name, (item) => item[name]]));
}

export interface SortOrder<T> {
  /** One for all arrangements that are alike. */
  readonly name: string;
  /** The places of the items in this order; equal ones keep theirs. */
  readonly places: (items: readonly T[]) => readonly number[];
}

/** The order that `sort-by` and `direction` ask for; undefined where they ask for none. */
export function parseSortOrder<T>(
  query: URLSearchParams,
  columns: SortColumns<T>,
  { sortable, sortUnknown }: Knobs,
): SortOrder<T> | undefined {
  const direction = singleValue(query, "direction") ?? "ASC";
  if (!/^(?:asc|desc)$/i.test(direction)) throw badParameter("direction", direction, "must be ASC or DESC");
  const sign = /^desc$/i.test(direction) ? -1 : 1;
  const names = singleValue(query, "sort-by");
  const keys = (names?.split(",") ?? []).flatMap((written) => {
    const name = written.trim();
    const key = sortable === "all" ? columns.get(name) : undefined;
    if (key !== undefined) return [key];
    if (sortUnknown === "500") throw new Refusal(500, `No property '${name}' found for type`);
    if (sortUnknown === "400") {
      throw badParameter("sort-by", name, `must name fields of this list (${[...columns.keys()].join(", ")})`);
    }
    return [];
  });
  // New users come first where only a direction is asked for.
  if (keys.length === 0)
    return sign === 1 ? undefined : { name: "turned round", places: (items) => [...items.keys()].reverse() };
  return {
    name: `${names} ${sign}`,
    places(items) {
      const rows = items.map((item, place) => ({ place, values: keys.map((key) => firstValue(key(item), sign)) }));
      rows.sort((a, b) => compareRows(a.values, b.values, sign));
      return rows.map((row) => row.place);
    },
  };
}

type ComparedValue = string | boolean | undefined;

/** Several values stand where the one stands that comes first in this direction. */
function firstValue(found: SortValue, sign: 1 | -1): ComparedValue {
  if (typeof found === "string") return found;
  const values = (Array.isArray(found) ? found : [found]).filter((value) => value !== null && value !== undefined);
  return values.reduce<ComparedValue>((best, value) => (compare(value, best, sign) < 0 ? value : best), undefined);
}

function compareRows(a: readonly ComparedValue[], b: readonly ComparedValue[], sign: 1 | -1): number {
  for (let index = 0; index < a.length; index += 1) {
    const order = compare(a[index], b[index], sign);
    if (order !== 0) return order;
  }
  return 0;
}

/** Nothing comes last in either direction. */
function compare(a: ComparedValue, b: ComparedValue, sign: 1 | -1): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b ? -sign : sign;
}
