import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { answerTo, told } from "./answer-request.ts";
import { acceptInvitation } from "./invitations.ts";
import { referenceReply } from "./reference-pages.ts";
import { receiveBody } from "./request-body.ts";
import type { Received, Service } from "./service.ts";
import { send } from "./transport/send.ts";

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
    if (received.path.startsWith("/invitations/")) {
      send(response, told(service, acceptInvitation(service, received), received));
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
