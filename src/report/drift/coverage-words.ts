import type { Coverage, CoverageCount } from "../../model/drift.ts";
import { formatCount, formatList } from "../words.ts";

/** Whole percents, rounded down, so that 100 is said of all alone; nothing where nothing is shown. */
export function coveragePercent({ shown, named }: CoverageCount): number | undefined {
  return shown === 0 ? undefined : Math.floor((100 * named) / shown);
}

/** `The roster names 3 of 4 users (75%) and 1 of 1 team (100%) that the service shows.` */
export function formatCoverage({ users, teams, keys }: Coverage): string {
  const parts = [
    formatCovered(users, "user"),
    ...(teams === undefined ? [] : [formatCovered(teams, "team")]),
    ...(keys === undefined ? [] : [formatCovered(keys, "key")]),
  ];
  return `The roster names ${formatList(parts)} that the service shows.`;
}

function formatCovered(covered: CoverageCount, one: string): string {
  const percent = coveragePercent(covered);
  const share = percent === undefined ? "" : ` (${percent}%)`;
  return `${covered.named} of ${formatCount(covered.shown, one)}${share}`;
}
