import { isIPv4 } from "node:net";
import { authorize, type Caller } from "./authorization.ts";
import { isWriting } from "./fault-triggers.ts";
import {
  crossedAnswer,
  deliveryFor,
  pathBeforeRedirect,
  type ReplyDelivery,
  requestFault,
  throttlingAfterEffect,
} from "./inject-faults.ts";
import { answer, answerRefusal, answerText, quoted, Refusal, type ServedAnswer } from "./responses/reply.ts";
import { checkQuery, makeRouter, type RouteMatch, type ServiceRoute, serviceRoutes } from "./routes/routes.ts";
import type { ReceivedRequest, ServerContext } from "./service-context.ts";
import { active, isActive } from "./world.ts";

const findServiceRoute = makeRouter(serviceRoutes);

/** An answer, and what becomes of it on its way. */
export interface HandledRequest {
  readonly answer: ServedAnswer;
  readonly delivery: ReplyDelivery;
}

/** What the server answers to a request that has come in whole, or that its connection ends. */
export function handleRequest(service: ServerContext, received: ReceivedRequest): HandledRequest | "reset" {
  if (isOwnPage(received.path))
    return { answer: answerOrRefusal(service, received, () => serveOwnPage(service, received)), delivery: "sent" };
  const handled = serveOrBreak(service, received);
  const { now, method, path, query, body, headers, origin } = received;
  service.log.add({
    at: new Date(now).toISOString(),
    method,
    path,
    query,
    status: handled === "reset" ? 0 : handled.answer.status,
    bytes: body.size,
    host: new URL(origin).host,
    sentKey: headers["authorization"] !== undefined,
  });
  return handled;
}

function serveOrBreak(service: ServerContext, received: ReceivedRequest): HandledRequest | "reset" {
  try {
    const isModzy = service.knobs.basePath === "modzy";
    const sent = pathBeforeRedirect(received.path, service);
    if (isModzy && !sent.startsWith("/modzy/")) throw new Refusal(404, `There is no route ${quoted(received.path)}`);
    const match = findServiceRoute(received.method, isModzy ? sent.slice("/modzy".length) : sent);
    const { name } = match.route;
    service.onRequest(name, service.counts.add(name));
    const fault = requestFault(service, name, received);
    if (fault === "reset") return fault;
    if (fault !== undefined) return { answer: fault, delivery: "sent" };
    const own = answerOrRefusal(service, received, () =>
      crossedAnswer(service, name, serveRoute(service, match, received)),
    );
    const throttling = throttlingAfterEffect(service, name);
    const answer = throttling === undefined ? own : renderRefusal(service, received, throttling);
    return { answer, delivery: deliveryFor(service, name) };
  } catch (refusal) {
    return { answer: renderRefusal(service, received, refusal), delivery: "sent" };
  }
}

function answerOrRefusal(service: ServerContext, received: ReceivedRequest, serve: () => ServedAnswer): ServedAnswer {
  try {
    return serve();
  } catch (refusal) {
    return renderRefusal(service, received, refusal);
  }
}

/** A defect of this server is a 500, and the next request is served all the same. */
export function renderRefusal(
  { endpoint, knobs }: ServerContext,
  { now, path }: ReceivedRequest,
  why: unknown,
): ServedAnswer {
  const defect = `The reference server has a defect: ${why instanceof Error ? why.message : "unknown"}`;
  const refusal = why instanceof Refusal ? why : new Refusal(500, defect);
  return answerRefusal(knobs, refusal, { now, path, reportErrorUrl: `${endpoint}/reference/requests` });
}

/** What a route of the service says to a request: first who asks, then what the body is, then the route itself. */
function serveRoute(
  service: ServerContext,
  { route, pathParameter }: RouteMatch<ServiceRoute>,
  received: ReceivedRequest,
): ServedAnswer {
  const caller = callerOf(service, route, received);
  const query = new URLSearchParams(received.query);
  checkQuery(route, query);
  const body = route.method === "GET" ? undefined : readBody(received, service.knobs.maxBodyBytes);
  return route.serve({ ...service, ...received, caller, pathParameter, query }, body);
}

