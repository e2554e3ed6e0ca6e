import type { RouteName } from "../fault-triggers.ts";
import {
  type Fault,
  type Validator,
  validAddMembers,
  validCreateUser,
  validReplaceKeyRoles,
  validSearchUsers,
} from "../generated/request-bodies.js";
import { quoted, Refusal, type ServedAnswer } from "../responses/reply.ts";
import type { RequestContext } from "../service-context.ts";
import { createUser } from "./create-user.ts";
import { addMembers } from "./members.ts";
import { listRoles, replaceKeyRoles } from "./roles.ts";
import { listAccounts, listUsers, readAccount, searchUsers } from "./users.ts";

export interface ServiceRoute extends RoutePattern {
  readonly name: RouteName;
  /** The parameters of its query; any other is refused. */
  readonly parameters: readonly string[];
  readonly serve: (call: RequestContext, body: unknown) => ServedAnswer;
}

const paging = ["page", "per-page", "sort-by", "direction"];
const root = "/api/accounting";

export const serviceRoutes: readonly ServiceRoute[] = [
  { name: "accounts", method: "GET", path: `${root}/accounts`, parameters: paging, serve: listAccounts },
  { name: "account", method: "GET", path: `${root}/accounts/*`, parameters: [], serve: readAccount },
  { name: "list", method: "GET", path: `${root}/users`, parameters: paging, serve: listUsers },
  { name: "roles", method: "GET", path: `${root}/roles`, parameters: paging, serve: listRoles },
  withBody("create", "POST", "/accounts/*/users", validCreateUser, createUser),
  { ...withBody("search", "POST", "/users/search", validSearchUsers, searchUsers), parameters: paging },
  withBody("members", "POST", "/teams/*/members", validAddMembers, addMembers),
  withBody("keys", "PUT", "/access-keys/*/roles", validReplaceKeyRoles, replaceKeyRoles),
];

/** The validator stands for the type of the body: it is compiled from the declaration of this route's body. */
function withBody<Body>(
  name: RouteName,
  method: string,
  path: string,
  isValid: Validator,
  serve: (call: RequestContext, body: Body) => ServedAnswer,
): ServiceRoute {
  return {
    name,
    method,
    path: `${root}${path}`,
    parameters: [],
    serve(call, body) {
      if (!isValid(body)) throw refusedBody(isValid.errors ?? []);
      return serve(call, body as Body);
    },
  };
}

/** A 400 where the query has a parameter that the route does not know: a filter that is passed over would answer everything. */
export function checkQuery({ parameters }: ServiceRoute, query: URLSearchParams): void {
  const stranger = [...query.keys()].find((name) => !parameters.includes(name));
  if (stranger === undefined) return;
  const known = parameters.length === 0 ? "this route has none" : `this route has ${parameters.join(", ")}`;
  throw new Refusal(400, `The query parameter ${quoted(stranger)} is not known: ${known}`);
}

const maxNamedFaults = 5;

function refusedBody(faults: readonly Fault[]): Refusal {
  const named = faults.slice(0, maxNamedFaults).map(describeFault).join("; ");
  const rest = faults.length > maxNamedFaults ? `; and ${faults.length - maxNamedFaults} more` : "";
  return new Refusal(400, `The body is not as described: ${named}${rest}`);
}

function describeFault({ instancePath, keyword, message, params }: Fault): string {
  // `/0/identifier` as `[0].identifier`.
  const steps = instancePath.split("/").slice(1);
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join("");
  const place = path === "" ? "the body" : path.replace(/^\./, "");
  const fieldPath = (field: unknown) => `${path === "" ? "" : `${place}.`}${String(field).slice(0, 100)}`;
  switch (keyword) {
    case "required":
      return `${fieldPath(params["missingProperty"])} is missing`;
    case "additionalProperties":
      return `${fieldPath(params["additionalProperty"])} is not a known field`;
    case "type":
      return `${place} must be of type ${params["type"]}`;
    case "pattern":
    case "minItems":
      return `${place} must not be empty`;
    default:
      return `${place} ${message ?? "is not as described"}`;
  }
}

/** A method and a path; one of its segments may be `*`, which stands for what the path names. */
export interface RoutePattern {
  readonly method: string;
  readonly path: string;
}

export interface RouteMatch<R> {
  readonly route: R;
  readonly pathParameter: string;
}

/** Finds the route of a request: 404 where no route has the path, 405 where none has the method. */
export function makeRouter<R extends RoutePattern>(
  routes: readonly R[],
): (method: string, path: string) => RouteMatch<R> {
  const patterns = routes.map((route) => ({ route, steps: route.path.split("/") }));
  return (method, path) => {
    const segments = decodeSegments(path);
    if (segments === undefined) throw new Refusal(400, `The path is not encoded as it must be: ${quoted(path)}`);
    const fitting = patterns.filter(
      ({ steps }) =>
        steps.length === segments.length && steps.every((step, index) => step === "*" || step === segments[index]),
    );
    if (fitting.length === 0) throw new Refusal(404, `There is no route ${quoted(path)}`);
    const chosen = fitting.find(({ route }) => route.method === method);
    if (chosen !== undefined) return { route: chosen.route, pathParameter: segments[chosen.steps.indexOf("*")] ?? "" };
    const allow = fitting.map(({ route }) => route.method).join(", ");
    throw new Refusal(405, `The route ${quoted(path)} does not know the method ${method}; it knows ${allow}`, {
      allow,
    });
  };
}

function decodeSegments(path: string): readonly string[] | undefined {
  try {
    const segments = path.split("/");
    return path.includes("%") ? segments.map(decodeURIComponent) : segments;
  } catch {
    return undefined;
  }
}
