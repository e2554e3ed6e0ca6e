import { refuseAsFlaky } from "../knobs/flaky-status.ts";
import { retryAfterHeaders } from "../knobs/retry-after.ts";
import { type FlakyOptions, throttlingOptions } from "../knobs/throttle-after-effect.ts";
import { isWriting, type RouteName } from "../occasion.ts";
import { type Answer, answerNothing, answerText, isRefusal, type Refusal, type Reply } from "../reply.ts";
import type { ReceivedRequest, ServerContext } from "../service.ts";

/** What befalls a request on its way in: an answer from elsewhere, or the end of its connection. */
export type RequestFault = { readonly is: "reset" } | { readonly is: "answered"; readonly reply: Reply } | undefined;

/** What befalls an answer on its way out. */
export type Delivery = "sent" | "reset" | "hang" | "half" | "502" | "504";

const redirectPrefix = "/moved";

/** The path without what a redirect put before it. */
export function pathBeforeRedirect(path: string, { knobs }: ServerContext): string {
  return knobs.redirect.length > 0 && path.startsWith(`${redirectPrefix}/`) ? path.slice(redirectPrefix.length) : path;
}

export function requestFault(service: ServerContext, route: RouteName, received: ReceivedRequest): RequestFault {
  const { counts, knobs } = service;
  if (counts.isOneOf(knobs.reset, route)) return { is: "reset" };
  const isMoved = received.path.startsWith(`${redirectPrefix}/`);
  if (!isMoved && counts.isOneOf(knobs.redirect, route))
    return { is: "answered", reply: redirection(service, received) };
  if (counts.isOneOf(knobs.html200, route)) return { is: "answered", reply: loginPage };
  return counts.isOneOf(knobs.flaky, route)
    ? { is: "answered", reply: refuseWithRetryAfter(service, knobs) }
    : undefined;
}

/** What the caller is answered after the request was served. */
export function replyAfterServing(service: ServerContext, route: RouteName, reply: Reply): Reply {
  const { counts, knobs } = service;
  if (counts.isOneOf(knobs.throttleAfterEffect, route)) return refuseWithRetryAfter(service, throttlingOptions(knobs));
  return isWriting(route) && !isRefusal(reply) ? crossedOrOwnAnswer(service, route, reply) : reply;
}

/** The first write to its route has nobody to be crossed with. */
function crossedOrOwnAnswer({ counts, knobs, lastDone }: ServerContext, route: RouteName, own: Answer): Answer {
  const before = lastDone.get(route) ?? own;
  lastDone.set(route, own);
  return counts.isOneOf(knobs.crossedAnswer, route) ? before : own;
}

export function deliveryFor({ counts, knobs }: ServerContext, route: RouteName): Delivery {
  if (counts.isOneOf(knobs.dropResponse, route)) return knobs.dropResponseAs;
  if (counts.isOneOf(knobs.hang, route)) return "hang";
  return counts.isOneOf(knobs.hangBody, route) ? "half" : "sent";
}

function refuseWithRetryAfter({ knobs, now }: ServerContext, { flakyStatus, retryAfter }: FlakyOptions): Refusal {
  return { ...refuseAsFlaky(flakyStatus), headers: retryAfterHeaders(retryAfter, knobs.retryAfterSeconds, now()) };
}

function redirection({ knobs }: ServerContext, { origin, path, query }: ReceivedRequest): Reply {
  const place = knobs.redirectTo === "same" ? origin : alternateOrigin(origin);
  const location = `${place}${redirectPrefix}${path}${query === "" ? "" : `?${query}`}`;
  return answerNothing(Number(knobs.redirectStatus), { location });
}

const loginPage: Reply = answerText(
  200,
  "text/html; charset=utf-8",
  '<!doctype html><html><head><title>Sign in</title></head><body><form method="post"><input name="password" type="password"></form></body></html>\n',
);

/** The server's other name: another origin, which leads to it all the same. */
export function alternateOrigin(origin: string): string {
  const { hostname, port } = new URL(origin);
  return `http://${hostname === "localhost" ? "127.0.0.1" : "localhost"}:${port}`;
}
