import type { DiagnosticsCollector } from "../complaints.ts";
import type { SourceAddress, TeamEntry, UserEntry } from "../draft.ts";
import { differInAccount, isRosterUser } from "../references.ts";
import type { ResolvedRoster } from "../resolution.ts";

/** A team's founder is one of its members, belongs to its account, and gets no key but the team's. */
export function checkFounders({ teams, references }: ResolvedRoster, log: DiagnosticsCollector): void {
  for (const { draft, members, isComplete } of teams) {
    const { founder } = draft;
    if (founder === undefined || !isRosterUser(founder, references, "founder", log)) continue;
    if (isComplete && !members.has(founder.address)) {
      const message = `The founder \`${founder.value}\` is not a member of the team \`${draft.name.value}\`.`;
      log.error(founder.at, "founder-not-member", message, `Add \`- { user: ${founder.value} }\` to its members.`);
    }
    const user = references.users.get(founder.address);
    if (user !== undefined) reportInvalidFounder(founder, user, draft, log);
  }
}

function reportInvalidFounder(
  founder: SourceAddress,
  user: UserEntry,
  team: TeamEntry,
  log: DiagnosticsCollector,
): void {
  if (differInAccount(user, team)) {
    const message = `The founder \`${founder.value}\` belongs to the account \`${user.account}\`, the team to \`${team.account}\`.`;
    log.error(founder.at, "founder-other-account", message, "Choose a member of the team's own account.");
  }
  if (user.ownKeyRoles !== undefined) {
    const where = `line ${user.ownKeyRoles.at.place.line} of ${user.ownKeyRoles.at.place.file}`;
    const message = `The founder \`${founder.value}\` has \`ownKeyRoles\` (${where}), but whoever founds a team gets its key and no own one.`;
    log.error(founder.at, "founder-own-key-roles", message, "Remove the `ownKeyRoles`, or choose another founder.");
  }
}
