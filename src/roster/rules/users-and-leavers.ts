import { showPlace } from "../../model/place.ts";
import type { Complaints } from "../complaints.ts";
import type { Resolution } from "../resolution.ts";

/** Nobody is to have access and to hold nothing at once. */
export function usersAndLeavers({ references }: Resolution, log: Complaints): void {
  for (const { email } of references.leavers.values()) {
    const user = references.users.get(email.address);
    if (user === undefined) continue;
    const message = `\`${email.value}\` is a leaver here and a user at ${showPlace(user.email.at.place)}.`;
    const hint = "Remove the leaver if they came back, or else the user.";
    log.error(email.at, "user-and-leaver", message, hint);
  }
}
