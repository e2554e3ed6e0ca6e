import { isWriting, type RouteName } from "./fault-triggers.ts";
import type { Knobs } from "./knobs/registry.ts";
import {
  answerNothing,
  answerText,
  type Headers,
  isRefusal,
  type Refusal,
  type Reply,
  refuse,
  type ServedAnswer,
} from "./responses/reply.ts";
import type { ReceivedRequest, ServerContext } from "./service-context.ts";

/** What befalls a request on its way in: an answer from elsewhere, or the end of its connection. */
type RequestFault = { readonly is: "reset" } | { readonly is: "answered"; readonly reply: Reply } | undefined;

/** What befalls an answer on its way out. */
export type ReplyDelivery = "sent" | "reset" | "hang" | "half" | "502" | "504";

const redirectPrefix = "/moved";

/** The path without what a redirect put before it. */
export function pathBeforeRedirect(path: string, { knobs }: ServerContext): string {
  return knobs.redirect.length > 0 && path.startsWith(`${redirectPrefix}/`) ? path.slice(redirectPrefix.length) : path;
}

export function requestFault(service: ServerContext, route: RouteName, received: ReceivedRequest): RequestFault {
  const { counts, knobs } = service;
  if (counts.isOneOf(knobs.revokeKey, route)) revokeKey(service, received);
  if (counts.isOneOf(knobs.reset, route)) return { is: "reset" };
  const isMoved = received.path.startsWith(`${redirectPrefix}/`);
  if (!isMoved && counts.isOneOf(knobs.redirect, route))
    return { is: "answered", reply: redirection(service, received) };
  if (counts.isOneOf(knobs.html200, route)) return { is: "answered", reply: loginPage };
  return counts.isOneOf(knobs.flaky, route)
    ? { is: "answered", reply: refuseWithRetryAfter(service, knobs) }
    : undefined;
}

/** Somebody disables the key between two requests of its owner. */
function revokeKey({ world }: ServerContext, { headers }: ReceivedRequest): void {
  const [, prefix = ""] = /^ApiKey ([^.]+)\./u.exec(String(headers["authorization"])) ?? [];
  const key = world.keys.get(prefix);
  if (key !== undefined) world.setKeyStatus(key, "Inactive");
}

/** What the caller is answered after the request was served. */
export function replyAfterServing(service: ServerContext, route: RouteName, reply: Reply): Reply {
  const { counts, knobs } = service;
  if (counts.isOneOf(knobs.throttleAfterEffect, route)) return refuseWithRetryAfter(service, throttlingOptions(knobs));
  return isWriting(route) && !isRefusal(reply) ? crossedOrOwnAnswer(service, route, reply) : reply;
}

/** The first write to its route has nobody to be crossed with. */
function crossedOrOwnAnswer(
  { counts, knobs, lastDone }: ServerContext,
  route: RouteName,
  own: ServedAnswer,
): ServedAnswer {
  const before = lastDone.get(route) ?? own;
  lastDone.set(route, own);
  return counts.isOneOf(knobs.crossedAnswer, route) ? before : own;
}

export function deliveryFor({ counts, knobs }: ServerContext, route: RouteName): ReplyDelivery {
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

function refuseAsFlaky(status: Knobs["flakyStatus"]): Refusal {
  return refuse(Number(status), flakyMessages[status]);
}

const flakyMessages: Readonly<Record<Knobs["flakyStatus"], string>> = {
  "503": "The service is busy",
  "429": "Too many requests",
  "403": "You have exceeded a secondary rate limit",
  "401": "The API key does not work: its status is not active",
  "400": "The service is not ready",
  "408": "The request took too long",
  "500": "Something went wrong",
  "502": "The service behind gave no answer",
  "504": "The service behind did not answer in time",
};

/** `now` is in milliseconds since the epoch. */
function retryAfterHeaders(how: Knobs["retryAfter"], seconds: number, now: number): Headers {
  switch (how) {
    case "seconds":
      return { "retry-after": String(seconds) };
    case "date":
      return { "retry-after": new Date(now + seconds * 1000).toUTCString() };
    case "none":
      return {};
  }
}

/** How a request is refused that may come again. */
interface FlakyOptions {
  readonly flakyStatus: Knobs["flakyStatus"];
  readonly retryAfter: Knobs["retryAfter"];
}

/** The nearest ways that throttle: any other status would say that nothing was done. */
function throttlingOptions({ flakyStatus, retryAfter }: FlakyOptions): FlakyOptions {
  const throttles = flakyStatus === "429" || flakyStatus === "403" || flakyStatus === "503";
  return {
    flakyStatus: throttles ? flakyStatus : "429",
    retryAfter: retryAfter === "none" ? "seconds" : retryAfter,
  };
}
