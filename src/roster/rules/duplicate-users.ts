import { showPlace } from "../../model/place.ts";
import type { Complaints } from "../complaints.ts";
import type { Resolution } from "../resolution.ts";

/** One address, compared folded, is one user. */
export function duplicateUsers({ draft, references }: Resolution, log: Complaints): void {
  for (const user of draft.users) {
    const first = references.users.get(user.email.address);
    if (first === undefined || first === user) continue;
    const message = `The user \`${user.email.value}\` is listed twice; the first time at ${showPlace(first.email.at.place)}.`;
    log.error(user.email.at, "duplicate-user", message, "Remove one of the two.");
  }
}
