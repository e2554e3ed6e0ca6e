import type { EmailKey } from "../model/address.ts";
import {
  additionRefusalFacts,
  creationRefusalFacts,
  isSameRequest,
  type RecordedRefusal,
  type RefusalKey,
  type RequestDigest,
  refusalKeyOf,
  roleRefusalFacts,
} from "../model/refusal.ts";
import { type RoleSet, roleSet, rolesWithout, teamRole } from "../model/role-set.ts";
import type { RosterTeam, RosterUser } from "../model/roster.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import { recordedBasis, type Subject } from "../model/subject.ts";
import { membershipKeyOf } from "../model/team.ts";
import type { PlanContext } from "./context.ts";
import type { KnownTeam, PresentUser, UserIdentity } from "./identities.ts";

/** The refusal of this very creation, without a team: it was refused for the person's sake. */
export function refusedCreation(user: RosterUser, context: PlanContext): RecordedRefusal | undefined {
  const { address, email, account } = user;
  const key = refusalKeyOf({ of: "creation", address, email, account });
  return stillRefused(key, context, () => creationRequest(user, context));
}

/** The refusal to found this very team with this very person: for whose sake, nobody can tell. */
export function refusedTeamCreation(
  user: RosterUser,
  team: RosterTeam,
  context: PlanContext,
): RecordedRefusal | undefined {
  const { address, email, account } = user;
  const key = refusalKeyOf({ of: "team-creation", address, email, account, team: team.key, name: team.name });
  return stillRefused(key, context, () => teamCreationRequest(user, team, context));
}

/** The refusal to let this person into this very team, under whichever of its names it was asked for. */
export function refusedAddition(
  person: PresentUser,
  { team, identifier, recordKeys }: KnownTeam,
  context: PlanContext,
): RecordedRefusal | undefined {
  const { address } = person.user;
  for (const key of recordKeys) {
    const part = { of: "addition", address, account: team.account, team: key, name: team.name, identifier } as const;
    const refusal = stillRefused(refusalKeyOf(part), context, () => additionRequest(person, context));
    if (refusal?.part.of === "addition" && refusal.part.identifier === identifier) return refusal;
  }
  return undefined;
}

/** The refusal to give these very roles to this key. */
export function refusedRoles(
  key: { readonly prefix: string; readonly owner: EmailKey | undefined },
  roles: RoleSet,
  context: PlanContext,
): RecordedRefusal | undefined {
  const { prefix } = key;
  return stillRefused(refusalKeyOf({ of: "roles", prefix, roles }), context, () => rolesRequest(key, roles, context));
}

/** Undefined where nothing was refused, where something of it has changed, or where a person wants it sent again. */
function stillRefused(
  key: RefusalKey,
  { state, grants }: PlanContext,
  request: () => RequestDigest,
): RecordedRefusal | undefined {
  const refusal = state.refusals.get(key);
  if (refusal === undefined || grants.retries(refusal)) return undefined;
  return isSameRequest(refusal.request, request()) ? refusal : undefined;
}

/** The creation of a person without a team. */
export function creationRequest(user: RosterUser, context: PlanContext): RequestDigest {
  const facts = creationRefusalFacts(context.snapshot.accounts.get(user.account));
  return digestRequest(["create", ...creationFields(user)], facts, context);
}

/** The creation of a person with a team. */
export function teamCreationRequest(user: RosterUser, team: RosterTeam, context: PlanContext): RequestDigest {
  const { accessKeyRoles } = firstMemberRoles(team, user.address, context);
  const admin = team.admin === undefined || team.admin.value === user.address ? undefined : team.admin.value;
  const asks = ["found", ...creationFields(user), team.name, admin ?? null, accessKeyRoles];
  const account = context.snapshot.accounts.get(user.account);
  if (admin === undefined) return digestRequest(asks, creationRefusalFacts(account), context);
  const shown = observedUserAt(admin, context);
  return digestRequest(asks, shown === undefined ? undefined : creationRefusalFacts(account, shown), context);
}

/** One person's part of the addition of members to a team. The team's identifier is compared by itself. */
export function additionRequest(person: UserIdentity, context: PlanContext): RequestDigest {
  const facts = person.is === "present" ? additionRefusalFacts(person.observed) : undefined;
  return digestRequest(["add", person.user.email], facts, context);
}

/** The replacement of the roles of a key that is there. */
export function rolesRequest(
  key: { readonly prefix: string; readonly owner: EmailKey | undefined },
  roles: RoleSet,
  context: PlanContext,
): RequestDigest {
  const held = context.facts.keyPrefixed(key.prefix);
  const holder = held?.holder ?? (key.owner === undefined ? undefined : observedUserAt(key.owner, context));
  const facts = roleRefusalFacts(roles, { roles: context.snapshot.roles, holder, key: held?.key });
  return digestRequest(["roles", roles], facts, context);
}

