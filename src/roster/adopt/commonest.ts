import { byCodeUnit } from "../../model/role-set.ts";

/** The text that occurs most often; of several, the first in the order of code units. */
export function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const ranked = [...counts].sort(([a, many], [b, more]) => more - many || byCodeUnit(a, b));
  return ranked[0]?.[0];
}
