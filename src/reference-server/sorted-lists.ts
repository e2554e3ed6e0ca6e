import type { SortOrder } from "./sorting.ts";
import type { EditCounts } from "./world.ts";

/** Shorter lists are sorted at each request. */
const minCachedLength = 1000;
/** Of each list, in the orders asked for last. */
const maxCachedOrders = 8;

interface CachedOrder {
  readonly version: string;
  /** The places of the items that there were, in their order. */
  readonly places: number[];
}

/** Keeps long lists sorted from one request to the next, so that a page costs no more than its rows. */
export class SortCache {
  readonly #lists = new WeakMap<readonly unknown[], Map<string, CachedOrder>>();

  /** The places of the items in that order. What was added at the end of the list since is put where it belongs. */
  places<T>(items: readonly T[], arrangement: SortOrder<T>, edits: EditCounts): readonly number[] {
    if (items.length < minCachedLength) return arrangement.places(items);
    const version = arrangement.dependsOn === "items" ? `${edits.items}` : `${edits.items} ${edits.keys}`;
    const list = this.#lists.get(items) ?? new Map<string, CachedOrder>();
    this.#lists.set(items, list);
    const before = list.get(arrangement.name);
    const kept = before?.version === version ? before : { version, places: arrangement.places(items) };
    list.delete(arrangement.name);
    list.set(arrangement.name, kept);
    for (const [name] of list) if (list.size > maxCachedOrders) list.delete(name);
    insertNewItems(items, arrangement, kept.places);
    return kept.places;
  }
}

function insertNewItems<T>(items: readonly T[], { compare }: SortOrder<T>, places: number[]): void {
  for (const item of items.slice(places.length)) {
    const at = firstPlaceAfter(places, (other) => items.slice(other, other + 1).some((row) => compare(item, row) < 0));
    places.splice(at, 0, places.length);
  }
}

/** The index of the first place before which the item stands: all after it are such places too. */
function firstPlaceAfter(places: readonly number[], isAfter: (place: number) => boolean): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(places[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}
