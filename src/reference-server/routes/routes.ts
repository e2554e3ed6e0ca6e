import type { RouteName } from "../fault-triggers.ts";
import {
  type Fault,
  type Validator,
  validAddMembers,
  validCreateUser,
  validReplaceKeyRoles,
  validSearchUsers,
} from "../generated/request-bodies.js";
import { quoted, type Refusal, type Reply, refuse } from "../responses/reply.ts";
import type { RequestContext } from "../service-context.ts";
import { type CreateUserRequest, createUser } from "./create-user.ts";
import { type AddMembersRequest, addMembers } from "./members.ts";
import { listRoles, type ReplaceRolesRequest, replaceKeyRoles } from "./roles.ts";
import { listAccounts, listUsers, readAccount, type SearchUsersRequest, searchUsers } from "./users.ts";

/** A route of the service. */
export interface ServiceRoute extends RoutePattern {
  readonly name: RouteName;
  readonly takes: "no-body" | "json";
  /** The parameters of its query; any other is refused. */
  readonly parameters: readonly string[];
  readonly serve: (call: RequestContext, body: unknown) => Reply;
}

const paging = ["page", "per-page", "sort-by", "direction"] as const;

export const serviceRoutes: readonly ServiceRoute[] = [
  list("accounts", "/api/accounting/accounts", listAccounts),
  { ...list("account", "/api/accounting/accounts/*", readAccount), parameters: [] },
  post<CreateUserRequest>("create", "/api/accounting/accounts/*/users", validCreateUser, createUser),
  list("list", "/api/accounting/users", listUsers),
  {
    ...post<SearchUsersRequest>("search", "/api/accounting/users/search", validSearchUsers, searchUsers),
    parameters: paging,
  },
  post<AddMembersRequest>("members", "/api/accounting/teams/*/members", validAddMembers, addMembers),
  list("roles", "/api/accounting/roles", listRoles),
  put<ReplaceRolesRequest>("keys", "/api/accounting/access-keys/*/roles", validReplaceKeyRoles, replaceKeyRoles),
];

function list(name: RouteName, path: string, serve: (call: RequestContext) => Reply): ServiceRoute {
  return { name, method: "GET", path, takes: "no-body", parameters: paging, serve };
}

type RouteHandler<Body> = (call: RequestContext, body: Body) => Reply;

function post<Body>(name: RouteName, path: string, isValid: Validator, serve: RouteHandler<Body>): ServiceRoute {
  return { name, method: "POST", path, parameters: [], ...withBody(isValid, serve) };
}

function put<Body>(name: RouteName, path: string, isValid: Validator, serve: RouteHandler<Body>): ServiceRoute {
  return { name, method: "PUT", path, parameters: [], ...withBody(isValid, serve) };
}

/** The validator stands for the type: it is compiled from the description of this route's body. */
function withBody<Body>(isValid: Validator, serve: RouteHandler<Body>): Pick<ServiceRoute, "takes" | "serve"> {
  return { takes: "json", serve: (call, body) => checkBody(body, isValid) ?? serve(call, body as Body) };
}

/** A 400 where the query has a parameter that the route does not know: a filter that is passed over would answer everything. */
export function checkQuery({ parameters }: ServiceRoute, query: URLSearchParams): Refusal | undefined {
  const stranger = [...query.keys()].find((name) => !parameters.includes(name));
  if (stranger === undefined) return undefined;
  const known = parameters.length === 0 ? "this route has none" : `this route has ${parameters.join(", ")}`;
  return refuse(400, `The query parameter ${quoted(stranger)} is not known: ${known}`);
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

/** A method and a path; one of its segments may be `*`, which stands for what the path names. */
export interface RoutePattern {
  readonly method: string;
  readonly path: string;
}

/** The route of a request, and what its path names. */
export interface RouteMatch<R> {
  readonly route: R;
  readonly pathParameter: string;
}

/** Finds the route of a request: 404 where no route has the path, 405 where none has the method. */
export function makeRouter<R extends RoutePattern>(
  routes: readonly R[],
): (method: string, path: string) => RouteMatch<R> | Refusal {
  const patterns = routes.map((route) => ({ route, segments: route.path.split("/") }));
  return (method, path) => {
    const segments = decodeSegments(path);
    if (segments === undefined) return refuse(400, `The path is not encoded as it must be: ${quoted(path)}`);
    const chosen = patterns.find(
      ({ route, segments: steps }) => route.method === method && matchesPath(steps, segments),
    );
    if (chosen !== undefined)
      return { route: chosen.route, pathParameter: segments[chosen.segments.indexOf("*")] ?? "" };
    const fitting = patterns.filter((pattern) => matchesPath(pattern.segments, segments));
    if (fitting.length === 0) return refuse(404, `There is no route ${quoted(path)}`);
    const allow = fitting.map((pattern) => pattern.route.method).join(", ");
    return refuse(405, `The route ${quoted(path)} does not know the method ${method}; it knows ${allow}`, { allow });
  };
}

function matchesPath(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.length === segments.length && pattern.every((step, index) => step === "*" || step === segments[index]);
}

function decodeSegments(path: string): readonly string[] | undefined {
  try {
    const segments = path.split("/");
    return path.includes("%") ? segments.map(decodeURIComponent) : segments;
  } catch {
    return undefined;
  }
}
