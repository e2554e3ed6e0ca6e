import { refuseFlaky } from "../knobs/flaky-status.ts";
import { retryHeaders } from "../knobs/retry-after.ts";
import { type FlakyWays, throttling } from "../knobs/throttle-after-effect.ts";
import { isWriting, type RouteName } from "../occasion.ts";
import { type Answer, answerNothing, answerText, isRefusal, type Refusal, type Reply } from "../reply.ts";
import type { Received, Service } from "../service.ts";

/** What befalls a request on its way in: an answer from elsewhere, or the end of its connection. */
export type WayIn = { readonly is: "reset" } | { readonly is: "answered"; readonly reply: Reply } | undefined;

/** What befalls an answer on its way out. */
export type WayOut = "sent" | "reset" | "hang" | "half" | "502" | "504";

const movedTo = "/moved";

/** The path without what a redirect put before it. */
export function pathBeforeMoving(path: string, { knobs }: Service): string {
  return knobs.redirect.length > 0 && path.startsWith(`${movedTo}/`) ? path.slice(movedTo.length) : path;
}

export function wayIn(service: Service, route: RouteName, received: Received): WayIn {
  const { counts, knobs } = service;
  if (counts.isOneOf(knobs.reset, route)) return { is: "reset" };
  const isMoved = received.path.startsWith(`${movedTo}/`);
  if (!isMoved && counts.isOneOf(knobs.redirect, route))
    return { is: "answered", reply: redirection(service, received) };
  if (counts.isOneOf(knobs.html200, route)) return { is: "answered", reply: loginPage };
  return counts.isOneOf(knobs.flaky, route) ? { is: "answered", reply: flakyRefusal(service, knobs) } : undefined;
}

/** What the caller is answered after the request was served. */
export function replyAfterServing(service: Service, route: RouteName, reply: Reply): Reply {
  const { counts, knobs } = service;
  if (counts.isOneOf(knobs.throttleAfterEffect, route)) return flakyRefusal(service, throttling(knobs));
  return isWriting(route) && !isRefusal(reply) ? ownOrCrossed(service, route, reply) : reply;
}

/** The first write to its route has nobody to be crossed with. */
function ownOrCrossed({ counts, knobs, lastDone }: Service, route: RouteName, own: Answer): Answer {
  const before = lastDone.get(route) ?? own;
  lastDone.set(route, own);
  return counts.isOneOf(knobs.crossedAnswer, route) ? before : own;
}

export function wayOut({ counts, knobs }: Service, route: RouteName): WayOut {
  if (counts.isOneOf(knobs.dropResponse, route)) return knobs.dropResponseAs;
  if (counts.isOneOf(knobs.hang, route)) return "hang";
  return counts.isOneOf(knobs.hangBody, route) ? "half" : "sent";
}

function flakyRefusal({ knobs, now }: Service, { flakyStatus, retryAfter }: FlakyWays): Refusal {
  return { ...refuseFlaky(flakyStatus), headers: retryHeaders(retryAfter, knobs.retryAfterSeconds, now()) };
}

function redirection({ knobs }: Service, { origin, path, query }: Received): Reply {
  const place = knobs.redirectTo === "same" ? origin : otherOriginOf(origin);
  const location = `${place}${movedTo}${path}${query === "" ? "" : `?${query}`}`;
  return answerNothing(Number(knobs.redirectStatus), { location });
}

const loginPage: Reply = answerText(
  200,
  "text/html; charset=utf-8",
  '<!doctype html><html><head><title>Sign in</title></head><body><form method="post"><input name="password" type="password"></form></body></html>\n',
);

/** The server's other name: another origin, which leads to it all the same. */
export function otherOriginOf(origin: string): string {
  const { hostname, port } = new URL(origin);
  return `http://${hostname === "localhost" ? "127.0.0.1" : "localhost"}:${port}`;
}
