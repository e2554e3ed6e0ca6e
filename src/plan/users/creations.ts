import type { ActionId, CreateUser, NewUser, PersonRef, TeamCreation } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { distinctReasons, membershipReasons, type Reason, reasonAt } from "../../model/fact.ts";
import type { Exception } from "../../model/policy.ts";
import { multimap, type RoleSet, sameRoles } from "../../model/role-set.ts";
import type { RosterUser } from "../../model/roster.ts";
import { accountStatus, type ObservedUser } from "../../model/snapshot.ts";
import { type RecordedUser, unshownUntil } from "../../model/state.ts";
import {
  type Basis,
  observedBasis,
  recordedBasis,
  type Subject,
  unknownBasis,
  userSubject,
} from "../../model/subject.ts";
import { membershipKeyOf, type TeamKey } from "../../model/team.ts";
import { nothingGranted } from "../allowances.ts";
import { formatWait, type PlanContext } from "../context.ts";
import { type FindingDraft, joinList, yamlScalar } from "../finding-draft.ts";
import { firstMemberRoles, type SentRoles } from "../first-member-roles.ts";
import {
  blockUser,
  type ClassifiedUser,
  createdRef,
  createUserId,
  type PresentUser,
  presentRef,
  teamFinding,
  type UserIdentities,
  type UserToCreate,
  userFinding,
} from "../identities.ts";
import type { TeamCreationPair } from "../new-teams.ts";
import { creationRequest, teamCreationRequest } from "../remembered-refusals.ts";
import type { SelectedCreations } from "../selection.ts";

interface Creations {
  /** In roster order. */
  readonly actions: readonly CreateUser[];
  /** What each first member's key is created with. */
  readonly sent: ReadonlyMap<TeamKey, SentRoles>;
  readonly findings: readonly FindingDraft[];
}

interface CreationInput {
  readonly context: PlanContext;
  readonly people: UserIdentities;
  readonly createdBy: ReadonlyMap<EmailKey, TeamCreationPair>;
  readonly sent: ReadonlyMap<TeamKey, SentRoles>;
  /** TeamCreations that a member's creation waits for, so that a first member who fails can be replaced. */
  readonly waitsFor: ReadonlyMap<EmailKey, readonly ActionId[]>;
}

/** One creation for each chosen person, with the team that it creates. */
export function planCreations(context: PlanContext, people: UserIdentities, chosen: SelectedCreations): Creations {
  const pairs = [...chosen.teamCreations.values()];
  const sent = new Map(pairs.map((pair) => [pair.team.key, firstMemberRoles(pair.team, pair.firstMember, context)]));
  const input: CreationInput = {
    context,
    people,
    createdBy: new Map(pairs.map((pair) => [pair.firstMember, pair])),
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
  pairs: readonly TeamCreationPair[],
  people: UserIdentities,
  { creations }: SelectedCreations,
): ReadonlyMap<EmailKey, readonly ActionId[]> {
  const needed = new Set(pairs.flatMap(({ firstMember, admin }) => [firstMember, admin]));
  const waits = pairs.flatMap(({ team, firstMember }) => {
    const id = creationIdOf(firstMember, people);
    const waiting = team.members.filter(({ address }) => !needed.has(address) && creations.has(address));
    return id === undefined ? [] : waiting.map(({ address }) => [address, id] as const);
  });
  return multimap(waits);
}

function creationIdOf(address: EmailKey, people: UserIdentities): ActionId | undefined {
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
  const pair = input.createdBy.get(user.address);
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
    rule: "creates-team",
    because: distinctReasons([...user.because.slice(0, 1), ...teamCreationReasons(pair), ...user.because]),
    dependsOn: admin?.createdBy === undefined ? [] : [admin.createdBy],
    restsOn: [...absences, ...again, pair.absence, ...adminBasis(pair, input.people)],
    createsTeam: teamCreation(pair, sent, admin),
    request: teamCreationRequest(user, pair.team, input.context),
  };
}

/** The team, the place in it, and where the roster fixes who creates and who administers it. */
function teamCreationReasons({ team, firstMember }: TeamCreationPair): readonly Reason[] {
  const member = team.members.find(({ address }) => address === firstMember);
  const fixed =
    team.firstMember?.value === firstMember
      ? [reasonAt(team.firstMember.place, "first-member", { name: firstMember })]
      : [];
  const admin = team.admin === undefined ? [] : [reasonAt(team.admin.place, "admin", { name: team.admin.value })];
  return [...team.because.slice(0, 1), ...fixed, ...admin, ...(member === undefined ? [] : membershipReasons(member))];
}

