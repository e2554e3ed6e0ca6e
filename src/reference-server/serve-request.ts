import type { IncomingMessage, ServerResponse } from "node:http";
import { authorize } from "./authorization.ts";
import type { Call } from "./call.ts";
import type { Knobs } from "./knobs.ts";
import type { Outbox } from "./outbox.ts";
import { answer, bodyOf, isRefusal, type Reply, refuse } from "./reply.ts";
import { mediaTypeFault, parseBody, type ReceivedBody, receiveBody } from "./request-body.ts";
import type { RequestLog } from "./request-log.ts";
import { makeRouter } from "./router.ts";
import { type ServiceRoute, serviceRoutes } from "./routes.ts";
import type { World } from "./world.ts";

/** What the server holds between requests. */
export interface Service {
  readonly world: World;
  readonly outbox: Outbox;
  readonly log: RequestLog;
  readonly knobs: Knobs;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Where it listens, without a trailing slash. */
  readonly endpoint: string;
}

interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly at: string;
  readonly body: ReceivedBody;
}

const findServiceRoute = makeRouter(serviceRoutes);
const findReferenceRoute = makeRouter([
  { method: "GET", path: "/reference/outbox", read: (service: Service): readonly unknown[] => service.outbox.mails },
  { method: "GET", path: "/reference/requests", read: (service: Service): readonly unknown[] => service.log.entries },
]);

/** Answers one request. Never rejects: a caller who went away is nobody to tell. */
export async function serveRequest(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const at = new Date(service.now()).toISOString();
  try {
    const body = await receiveBody(request, service.knobs.maxBodyBytes);
    send(service, response, replyTo(service, request, { ...splitAddress(request), at, body }));
  } catch {
    response.destroy();
  }
}

function splitAddress(request: IncomingMessage): Pick<Received, "method" | "path" | "query"> {
  const { method = "", url = "" } = request;
  const mark = url.indexOf("?");
  return mark < 0 ? { method, path: url, query: "" } : { method, path: url.slice(0, mark), query: url.slice(mark + 1) };
}

function replyTo(service: Service, request: IncomingMessage, received: Received): Reply {
  if (received.path.startsWith("/reference/")) return referenceReply(service, received);
  const reply = safely(() => serviceReply(service, request, received));
  const { at, method, path, query, body } = received;
  service.log.add({ at, method, path, query, status: reply.status, bytes: body.size });
  return reply;
}

function referenceReply(service: Service, { method, path }: Received): Reply {
  const match = findReferenceRoute(method, path);
  return isRefusal(match) ? match : answer(200, match.route.read(service));
}

function serviceReply(service: Service, request: IncomingMessage, received: Received): Reply {
  const match = findServiceRoute(received.method, received.path);
  if (isRefusal(match)) return match;
  const caller = authorize(service.world, request.headers.authorization);
  if (isRefusal(caller)) return caller;
  const body = bodyFor(match.route, request, received, service.knobs);
  if (isRefusal(body)) return body;
  const { world, outbox, knobs } = service;
  const { path, at } = received;
  const query = new URLSearchParams(received.query);
  const origin = originOf(request, service.endpoint);
  const call: Call = { world, outbox, knobs, caller, subject: match.subject, path, query, origin, at };
  return match.route.serve(call, body.value);
}

function bodyFor(route: ServiceRoute, request: IncomingMessage, { body }: Received, { maxBodyBytes }: Knobs) {
  if (route.takes === "no-body") return { value: undefined };
  return mediaTypeFault(request.headers["content-type"]) ?? parseBody(body, maxBodyBytes);
}

/** Links lead back to where the caller came in, which may be a proxy. */
function originOf(request: IncomingMessage, endpoint: string): string {
  const host = request.headers.host ?? "";
  return /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : endpoint;
}

/** A defect of this server is a 500, and the next request is served all the same. */
function safely(reply: () => Reply): Reply {
  try {
    return reply();
  } catch (error) {
    return refuse(500, `The reference server has a defect: ${error instanceof Error ? error.message : "unknown"}`);
  }
}

function send(service: Service, response: ServerResponse, reply: Reply): void {
  const text = JSON.stringify(bodyOf(reply, `${service.endpoint}/reference/requests`));
  response.writeHead(reply.status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    ...reply.headers,
  });
  response.end(text);
}
