import type { InSyncItem } from "../model/agreement.ts";
import type { Basis } from "../model/fact.ts";
import { sameRoles } from "../model/role-set.ts";
import type { RosterKey, RosterMember } from "../model/roster.ts";
import type { KnownKeyWish } from "./key-wishes.ts";
import { findLeavers } from "./leavers/found-leavers.ts";
import { wishLeaver } from "./leavers/wish-leavers.ts";
import { wishListedKey } from "./listed-key-wishes.ts";
import type { PlanInput } from "./make-plan.ts";
import { wishOwnKey } from "./own-key-wishes.ts";
import { identifyPeople } from "./people.ts";
import type { People, Person } from "./person.ts";
import type { Question } from "./question.ts";
import { questionOf } from "./question-of.ts";
import { rolesBefore } from "./roles-before.ts";
import type { KnownKey } from "./shown-keys.ts";
import { standingInTeam } from "./standing-in-team.ts";
import { keySubject, memberSubject, seen, showRoles, teamSubject, userSubject } from "./subjects.ts";
import type { TeamIdentity } from "./team-identity.ts";
import { identifyTeams } from "./teams.ts";

/** All that the roster asks for and that is so already, by the same judgement by which a plan does nothing about it. */
export function findAgreements(input: PlanInput): readonly InSyncItem[] {
  const { question } = questionOf(input);
  const { people } = identifyPeople(question);
  const { teams } = identifyTeams(question);
  return [
    ...[...people.values()].flatMap((person) => aboutPerson(person, question)),
    ...[...teams.values()].flatMap((identity) => aboutTeam(identity, people, question)),
    ...input.roster.keys.flatMap((entry) => aboutListedKey(entry, people, question)),
    ...aboutLeavers(question),
  ];
}

function aboutPerson(person: Person, question: Question): readonly InSyncItem[] {
  if (person.is !== "present") return [];
  const { user, observed } = person;
  const { address, because } = user;
  const wished = wishOwnKey(person, new Set(), question);
  return [
    {
      says: `${user.email} is there already`,
      basis: seen(userSubject(address), `present as ${observed.status ?? "a user without a status"}`, observed.by),
      because: because.slice(0, 1),
      address,
    },
    ...(wished?.is === "known" ? exactRoles(wished, `the own key of ${user.email}`, question) : []),
  ];
}

function aboutTeam(identity: TeamIdentity, people: People, question: Question): readonly InSyncItem[] {
  if (identity.is !== "known" && identity.is !== "unidentified") return [];
  const { team } = identity;
  const itself: readonly InSyncItem[] =
    identity.is === "known"
      ? [
          {
            says: `the team ${team.name} is there already`,
            basis: { about: `identifier of ${teamSubject(team.key)}`, fact: identity.ref.identifier },
            because: team.because.slice(0, 1),
            team: team.key,
          },
        ]
      : [];
  return [...itself, ...team.members.flatMap((member) => aboutMember(member, identity, people, question))];
}

function aboutMember(
  member: RosterMember,
  identity: TeamIdentity,
  people: People,
  question: Question,
): readonly InSyncItem[] {
  const person = people.get(member.address);
  if (person?.is !== "present") return [];
  const standing = standingInTeam(person, member, identity, question);
  if (standing.is !== "member") return [];
  const { team } = identity;
  const concern = { address: member.address, team: team.key };
  const about = { because: member.because, ...concern };
  const subject = memberSubject(member.address, team.key);
  const basis = standing.key === undefined ? standing.basis : keyBasis(subject, standing.key);
  const whose = `the key of ${person.user.email} in ${team.name}`;
  const place = { ...about, says: `${person.user.email} is a member of ${team.name} already`, basis };
  if (standing.key === undefined || member.roles === undefined) return [place];
  const wanted = { key: standing.key, roles: member.roles, because: member.because, concern };
  return [place, ...exactRoles(wanted, whose, question)];
}

function keyBasis(about: string, { prefix }: KnownKey): Basis {
  return { about, fact: prefix.known === "unknown" ? prefix : { ...prefix, value: `member by key ${prefix.value}` } };
}

function aboutListedKey(entry: RosterKey, people: People, question: Question): readonly InSyncItem[] {
  const wished = wishListedKey(entry, question, people);
  return wished?.is === "known" ? exactRoles(wished, "the listed key", question) : [];
}

function aboutLeavers(question: Question): readonly InSyncItem[] {
  return findLeavers(question).flatMap((found): readonly InSyncItem[] => {
    const { leaver, presence } = found;
    const { address, because } = leaver;
    if (presence.is === "gone") {
      const basis = seen(userSubject(address), "gone", presence.by);
      return [{ says: `${leaver.email}, a leaver, is gone`, basis, because, address }];
    }
    return wishLeaver(found, question).flatMap((wish) =>
      exactRoles(wish, `a key of ${leaver.email}, a leaver`, question),
    );
  });
}

type Wanted = Pick<KnownKeyWish, "key" | "roles" | "because" | "concern">;

function exactRoles(
  { key, roles, because, concern }: Wanted,
  whose: string,
  question: Question,
): readonly InSyncItem[] {
  const before = rolesBefore(key, question.state);
  if (before.known === "unknown" || !sameRoles(before.value, roles)) return [];
  const about = `roles of ${keySubject(key.value)}`;
  return [
    {
      says: `${whose} (${key.value}) has just ${roles.length === 0 ? "no roles" : `the roles ${showRoles(roles)}`}`,
      basis: { about, fact: { ...before, value: showRoles(before.value) } },
      because,
      prefix: key.value,
      ...concern,
    },
  ];
}