function teamCreation({ team }: TeamCreationPair, sent: SentRoles, admin: PersonRef | undefined): TeamCreation {
  const { accessKeyRoles, temporaryRoles } = sent;
  const createsTeam = { team: team.key, name: team.name, accessKeyRoles, temporaryRoles };
  return admin === undefined ? createsTeam : { ...createsTeam, admin };
}

function adminRef({ admin }: TeamCreationPair, people: UserIdentities): PersonRef | undefined {
  const person = admin === undefined ? undefined : people.get(admin);
  if (person === undefined || person.is === "withheld") return undefined;
  return person.is === "present" ? presentRef(person) : createdRef(person.user);
}

function adminBasis({ admin }: TeamCreationPair, people: UserIdentities): CreateUser["restsOn"] {
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
  { team, firstMember }: TeamCreationPair,
  sent: SentRoles | undefined,
): readonly FindingDraft[] {
  if (sent === undefined || sent.temporaryRoles.length === 0) return [];
  const message =
    `When roster creates ${team.name}, the key of ${firstMember} gets ${joinList(sent.temporaryRoles)} for a short time. ` +
    "A new key needs at least one role. The next action sets the exact roles.";
  return [teamFinding(team, { code: "temporary-privilege", roles: sent.temporaryRoles, message })];
}

/** A person that the state knows at the address, and who is gone or has another address now: nobody is created in their place. */
export function classifyVanishedUser(user: RosterUser, context: PlanContext): ClassifiedUser | undefined {
  const { state, facts, grants } = context;
  const record = state.users.get(user.address);
  if (record === undefined) return undefined;
  const moved = record.identifier === undefined ? undefined : facts.userIdentifiedBy(record.identifier);
  // The word may be older than our creation: a command that is run once more mails nobody twice.
  const settling = moved === undefined ? recentlyCreatedUser(user, record, context) : undefined;
  if (settling !== undefined) return settling;
  if (grants.covers(recreation(user))) return undefined;
  const when = record.createdAt ?? record.seenAt;
  if (when === undefined && moved === undefined) return undefined;
  // Somebody may be there whom searches do not show: no allowance is offered that would create them again.
  const isAbsent = context.snapshot.absences.get(user.address)?.proven === true;
  if (moved === undefined && !isAbsent) return undefined;
  const restsOn = [...recordBases(user, record, moved), ...absenceBases(user, context)];
  if (moved !== undefined && isUnclaimed(moved, context)) return movedUser(user, record, { moved, restsOn });
  const now = moved === undefined ? "does not show the address any more" : `shows that user as ${moved.email} now`;
  const message =
    `${formatPast(user, record)}. The service ${now}. roster does not recreate users on its own. ` +
    "Correct the address, or remove the user from the roster. If you want a new user, allow it.";
  return blockUser(user, { code: "user-missing", message, restsOn, allow: [recreation(user)] });
}

function recreation({ address }: RosterUser): Exception {
  return { is: "recreate", address };
}

/** What our records tie to the address of somebody that no read shows there; empty where nobody was here. */
function vanishedBases(user: RosterUser, { state, facts }: PlanContext): readonly Basis[] {
  const record = state.users.get(user.address);
  if (record === undefined) return [];
  const moved = record.identifier === undefined ? undefined : facts.userIdentifiedBy(record.identifier);
  return recordBases(user, record, moved);
}

/** Whether the address is one that the roster can be given for this user: that of somebody who is there, and nobody else's. */
function isUnclaimed({ address, status }: ObservedUser, { roster }: PlanContext): boolean {
  return accountStatus(status) !== "deleted" && !roster.users.has(address) && !roster.leavers.has(address);
}

/** The address was changed in the service first. */
function movedUser(
  user: RosterUser,
  record: RecordedUser,
  { moved, restsOn }: { readonly moved: ObservedUser; readonly restsOn: readonly Basis[] },
): ClassifiedUser {
  const message =
    `${formatPast(user, record)}. The service shows that user as ${moved.email} now, so the address was changed there. ` +
    `roster does not create the user again. Write ${moved.email} as the \`email\`, and ${user.email} under \`previously\`. ` +
    "If they are two different people, allow a new user.";
  const suggestedYaml = `users:\n  - email: ${yamlScalar(moved.email)}\n    previously: [${yamlScalar(user.email)}]\n`;
  return blockUser(user, { code: "user-missing", message, restsOn, suggestedYaml, allow: [recreation(user)] });
}

