import { say, sentence } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import { retryOf } from "../model/allowance.ts";
import { accountStatus } from "../model/key.ts";
import type { RecordedRefusal } from "../model/recorded.ts";
import type { RoleSet } from "../model/role-set.ts";
import { sha256 } from "../model/sha256.ts";
import { recordedBasis, type Subject } from "../model/subject.ts";
import type { DesiredTeam } from "../model/team.ts";
import type { DesiredUser, ObservedUser } from "../model/user.ts";
import type { PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { firstMemberRoles } from "./first-member-roles.ts";
import type { UserIdentity } from "./identities.ts";

/**
 * The refusal of this very request, which would be refused again. Undefined where the roster asks for something else, where a read shows
 * something else of those whom it is about, or where a person wants it sent again.
 */
export function refusalOf(
  request: string | undefined,
  { state, allowances }: PlanContext,
): RecordedRefusal | undefined {
  const refusal = request === undefined ? undefined : state.refusals.get(request);
  return refusal === undefined || allowances.ask(retryOf(refusal)).isAllowed ? undefined : refusal;
}

/** Digests the creation of a user without a team, and what of the account may decide whether it is refused. */
export function creationRequest(user: DesiredUser, context: PlanContext): string {
  return digestRequest(["create", ...creationFields(user, context)]);
}

/** The same with a team. Undefined where the administrator does not exist yet. */
export function teamCreationRequest(user: DesiredUser, team: DesiredTeam, context: PlanContext): string | undefined {
  const admin = team.admin?.value === user.address ? undefined : team.admin?.value;
  const shown = admin === undefined ? undefined : observedUserAt(admin, context);
  if (admin !== undefined && shown === undefined) return undefined;
  const { accessKeyRoles } = firstMemberRoles(team, user.address, context);
  const asked = ["create-with-team", ...creationFields(user, context), team.name, accessKeyRoles];
  return digestRequest([...asked, admin, ...userFacts(shown)]);
}

/** One person's part of an addition. Undefined where this plan makes the person or the team: it may be refused for that alone. */
export function additionRequest(person: UserIdentity, identifier: string | undefined): string | undefined {
  if (person.is !== "present" || identifier === undefined) return undefined;
  return digestRequest(["add", identifier, person.user.email, ...userFacts(person.observed)]);
}

export function rolesRequest(
  { prefix, owner }: { readonly prefix: string; readonly owner: EmailKey | undefined },
  roles: RoleSet,
  context: PlanContext,
): string {
  const held = context.facts.keyPrefixed(prefix);
  const holder = held?.holder ?? (owner === undefined ? undefined : observedUserAt(owner, context));
  const listed = context.snapshot.roles.known === "unknown" ? [] : context.snapshot.roles.value;
  const kinds = listed.flatMap(({ identifier, type }) => (roles.includes(identifier) ? [[identifier, type]] : []));
  const { status, roles: carried } = held?.key ?? {};
  return digestRequest(["roles", prefix, roles, ...userFacts(holder), status, carried, kinds.sort()]);
}

/** Of a list, so that no order of fields can change it. What is absent is written as null. */
function digestRequest(parts: readonly unknown[]): string {
  return sha256(JSON.stringify(parts)).slice(0, 16);
}

function creationFields(user: DesiredUser, { snapshot }: PlanContext): readonly unknown[] {
  const { account, email, firstName, lastName, title, externalIdentifier, source } = user;
  const { status } = snapshot.accounts.get(account) ?? {};
  return [account, status, email, firstName, lastName, title, externalIdentifier, source];
}

function userFacts(user: ObservedUser | undefined): readonly unknown[] {
  return [user?.identifier, user?.status, user?.account];
}

/** The one user who is shown with the address and not deleted. */
function observedUserAt(address: EmailKey, { facts }: PlanContext): ObservedUser | undefined {
  const [shown, another] = facts.people.get(address) ?? [];
  return another === undefined && shown !== undefined && accountStatus(shown.status) !== "deleted" ? shown : undefined;
}

/** What is told of a refused request. `correct`: what a person can change in the roster or the service. */
export function refusedFinding(about: Subject, refusal: RecordedRefusal, correct: string) {
  const texts = say("refused/request", { refusals: formatRefusal(refusal), correct: asSentence(correct) });
  const restsOn = [recordedBasis(about, "refused", refusal.at)];
  return { ...texts, restsOn, allow: [retryOf(refusal)] } satisfies Partial<FindingDraft>;
}

export function formatRefusal({ asked, at, failure }: RecordedRefusal): string {
  const { message, serviceSays, request, hint } = failure;
  const answer = withFullStop(serviceSays === undefined ? message : `${message}: ${serviceSays}`);
  return sentence("refusal", { asked, at, request, answer, hint: hint && asSentence(hint) });
}

function asSentence(text: string): string {
  return withFullStop(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);
}

function withFullStop(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