/** The replacement of the roles of a key that this plan makes. */
export function givenRolesRequest(roles: RoleSet, context: PlanContext): RequestDigest {
  return digestRequest(["roles", roles], undefined, context);
}

function digestRequest(asks: readonly unknown[], facts: string | undefined, { digest }: PlanContext): RequestDigest {
  const short = (text: string) => digest(text).slice(0, 16);
  return { asks: short(JSON.stringify(asks)), ...(facts === undefined ? {} : { facts: short(facts) }) };
}

/** Written as a list, so that no order of fields can change the text. */
function creationFields(user: RosterUser): readonly unknown[] {
  const { account, email, firstName, lastName, title, externalIdentifier, source } = user;
  return [account, email, firstName, lastName, title ?? null, externalIdentifier ?? null, source ?? null];
}

/** The one user who is shown with the address and not deleted. */
function observedUserAt(address: EmailKey, { facts }: PlanContext): ObservedUser | undefined {
  const [shown, another] = facts.people.get(address) ?? [];
  return another === undefined && shown !== undefined && accountStatus(shown.status) !== "deleted" ? shown : undefined;
}

/** What was refused, when, in which words, and by which request. */
export function formatRefusal(doing: string, { at, failure }: RecordedRefusal): string {
  const { message, serviceSays, request, hint } = failure;
  const asked = request === undefined ? "" : ` (request ${request})`;
  const words = serviceSays === undefined ? message : `${message}: ${serviceSays}`;
  const next = hint === undefined ? "" : ` ${asSentence(hint)}`;
  return `The service refused to ${doing} at ${at}${asked}: ${withFullStop(words)}${next}`;
}

/** Both ways out; the first is a change of the roster. */
export function formatRefusalRemedies(correct: string): string {
  return (
    "roster does not send the same request again on its own. " +
    `${asSentence(correct)} If you corrected the service instead, allow a retry.`
  );
}

export function refusalBasis(about: Subject, { at }: RecordedRefusal): ReturnType<typeof recordedBasis> {
  return recordedBasis(about, "refused", at);
}

function asSentence(text: string): string {
  return withFullStop(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);
}

function withFullStop(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}

/** What the first member's key of a team is asked to carry. */
export function firstMemberRoles(team: RosterTeam, firstMember: EmailKey, context: PlanContext): SentRoles {
  const { facts, policy, held } = context;
  const { privilegedRoles: privileged } = policy;
  const wanted = team.members.find(({ address }) => address === firstMember)?.roles;
  const known = facts.rolesFor?.("team");
  const sent = rolesToSend({ wanted, known, privileged });
  if (wanted === undefined || !held.privileges.has(membershipKeyOf(team.key, firstMember))) return sent;
  // The key stays without them until the guard lets its roles be made exact.
  return { ...rolesToSend({ wanted: rolesWithout(wanted, privileged), known, privileged }), exact: sent.exact };
}

/** Roles of this first member that the service does not know: the team cannot be created with them. */
export function unknownFirstMemberRoles(team: RosterTeam, firstMember: EmailKey, { facts }: PlanContext): RoleSet {
  const known = facts.rolesFor?.("unclear");
  const wanted = team.members.find(({ address }) => address === firstMember)?.roles ?? [];
  return known === undefined ? [] : wanted.filter((role) => !known.has(role));
}

/** What the first member's key is asked to carry, and what of it nobody wanted. */
export interface SentRoles {
  /** Never empty: without any role the service grants ACCOUNT_ADMIN. */
  readonly accessKeyRoles: RoleSet;
  readonly temporaryRoles: RoleSet;
  /** The roles that the key is to end with. */
  readonly exact: RoleSet;
}

interface FirstMemberRolesInput {
  /** Absent where the roster does not manage the first member's team key. */
  readonly wanted: RoleSet | undefined;
  /** Roles that the service knows; absent where it did not say. */
  readonly known: ReadonlySet<string> | undefined;
  readonly privileged: RoleSet;
}

/** The default role is asked for where nothing harmless is wanted. No other role takes the place of one that the roster gives. @internal */
export function rolesToSend({ wanted, known, privileged }: FirstMemberRolesInput): SentRoles {
  const askable = (wanted ?? []).filter((role) => known?.has(role) ?? true);
  const isHarmless = (role: string) => !privileged.includes(role);
  const needsDefault = askable.length === 0 || (!askable.some(isHarmless) && isHarmless(teamRole));
  const accessKeyRoles = roleSet([...askable, ...(needsDefault ? [teamRole] : [])]);
  const unwanted = rolesWithout(accessKeyRoles, wanted ?? []);
  const temporaryRoles = unwanted.filter((role) => !isHarmless(role));
  const isWhole = wanted !== undefined && askable.length === wanted.length;
  return { accessKeyRoles, temporaryRoles, exact: isWhole ? wanted : rolesWithout(accessKeyRoles, temporaryRoles) };
}
