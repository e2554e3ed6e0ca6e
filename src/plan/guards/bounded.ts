import { listed } from "../subjects.ts";

const mostNamed = 10;

/** The first ten by name, and how many more there are. */
export function bounded(names: readonly string[]): string {
  if (names.length <= mostNamed) return listed(names);
  return listed([...names.slice(0, mostNamed), `${names.length - mostNamed} more`]);
}
