import { isWriting, type RouteName } from "./fault-triggers.ts";
import type { Knobs } from "./knobs/registry.ts";
import { answerNothing, answerText, Refusal, type ServedAnswer } from "./responses/reply.ts";
import type { ReceivedRequest, ServerContext } from "./service-context.ts";
import { active } from "./world.ts";

export type ReplyDelivery = "sent" | "reset" | "hang" | "half" | "502" | "504";

const redirectPrefix = "/moved";

export function pathBeforeRedirect(path: string, { knobs }: ServerContext): string {
  return knobs.redirect.length > 0 && path.startsWith(`${redirectPrefix}/`) ? path.slice(redirectPrefix.length) : path;
}

/** What befalls a request on its way in: an answer from elsewhere, a refusal, or the end of its connection. */
export function requestFault(
  service: ServerContext,
  route: RouteName,
  received: ReceivedRequest,
): ServedAnswer | "reset" | undefined {
  const { counts, knobs } = service;
  if (counts.isOneOf(knobs.revokeKey, route)) revokeKey(service, received);
  if (counts.isOneOf(knobs.reset, route)) return "reset";
  const isMoved = received.path.startsWith(`${redirectPrefix}/`);
  if (!isMoved && counts.isOneOf(knobs.redirect, route)) return redirection(knobs, received);
  if (counts.isOneOf(knobs.html200, route)) return loginPage;
  if (counts.isOneOf(knobs.flaky, route)) throw refusalForNow(service, knobs.flakyStatus, knobs.retryAfter);
  return undefined;
}

/** Somebody disables the key between two requests of its owner. */
function revokeKey({ world }: ServerContext, { headers }: ReceivedRequest): void {
  const [, prefix = ""] = /^ApiKey ([^.]+)\./u.exec(String(headers["authorization"])) ?? [];
  const key = world.keys.get(prefix);
  if (key?.status === active) world.setKeyStatus(key, "Inactive");
}

function redirection({ redirectTo, redirectStatus }: Knobs, { origin, path, query }: ReceivedRequest): ServedAnswer {
  const place = redirectTo === "same" ? origin : alternateOrigin(origin);
  const location = `${place}${redirectPrefix}${path}${query === "" ? "" : `?${query}`}`;
  return answerNothing(Number(redirectStatus), { location });
}

const loginPage = answerText(
  200,
  "text/html; charset=utf-8",
  '<!doctype html><html><head><title>Sign in</title></head><body><form method="post"><input name="password" type="password"></form></body></html>\n',
);

/** The server's other name: another origin, which leads to it all the same. */
export function alternateOrigin(origin: string): string {
  const { hostname, port } = new URL(origin);
  return `http://${hostname === "localhost" ? "127.0.0.1" : "localhost"}:${port}`;
}

/** The refusal of a request that was served all the same. */
export function throttlingAfterEffect(service: ServerContext, route: RouteName): Refusal | undefined {
  const { counts, knobs } = service;
  if (!counts.isOneOf(knobs.throttleAfterEffect, route)) return undefined;
  const { flakyStatus: status, retryAfter } = knobs;
  // Any other status would say that nothing was done.
  const throttling = status === "403" || status === "503" ? status : "429";
  return refusalForNow(service, throttling, retryAfter === "none" ? "seconds" : retryAfter);
}

/** What the caller is answered to a request that was done: its own answer, or that of the write before it. */
export function crossedAnswer(service: ServerContext, route: RouteName, own: ServedAnswer): ServedAnswer {
  if (!isWriting(route)) return own;
  // The first write to its route has nobody to be crossed with.
  const before = service.lastDone.get(route) ?? own;
  service.lastDone.set(route, own);
  return service.counts.isOneOf(service.knobs.crossedAnswer, route) ? before : own;
}

export function deliveryFor({ counts, knobs }: ServerContext, route: RouteName): ReplyDelivery {
  if (counts.isOneOf(knobs.dropResponse, route)) return knobs.dropResponseAs;
  if (counts.isOneOf(knobs.hang, route)) return "hang";
  return counts.isOneOf(knobs.hangBody, route) ? "half" : "sent";
}

function refusalForNow(
  { knobs, now }: ServerContext,
  status: Knobs["flakyStatus"],
  retryAfter: Knobs["retryAfter"],
): Refusal {
  const seconds = knobs.retryAfterSeconds;
  const when = {
    seconds: { "retry-after": String(seconds) },
    date: { "retry-after": new Date(now() + seconds * 1000).toUTCString() },
    none: {},
  };
  return new Refusal(Number(status), flakyMessages[status], when[retryAfter]);
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
