import { isIPv4 } from "node:net";
import { authorize, type Caller } from "./authorization.ts";
import { isWriting } from "./fault-triggers.ts";
import {
  alternateOrigin,
  deliveryFor,
  pathBeforeRedirect,
  type ReplyDelivery,
  replyAfterServing,
  requestFault,
} from "./inject-faults.ts";
import type { Knobs } from "./knobs/registry.ts";
import {
  answer,
  answerText,
  isRefusal,
  quoted,
  type Refusal,
  type Reply,
  refusalResponse,
  refuse,
  type ServedAnswer,
} from "./responses/reply.ts";
import { checkQuery, makeRouter, type RouteMatch, type ServiceRoute, serviceRoutes } from "./routes/routes.ts";
import type { ReceivedBody, ReceivedRequest, RequestContext, ServerContext } from "./service-context.ts";
import { active, isActive } from "./world.ts";

const findServiceRoute = makeRouter(serviceRoutes);

/** An answer, and what becomes of it on its way. */
interface HandledRequest {
  readonly answer: ServedAnswer;
  readonly delivery: ReplyDelivery;
}

/** What the service answers to a request that has come in whole, or that its connection ends. */
export function handleRequest(service: ServerContext, received: ReceivedRequest): HandledRequest | "reset" {
  const path = stripBasePath(service.knobs.basePath, pathBeforeRedirect(received.path, service));
  const match =
    path === undefined
      ? refuse(404, `There is no route ${quoted(received.path)}`)
      : findServiceRoute(received.method, path);
  if (isRefusal(match)) return { answer: renderAndLog(service, received, match), delivery: "sent" };
  const { name } = match.route;
  service.onRequest(name, service.counts.add(name));
  const before = requestFault(service, name, received);
  if (before?.is === "reset") {
    logRequest(service, received, 0);
    return "reset";
  }
  if (before !== undefined) return { answer: renderAndLog(service, received, before.reply), delivery: "sent" };
  const reply = catchDefects(() => serveRoute(service, match, received));
  return {
    answer: renderAndLog(service, received, replyAfterServing(service, name, reply)),
    delivery: deliveryFor(service, name),
  };
}

/** A defect of this server is a 500, and the next request is served all the same. */
function catchDefects(reply: () => Reply): Reply {
  try {
    return reply();
  } catch (error) {
    return refuse(500, `The reference server has a defect: ${error instanceof Error ? error.message : "unknown"}`);
  }
}

function renderAndLog(service: ServerContext, received: ReceivedRequest, reply: Reply): ServedAnswer {
  const answer = renderReply(service, reply, received);
  logRequest(service, received, answer.status);
  return answer;
}

function logRequest(
  service: ServerContext,
  { at, method, path, query, body, headers, origin }: ReceivedRequest,
  status: number,
): void {
  const { host } = new URL(origin);
  const sentKey = headers["authorization"] !== undefined;
  service.log.add({ at, method, path, query, status, bytes: body.size, host, sentKey });
}

/** A reply in the words of this service. */
export function renderReply(
  { endpoint, knobs }: ServerContext,
  reply: Reply,
  { at, path }: ReceivedRequest,
): ServedAnswer {
  if (!isRefusal(reply)) return reply;
  return refusalResponse(knobs, reply, { at, path, reportErrorUrl: `${endpoint}/reference/requests` });
}

