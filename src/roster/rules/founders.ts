import type { Complaints } from "../complaints.ts";
import type { DraftTeam, DraftUser, WrittenAddress } from "../draft.ts";
import { areOfOtherAccounts, isKnown } from "../references.ts";
import type { Resolution } from "../resolution.ts";

/** A team's founder is one of its members, belongs to its account, and gets no key but the team's. */
export function founders({ teams, references }: Resolution, log: Complaints): void {
  for (const { draft, members, isComplete } of teams) {
    const { founder } = draft;
    if (founder === undefined || !isKnown(founder, references, "founder", log)) continue;
    if (isComplete && !members.has(founder.address)) {
      const message = `The founder \`${founder.value}\` is not a member of the team \`${draft.name.value}\`.`;
      log.error(founder.at, "founder-not-member", message, `Add \`- { user: ${founder.value} }\` to its members.`);
    }
    const user = references.users.get(founder.address);
    if (user !== undefined) tellUnfit(founder, user, draft, log);
  }
}

function tellUnfit(founder: WrittenAddress, user: DraftUser, team: DraftTeam, log: Complaints): void {
  if (areOfOtherAccounts(user, team)) {
    const message = `The founder \`${founder.value}\` belongs to the account \`${user.account}\`, the team to \`${team.account}\`.`;
    log.error(founder.at, "founder-other-account", message, "Choose a member of the team's own account.");
  }
  if (user.ownKeyRoles !== undefined) {
    const where = `line ${user.ownKeyRoles.at.place.line} of ${user.ownKeyRoles.at.place.file}`;
    const message = `The founder \`${founder.value}\` has \`ownKeyRoles\` (${where}), but whoever founds a team gets its key and no own one.`;
    log.error(founder.at, "founder-own-key-roles", message, "Remove the `ownKeyRoles`, or choose another founder.");
  }
}