function callerOf(
  { administrator, knobs, world }: ServerContext,
  { name }: ServiceRoute,
  received: ReceivedRequest,
): Caller {
  const { authorization } = received.headers;
  const header = typeof authorization === "string" ? authorization : undefined;
  const isOpen = knobs.authOnAccounts === "not-required" && (name === "accounts" || name === "roles");
  if (isOpen && header === undefined) return { is: "platform-administrator", key: administrator };
  const mayRead = knobs.readers === "all" && !isWriting(name);
  return authorize(world, header, mayRead ? "any" : "administrator");
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The JSON value of a body: 415 where it is sent as something else, 413 where it was too large, 400 where it is none. */
function readBody({ headers, body }: ReceivedRequest, cap: number): unknown {
  const type = headers["content-type"];
  const mediaType = typeof type === "string" ? type.split(";")[0]?.trim().toLowerCase() : undefined;
  if (mediaType !== "application/json") {
    const given = JSON.stringify(typeof type === "string" ? type : "not given");
    throw new Refusal(415, `The Content-Type must be application/json; it is ${given}`);
  }
  if (body.bytes === undefined) throw new Refusal(413, `The body has ${body.size} bytes; this server reads ${cap}`);
  try {
    return JSON.parse(utf8.decode(body.bytes));
  } catch {
    throw new Refusal(400, "The body is not JSON in UTF-8");
  }
}

const findPage = makeRouter([
  { method: "GET", path: "/reference/outbox", serve: ({ mails }: ServerContext) => answer(200, mails) },
  { method: "GET", path: "/reference/requests", serve: ({ log }: ServerContext) => answer(200, log.entries) },
  { method: "GET", path: "/invitations/*", serve: acceptInvitation },
]);

/** Whether a path leads to what people and tests see besides the service: its mails, its request log, its invitations. */
export function isOwnPage(path: string): boolean {
  return path.startsWith("/reference/") || path.startsWith("/invitations/");
}

function serveOwnPage(service: ServerContext, { method, path, headers }: ReceivedRequest): ServedAnswer {
  const { host } = headers;
  if (path.startsWith("/reference/")) checkHost(typeof host === "string" ? host : "");
  const { route, pathParameter } = findPage(method, path);
  return route.serve(service, pathParameter);
}

/** A page of a foreign site can reach this machine under its own name (DNS rebinding), but never under a loopback name. */
function checkHost(host: string): void {
  const name = host.replace(/:\d{1,5}$/u, "").toLowerCase();
  if (name === "localhost" || name === "[::1]" || (name.startsWith("127.") && isIPv4(name))) return;
  const problem = `The Host ${quoted(host)} is no name of this machine`;
  throw new Refusal(403, `${problem}; reference pages answer under localhost, 127.0.0.1 and [::1] alone`);
}

/** What the link of an invitation answers. Opening it accepts the invitation: the user's status becomes Active. */
function acceptInvitation({ mails, world }: ServerContext, token: string): ServedAnswer {
  const mail = mails.find(({ link }) => link.endsWith(`/invitations/${token}`));
  if (mail === undefined) throw new Refusal(404, "There is no such invitation");
  const user = world.users.get(mail.user);
  if (user === undefined) throw new Refusal(410, `The user ${quoted(mail.address)} of this invitation was removed`);
  // An old mail does not bring back a deleted, inactive or rejected user.
  if (!isActive(user) && !/^(?:invited|pending)$/iu.test(user.status))
    throw new Refusal(410, `The user ${quoted(user.email)} of this invitation has the status ${user.status}`);
  if (!isActive(user)) world.setUserStatus(user, active);
  const text = `${user.email} has accepted the invitation to the team ${mail.teamName}.\n`;
  return answerText(200, "text/plain; charset=utf-8", text);
}
