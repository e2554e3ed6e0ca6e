import type { Capabilities, Visibility } from "../model/capabilities.ts";
import { accountStatus, type ObservedKey, type ObservedUser } from "../model/snapshot.ts";
import type { AccountService } from "../ports/account-service.ts";

/** What the answers of this run show, told by the users that were read and by how their list was paged. */
export function observedCapabilities(
  users: readonly ObservedUser[],
  { totals, paging }: Pick<AccountService, "totals" | "paging">,
): Capabilities {
  const keys = users.flatMap((user) => user.keys ?? []);
  return {
    keysOnUsers: users.length === 0 ? "unknown" : shownIf(users.some((user) => user.keys !== undefined)),
    rolesOnKeys: keys.length === 0 ? "unknown" : shownIf(keys.some(({ roles }) => roles !== undefined)),
    teamsOnKeys: teamVisibility(users, keys),
    titles: users.length === 0 ? "unknown" : shownIf(users.some(({ title }) => title !== undefined)),
    totals,
    paging,
  };
}

/**
 * A team is only proven to be absent by keys that would show it. So one user without keys, or one key that may be a team's and
 * does not name it, hides the teams of this service.
 */
function teamVisibility(users: readonly ObservedUser[], keys: readonly ObservedKey[]): Visibility {
  if (keys.length === 0) return "unknown";
  const somebodyHidden = users.some(
    ({ keys: shown, status }) => shown === undefined && accountStatus(status) !== "deleted",
  );
  return shownIf(!somebodyHidden && !keys.some(mayHideTeam) && keys.some(({ team }) => team !== undefined));
}

function mayHideTeam({ kind, team, status }: ObservedKey): boolean {
  if (accountStatus(status) === "deleted") return false;
  if (team === undefined || team === "none") return kind === "team";
  return team.name === undefined;
}

function shownIf(isShown: boolean): Visibility {
  return isShown ? "shown" : "hidden";
}
