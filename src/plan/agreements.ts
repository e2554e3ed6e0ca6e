import type { InSyncItem } from "../model/plan.ts";
import { formatRoles, sameRoles } from "../model/role-set.ts";
import type { RosterKey, RosterMember } from "../model/roster.ts";
import {
  type Basis,
  memberSubject,
  observedBasis,
  partOf,
  type Subject,
  teamSubject,
  userSubject,
} from "../model/subject.ts";
import { buildPlanContext, type PlanContext } from "./context.ts";
import {
  currentRoles,
  type KnownKey,
  presenceBasis,
  rolesBasis,
  type TeamIdentity,
  type UserIdentities,
  type UserIdentity,
} from "./identities.ts";
import { desiredListedKeyRoles, desiredOwnKeyRoles, type KnownKeyUpdate } from "./keys/desired-roles.ts";
import type { PlanInput } from "./make-plan.ts";
import { membershipStatus } from "./memberships/membership-status.ts";
import { desiredLeaverRoles, locateLeavers } from "./offboarding/leaver-keys.ts";
import { identifyTeams } from "./teams.ts";
import { identifyUsers } from "./users.ts";

/** All that the roster asks for and that is so already, by the same judgement by which a plan does nothing about it. */
export function findAgreements(input: PlanInput): readonly InSyncItem[] {
  const { context } = buildPlanContext(input);
  const { people } = identifyUsers(context);
  const { teams } = identifyTeams(context);
  return [
    ...[...people.values()].flatMap((person) => userAgreements(person, context)),
    ...[...teams.values()].flatMap((identity) => teamAgreements(identity, people, context)),
    ...input.roster.keys.flatMap((entry) => listedKeyAgreements(entry, people, context)),
    ...leaverAgreements(context),
  ];
}

function userAgreements(person: UserIdentity, context: PlanContext): readonly InSyncItem[] {
  if (person.is !== "present") return [];
  const { user, observed } = person;
  const { address, because } = user;
  const desired = desiredOwnKeyRoles(person, new Set(), context);
  return [
    {
      says: `${user.email} exists already`,
      basis: presenceBasis(observed),
      because: because.slice(0, 1),
      address,
    },
    ...(desired?.is === "known" ? exactRolesAgreement(desired, `the own key of ${user.email}`, context) : []),
  ];
}

function teamAgreements(identity: TeamIdentity, people: UserIdentities, context: PlanContext): readonly InSyncItem[] {
  if (identity.is !== "known" && identity.is !== "unidentified") return [];
  const { team } = identity;
  const itself: readonly InSyncItem[] =
    identity.is === "known"
      ? [
          {
            says: `the team ${team.name} exists already`,
            basis: { about: partOf("identifier", teamSubject(team.key)), fact: identity.ref.identifier },
            because: team.because.slice(0, 1),
            team: team.key,
          },
        ]
      : [];
  return [...itself, ...team.members.flatMap((member) => memberAgreements(member, identity, people, context))];
}

function memberAgreements(
  member: RosterMember,
  identity: TeamIdentity,
  people: UserIdentities,
  context: PlanContext,
): readonly InSyncItem[] {
  const person = people.get(member.address);
  if (person?.is !== "present") return [];
  const status = membershipStatus(person, member, identity, context);
  if (status.is !== "member") return [];
  const { team } = identity;
  const concern = { address: member.address, team: team.key };
  const about = { because: member.because, ...concern };
  const subject = memberSubject(member.address, team.key);
  const basis = status.key === undefined ? status.basis : keyBasis(subject, status.key);
  const whose = `the key of ${person.user.email} in ${team.name}`;
  const place = { ...about, says: `${person.user.email} is a member of ${team.name} already`, basis };
  if (status.key === undefined || member.roles === undefined) return [place];
  const wanted = { key: status.key, roles: member.roles, because: member.because, concern };
  return [place, ...exactRolesAgreement(wanted, whose, context)];
}

function keyBasis(about: Subject, { prefix }: KnownKey): Basis {
  return { about, fact: prefix.known === "unknown" ? prefix : { ...prefix, value: `member by key ${prefix.value}` } };
}

function listedKeyAgreements(entry: RosterKey, people: UserIdentities, context: PlanContext): readonly InSyncItem[] {
  const desired = desiredListedKeyRoles(entry, context, people);
  return desired?.is === "known" ? exactRolesAgreement(desired, "the listed key", context) : [];
}

function leaverAgreements(context: PlanContext): readonly InSyncItem[] {
  return locateLeavers(context).flatMap((found): readonly InSyncItem[] => {
    const { leaver, presence } = found;
    const { address, because } = leaver;
    if (presence.is === "absent") {
      const basis = observedBasis(userSubject(address), "gone", presence.by);
      return [{ says: `${leaver.email}, a leaver, is gone`, basis, because, address }];
    }
    return desiredLeaverRoles(found, context).flatMap((update) =>
      exactRolesAgreement(update, `a key of ${leaver.email}, a leaver`, context),
    );
  });
}

type ExactRolesInput = Pick<KnownKeyUpdate, "key" | "roles" | "because" | "concern">;

function exactRolesAgreement(
  { key, roles, because, concern }: ExactRolesInput,
  whose: string,
  context: PlanContext,
): readonly InSyncItem[] {
  const before = currentRoles(key, context.state);
  if (before.known === "unknown" || !sameRoles(before.value, roles)) return [];
  return [
    {
      says: `${whose} (${key.value}) has just ${roles.length === 0 ? "no roles" : `the roles ${formatRoles(roles)}`}`,
      basis: rolesBasis(key.value, before),
      because,
      prefix: key.value,
      ...concern,
    },
  ];
}
