import { formatPlace } from "../../model/place.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { ResolvedRoster } from "../resolution.ts";

/** One address, compared folded, is one user. */
export function checkDuplicateUsers({ draft, references }: ResolvedRoster, log: DiagnosticsCollector): void {
  for (const user of draft.users) {
    const first = references.users.get(user.email.address);
    if (first === undefined || first === user) continue;
    const message = `The user \`${user.email.value}\` is listed twice; the first time at ${formatPlace(first.email.at.place)}.`;
    log.error(user.email.at, "duplicate-user", message, "Remove one of the two.");
  }
}
