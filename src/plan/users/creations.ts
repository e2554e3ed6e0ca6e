import type { ActionId, CreateUser, Founding, NewUser, PersonRef } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { distinctReasons, membershipReasons, type Reason, reasonAt } from "../../model/fact.ts";
import { multimap } from "../../model/role-set.ts";
import type { RosterUser } from "../../model/roster.ts";
import { observedBasis, userSubject } from "../../model/subject.ts";
import type { TeamKey } from "../../model/team.ts";
import type { PlanContext } from "../context.ts";
import { type FindingDraft, joinList } from "../finding-draft.ts";
import { founderRoles, type SentRoles } from "../founding/founder-roles.ts";
import type { FoundingPair } from "../founding/founders.ts";
import {
  createdRef,
  createUserId,
  presentRef,
  teamFinding,
  type UserIdentities,
  type UserToCreate,
} from "../identities.ts";
import { creationRequest, foundingRequest } from "../known-refusals.ts";
import type { SelectedCreations } from "../selection.ts";
import { recreationBases } from "./missing-users.ts";

interface Creations {
  /** In roster order. */
  readonly actions: readonly CreateUser[];
  /** What each founder's key is created with. */
  readonly sent: ReadonlyMap<TeamKey, SentRoles>;
  readonly findings: readonly FindingDraft[];
}

interface CreationInput {
  readonly context: PlanContext;
  readonly people: UserIdentities;
  readonly foundedBy: ReadonlyMap<FoldedAddress, FoundingPair>;
  readonly sent: ReadonlyMap<TeamKey, SentRoles>;
  /** Foundings that a member's creation waits for, so that a founder who fails can be replaced. */
  readonly waitsFor: ReadonlyMap<FoldedAddress, readonly ActionId[]>;
}

/** One creation for each chosen person, with the team that it founds. */
export function planCreations(context: PlanContext, people: UserIdentities, chosen: SelectedCreations): Creations {
  const pairs = [...chosen.foundings.values()];
  const sent = new Map(pairs.map((pair) => [pair.team.key, founderRoles(pair.team, pair.founder, context)]));
  const input: CreationInput = {
    context,
    people,
    foundedBy: new Map(pairs.map((pair) => [pair.founder, pair])),
    sent,
    waitsFor: waitingMembers(pairs, people, chosen),
  };
  const persons = [...people.values()].filter((person) => person.is === "new");
  return {
    actions: persons
      .filter(({ user }) => chosen.creations.has(user.address))
      .map((person) => createUserAction(person, input)),
    sent,
    findings: pairs.flatMap((pair) => reportMomentaryPrivilege(pair, sent.get(pair.team.key))),
  };
}

function waitingMembers(
  pairs: readonly FoundingPair[],
  people: UserIdentities,
  { creations }: SelectedCreations,
): ReadonlyMap<FoldedAddress, readonly ActionId[]> {
  const needed = new Set(pairs.flatMap(({ founder, admin }) => [founder, admin]));
  const waits = pairs.flatMap(({ team, founder }) => {
    const id = creationIdOf(founder, people);
    const waiting = team.members.filter(({ address }) => !needed.has(address) && creations.has(address));
    return id === undefined ? [] : waiting.map(({ address }) => [address, id] as const);
  });
  return multimap(waits);
}

function creationIdOf(address: FoldedAddress, people: UserIdentities): ActionId | undefined {
  const person = people.get(address);
  return person?.is === "new" ? createUserId(person.user) : undefined;
}

function createUserAction({ user, absences }: UserToCreate, input: CreationInput): CreateUser {
  const common = {
    kind: "create-user",
    id: createUserId(user),
    address: user.address,
    account: user.account,
    user: newUser(user),
    ...(user.previously.length === 0 ? {} : { formerly: user.previously.map(({ value }) => value) }),
  } as const;
  const pair = input.foundedBy.get(user.address);
  const sent = pair === undefined ? undefined : input.sent.get(pair.team.key);
  const again = recreationBases(user, input.context);
  if (pair === undefined || sent === undefined) {
    const dependsOn = input.waitsFor.get(user.address) ?? [];
    const request = creationRequest(user, input.context);
    const rule = again.length === 0 ? "absent-user" : "recreated-user";
    return { ...common, rule, because: user.because, dependsOn, restsOn: [...absences, ...again], request };
  }
  const admin = adminRef(pair, input.people);
  return {
    ...common,
    rule: "founds-team",
    because: distinctReasons([...user.because.slice(0, 1), ...foundingReasons(pair), ...user.because]),
    dependsOn: admin?.createdBy === undefined ? [] : [admin.createdBy],
    restsOn: [...absences, ...again, pair.absence, ...adminBasis(pair, input.people)],
    founds: founding(pair, sent, admin),
    request: foundingRequest(user, pair.team, input.context),
  };
}

/** The team, the place in it, and where the roster fixes who founds and who administers it. */
function foundingReasons({ team, founder }: FoundingPair): readonly Reason[] {
  const member = team.members.find(({ address }) => address === founder);
  const fixed = team.founder?.value === founder ? [reasonAt(team.founder.place, "founder", { name: founder })] : [];
  const admin = team.admin === undefined ? [] : [reasonAt(team.admin.place, "admin", { name: team.admin.value })];
  return [...team.because.slice(0, 1), ...fixed, ...admin, ...(member === undefined ? [] : membershipReasons(member))];
}

function founding({ team }: FoundingPair, sent: SentRoles, admin: PersonRef | undefined): Founding {
  const { accessKeyRoles, grantsForAMoment } = sent;
  const founds = { team: team.key, name: team.name, accessKeyRoles, grantsForAMoment };
  return admin === undefined ? founds : { ...founds, admin };
}

function adminRef({ admin }: FoundingPair, people: UserIdentities): PersonRef | undefined {
  const person = admin === undefined ? undefined : people.get(admin);
  if (person === undefined || person.is === "withheld") return undefined;
  return person.is === "present" ? presentRef(person) : createdRef(person.user);
}

function adminBasis({ admin }: FoundingPair, people: UserIdentities): CreateUser["restsOn"] {
  const person = admin === undefined ? undefined : people.get(admin);
  return person?.is === "present"
    ? [observedBasis(userSubject(person.user.address), "present", person.observed.by)]
    : [];
}

function newUser({ email, firstName, lastName, title, externalIdentifier, source }: RosterUser): NewUser {
  return {
    email,
    firstName,
    lastName,
    ...(title === undefined ? {} : { title }),
    ...(externalIdentifier === undefined ? {} : { externalIdentifier }),
    ...(source === undefined ? {} : { source }),
  };
}

function reportMomentaryPrivilege(
  { team, founder }: FoundingPair,
  sent: SentRoles | undefined,
): readonly FindingDraft[] {
  if (sent === undefined || sent.grantsForAMoment.length === 0) return [];
  const message =
    `When roster creates ${team.name}, the key of ${founder} gets ${joinList(sent.grantsForAMoment)} for a short time. ` +
    "The service offers no unprivileged role. The next action sets the exact roles.";
  return [teamFinding(team, { code: "temporary-privilege", roles: sent.grantsForAMoment, message })];
}
