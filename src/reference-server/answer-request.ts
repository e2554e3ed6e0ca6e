import { tellRefusal } from "./dialect/tell-refusal.ts";
import { pathUnderBase } from "./knobs/base-path.ts";
import { isWriting } from "./occasion.ts";
import { type Answer, isRefusal, quoted, type Reply, refuse } from "./reply.ts";
import { makeRouter } from "./router.ts";
import { serviceRoutes } from "./routes.ts";
import { serveRoute } from "./serve-route.ts";
import type { Received, Service } from "./service.ts";
import { pathBeforeMoving, replyAfterServing, type WayOut, wayIn, wayOut } from "./transport/disturbance.ts";

const findServiceRoute = makeRouter(serviceRoutes);

/** An answer, and what becomes of it on its way. */
export interface Sending {
  readonly answer: Answer;
  readonly way: WayOut;
}

/** What the service answers to a request that has come in whole, or that its connection ends. */
export function answerTo(service: Service, received: Received): Sending | "reset" {
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
  return { answer: logged(service, received, replyAfterServing(service, name, reply)), way: wayOut(service, name) };
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

/** A reply in the words of this service. */
export function told({ endpoint, knobs }: Service, reply: Reply, { at, path }: Received): Answer {
  if (!isRefusal(reply)) return reply;
  return tellRefusal(knobs, reply, { at, path, reportErrorUrl: `${endpoint}/reference/requests` });
}
