import { isIPv4 } from "node:net";
import { authorize, type Caller } from "./authorization.ts";
import { isWriting } from "./fault-triggers.ts";
import {
  deliveryFor,
  pathBeforeRedirect,
  type ReplyDelivery,
  replyAfterServing,
  requestFault,
} from "./inject-faults.ts";
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
import type { ReceivedRequest, ServerContext } from "./service-context.ts";
import { active, isActive } from "./world.ts";

const findServiceRoute = makeRouter(serviceRoutes);

/** An answer, and what becomes of it on its way. */
interface HandledRequest {
  readonly answer: ServedAnswer;
  readonly delivery: ReplyDelivery;
}

/** What the service answers to a request that has come in whole, or that its connection ends. */
export function handleRequest(service: ServerContext, received: ReceivedRequest): HandledRequest | "reset" {
  const reply = (content: Reply, delivery: ReplyDelivery = "sent"): HandledRequest => {
    const answer = renderReply(service, content, received);
    logRequest(service, received, answer.status);
    return { answer, delivery };
  };
  const isModzy = service.knobs.basePath === "modzy";
  const sent = pathBeforeRedirect(received.path, service);
  if (isModzy && !sent.startsWith("/modzy/")) return reply(refuse(404, `There is no route ${quoted(received.path)}`));
  const match = findServiceRoute(received.method, isModzy ? sent.slice("/modzy".length) : sent);
  if (isRefusal(match)) return reply(match);
  const { name } = match.route;
  service.onRequest(name, service.counts.add(name));
  const fault = requestFault(service, name, received);
  if (fault === "reset") {
    logRequest(service, received, 0);
    return "reset";
  }
  if (fault !== undefined) return reply(fault);
  const served = catchDefects(() => serveRoute(service, match, received));
  return reply(replyAfterServing(service, name, served), deliveryFor(service, name));
}

/** A defect of this server is a 500, and the next request is served all the same. */
function catchDefects(reply: () => Reply): Reply {
  try {
    return reply();
  } catch (error) {
    return refuse(500, `The reference server has a defect: ${error instanceof Error ? error.message : "unknown"}`);
  }
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
  const body = route.method === "GET" ? {} : readBody(received, service.knobs.maxBodyBytes);
  if (isRefusal(body)) return body;
  const { world, identifiers, mails, knobs, random } = service;
  const { path, origin, at, now } = received;
  const call = { world, identifiers, mails, knobs, random, path, origin, at, now, caller, pathParameter, query };
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

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The JSON value of a body: 415 where it is sent as something else, 413 where it was too large, 400 where it is none. */
function readBody({ headers, body }: ReceivedRequest, cap: number): { readonly value?: unknown } | Refusal {
  const type = headers["content-type"];
  const mediaType = typeof type === "string" ? type.split(";")[0]?.trim().toLowerCase() : undefined;
  if (mediaType !== "application/json") {
    const given = JSON.stringify(typeof type === "string" ? type : "not given");
    return refuse(415, `The Content-Type must be application/json; it is ${given}`);
  }
  if (body.bytes === undefined) return refuse(413, `The body has ${body.size} bytes; this server reads ${cap}`);
  try {
    return { value: JSON.parse(utf8.decode(body.bytes)) };
  } catch {
    return refuse(400, "The body is not JSON in UTF-8");
  }
}

const findPage = makeRouter([
  { method: "GET", path: "/reference/outbox", serve: ({ mails }: ServerContext): Reply => answer(200, mails) },
  { method: "GET", path: "/reference/requests", serve: ({ log }: ServerContext): Reply => answer(200, log.entries) },
  { method: "GET", path: "/invitations/*", serve: acceptInvitation },
]);

/** Whether a path leads to what people and tests see besides the service: its mails, its request log, its invitations. */
export function isOwnPage(path: string): boolean {
  return path.startsWith("/reference/") || path.startsWith("/invitations/");
}

export function serveOwnPage(service: ServerContext, { method, path, headers }: ReceivedRequest): Reply {
  const { host } = headers;
  const misled = path.startsWith("/reference/") ? refuseForeignHost(typeof host === "string" ? host : "") : undefined;
  if (misled !== undefined) return misled;
  const match = findPage(method, path);
  return isRefusal(match) ? match : match.route.serve(service, match.pathParameter);
}

/** A page of a foreign site can reach this machine under its own name (DNS rebinding), but never under a loopback name. */
function refuseForeignHost(host: string): Refusal | undefined {
  const name = host.replace(/:\d{1,5}$/u, "").toLowerCase();
  if (name === "localhost" || name === "[::1]" || (name.startsWith("127.") && isIPv4(name))) return undefined;
  const problem = `The Host ${quoted(host)} is no name of this machine`;
  return refuse(403, `${problem}; reference pages answer under localhost, 127.0.0.1 and [::1] alone`);
}

/** What the link of an invitation answers. Opening it accepts the invitation: the user's status becomes Active. */
function acceptInvitation({ mails, world }: ServerContext, token: string): Reply {
  const mail = mails.find(({ link }) => link.endsWith(`/invitations/${token}`));
  if (mail === undefined) return refuse(404, "There is no such invitation");
  const user = world.users.get(mail.user);
  if (user === undefined) return refuse(410, `The user ${quoted(mail.address)} of this invitation was removed`);
  // An old mail does not bring back a deleted, inactive or rejected user.
  if (!isActive(user) && !/^(?:invited|pending)$/iu.test(user.status))
    return refuse(410, `The user ${quoted(user.email)} of this invitation has the status ${user.status}`);
  if (!isActive(user)) world.setUserStatus(user, active);
  const text = `${user.email} has accepted the invitation to the team ${mail.teamName}.\n`;
  return answerText(200, "text/plain; charset=utf-8", text);
}
