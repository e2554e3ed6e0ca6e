import { authorize } from "./authorization.ts";
import type { Call } from "./call.ts";
import type { Caller } from "./caller.ts";
import { mediaTypeFault, parseBody } from "./parse-body.ts";
import { isRefusal, type Refusal, type Reply } from "./reply.ts";
import type { Match } from "./router.ts";
import type { ServiceRoute } from "./routes.ts";
import type { Received, Service } from "./service.ts";
import { otherOriginOf } from "./transport/disturbance.ts";

/** What a route of the service says to a request: first who asks, then what the body is, then the route itself. */
export function serveRoute(service: Service, { route, subject }: Match<ServiceRoute>, received: Received): Reply {
  const caller = callerOf(service, route, received);
  if (isRefusal(caller)) return caller;
  const body = bodyFor(service, route, received);
  if (isRefusal(body)) return body;
  const { world, outbox, knobs, draw, sorted } = service;
  const { path, at, now, origin } = received;
  const query = new URLSearchParams(received.query);
  const otherOrigin = otherOriginOf(origin);
  const call: Call = { world, outbox, knobs, caller, subject, path, query, origin, otherOrigin, draw, sorted, at, now };
  return route.serve(call, body.value);
}

function callerOf(
  { administrator, knobs, world }: Service,
  { name }: ServiceRoute,
  received: Received,
): Caller | Refusal {
  const { authorization } = received.headers;
  const header = typeof authorization === "string" ? authorization : undefined;
  const isOpen = knobs.authOnAccounts === "not-required" && (name === "accounts" || name === "roles");
  if (isOpen && header === undefined) return { is: "platform-administrator", key: administrator };
  return authorize(world, header);
}

function bodyFor({ knobs }: Service, route: ServiceRoute, { headers, body }: Received) {
  if (route.takes === "no-body") return { value: undefined };
  const contentType = headers["content-type"];
  const fault = mediaTypeFault(typeof contentType === "string" ? contentType : undefined);
  return fault ?? parseBody(body, knobs.maxBodyBytes);
}