/** Another user has the address now: what is recorded of the former one is not theirs. */
export function classifyReplacedUser(
  user: RosterUser,
  shown: ObservedUser,
  context: PlanContext,
): ClassifiedUser | undefined {
  const { state, facts, grants } = context;
  const record = state.users.get(user.address);
  if (grants.covers(recreation(user)) || record?.identifier === undefined) return undefined;
  if (shown.identifier === undefined || shown.identifier === record.identifier) return undefined;
  const moved = facts.userIdentifiedBy(record.identifier);
  const where = moved === undefined ? "" : `, and the former user as ${moved.email}`;
  const message =
    `${formatPast(user, record)} as the user ${record.identifier}. The service now shows another user, ${shown.identifier}, with this address${where}. ` +
    "roster changes nothing, because this may be another person. Correct the address. If the user is the right one, allow it.";
  const bases = [
    ...recordBases(user, record, moved),
    observedBasis(userSubject(user.address), `present as ${shown.identifier}`, shown.by),
  ];
  return blockUser(user, { code: "user-missing", message, restsOn: bases, allow: [recreation(user)] });
}

/** Whether another user has the address now, that a person takes for the one who is meant. */
export function isAcceptedReplacement(user: RosterUser, shown: ObservedUser, context: PlanContext): boolean {
  if (!context.grants.covers(recreation(user))) return false;
  return classifyReplacedUser(user, shown, { ...context, grants: nothingGranted }) !== undefined;
}

function formatPast({ email }: RosterUser, { createdAt, seenAt }: RecordedUser): string {
  return createdAt === undefined
    ? `${email} existed at ${seenAt ?? "an earlier run"}`
    : `${email} was created at ${createdAt}`;
}

function recordBases(user: RosterUser, record: RecordedUser, moved: ObservedUser | undefined): readonly Basis[] {
  const when = record.createdAt ?? record.seenAt;
  return [
    ...(when === undefined ? [] : [recordedBasis(userSubject(user.address), "present", when)]),
    ...(moved === undefined
      ? []
      : [observedBasis(userSubject(moved.address), `present as ${record.identifier}`, moved.by)]),
  ];
}

/** That nobody is shown at the address, where that was proven. */
function absenceBases({ address }: RosterUser, { snapshot }: PlanContext): readonly Basis[] {
  const absence = snapshot.absences.get(address);
  return absence?.proven === true ? [observedBasis(userSubject(address), "absent", absence.by)] : [];
}

/** A user that we created a moment ago, and that no read has ever shown. */
function recentlyCreatedUser(user: RosterUser, record: RecordedUser, context: PlanContext): ClassifiedUser | undefined {
  const { createdAt } = record;
  const { policy, snapshot } = context;
  const unshown = Date.parse(snapshot.readAt) < unshownUntil(record, policy.consistency);
  if (createdAt === undefined || !unshown) return undefined;
  const finding = userFinding(user, {
    code: "write-pending",
    message: `roster created ${user.email} at ${createdAt}. Reads do not show the user yet. ${formatWait(createdAt, context)}`,
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
  if (ownKeyRoles !== undefined && record.createdTeam === undefined && !isPut(record.key, ownKeyRoles.value))
    return true;
  return roster.teams.some(({ key, members }) =>
    members.some(({ address, roles }) => {
      if (address !== user.address) return false;
      const place = state.memberships.get(membershipKeyOf(key, address));
      if (place === undefined) return true;
      return roles !== undefined && !isPut(place.prefix, roles);
    }),
  );
}

/**
 * What a creation rests on besides the absence, where only an allowance lets it pass: what is recorded of the user who was
 * here, and the allowance. Empty where none was needed.
 */
function recreationBases(user: RosterUser, context: PlanContext): readonly Basis[] {
  if (!context.grants.covers(recreation(user))) return [];
  const recorded = vanishedBases(user, context);
  return recorded.length === 0 ? [] : [...recorded, unknownBasis(userSubject(user.address), personWantsAgain)];
}

const personWantsAgain = "you allowed roster to create them again";

/** The allowance by which a user that the state does not know is taken for the right one, where one was needed. `about`: what rests on it. */
export function acceptedReplacementBasis({ meantBy }: Pick<PresentUser, "meantBy">, about: Subject): readonly Basis[] {
  return meantBy === undefined
    ? []
    : [unknownBasis(about, "you allowed roster to use the user who has the address now")];
}
