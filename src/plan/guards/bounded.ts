import { joinList } from "../subjects.ts";

const maxNamed = 10;

/** The first ten by name, and how many more there are. */
export function truncateList(names: readonly string[]): string {
  if (names.length <= maxNamed) return joinList(names);
  return joinList([...names.slice(0, maxNamed), `${names.length - maxNamed} more`]);
}
