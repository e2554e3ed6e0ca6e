import { authorize } from "./authorization.ts";
import type { RequestContext } from "./call.ts";
import type { Caller } from "./caller.ts";
import { checkMediaType, parseBody } from "./parse-body.ts";
import { isRefusal, type Refusal, type Reply } from "./reply.ts";
import type { RouteMatch } from "./router.ts";
import type { ServiceRoute } from "./routes.ts";
import type { ReceivedRequest, ServerContext } from "./service.ts";
import { alternateOrigin } from "./transport/disturbance.ts";

/** What a route of the service says to a request: first who asks, then what the body is, then the route itself. */
export function serveRoute(
  service: ServerContext,
  { route, pathParameter: subject }: RouteMatch<ServiceRoute>,
  received: ReceivedRequest,
): Reply {
  const caller = callerOf(service, route, received);
  if (isRefusal(caller)) return caller;
  const body = bodyOf(service, route, received);
  if (isRefusal(body)) return body;
  const { world, outbox, knobs, random: draw, sortCache: sorted } = service;
  const { path, at, now, origin } = received;
  const query = new URLSearchParams(received.query);
  const otherOrigin = alternateOrigin(origin);
  const call: RequestContext = {
    world,
    outbox,
    knobs,
    caller,
    pathParameter: subject,
    path,
    query,
    origin,
    otherOrigin,
    random: draw,
    sortCache: sorted,
    at,
    now,
  };
  return route.serve(call, body.value);
}

function callerOf(
  { administrator, knobs, world }: ServerContext,
  { name }: ServiceRoute,
  received: ReceivedRequest,
): Caller | Refusal {
  const { authorization } = received.headers;
  const header = typeof authorization === "string" ? authorization : undefined;
  const isOpen = knobs.authOnAccounts === "not-required" && (name === "accounts" || name === "roles");
  if (isOpen && header === undefined) return { is: "platform-administrator", key: administrator };
  return authorize(world, header);
}

function bodyOf({ knobs }: ServerContext, route: ServiceRoute, { headers, body }: ReceivedRequest) {
  if (route.takes === "no-body") return { value: undefined };
  const contentType = headers["content-type"];
  const fault = checkMediaType(typeof contentType === "string" ? contentType : undefined);
  return fault ?? parseBody(body, knobs.maxBodyBytes);
}
