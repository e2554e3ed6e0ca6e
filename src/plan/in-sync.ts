import { partOf, teamSubject, userSubject } from "../model/fact.ts";
import type { InSync } from "../model/plan.ts";
import { formatRoles, sameRoles } from "../model/values.ts";
import type { PlanContext } from "./context.ts";
import { presenceBasis } from "./identify-users.ts";
import { currentRoles, rolesBasis } from "./keys.ts";
import { draftPlan, wholeRoster } from "./make-plan.ts";
import { observedBasis } from "./snapshot-index.ts";

/** All that the roster asks for and that is so already, by the same judgement by which a plan does nothing about it. */
export function findInSync(context: PlanContext): readonly InSync[] {
  const drafted = draftPlan(context, wholeRoster);
  if (!drafted.ok) return [];
  const { people, identities, slots, desired, leavers } = drafted.value;
  const users = [...people.values()].flatMap((person): readonly InSync[] => {
    if (person.is !== "present") return [];
    const { email, address, because } = person.user;
    const basis = presenceBasis(person.observed);
    return [{ says: `the service already has ${email}`, restsOn: [basis], because: because.slice(0, 1), address }];
  });
  const teams = [...identities.values()].flatMap((identity): readonly InSync[] => {
    if (identity.is !== "known") return [];
    const { key: team, name, because } = identity.team;
    const basis = { about: partOf("identifier", teamSubject(team)), ...identity.identified };
    return [{ says: `the service already has the team ${name}`, restsOn: [basis], because: because.slice(0, 1), team }];
  });
  const members = slots.flatMap((slot): readonly InSync[] => {
    if (slot.is !== "member") return [];
    const { basis, team, person } = slot;
    const { address, because } = slot.member;
    const says = `${person.user.email} is already a member of ${team.name}`;
    return [{ says, restsOn: [basis], because, address, team: team.key }];
  });
  const keys = desired.flatMap((update): readonly InSync[] => {
    if (update?.is !== "known" || update.asks === "removal") return [];
    const { key, roles, because, concern, asks, holder } = update;
    const before = currentRoles(key, context.state);
    if (before.known === "unknown" || !sameRoles(before.value, roles)) return [];
    const team = concern.team && identities.get(concern.team)?.team.name;
    const whose = {
      member: `${holder?.email}'s key in ${team}`,
      user: `${holder?.email}'s own key`,
      list: "the key under `keys`",
      leaver: `a key of the leaver ${concern.address && context.roster.leavers.get(concern.address)?.email}`,
    };
    const prefix = key.prefix.value;
    const has = roles.length === 0 ? "no roles" : `exactly the roles ${formatRoles(roles)}`;
    const says = `${whose[asks]} (${prefix}) already has ${has}`;
    return [{ says, restsOn: [rolesBasis(prefix, before)], because, prefix, ...concern }];
  });
  const gone = leavers.flatMap(([{ address, email, because }, presence]): readonly InSync[] => {
    if (presence.is !== "absent") return [];
    const basis = observedBasis(userSubject(address), "gone", presence.by);
    return [{ says: `the leaver ${email} is gone`, restsOn: [basis], because, address }];
  });
  return [...users, ...teams, ...members, ...keys, ...gone];
}
