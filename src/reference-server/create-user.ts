import { accountOfPath } from "./accounts.ts";
import { addUser } from "./add-user.ts";
import type { Call } from "./call.ts";
import { tellCreated, tellThere } from "./dialect/tell-created.ts";
import { type Account, isActive, type User } from "./entities.ts";
import { titleFault } from "./knobs/max-title.ts";
import { isRefusal, quoted, type Refusal, type Reply, refuse } from "./reply.ts";
import { obstacleToGranting } from "./roles.ts";
import { isDeliverable } from "./rules/email-address.ts";
import { holderOfAddress, namedUser } from "./rules/people.ts";

export interface Creation {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly title?: string;
  readonly externalIdentifier?: string;
  readonly source?: string;
  readonly team?: Founding;
}

export interface Founding {
  readonly name?: string;
  readonly adminUserIdentifier?: string;
  readonly accessKeyRoles?: readonly string[];
}

/** Creates a user with one key: their own, or that of the team which is founded with them. */
export function createUser(call: Call, creation: Creation): Reply {
  const { knobs } = call;
  const account = accountOfPath(call);
  if (isRefusal(account)) return account;
  const obstacle = obstacleToCreation(call, account, creation);
  if (obstacle !== undefined) return obstacle;
  const holder = holderOfAddress(call, creation.email);
  if (holder !== undefined) return refuseTaken(call, holder, creation.email);
  const created = addUser(call, account, creation);
  return knobs.conflict === "409-though-created" ? addressTaken(409, creation.email) : tellCreated(call, created);
}

function obstacleToCreation(call: Call, account: Account, creation: Creation): Refusal | undefined {
  if (!isActive(account)) {
    return refuse(
      400,
      `The account ${quoted(account.identifier)} has the status ${account.status}; no user can be created`,
    );
  }
  if (!isDeliverable(creation.email))
    return refuse(400, "The body is not as described: email must be an e-mail address");
  const fault = titleFault(call.knobs.maxTitle, creation.title);
  return fault ?? (creation.team === undefined ? undefined : obstacleToFounding(call, creation.team));
}

function obstacleToFounding(call: Call, founding: Founding): Refusal | undefined {
  const admin = founding.adminUserIdentifier;
  if (admin !== undefined && namedUser(call, admin) === undefined) {
    return refuse(400, `The field team.adminUserIdentifier names nobody: ${quoted(admin)}`);
  }
  return obstacleToGranting(call, founding.accessKeyRoles ?? [], { kind: "team", before: [] });
}

function refuseTaken(call: Call, holder: User, email: string): Reply {
  const conflict = call.knobs.create === "C11" ? "200" : call.knobs.conflict;
  switch (conflict) {
    case "200":
      return tellThere(call, holder);
    case "500":
      return refuse(500, "could not execute statement; constraint [users_email_key]");
    case "409-though-created":
      return addressTaken(409, email);
    default:
      return addressTaken(Number(conflict), email);
  }
}

function addressTaken(status: number, email: string): Refusal {
  return refuse(status, `A user with the email ${quoted(email)} is there already`);
}
