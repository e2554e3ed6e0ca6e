import type { FoldedAddress } from "../model/address.ts";
import { rolesWithout } from "../model/role-set.ts";
import type { RosterTeam } from "../model/roster.ts";
import { membershipKeyOf } from "../model/team.ts";
import type { PlanContext } from "./question.ts";
import { rolesToSend, type SentRoles } from "./roles-to-send.ts";

/** What the founder's key of a team is asked to carry. */
export function founderRoles(team: RosterTeam, founder: FoldedAddress, context: PlanContext): SentRoles {
  const { facts, policy, held } = context;
  const { privilegedRoles: privileged } = policy;
  const wanted = team.members.find(({ address }) => address === founder)?.roles;
  const known = facts.rolesFor?.("team");
  const sent = rolesToSend({ wanted, known, privileged });
  if (wanted === undefined || !held.privileges.has(membershipKeyOf(team.key, founder))) return sent;
  // The key stays without them until the guard lets its roles be made exact.
  return { ...rolesToSend({ wanted: rolesWithout(wanted, privileged), known, privileged }), exact: sent.exact };
}
