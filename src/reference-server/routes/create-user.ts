import type { Knobs } from "../knobs/registry.ts";
import {
  answer,
  answerNothing,
  answerText,
  isRefusal,
  quoted,
  type Refusal,
  type Reply,
  refuse,
  type ServedAnswer,
  withStatus,
} from "../responses/reply.ts";
import {
  foundedTeamField,
  renderAccount,
  renderKey,
  renderProfile,
  renderUser,
  renderUserReference,
} from "../responses/user.ts";
import type { RequestContext } from "../service-context.ts";
import { type Account, accountAdmin, isActive, type Key, type Team, teamRole, type User } from "../world.ts";
import { checkGrantable } from "./roles.ts";
import { accountOfRequest, addressHolder, namedUser } from "./users.ts";

export interface CreateUserRequest {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly title?: string;
  readonly externalIdentifier?: string;
  readonly source?: string;
  readonly team?: NewTeamRequest;
}

interface NewTeamRequest {
  readonly name?: string;
  readonly adminUserIdentifier?: string;
  readonly accessKeyRoles?: readonly string[];
}

/** Creates a user with one key: their own, or that of the team which is created with them. */
export function createUser(call: RequestContext, creation: CreateUserRequest): Reply {
  const { knobs } = call;
  const account = accountOfRequest(call);
  if (isRefusal(account)) return account;
  const obstacle = checkCreation(call, account, creation);
  if (obstacle !== undefined) return obstacle;
  const holder = knobs.conflict === "second-user" ? undefined : addressHolder(call, creation.email);
  if (holder !== undefined) return respondToConflict(call, holder, creation.email);
  const created = addUserWithKey(call, account, creation);
  return knobs.conflict === "409-though-created"
    ? refuseConflict(409, creation.email)
    : createUserResponse(call, created);
}

function checkCreation(call: RequestContext, account: Account, creation: CreateUserRequest): Refusal | undefined {
  if (!isActive(account)) {
    return refuse(
      400,
      `The account ${quoted(account.identifier)} has the status ${account.status}; no user can be created`,
    );
  }
  if (!isDeliverable(creation.email))
    return refuse(400, "The body is not as described: email must be an e-mail address");
  const fault = checkTitle(call.knobs.maxTitle, creation.title);
  return fault ?? (creation.team === undefined ? undefined : checkTeamCreation(call, creation.team));
}

function checkTeamCreation(call: RequestContext, teamCreation: NewTeamRequest): Refusal | undefined {
  const admin = teamCreation.adminUserIdentifier;
  if (admin !== undefined && namedUser(call, admin) === undefined) {
    return refuse(400, `The field team.adminUserIdentifier matches no user: ${quoted(admin)}`);
  }
  return checkGrantable(call, teamCreation.accessKeyRoles ?? [], { kind: "team", before: [] });
}

function respondToConflict(call: RequestContext, holder: User, email: string): Reply {
  const conflict = call.knobs.create === "C11" ? "200" : call.knobs.conflict;
  switch (conflict) {
    case "200":
      return existingUserResponse(call, holder);
    case "500":
      return refuse(500, "could not execute statement; constraint [users_email_key]");
    case "409-though-created":
      return refuseConflict(409, email);
    default:
      return refuseConflict(Number(conflict), email);
  }
}

function refuseConflict(status: number, email: string): Refusal {
  return refuse(status, `A user with the email ${quoted(email)} is there already`);
}

/** Adds a user with their key, and the team that is created with them. */
function addUserWithKey(call: RequestContext, account: Account, creation: CreateUserRequest): CreatedUser {
  const { knobs, now, world } = call;
  const { firstName, lastName, title } = storedNames(knobs.texts, creation);
  const user = world.addUser({
    account,
    email: storedEmail(knobs.emailCase, creation.email),
    firstName,
    lastName,
    title,
    externalIdentifier: storedExternalId(knobs.externalId, creation),
    source: creation.source,
    createdAt: now,
  });
  if (creation.team === undefined) {
    const { key, keys } = addOwnKeys(call, user);
    return { user, key, keys, team: undefined };
  }
  const team = createTeam(call, user, creation.team);
  const roles = firstMemberKeyRoles(knobs.firstMemberRoles, creation.team.accessKeyRoles ?? []);
  return { user, ...addFirstMemberKeys(call, team, user, roles), team };
}

