import type { Coverage, CoverageCount } from "../../model/drift.ts";
import { counted, listed } from "../words.ts";

/** Whole percents, rounded down, so that 100 is said of all alone; nothing where nothing is shown. */
export function percentOf({ shown, named }: CoverageCount): number | undefined {
  return shown === 0 ? undefined : Math.floor((100 * named) / shown);
}

/** `The roster names 3 of 4 users (75%) and 1 of 1 team (100%) that the service shows.` */
export function coverageWords({ users, teams, keys }: Coverage): string {
  const parts = [
    words(users, "user"),
    ...(teams === undefined ? [] : [words(teams, "team")]),
    ...(keys === undefined ? [] : [words(keys, "key")]),
  ];
  return `The roster names ${listed(parts)} that the service shows.`;
}

function words(covered: CoverageCount, one: string): string {
  const percent = percentOf(covered);
  const share = percent === undefined ? "" : ` (${percent}%)`;
  return `${covered.named} of ${counted(covered.shown, one)}${share}`;
}
