import { say } from "../codes/message.ts";
import { type ActionId, type CreateUser, creationId } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import { definedFields, multimap } from "../model/collections.ts";
import { distinctReasons, type Reason, reasonAt } from "../model/fact.ts";
import { membershipReasons } from "../model/membership.ts";
import { observedBasis, userSubject } from "../model/subject.ts";
import type { PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { firstMemberRoles, type SentRoles } from "./first-member-roles.ts";
import { type AbsentUser, teamFinding, type UserIdentities } from "./identities.ts";
import type { TeamCreationPair } from "./new-teams.ts";
import { creationRequest, teamCreationRequest } from "./remembered-refusals.ts";
import type { SelectedCreations } from "./selection.ts";
import { recreationBases } from "./vanished-users.ts";

/** One creation for each chosen person, with the team that it creates; and what each first member's key is created with. */
export function planCreations(context: PlanContext, people: UserIdentities, chosen: SelectedCreations) {
  const pairs = [...chosen.teamCreations.values()].map((pair) => ({
    ...pair,
    sent: firstMemberRoles(pair.team, pair.firstMember, context),
  }));
  const pairOf = new Map(pairs.map((pair) => [pair.firstMember, pair]));
  const waitsFor = creationsAwaited(pairs, people, chosen);
  return {
    actions: [...people.values()].flatMap((person) => {
      if (person.is !== "absent" || !chosen.creations.has(person.user.address)) return [];
      const pair = pairOf.get(person.user.address);
      if (pair !== undefined) return [createUserWithTeam(person, pair, people, context)];
      return [createUser(person, waitsFor.get(person.user.address) ?? [], context)];
    }),
    sent: new Map(pairs.map(({ team, sent }) => [team.key, sent])),
    findings: pairs.flatMap(reportTemporaryPrivilege),
  };
}

/** Team creations that a member's creation waits for, so that a first member who fails can be replaced. */
function creationsAwaited(
  pairs: readonly TeamCreationPair[],
  people: UserIdentities,
  { creations }: SelectedCreations,
): ReadonlyMap<EmailKey, readonly ActionId[]> {
  const needed = new Set(pairs.flatMap(({ firstMember, admin }) => [firstMember, admin]));
  return multimap(
    pairs.flatMap(({ team, firstMember }) => {
      const person = people.get(firstMember);
      if (person?.is !== "absent") return [];
      const waiting = team.members.filter(({ address }) => !needed.has(address) && creations.has(address));
      return waiting.map(({ address }) => [address, creationId(firstMember)] as const);
    }),
  );
}

function createUser({ user, absences }: AbsentUser, dependsOn: readonly ActionId[], context: PlanContext): CreateUser {
  const again = recreationBases(user, context);
  return {
    ...creationOf(user),
    rule: again.length === 0 ? "absent-user" : "recreated-user",
    because: user.because,
    dependsOn,
    restsOn: [...absences, ...again],
    request: creationRequest(user, context),
  };
}

interface TeamCreationRoles extends TeamCreationPair {
  readonly sent: SentRoles;
}

function createUserWithTeam(
  { user, absences }: AbsentUser,
  pair: TeamCreationRoles,
  people: UserIdentities,
  context: PlanContext,
): CreateUser {
  const { team, absence, sent } = pair;
  const person = pair.admin === undefined ? undefined : people.get(pair.admin);
  const adminBasis =
    person?.is === "present" ? [observedBasis(userSubject(person.user.address), "present", person.observed.by)] : [];
  return {
    ...creationOf(user),
    rule: "creates-team",
    because: distinctReasons([...user.because.slice(0, 1), ...teamCreationReasons(pair), ...user.because]),
    dependsOn: person?.is === "absent" ? [creationId(person.user.address)] : [],
    restsOn: [...absences, ...recreationBases(user, context), absence, ...adminBasis],
    createsTeam: {
      team: team.key,
      name: team.name,
      accessKeyRoles: sent.accessKeyRoles,
      temporaryRoles: sent.temporaryRoles,
      admin: pair.admin,
    },
    request: teamCreationRequest(user, team, context),
  };
}

function creationOf(
  user: AbsentUser["user"],
): Pick<CreateUser, "kind" | "id" | "address" | "account" | "user" | "formerly"> {
  const { address, account, email, firstName, lastName, title, externalIdentifier, source, previously } = user;
  return {
    kind: "create-user",
    id: creationId(address),
    address,
    account,
    user: { email, firstName, lastName, ...definedFields({ title, externalIdentifier, source }) },
    formerly: previously.length === 0 ? undefined : previously.map(({ value }) => value),
  };
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

function reportTemporaryPrivilege({ team, firstMember, sent }: TeamCreationRoles): readonly FindingDraft[] {
  if (sent.temporaryRoles.length === 0) return [];
  const roles = sent.temporaryRoles;
  const texts = say("temporary-privilege", { team: team.name, email: firstMember, roles });
  return [teamFinding(team, { ...texts, roles })];
}
