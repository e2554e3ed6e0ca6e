import { say } from "../codes/message.ts";
import { type CreateUser, creationId } from "../model/action.ts";
import { multimap } from "../model/collections.ts";
import { distinctReasons, type Reason, reasonAt } from "../model/fact.ts";
import { membershipReasons } from "../model/membership.ts";
import { observedBasis, userSubject } from "../model/subject.ts";
import type { TeamCreationPair } from "./choose-first-members.ts";
import type { PlanContext } from "./context.ts";
import { firstMemberRoles, type SentRoles } from "./first-member-roles.ts";
import { type AbsentUser, teamFinding, type UserIdentities } from "./identities.ts";
import { creationRequest, teamCreationRequest } from "./remembered-refusals.ts";
import type { SelectedCreations } from "./selection.ts";
import { recreationBases } from "./vanished-users.ts";

/** One creation for each chosen person, with the team that it creates; and what each first member's key is created with. */
export function planCreations(context: PlanContext, people: UserIdentities, chosen: SelectedCreations) {
  const pairs = [...chosen.teamCreations.values()].map((pair) => {
    return { ...pair, sent: firstMemberRoles(pair.team, pair.firstMember, context) };
  });
  const pairOf = new Map(pairs.map((pair) => [pair.firstMember, pair]));
  // A member's creation waits for that of the team, so that a first member who fails can be replaced.
  const needed = new Set(pairs.flatMap(({ firstMember, admin }) => [firstMember, admin]));
  const waitsFor = multimap(
    pairs.flatMap(({ team, firstMember }) => {
      const waiting = team.members.filter(({ address }) => !needed.has(address) && chosen.creations.has(address));
      return waiting.map(({ address }) => [address, creationId(firstMember)] as const);
    }),
  );
  return {
    actions: [...people.values()].flatMap((person): readonly CreateUser[] => {
      if (person.is !== "absent" || !chosen.creations.has(person.user.address)) return [];
      const { user, absences } = person;
      const pair = pairOf.get(user.address);
      if (pair !== undefined) return [createUserWithTeam(person, pair, people, context)];
      const again = recreationBases(user, context);
      return [
        {
          ...creationOf(user),
          rule: again.length === 0 ? "absent-user" : "recreated-user",
          because: user.because,
          dependsOn: waitsFor.get(user.address) ?? [],
          restsOn: [...absences, ...again],
          request: creationRequest(user, context),
        },
      ];
    }),
    sent: new Map(pairs.map(({ team, sent }) => [team.key, sent])),
    findings: pairs.flatMap(({ team, firstMember, sent: { temporaryRoles: roles } }) => {
      const texts = say("temporary-privilege", { team: team.name, email: firstMember, roles });
      return roles.length === 0 ? [] : [teamFinding(team, { ...texts, roles })];
    }),
  };
}

function createUserWithTeam(
  { user, absences }: AbsentUser,
  pair: TeamCreationPair & { readonly sent: SentRoles },
  people: UserIdentities,
  context: PlanContext,
): CreateUser {
  const { team, absence, admin } = pair;
  const { accessKeyRoles, temporaryRoles } = pair.sent;
  const person = admin === undefined ? undefined : people.get(admin);
  const adminBasis =
    person?.is === "present" ? [observedBasis(userSubject(person.user.address), "present", person.observed.by)] : [];
  return {
    ...creationOf(user),
    rule: "creates-team",
    because: distinctReasons([...user.because.slice(0, 1), ...teamCreationReasons(pair), ...user.because]),
    dependsOn: person?.is === "absent" ? [creationId(person.user.address)] : [],
    restsOn: [...absences, ...recreationBases(user, context), absence, ...adminBasis],
    createsTeam: { team: team.key, name: team.name, accessKeyRoles, temporaryRoles, admin },
    request: teamCreationRequest(user, team, context),
  };
}

function creationOf({ address, account, previously, ...user }: AbsentUser["user"]) {
  const { email, firstName, lastName, title, externalIdentifier, source } = user;
  return {
    kind: "create-user",
    id: creationId(address),
    address,
    account,
    user: { email, firstName, lastName, title, externalIdentifier, source },
    formerly: previously.length === 0 ? undefined : previously.map(({ value }) => value),
  } as const;
}

/** The team, the place in it, and where the roster fixes who creates and who administers it. */
function teamCreationReasons({ team, firstMember }: TeamCreationPair): readonly Reason[] {
  const { because, admin, firstMember: named } = team;
  const member = team.members.find(({ address }) => address === firstMember);
  return [
    ...because.slice(0, 1),
    ...(named?.value === firstMember ? [reasonAt(named.place, "first-member", { name: firstMember })] : []),
    ...(admin === undefined ? [] : [reasonAt(admin.place, "admin", { name: admin.value })]),
    ...(member === undefined ? [] : membershipReasons(member)),
  ];
}
