import { settlingTime } from "../../model/settling.ts";

/** Whether a read came so soon after a call of ours that it may not show what the call did. Both in ISO 8601. */
export function mayNotShowYet(called: string, readAt: string): boolean {
  return Date.parse(readAt) - Date.parse(called) < settlingTime;
}