/** The new team holds only its first member, whose key is active. */
function createTeam(call: RequestContext, firstMember: User, teamCreation: NewTeamRequest): Team {
  const name = teamCreation.name ?? `Team${firstMember.firstName} ${firstMember.lastName}`;
  const named = teamCreation.adminUserIdentifier;
  const admin = (named === undefined ? undefined : namedUser(call, named)) ?? firstMember;
  return call.world.addTeam({ account: firstMember.account, name, admin, createdAt: call.now });
}

type CreatedKeys = Pick<CreatedUser, "key" | "keys">;

function addOwnKeys(call: RequestContext, owner: User): CreatedKeys {
  const key = addKey(call, { kind: "user", owner, roles: [teamRole] });
  return { key, keys: [key, ...secondKey(call, { kind: "project", owner, roles: [teamRole] })] };
}

function addFirstMemberKeys(call: RequestContext, team: Team, owner: User, roles: readonly string[]): CreatedKeys {
  const others = secondKey(call, { kind: "user", owner, roles: [teamRole] });
  const key = addKey(call, { kind: "team", owner, team, roles });
  return { key, keys: [...others, key] };
}

type KeyInput = Pick<Key, "kind" | "owner" | "roles"> & { readonly team?: Team };

/** A key more than the one that is needed, where this service makes one. */
function secondKey(call: RequestContext, wish: KeyInput): readonly Key[] {
  return call.knobs.create === "C10" || call.knobs.create === "C10-ambiguous" ? [addKey(call, wish)] : [];
}

function addKey(call: RequestContext, wish: KeyInput): Key {
  const { kind, owner, team, roles } = wish;
  return call.world.addKey({ kind, owner, team, roles, createdAt: call.now });
}

/** What the creation of a user made. */
interface CreatedUser {
  readonly user: User;
  /** The one whose prefix is needed: the team's where one was created. */
  readonly key: Key;
  /** Every new key, in the order of their making. */
  readonly keys: readonly Key[];
  readonly team: Team | undefined;
}

function createUserResponse(call: RequestContext, created: CreatedUser): ServedAnswer {
  const shaped = creationAnswer(call, created);
  return call.knobs.create === "C9" ? shaped : withStatus(shaped, Number(call.knobs.createStatus));
}

function creationAnswer(call: RequestContext, created: CreatedUser): ServedAnswer {
  const { knobs } = call;
  const { user, key, team } = created;
  switch (knobs.create) {
    case "C1":
    case "C10":
    case "C11":
      return answer(201, renderCreatedUser(withKeysIn(knobs, "accessKeys"), created));
    case "C2":
      return answer(201, {
        ...renderKey(knobs, key, "made"),
        user: renderUserReference(knobs, user),
        account: renderAccount(knobs, user.account),
      });
    case "C3":
      return answer(201, renderCreatedUser(withKeysIn(knobs, "listAccessKeys"), created));
    case "C4":
      return answer(201, { user: renderUserReference(knobs, user), accessKey: { prefix: key.prefix } });
    case "C5":
      return answer(201, { ...renderUserReference(knobs, user), accessKeyPrefix: key.prefix });
    case "C6":
      return answer(201, { user: renderProfile(knobs, user), apiKey: `${key.prefix}.${key.secret}` });
    case "C7":
      return answer(201, {
        data: {
          user: renderProfile(knobs, user),
          accessKeys: [renderKey(knobs, key, "made")],
          ...foundedTeamField(knobs, team),
        },
      });
    case "C8":
      return answerNothing(201, { location: userLocation(call, user) });
    case "C9":
      return answer(
        202,
        { status: "PENDING" },
        { location: userLocation(call, user), "retry-after": String(knobs.retryAfterSeconds) },
      );
    case "C10-ambiguous":
      return answer(
        201,
        renderCreatedUser({ ...knobs, showKeys: "accessKeys", showKeyKinds: "none", showTeams: "none" }, created),
      );
    case "C12":
      return answerText(201, "text/plain; charset=utf-8", key.prefix);
  }
}

