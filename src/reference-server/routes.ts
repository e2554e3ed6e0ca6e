import { listAccounts, readAccount } from "./accounts.ts";
import { bodyFault } from "./body-faults.ts";
import type { Call } from "./call.ts";
import { type Creation, createUser } from "./create-user.ts";
import {
  type Validator,
  validAddMembers,
  validCreateUser,
  validReplaceKeyRoles,
  validSearchUsers,
} from "./generated/request-bodies.js";
import { addMembers, type NewMembers } from "./members.ts";
import type { Reply } from "./reply.ts";
import { listRoles, type NewRoles, replaceKeyRoles } from "./roles.ts";
import type { Routed } from "./router.ts";
import { listUsers, searchUsers, type UserSearch } from "./users.ts";

/** A route of the service. */
export interface ServiceRoute extends Routed {
  readonly takes: "no-body" | "json";
  readonly serve: (call: Call, body: unknown) => Reply;
}

export const serviceRoutes: readonly ServiceRoute[] = [
  get("/api/accounting/accounts", listAccounts),
  get("/api/accounting/accounts/*", readAccount),
  withBody<Creation>("POST", "/api/accounting/accounts/*/users", validCreateUser, createUser),
  get("/api/accounting/users", listUsers),
  withBody<UserSearch>("POST", "/api/accounting/users/search", validSearchUsers, searchUsers),
  withBody<NewMembers>("POST", "/api/accounting/teams/*/members", validAddMembers, addMembers),
  get("/api/accounting/roles", listRoles),
  withBody<NewRoles>("PUT", "/api/accounting/access-keys/*/roles", validReplaceKeyRoles, replaceKeyRoles),
];

function get(path: string, serve: (call: Call) => Reply): ServiceRoute {
  return { method: "GET", path, takes: "no-body", serve };
}

/** The validator stands for the type: it is compiled from the description of this route's body. */
function withBody<Body>(
  method: string,
  path: string,
  isValid: Validator,
  serve: (call: Call, body: Body) => Reply,
): ServiceRoute {
  return {
    method,
    path,
    takes: "json",
    serve: (call, body) => bodyFault(body, isValid) ?? serve(call, body as Body),
  };
}
