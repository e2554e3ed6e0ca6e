import { formatPlace } from "../../model/place.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { ResolvedRoster } from "../resolution.ts";

/** A leaver's key may be listed, so that its prefix is known, but with no roles. */
export function checkLeaverKeys({ keys, references }: ResolvedRoster, log: DiagnosticsCollector): void {
  for (const { draft, roles } of keys) {
    const leaver = draft.owner && references.leavers.get(draft.owner.address);
    if (leaver === undefined || roles.roles.length === 0 || references.users.has(leaver.email.address)) continue;
    const where = formatPlace(leaver.email.at.place);
    const message = `The key \`${draft.prefix.value}\` gives roles to \`${leaver.email.value}\`, who is a leaver (${where}).`;
    log.error(roles.at, "leaver-key-roles", message, "Write `roles: []`, or correct the owner.");
  }
}
