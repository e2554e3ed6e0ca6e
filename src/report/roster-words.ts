import type { RosterCounts } from "./outcome.ts";
import { counted } from "./words.ts";

/** `3 users, 1 leaver, 2 teams, 0 keys`, without leavers where there are none. */
export function rosterWords({ users, leavers, teams, keys }: Omit<RosterCounts, "files">): string {
  const left = leavers === 0 ? [] : [counted(leavers, "leaver")];
  return [counted(users, "user"), ...left, counted(teams, "team"), counted(keys, "key")].join(", ");
}
