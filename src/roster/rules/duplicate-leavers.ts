import { showPlace } from "../../model/place.ts";
import type { Complaints } from "../complaints.ts";
import type { Resolution } from "../resolution.ts";

/** One address, compared folded, is one leaver. */
export function duplicateLeavers({ draft, references }: Resolution, log: Complaints): void {
  for (const leaver of draft.leavers) {
    const first = references.leavers.get(leaver.email.address);
    if (first === undefined || first === leaver) continue;
    const message = `The leaver \`${leaver.email.value}\` is listed twice; the first time at ${showPlace(first.email.at.place)}.`;
    log.error(leaver.email.at, "duplicate-leaver", message, "Remove one of the two.");
  }
}
