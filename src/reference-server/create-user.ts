import { accountOfRequest } from "./accounts.ts";
import { addUserWithKey } from "./add-user.ts";
import type { RequestContext } from "./call.ts";
import { createUserResponse, existingUserResponse } from "./dialect/tell-created.ts";
import { type Account, isActive, type User } from "./entities.ts";
import { checkTitle } from "./knobs/max-title.ts";
import { isRefusal, quoted, type Refusal, type Reply, refuse } from "./reply.ts";
import { checkGrantable } from "./roles.ts";
import { isDeliverable } from "./rules/email-address.ts";
import { addressHolder, namedUser } from "./rules/people.ts";

export interface CreateUserRequest {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly title?: string;
  readonly externalIdentifier?: string;
  readonly source?: string;
  readonly team?: FoundTeamRequest;
}

export interface FoundTeamRequest {
  readonly name?: string;
  readonly adminUserIdentifier?: string;
  readonly accessKeyRoles?: readonly string[];
}

/** Creates a user with one key: their own, or that of the team which is founded with them. */
export function createUser(call: RequestContext, creation: CreateUserRequest): Reply {
  const { knobs } = call;
  const account = accountOfRequest(call);
  if (isRefusal(account)) return account;
  const obstacle = checkCreation(call, account, creation);
  if (obstacle !== undefined) return obstacle;
  const holder = addressHolder(call, creation.email);
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
  return fault ?? (creation.team === undefined ? undefined : checkFounding(call, creation.team));
}

function checkFounding(call: RequestContext, founding: FoundTeamRequest): Refusal | undefined {
  const admin = founding.adminUserIdentifier;
  if (admin !== undefined && namedUser(call, admin) === undefined) {
    return refuse(400, `The field team.adminUserIdentifier names nobody: ${quoted(admin)}`);
  }
  return checkGrantable(call, founding.accessKeyRoles ?? [], { kind: "team", before: [] });
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
