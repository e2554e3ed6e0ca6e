import { type RoleSet, sameRoles } from "../model/role-set.ts";
import type { RosterUser } from "../model/roster.ts";
import type { RecordedUser } from "../model/state.ts";
import { membershipKeyOf } from "../model/team.ts";
import { type ClassifiedUser, userFinding } from "./person.ts";
import type { PlanContext } from "./question.ts";
import { formatWait, isWithinConsistencyWindow } from "./settling.ts";
import { recordedBasis, userSubject } from "./subjects.ts";

/** A user whom we created a moment ago, and whom no read shows yet. */
export function recentlyCreatedUser(
  user: RosterUser,
  record: RecordedUser,
  context: PlanContext,
): ClassifiedUser | undefined {
  const { createdAt } = record;
  if (createdAt === undefined || !isWithinConsistencyWindow(createdAt, context)) return undefined;
  const finding = userFinding(user, {
    code: "settling",
    message: `roster created ${user.email} at ${createdAt}, and reads do not show the user yet. ${formatWait(createdAt, context)}`,
    restsOn: [recordedBasis(userSubject(user.address), "created", createdAt)],
  });
  const waits = hasPendingWork(user, record, context) ? ({ waits: true } as const) : {};
  return { person: { is: "withheld", user }, findings: [{ ...finding, ...waits }] };
}

/** Whether the roster asks for something about this user that our records do not show as done. */
function hasPendingWork(user: RosterUser, record: RecordedUser, { roster, state }: PlanContext): boolean {
  const isPut = (prefix: string | undefined, roles: RoleSet) => {
    const put = prefix === undefined ? undefined : state.keys.get(prefix)?.put;
    return put !== undefined && sameRoles(put, roles);
  };
  const { ownKeyRoles } = user;
  if (ownKeyRoles !== undefined && record.founded === undefined && !isPut(record.key, ownKeyRoles.value)) return true;
  return roster.teams.some(({ key, members }) =>
    members.some(({ address, roles }) => {
      if (address !== user.address) return false;
      const place = state.memberships.get(membershipKeyOf(key, address));
      if (place === undefined) return true;
      return roles !== undefined && !isPut(place.prefix, roles);
    }),
  );
}
