import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { handleRequest, renderReply } from "./answer-request.ts";
import { acceptInvitation } from "./invitations.ts";
import { referencePage } from "./reference-pages.ts";
import { receiveBody } from "./request-body.ts";
import type { ReceivedRequest, ServerContext } from "./service.ts";
import { sendAnswer } from "./transport/send.ts";

/** Answers one request. Never rejects: a caller who went away is nobody to tell. */
export async function serveRequest(
  service: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const received = await receive(service, request);
    if (service.referencePages === "shown" && received.path.startsWith("/reference/")) {
      sendAnswer(response, renderReply(service, referencePage(service, received), received));
      return;
    }
    if (received.path.startsWith("/invitations/")) {
      sendAnswer(response, renderReply(service, acceptInvitation(service, received), received));
      return;
    }
    const { latencyMs } = service.knobs;
    if (latencyMs > 0) await pause(latencyMs, undefined, { ref: false });
    const outcome = handleRequest(service, received);
    if (outcome === "reset") request.socket.resetAndDestroy();
    else sendAnswer(response, outcome.answer, outcome.delivery);
  } catch {
    response.destroy();
  }
}

async function receive(service: ServerContext, request: IncomingMessage): Promise<ReceivedRequest> {
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
function originOf(service: ServerContext, { headers: { host = "" } }: IncomingMessage): string {
  return /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`) ? `http://${host}` : service.endpoint;
}
