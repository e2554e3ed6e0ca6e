import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { tellRefusal } from "./dialect/tell-refusal.ts";
import { pathUnderBase } from "./knobs/base-path.ts";
import { isWriting } from "./occasion.ts";
import { type Answer, answer, isRefusal, quoted, type Reply, refuse } from "./reply.ts";
import { receiveBody } from "./request-body.ts";
import { makeRouter } from "./router.ts";
import { serviceRoutes } from "./routes.ts";
import { serveRoute } from "./serve-route.ts";
import type { Received, Service } from "./service.ts";
import { pathBeforeMoving, type WayOut, wayIn, wayOut } from "./transport/disturbance.ts";
import { send } from "./transport/send.ts";

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
  try {
    const received = await receive(service, request);
    if (service.referencePages === "shown" && received.path.startsWith("/reference/")) {
      send(response, told(service, referenceReply(service, received), received));
      return;
    }
    const { latencyMs } = service.knobs;
    if (latencyMs > 0) await pause(latencyMs, undefined, { ref: false });
    const outcome = answerTo(service, received);
    if (outcome === "reset") request.socket.resetAndDestroy();
    else send(response, outcome.answer, outcome.way);
  } catch {
    response.destroy();
  }
}

async function receive(service: Service, request: IncomingMessage): Promise<Received> {
  const now = service.now();
  const { method = "", url = "", headers } = request;
  const mark = url.indexOf("?");
  const [path, query] = mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
  const body = await receiveBody(request, service.knobs.maxBodyBytes);
  return {
    method,
    path,
    query,
    headers,
    at: new Date(now).toISOString(),
    now,
    origin: originOf(service, request),
    body,
  };
}

/** Links lead back to where the caller came in, which may be a proxy. */
function originOf(service: Service, { headers: { host = "" } }: IncomingMessage): string {
  return /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`) ? `http://${host}` : service.endpoint;
}

function referenceReply(service: Service, { method, path }: Received): Reply {
  const match = findReferenceRoute(method, path);
  return isRefusal(match) ? match : answer(200, match.route.read(service));
}

interface Sending {
  readonly answer: Answer;
  readonly way: WayOut;
}

function answerTo(service: Service, received: Received): Sending | "reset" {
  const path = pathUnderBase(service.knobs.basePath, pathBeforeMoving(received.path, service));
  const match =
    path === undefined
      ? refuse(404, `There is no route ${quoted(received.path)}`)
      : findServiceRoute(received.method, path);
  if (isRefusal(match)) return { answer: logged(service, received, match), way: "sent" };
  const { name } = match.route;
  service.onRequest(name, service.counts.add(name));
  const before = wayIn(service, name, received);
  if (before?.is === "reset") {
    log(service, received, 0);
    return "reset";
  }
  if (before !== undefined) return { answer: logged(service, received, before.reply), way: "sent" };
  const reply = safely(() => serveRoute(service, match, received));
  if (isWriting(name)) service.changed();
  return { answer: logged(service, received, reply), way: wayOut(service, name) };
}

/** A defect of this server is a 500, and the next request is served all the same. */
function safely(reply: () => Reply): Reply {
  try {
    return reply();
  } catch (error) {
    return refuse(500, `The reference server has a defect: ${error instanceof Error ? error.message : "unknown"}`);
  }
}

function logged(service: Service, received: Received, reply: Reply): Answer {
  const answer = told(service, reply, received);
  log(service, received, answer.status);
  return answer;
}

function log(service: Service, { at, method, path, query, body, headers, origin }: Received, status: number): void {
  const host = new URL(origin).host;
  const sentKey = headers["authorization"] !== undefined;
  service.log.add({ at, method, path, query, status, bytes: body.size, host, sentKey });
}

function told({ endpoint, knobs }: Service, reply: Reply, { at, path }: Received): Answer {
  if (!isRefusal(reply)) return reply;
  return tellRefusal(knobs, reply, { at, path, reportErrorUrl: `${endpoint}/reference/requests` });
}
