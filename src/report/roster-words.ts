import type { RosterCounts } from "./outcome.ts";
import { formatCount } from "./words.ts";

/** `3 users, 1 leaver, 2 teams, 0 keys`, without leavers where there are none. */
export function formatRosterCounts({ users, leavers, teams, keys }: Omit<RosterCounts, "files">): string {
  const left = leavers === 0 ? [] : [formatCount(leavers, "leaver")];
  return [formatCount(users, "user"), ...left, formatCount(teams, "team"), formatCount(keys, "key")].join(", ");
}
