import { listAccounts, readAccount } from "./accounts.ts";
import { checkBody } from "./body-faults.ts";
import type { RequestContext } from "./call.ts";
import { type CreateUserRequest, createUser } from "./create-user.ts";
import {
  type Validator,
  validAddMembers,
  validCreateUser,
  validReplaceKeyRoles,
  validSearchUsers,
} from "./generated/request-bodies.js";
import { type AddMembersRequest, addMembers } from "./members.ts";
import type { RouteName } from "./occasion.ts";
import type { Reply } from "./reply.ts";
import { listRoles, type ReplaceRolesRequest, replaceKeyRoles } from "./roles.ts";
import type { RoutePattern } from "./router.ts";
import { listUsers, type SearchUsersRequest, searchUsers } from "./users.ts";

/** A route of the service. */
export interface ServiceRoute extends RoutePattern {
  readonly name: RouteName;
  readonly takes: "no-body" | "json";
  readonly serve: (call: RequestContext, body: unknown) => Reply;
}

export const serviceRoutes: readonly ServiceRoute[] = [
  get("accounts", "/api/accounting/accounts", listAccounts),
  get("account", "/api/accounting/accounts/*", readAccount),
  post<CreateUserRequest>("create", "/api/accounting/accounts/*/users", validCreateUser, createUser),
  get("list", "/api/accounting/users", listUsers),
  post<SearchUsersRequest>("search", "/api/accounting/users/search", validSearchUsers, searchUsers),
  post<AddMembersRequest>("members", "/api/accounting/teams/*/members", validAddMembers, addMembers),
  get("roles", "/api/accounting/roles", listRoles),
  put<ReplaceRolesRequest>("keys", "/api/accounting/access-keys/*/roles", validReplaceKeyRoles, replaceKeyRoles),
];

function get(name: RouteName, path: string, serve: (call: RequestContext) => Reply): ServiceRoute {
  return { name, method: "GET", path, takes: "no-body", serve };
}

type RouteHandler<Body> = (call: RequestContext, body: Body) => Reply;

function post<Body>(name: RouteName, path: string, isValid: Validator, serve: RouteHandler<Body>): ServiceRoute {
  return { name, method: "POST", path, ...withBody(isValid, serve) };
}

function put<Body>(name: RouteName, path: string, isValid: Validator, serve: RouteHandler<Body>): ServiceRoute {
  return { name, method: "PUT", path, ...withBody(isValid, serve) };
}

/** The validator stands for the type: it is compiled from the description of this route's body. */
function withBody<Body>(isValid: Validator, serve: RouteHandler<Body>): Pick<ServiceRoute, "takes" | "serve"> {
  return { takes: "json", serve: (call, body) => checkBody(body, isValid) ?? serve(call, body as Body) };
}
