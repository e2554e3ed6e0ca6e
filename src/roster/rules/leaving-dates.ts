import { daysBetween } from "../../model/calendar.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { ResolvedRoster } from "../resolution.ts";

/** Whoever is listed as a leaver is one at once. A day of grace is for places where tomorrow has begun. */
export function checkLeavingDates({ draft, today }: ResolvedRoster, log: DiagnosticsCollector): void {
  for (const { email, since } of draft.leavers) {
    if (since === undefined || daysBetween(today, since.value) <= 1) continue;
    const message = `\`${email.value}\` leaves on ${since.value}, but a leaver holds nothing from now on.`;
    const hint = `Keep them under \`users\` with \`until: ${since.value}\` until then.`;
    log.error(since.at, "leaves-later", message, hint);
  }
}
