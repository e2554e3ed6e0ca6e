import type { LearnedKey } from "../../journal/summary.ts";
import type { PlanNames } from "../plan-names.ts";
import { table } from "../table.ts";
import { type Line, row } from "./lines.ts";

/** The key prefixes that a run learned, person by person. */
export function learnedKeyLines(keys: readonly LearnedKey[], names: PlanNames): readonly Line[] {
  if (keys.length === 0) return [];
  const rows = keys.map((key) => [
    names.email(key.address),
    key.team === undefined ? "own key" : `team ${names.team(key.team)}`,
    key.prefix,
  ]);
  return [row(0, [{ ink: "strong", text: `Keys (${keys.length})` }]), ...table(["person", "key of", "prefix"], rows)];
}
