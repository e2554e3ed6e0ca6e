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
import type { RouteName } from "./occasion.ts";
import type { Reply } from "./reply.ts";
import { listRoles, type NewRoles, replaceKeyRoles } from "./roles.ts";
import type { Routed } from "./router.ts";
import { listUsers, searchUsers, type UserSearch } from "./users.ts";

/** A route of the service. */
export interface ServiceRoute extends Routed {
  readonly name: RouteName;
  readonly takes: "no-body" | "json";
  readonly serve: (call: Call, body: unknown) => Reply;
}

export const serviceRoutes: readonly ServiceRoute[] = [
  get("accounts", "/api/accounting/accounts", listAccounts),
  get("account", "/api/accounting/accounts/*", readAccount),
  post<Creation>("create", "/api/accounting/accounts/*/users", validCreateUser, createUser),
  get("list", "/api/accounting/users", listUsers),
  post<UserSearch>("search", "/api/accounting/users/search", validSearchUsers, searchUsers),
  post<NewMembers>("members", "/api/accounting/teams/*/members", validAddMembers, addMembers),
  get("roles", "/api/accounting/roles", listRoles),
  put<NewRoles>("keys", "/api/accounting/access-keys/*/roles", validReplaceKeyRoles, replaceKeyRoles),
];

function get(name: RouteName, path: string, serve: (call: Call) => Reply): ServiceRoute {
  return { name, method: "GET", path, takes: "no-body", serve };
}

type Serve<Body> = (call: Call, body: Body) => Reply;

function post<Body>(name: RouteName, path: string, isValid: Validator, serve: Serve<Body>): ServiceRoute {
  return { name, method: "POST", path, ...withBody(isValid, serve) };
}

function put<Body>(name: RouteName, path: string, isValid: Validator, serve: Serve<Body>): ServiceRoute {
  return { name, method: "PUT", path, ...withBody(isValid, serve) };
}

/** The validator stands for the type: it is compiled from the description of this route's body. */
function withBody<Body>(isValid: Validator, serve: Serve<Body>): Pick<ServiceRoute, "takes" | "serve"> {
  return { takes: "json", serve: (call, body) => bodyFault(body, isValid) ?? serve(call, body as Body) };
}
