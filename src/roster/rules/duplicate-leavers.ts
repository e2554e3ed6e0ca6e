import { formatPlace } from "../../model/place.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { ResolvedRoster } from "../resolution.ts";

/** One address, compared folded, is one leaver. */
export function checkDuplicateLeavers({ draft, references }: ResolvedRoster, log: DiagnosticsCollector): void {
  for (const leaver of draft.leavers) {
    const first = references.leavers.get(leaver.email.address);
    if (first === undefined || first === leaver) continue;
    const message = `The leaver \`${leaver.email.value}\` is listed twice; the first time at ${formatPlace(first.email.at.place)}.`;
    log.error(leaver.email.at, "duplicate-leaver", message, "Remove one of the two.");
  }
}
