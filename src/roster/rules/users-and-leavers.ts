import { formatPlace } from "../../model/place.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { ResolvedRoster } from "../resolution.ts";

/** Nobody is to have access and to hold nothing at once. */
export function checkUsersAndLeavers({ references }: ResolvedRoster, log: DiagnosticsCollector): void {
  for (const { email } of references.leavers.values()) {
    const user = references.users.get(email.address);
    if (user === undefined) continue;
    const message = `\`${email.value}\` is a leaver here and a user at ${formatPlace(user.email.at.place)}.`;
    const hint = "Remove the leaver if they came back, or else the user.";
    log.error(email.at, "user-and-leaver", message, hint);
  }
}
