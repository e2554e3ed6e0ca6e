import { type Draw, shuffled } from "../generator.ts";
import { choice, type ValueOf } from "./knob.ts";

export const order = choice("In which order rows stand that `sort-by` does not tell apart.", "stable", {
  stable: "in that of their creation",
  "shuffle-ties": "in another one at each request; without `sort-by` no row is told from another",
  shuffle: "all rows stand in another order at each request, whatever `sort-by` says",
});

type Order = ValueOf<typeof order>;

/** The rows as they are before they are sorted: a sort keeps the order of ties. */
export function beforeSorting<T>(how: Order, rows: readonly T[], draw: Draw): readonly T[] {
  return how === "stable" ? rows : shuffled(rows, draw);
}

export function afterSorting<T>(how: Order, rows: readonly T[], draw: Draw): readonly T[] {
  return how === "shuffle" ? shuffled(rows, draw) : rows;
}