/** The user who was there already, where a creation answers so. */
function existingUserResponse({ knobs }: RequestContext, user: User): ServedAnswer {
  return answer(200, renderUser(withKeysIn(knobs, "accessKeys"), user, { keys: user.keys, on: "listed" }));
}

function withKeysIn(knobs: Knobs, showKeys: Knobs["showKeys"]): Knobs {
  return knobs.showKeys === showKeys ? knobs : { ...knobs, showKeys };
}

function renderCreatedUser(knobs: Knobs, { user, keys, team }: CreatedUser): object {
  const rendered = renderUser(knobs, user, { keys, on: "made" });
  return team === undefined ? rendered : { ...rendered, ...foundedTeamField(knobs, team) };
}

function userLocation({ path }: RequestContext, { identifier }: User): string {
  return `${path}/${encodeURIComponent(identifier)}`;
}

function checkTitle(most: number, title: string | undefined): Refusal | undefined {
  if (most === 0 || title === undefined || title.length <= most) return undefined;
  return refuse(400, `The field title has ${title.length} letters; at most ${most} are allowed`);
}

function storedEmail(how: Knobs["emailCase"], sent: string): string {
  return how === "lower" ? sent.toLowerCase() : sent;
}

function storedExternalId(
  how: Knobs["externalId"],
  sent: { readonly externalIdentifier?: string | undefined; readonly email: string },
): string | undefined {
  return how === "email" ? sent.email : sent.externalIdentifier;
}

interface UserNames {
  readonly firstName: string;
  readonly lastName: string;
  readonly title?: string | undefined;
}

function storedNames(how: Knobs["texts"], { firstName, lastName, title }: UserNames): UserNames {
  switch (how) {
    case "keep":
      return { firstName, lastName, title };
    case "trim":
      return { firstName: firstName.trim(), lastName: lastName.trim(), title: title?.trim() || undefined };
    case "drop-title":
      return { firstName, lastName };
  }
}

function firstMemberKeyRoles(how: Knobs["firstMemberRoles"], sent: readonly string[]): readonly string[] {
  const asWithout = sent.length === 0 || how === "ACCOUNT_ADMIN+TEAM_ROLE";
  return [...(asWithout ? [accountAdmin] : []), teamRole, ...sent];
}

/** Whether this service sends mail to an address: to one that every program on the way reads in the same way. @internal */
export function isDeliverable(email: string): boolean {
  if (plainAddress.test(email)) return true;
  const [local, domain, ...rest] = email.split("@");
  if (local === undefined || domain === undefined || rest.length > 0) return false;
  return isVisible(email) && isLocalPart(local) && domain.split(".").every(isHostLabel);
}

/** What most addresses are; none of the rules below refuses it. */
const plainAddress = /^[A-Za-z0-9]+(?:[._+][A-Za-z0-9]+)*@[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*$/;

/** As in RFC 6531, without the signs by which URLs begin a new part. */
function isLocalPart(text: string): boolean {
  const atom = /^(?:[A-Za-z0-9!$&'*+=^_`{|}~-]|[^\p{ASCII}])+$/u;
  return text.split(".").every((part) => atom.test(part)) && !/^-|-$/u.test(text) && !hasAsciiLookalike(text);
}

/** A name that a host can have, in the letters of any language and in their plain form. */
function isHostLabel(text: string): boolean {
  const label = /^[\p{L}\p{M}\p{Nd}_〇·͵׳״・-]+$/u;
  return (
    label.test(text) &&
    !/^-|-$/u.test(text) &&
    !hasAsciiLookalike(text) &&
    text.normalize("NFKC") === text.normalize("NFC")
  );
}

/** A sign that only normalising makes an ASCII one, such as a full-width letter. */
function hasAsciiLookalike(text: string): boolean {
  return [...text].some((sign) => !/\p{ASCII}/u.test(sign) && /\p{ASCII}/u.test(sign.normalize("NFKC")));
}

function isVisible(text: string): boolean {
  return !/[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text);
}
