import type { RouteName } from "../fault-triggers.ts";
import {
  type Fault,
  type Validator,
  validAddMembers,
  validCreateUser,
  validReplaceKeyRoles,
  validSearchUsers,
} from "../generated/request-bodies.js";
import { type Refusal, type Reply, refuse } from "../responses/reply.ts";
import type { RequestContext } from "../service-context.ts";
import { type CreateUserRequest, createUser } from "./create-user.ts";
import { type AddMembersRequest, addMembers } from "./members.ts";
import { listRoles, type ReplaceRolesRequest, replaceKeyRoles } from "./roles.ts";
import type { RoutePattern } from "./router.ts";
import { listAccounts, listUsers, readAccount, type SearchUsersRequest, searchUsers } from "./users.ts";

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

const maxNamedFaults = 5;

/** A 400 that names each field at fault and its problem; undefined where the body is as described. */
function checkBody(body: unknown, isValid: Validator): Refusal | undefined {
  if (isValid(body)) return undefined;
  const faults = isValid.errors ?? [];
  const named = faults.slice(0, maxNamedFaults).map(describeFault).join("; ");
  const rest = faults.length > maxNamedFaults ? `; and ${faults.length - maxNamedFaults} more` : "";
  return refuse(400, `The body is not as described: ${named}${rest}`);
}

function describeFault(fault: Fault): string {
  const place = placeOf(fault.instancePath);
  switch (fault.keyword) {
    case "required":
      return `${fieldPath(place, fault.params["missingProperty"])} is missing`;
    case "additionalProperties":
      return `${fieldPath(place, fault.params["additionalProperty"])} is not a known field`;
    case "type":
      return `${place} must be of type ${fault.params["type"]}`;
    case "pattern":
      return `${place} must not be empty`;
    case "minItems":
      return `${place} must not be empty`;
    default:
      return `${place} ${fault.message ?? "is not as described"}`;
  }
}

/** `/0/identifier` as `[0].identifier`; the body itself where the path is empty. */
function placeOf(pointer: string): string {
  const steps = pointer.split("/").slice(1);
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join("");
  return path === "" ? "the body" : path.replace(/^\./, "");
}

function fieldPath(place: string, field: unknown): string {
  const name = String(field).slice(0, 100);
  return place === "the body" ? name : `${place}.${name}`;
}
