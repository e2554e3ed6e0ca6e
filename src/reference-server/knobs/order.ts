import { type Draw, shuffled } from "../generator.ts";
import type { Knobs } from "../knobs.ts";

type Order = Knobs["order"];

/** The rows as they are before they are sorted: a sort keeps the order of ties. */
export function beforeSorting<T>(how: Order, rows: readonly T[], draw: Draw): readonly T[] {
  return how === "stable" ? rows : shuffled(rows, draw);
}

export function afterSorting<T>(how: Order, rows: readonly T[], draw: Draw): readonly T[] {
  return how === "shuffle" ? shuffled(rows, draw) : rows;
}
