import type { Knobs } from "../knobs/registry.ts";
import {
  answer,
  answerNothing,
  answerText,
  quoted,
  Refusal,
  type ServedAnswer,
  withStatus,
} from "../responses/reply.ts";
import {
  createdTeamField,
  renderAccount,
  renderKey,
  renderProfile,
  renderUser,
  renderUserReference,
} from "../responses/user.ts";
import type { RequestContext } from "../service-context.ts";
import { type Account, accountAdmin, isActive, type Key, type Team, teamRole, type User } from "../world.ts";
import type { RequestBody } from "./bodies.ts";
import { checkGrantable } from "./roles.ts";
import { accountOfRequest, addressHolder, namedUser } from "./users.ts";

interface CreatedUser {
  readonly user: User;
  /** The one whose prefix is needed: the team's where one was created. */
  readonly key: Key;
  /** Every new key, in the order of their making. */
  readonly keys: readonly Key[];
  readonly team: Team | undefined;
}

/** Creates a user with one key: their own, or that of the team which is created with them. */
export function createUser(call: RequestContext, creation: RequestBody<"createUser">): ServedAnswer {
  const { knobs } = call;
  const account = accountOfRequest(call);
  checkCreation(call, account, creation);
  const holder = knobs.conflict === "second-user" ? undefined : addressHolder(call, creation.email);
  if (holder !== undefined) return respondToConflict(knobs, holder, creation.email);
  const created = addUserWithKey(call, account, creation);
  if (knobs.conflict === "409-though-created") throw conflictOf(409, creation.email);
  const shaped = creationAnswer(call, created);
  return knobs.create === "C9" ? shaped : withStatus(shaped, Number(knobs.createStatus));
}

function checkCreation(
  call: RequestContext,
  { identifier, status }: Account,
  { email, title, team }: RequestBody<"createUser">,
): void {
  if (!isActive({ status }))
    throw new Refusal(400, `The account ${quoted(identifier)} has the status ${status}; no user can be created`);
  if (!isDeliverable(email)) throw new Refusal(400, "The body is not as described: email must be an e-mail address");
  const { maxTitle } = call.knobs;
  if (maxTitle > 0 && title !== undefined && title.length > maxTitle)
    throw new Refusal(400, `The field title has ${title.length} letters; at most ${maxTitle} are allowed`);
  if (team === undefined) return;
  const admin = team.adminUserIdentifier;
  if (admin !== undefined && namedUser(call, admin) === undefined)
    throw new Refusal(400, `The field team.adminUserIdentifier matches no user: ${quoted(admin)}`);
  checkGrantable(call, team.accessKeyRoles ?? [], { kind: "team", roles: [] });
}

function respondToConflict(knobs: Knobs, holder: User, email: string): ServedAnswer {
  const conflict = knobs.create === "C11" ? "200" : knobs.conflict;
  switch (conflict) {
    case "200":
      return answer(200, renderUser({ ...knobs, showKeys: "accessKeys" }, holder, holder.keys, "listed"));
    case "500":
      throw new Refusal(500, "could not execute statement; constraint [users_email_key]");
    case "409-though-created":
      throw conflictOf(409, email);
    default:
      throw conflictOf(Number(conflict), email);
  }
}

function conflictOf(status: number, email: string): Refusal {
  return new Refusal(status, `A user with the email ${quoted(email)} is there already`);
}

/** Adds a user with their key, and the team that is created with them. The new team holds only its first member. */
function addUserWithKey(call: RequestContext, account: Account, creation: RequestBody<"createUser">): CreatedUser {
  const { knobs, now: createdAt, world } = call;
  const { email, externalIdentifier, source, team: newTeam } = creation;
  const owner = world.addUser({
    account,
    ...storedNames(knobs.texts, creation),
    email: knobs.emailCase === "lower" ? email.toLowerCase() : email,
    externalIdentifier: knobs.externalId === "email" ? email : externalIdentifier,
    source,
    createdAt,
  });
  const isDouble = knobs.create === "C10" || knobs.create === "C10-ambiguous";
  const addKey = (kind: Key["kind"], roles: readonly string[] = [teamRole], team?: Team) =>
    world.addKey({ kind, owner, team, roles, createdAt });
  if (newTeam === undefined) {
    const key = addKey("user");
    return { user: owner, key, keys: isDouble ? [key, addKey("project")] : [key], team: undefined };
  }
  const { name = `Team${owner.firstName} ${owner.lastName}`, adminUserIdentifier, accessKeyRoles = [] } = newTeam;
  const admin = (adminUserIdentifier === undefined ? undefined : namedUser(call, adminUserIdentifier)) ?? owner;
  const team = world.addTeam({ account, name, admin, createdAt });
  const isAdmin = accessKeyRoles.length === 0 || knobs.firstMemberRoles === "ACCOUNT_ADMIN+TEAM_ROLE";
  const others = isDouble ? [addKey("user")] : [];
  const key = addKey("team", [...(isAdmin ? [accountAdmin] : []), teamRole, ...accessKeyRoles], team);
  return { user: owner, key, keys: [...others, key], team };
}

function storedNames(
  how: Knobs["texts"],
  { firstName, lastName, title }: RequestBody<"createUser">,
): Pick<RequestBody<"createUser">, "firstName" | "lastName"> & { readonly title?: string | undefined } {
  switch (how) {
    case "keep":
      return { firstName, lastName, title };
    case "trim":
      return { firstName: firstName.trim(), lastName: lastName.trim(), title: title?.trim() || undefined };
    case "drop-title":
      return { firstName, lastName };
  }
}

function creationAnswer({ knobs, path }: RequestContext, { user, key, keys, team }: CreatedUser): ServedAnswer {
  const withKeys = (shown: Partial<Knobs>) => {
    const shownAs = { ...knobs, ...shown };
    return answer(201, { ...renderUser(shownAs, user, keys, "made"), ...createdTeamField(shownAs, team) });
  };
  const location = `${path}/${encodeURIComponent(user.identifier)}`;
  switch (knobs.create) {
    case "C1":
    case "C10":
    case "C11":
      return withKeys({ showKeys: "accessKeys" });
    case "C2":
      return answer(201, {
        ...renderKey(knobs, key, "made"),
        user: renderUserReference(knobs, user),
        account: renderAccount(knobs, user.account),
      });
    case "C3":
      return withKeys({ showKeys: "listAccessKeys" });
    case "C4":
      return answer(201, { user: renderUserReference(knobs, user), accessKey: { prefix: key.prefix } });
    case "C5":
      return answer(201, { ...renderUserReference(knobs, user), accessKeyPrefix: key.prefix });
    case "C6":
      return answer(201, { user: renderProfile(knobs, user), apiKey: `${key.prefix}.${key.secret}` });
    case "C7": {
      const accessKeys = [renderKey(knobs, key, "made")];
      return answer(201, {
        data: { user: renderProfile(knobs, user), accessKeys, ...createdTeamField(knobs, team) },
      });
    }
    case "C8":
      return answerNothing(201, { location });
    case "C9":
      return answer(202, { status: "PENDING" }, { location, "retry-after": String(knobs.retryAfterSeconds) });
    case "C10-ambiguous":
      return withKeys({ showKeys: "accessKeys", showKeyKinds: "none", showTeams: "none" });
    case "C12":
      return answerText(201, "text/plain; charset=utf-8", key.prefix);
  }
}

/** Whether this service sends mail to an address: to one that every program on the way reads in the same way. */
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
