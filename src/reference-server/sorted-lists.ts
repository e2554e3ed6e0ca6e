import type { Arrangement } from "./sorting.ts";
import type { Edits } from "./world.ts";

/** Shorter lists are sorted at each request. */
const worthKeeping = 1000;
/** Of each list, in the orders asked for last. */
const keptAtMost = 8;

interface Kept {
  readonly version: string;
  /** The places of the items that there were, in their order. */
  readonly places: number[];
}

/** Keeps long lists sorted from one request to the next, so that a page costs no more than its rows. */
export class SortedLists {
  readonly #lists = new WeakMap<readonly unknown[], Map<string, Kept>>();

  /** The places of the items in that order. What was added at the end of the list since is put where it belongs. */
  places<T>(items: readonly T[], arrangement: Arrangement<T>, edits: Edits): readonly number[] {
    if (items.length < worthKeeping) return arrangement.places(items);
    const version = arrangement.restsOn === "items" ? `${edits.items}` : `${edits.items} ${edits.keys}`;
    const list = this.#lists.get(items) ?? new Map<string, Kept>();
    this.#lists.set(items, list);
    const before = list.get(arrangement.name);
    const kept = before?.version === version ? before : { version, places: arrangement.places(items) };
    list.delete(arrangement.name);
    list.set(arrangement.name, kept);
    for (const [name] of list) if (list.size > keptAtMost) list.delete(name);
    insertNew(items, arrangement, kept.places);
    return kept.places;
  }
}

function insertNew<T>(items: readonly T[], { compare }: Arrangement<T>, places: number[]): void {
  for (const item of items.slice(places.length)) {
    const at = firstAfter(places, (other) => items.slice(other, other + 1).some((row) => compare(item, row) < 0));
    places.splice(at, 0, places.length);
  }
}

/** The index of the first place before which the item stands: all after it are such places too. */
function firstAfter(places: readonly number[], isAfter: (place: number) => boolean): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(places[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}
