import { type RandomSource, shuffled } from "../generator.ts";
import type { Knobs } from "../knobs.ts";

type Order = Knobs["order"];

/** The rows as they are before they are sorted: a sort keeps the order of ties. */
export function shuffledBeforeSorting<T>(how: Order, rows: readonly T[], draw: RandomSource): readonly T[] {
  return how === "stable" ? rows : shuffled(rows, draw);
}

export function shuffledAfterSorting<T>(how: Order, rows: readonly T[], draw: RandomSource): readonly T[] {
  return how === "shuffle" ? shuffled(rows, draw) : rows;
}
