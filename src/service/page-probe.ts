import type { PageScan } from "./page-pass.ts";
import type { WalkOptions } from "./page-walk.ts";

/**
 * Whether a service of which every page was the same honours page numbers all the same, because there is but one page and
 * it is given again behind the end: then pages of a third of it differ.
 */
export async function honoursPages<Row>(options: WalkOptions<Row>, { rows }: PageScan<Row>): Promise<boolean> {
  const perPage = Math.max(1, Math.floor(rows.size / 3));
  const keysOn = async (page: number): Promise<readonly string[]> => {
    const reading = await options.readPage({ page, perPage });
    return reading.ok ? reading.value.rows.map(options.keyOf) : [];
  };
  const one = await keysOn(1);
  const other = await keysOn(2);
  const first = [...rows.keys()].slice(0, perPage);
  const arePages = [one, other].every((keys) => isPageOf(rows, keys, perPage));
  // Of two rows, a service that counts from 0 gives the second on page 1 and again on page 2.
  return arePages && areApart(first, other) && (rows.size === 2 || areApart(one, other));
}

function isPageOf(rows: ReadonlyMap<string, unknown>, keys: readonly string[], perPage: number): boolean {
  return keys.length > 0 && keys.length <= perPage && keys.every((key) => rows.has(key));
}

function areApart(some: readonly string[], others: readonly string[]): boolean {
  return !others.some((key) => some.includes(key));
}
