import { refusalResponse } from "./dialect/tell-refusal.ts";
import { stripBasePath } from "./knobs/base-path.ts";
import { isWriting } from "./occasion.ts";
import { type Answer, isRefusal, quoted, type Reply, refuse } from "./reply.ts";
import { makeRouter } from "./router.ts";
import { serviceRoutes } from "./routes.ts";
import { serveRoute } from "./serve-route.ts";
import type { ReceivedRequest, ServerContext } from "./service.ts";
import {
  type Delivery,
  deliveryFor,
  pathBeforeRedirect,
  replyAfterServing,
  requestFault,
} from "./transport/disturbance.ts";

const findServiceRoute = makeRouter(serviceRoutes);

/** An answer, and what becomes of it on its way. */
export interface HandledRequest {
  readonly answer: Answer;
  readonly delivery: Delivery;
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
  if (isWriting(name)) service.changed();
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

function renderAndLog(service: ServerContext, received: ReceivedRequest, reply: Reply): Answer {
  const answer = renderReply(service, reply, received);
  logRequest(service, received, answer.status);
  return answer;
}

function logRequest(
  service: ServerContext,
  { at, method, path, query, body, headers, origin }: ReceivedRequest,
  status: number,
): void {
  const host = new URL(origin).host;
  const sentKey = headers["authorization"] !== undefined;
  service.log.add({ at, method, path, query, status, bytes: body.size, host, sentKey });
}

/** A reply in the words of this service. */
export function renderReply({ endpoint, knobs }: ServerContext, reply: Reply, { at, path }: ReceivedRequest): Answer {
  if (!isRefusal(reply)) return reply;
  return refusalResponse(knobs, reply, { at, path, reportErrorUrl: `${endpoint}/reference/requests` });
}
