import type { DiagnosticsCollector } from "../complaints.ts";
import { differInAccount, isRosterUser } from "../references.ts";
import type { ResolvedRoster } from "../resolution.ts";

/** A team's administrator is one of its members and belongs to its account. */
export function checkAdministrators({ teams, references }: ResolvedRoster, log: DiagnosticsCollector): void {
  for (const { draft, members, isComplete } of teams) {
    const { admin } = draft;
    if (admin === undefined || !isRosterUser(admin, references, "admin", log)) continue;
    const user = references.users.get(admin.address);
    if (isComplete && !members.has(admin.address)) {
      const message = `The administrator \`${admin.value}\` is not a member of the team \`${draft.name.value}\`.`;
      log.error(admin.at, "admin-not-member", message, `Add \`- { user: ${admin.value} }\` to its members.`);
    }
    if (user !== undefined && differInAccount(user, draft)) {
      const message = `The administrator \`${admin.value}\` belongs to the account \`${user.account}\`, the team to \`${draft.account}\`.`;
      log.error(admin.at, "admin-other-account", message, "Choose a member of the team's own account.");
    }
  }
}