/** What a route of the service says to a request: first who asks, then what the body is, then the route itself. */
function serveRoute(
  service: ServerContext,
  { route, pathParameter }: RouteMatch<ServiceRoute>,
  received: ReceivedRequest,
): Reply {
  const caller = callerOf(service, route, received);
  if (isRefusal(caller)) return caller;
  const query = new URLSearchParams(received.query);
  const stranger = checkQuery(route, query);
  if (stranger !== undefined) return stranger;
  const body = bodyOf(service, route, received);
  if (isRefusal(body)) return body;
  const { world, outbox, knobs, random } = service;
  const { path, at, now, origin } = received;
  const otherOrigin = alternateOrigin(origin);
  const call: RequestContext = {
    world,
    outbox,
    knobs,
    caller,
    pathParameter,
    path,
    query,
    origin,
    otherOrigin,
    random,
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
  const mayRead = knobs.readers === "all" && !isWriting(name);
  return authorize(world, header, mayRead ? "any" : "administrator");
}

function bodyOf({ knobs }: ServerContext, route: ServiceRoute, { headers, body }: ReceivedRequest) {
  if (route.takes === "no-body") return { value: undefined };
  const contentType = headers["content-type"];
  const fault = checkMediaType(typeof contentType === "string" ? contentType : undefined);
  return fault ?? parseBody(body, knobs.maxBodyBytes);
}

/** Whether the body is sent as what this interface speaks: 415 where it is not. */
function checkMediaType(contentType: string | undefined): Refusal | undefined {
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") return undefined;
  return refuse(415, `The Content-Type must be application/json; it is ${JSON.stringify(contentType ?? "not given")}`);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The JSON value of a body: 413 where it was too large, 400 where it is none. */
function parseBody(body: ReceivedBody, cap: number): { readonly value: unknown } | Refusal {
  if (body.bytes === undefined) return refuse(413, `The body has ${body.size} bytes; this server reads ${cap}`);
  try {
    return { value: JSON.parse(utf8.decode(body.bytes)) };
  } catch {
    return refuse(400, "The body is not JSON in UTF-8");
  }
}

/** The path of a request as the routes know it; undefined where it is none of this service's. */
function stripBasePath(where: Knobs["basePath"], path: string): string | undefined {
  if (where === "root") return path;
  return path.startsWith("/modzy/") ? path.slice("/modzy".length) : undefined;
}

const findReferenceRoute = makeRouter([
  {
    method: "GET",
    path: "/reference/outbox",
    read: (service: ServerContext): readonly unknown[] => service.outbox.mails,
  },
  {
    method: "GET",
    path: "/reference/requests",
    read: (service: ServerContext): readonly unknown[] => service.log.entries,
  },
]);

/** What tests and people read besides the service itself: its mails and its request log. */
export function referencePage(service: ServerContext, { method, path, headers }: ReceivedRequest): Reply {
  const { host } = headers;
  const misled = refuseForeignHost(typeof host === "string" ? host : "");
  if (misled !== undefined) return misled;
  const match = findReferenceRoute(method, path);
  return isRefusal(match) ? match : answer(200, match.route.read(service));
}

/** A page of a foreign site can reach this machine under its own name (DNS rebinding), but never under a loopback name. */
function refuseForeignHost(host: string): Refusal | undefined {
  const name = host.replace(/:\d{1,5}$/u, "").toLowerCase();
  if (name === "localhost" || name === "[::1]" || (name.startsWith("127.") && isIPv4(name))) return undefined;
  const problem = `The Host ${quoted(host)} is no name of this machine`;
  return refuse(403, `${problem}; reference pages answer under localhost, 127.0.0.1 and [::1] alone`);
}

const findInvitation = makeRouter([{ method: "GET", path: "/invitations/*" }]);

/** The statuses with which a user can accept. An old mail does not bring back a deleted, inactive or rejected user. */
const acceptingStatuses: ReadonlySet<string> = new Set(["invited", "pending", active.toLowerCase()]);

/** What the link of an invitation answers. Opening it accepts the invitation: the user's status becomes Active. */
export function acceptInvitation(service: ServerContext, { method, path }: ReceivedRequest): Reply {
  const match = findInvitation(method, path);
  if (isRefusal(match)) return match;
  const mail = service.outbox.mails.find(({ link }) => link.endsWith(`/invitations/${match.pathParameter}`));
  if (mail === undefined) return refuse(404, "There is no such invitation");
  const user = service.world.users.get(mail.user);
  if (user === undefined) return refuse(410, `The user ${quoted(mail.address)} of this invitation was removed`);
  if (!acceptingStatuses.has(user.status.toLowerCase())) {
    return refuse(410, `The user ${quoted(user.email)} of this invitation has the status ${user.status}`);
  }
  if (!isActive(user)) service.world.setUserStatus(user, active);
  const text = `${user.email} has accepted the invitation to the team ${mail.teamName}.\n`;
  return answerText(200, "text/plain; charset=utf-8", text);
}
