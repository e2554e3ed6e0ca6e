import type { DesiredMember } from "../model/membership.ts";
import type { InSync } from "../model/plan.ts";
import { formatRoles, sameRoles } from "../model/role-set.ts";
import type { Presence } from "../model/snapshot.ts";
import { memberSubject, observedBasis, partOf, teamSubject, userSubject } from "../model/subject.ts";
import type { Leaver } from "../model/user.ts";
import { buildPlanContext, type PlanContext, type PlanFacts } from "./context.ts";
import {
  currentRoles,
  presenceBasis,
  rolesBasis,
  type TeamIdentity,
  type UserIdentities,
  type UserIdentity,
} from "./identities.ts";
import { desiredLeaverRoles, locateLeavers } from "./leaver-keys.ts";
import { membershipStatus } from "./memberships.ts";
import { desiredListedKeyRoles, desiredOwnKeyRoles, type KnownKeyUpdate } from "./roles.ts";
import { identifyTeams } from "./teams.ts";
import { identifyUsers } from "./users.ts";

/** All that the roster asks for and that is so already, by the same judgement by which a plan does nothing about it. */
export function findInSync(input: PlanFacts): readonly InSync[] {
  const context = buildPlanContext(input);
  const { people } = identifyUsers(context);
  const { teams } = identifyTeams(context);
  return [
    ...[...people.values()].flatMap((person) => userInSync(person, context)),
    ...[...teams.values()].flatMap((identity) => teamInSync(identity, people, context)),
    ...input.roster.keys.flatMap((entry) => {
      const desired = desiredListedKeyRoles(entry, context, people);
      return desired?.is === "known" ? rolesInSync(desired, "the listed key", context) : [];
    }),
    ...[...locateLeavers(context)].flatMap((one) => leaverInSync(...one, context)),
  ];
}

function userInSync(person: UserIdentity, context: PlanContext): readonly InSync[] {
  if (person.is !== "present") return [];
  const { email, address, because } = person.user;
  const desired = desiredOwnKeyRoles(person, new Set(), context);
  return [
    { says: `${email} exists already`, basis: presenceBasis(person.observed), because: because.slice(0, 1), address },
    ...(desired?.is === "known" ? rolesInSync(desired, `the own key of ${email}`, context) : []),
  ];
}

function teamInSync(identity: TeamIdentity, people: UserIdentities, context: PlanContext): readonly InSync[] {
  if (identity.is !== "known" && identity.is !== "unidentified") return [];
  const { key, name, because, members } = identity.team;
  const places = members.flatMap((member) => memberInSync(member, identity, people, context));
  if (identity.is === "unidentified") return places;
  const basis = { about: partOf("identifier", teamSubject(key)), fact: identity.identified };
  return [{ says: `the team ${name} exists already`, basis, because: because.slice(0, 1), team: key }, ...places];
}

function memberInSync(
  member: DesiredMember,
  identity: TeamIdentity,
  people: UserIdentities,
  context: PlanContext,
): readonly InSync[] {
  const person = people.get(member.address);
  if (person?.is !== "present") return [];
  const status = membershipStatus(person, member, identity, context);
  if (status.is !== "member") return [];
  const { address, because, roles } = member;
  const { key: team, name } = identity.team;
  const says = `${person.user.email} is a member of ${name} already`;
  if (status.key === undefined) return [{ says, basis: status.basis, because, address, team }];
  const { prefix } = status.key;
  const fact = prefix.known === "unknown" ? prefix : { ...prefix, value: `member by key ${prefix.value}` };
  const place = { says, basis: { about: memberSubject(address, team), fact }, because, address, team };
  if (roles === undefined) return [place];
  const wanted = { key: status.key, roles, because, concern: { address, team } };
  return [place, ...rolesInSync(wanted, `the key of ${person.user.email} in ${name}`, context)];
}

function leaverInSync(leaver: Leaver, presence: Presence, context: PlanContext): readonly InSync[] {
  const { address, email, because } = leaver;
  if (presence.is === "absent") {
    const basis = observedBasis(userSubject(address), "gone", presence.by);
    return [{ says: `${email}, a leaver, is gone`, basis, because, address }];
  }
  return desiredLeaverRoles(leaver, presence, context).flatMap((update) =>
    rolesInSync(update, `a key of ${email}, a leaver`, context),
  );
}

function rolesInSync(
  { key, roles, because, concern }: Pick<KnownKeyUpdate, "key" | "roles" | "because" | "concern">,
  whose: string,
  { state }: PlanContext,
): readonly InSync[] {
  const before = currentRoles(key, state);
  if (before.known === "unknown" || !sameRoles(before.value, roles)) return [];
  const has = roles.length === 0 ? "no roles" : `the roles ${formatRoles(roles)}`;
  const says = `${whose} (${key.value}) has just ${has}`;
  return [{ says, basis: rolesBasis(key.value, before), because, prefix: key.value, ...concern }];
}
