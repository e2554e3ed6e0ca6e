import { createHash } from "node:crypto";
import type { Result } from "../../model/result.ts";
import type { Clock, Randomness } from "../../ports/clock.ts";
import type { HttpClient, HttpFailure, HttpResponse } from "../../ports/http-client.ts";
import type { Route, ServerPlace } from "./address.ts";

/** What the requests to a state server take. */
export interface ServerPorts {
  readonly place: ServerPlace;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Aborted once the time of the command is over: then little is tried again. */
  readonly deadline?: AbortSignal | undefined;
}

export type ServerReply = Result<HttpResponse, HttpFailure>;

/** Sends one request once, with the credentials, as Terraform would. */
function send({ place, http }: ServerPorts, { method, url }: Route, body?: string): Promise<ServerReply> {
  const { credentials } = place;
  const headers = {
    accept: "application/json",
    ...(credentials === undefined ? {} : { authorization: `Basic ${basic(credentials)}` }),
    ...(body === undefined ? {} : { "content-type": "application/json", "content-md5": md5(body) }),
  };
  return http.send({ method, url, headers, ...(body === undefined ? {} : { body }) });
}

/** Sends a request up to four times, with growing pauses, for as long as its replies may be followed by another try. */
export async function sendWithRetries(
  ports: ServerPorts,
  {
    route,
    body,
    mayFollow,
  }: { readonly route: Route; readonly body?: string; readonly mayFollow: (reply: ServerReply) => boolean },
): Promise<ServerReply> {
  const { clock, deadline } = ports;
  const begun = clock.now();
  const isOver = () => deadline?.aborted === true;
  let reply = await send(ports, route, body);
  for (const pause of pauses) {
    if (!mayFollow(reply)) return reply;
    const jittered = pause * (0.75 + ports.randomness.fraction() / 2);
    const wait = Math.max(jittered, askedPause(reply));
    if (isOver() && clock.now() - begun + wait > lastTryBegins) return reply;
    await clock.wait(wait, isOver() ? undefined : deadline);
    reply = await send(ports, route, body);
  }
  return reply;
}

/** For requests that do no harm when they come twice: nothing came, or the server is in trouble or busy. */
export function hadNoVerdict(reply: ServerReply): boolean {
  return !reply.ok || (reply.value.status >= 500 && reply.value.status !== 501) || reply.value.status === 429;
}

/** For requests that must not come twice: this one certainly had no effect, and the next may have. */
export function wasNotTaken(reply: ServerReply): boolean {
  return reply.ok ? reply.value.status === 429 : !reply.error.sent;
}

/** The digest of a body as its header carries it. */
export function md5(text: string): string {
  return createHash("md5").update(text).digest("base64");
}

/** What stands in an Authorization header of the basic scheme. */
export function basic({ username, password }: { readonly username: string; readonly password: string }): string {
  return Buffer.from(`${username}:${password}`).toString("base64");
}

const pauses = [500, 1000, 2000];

/** Milliseconds after which nothing is tried again once the time of the command is over: an end in order is worth that much. */
const lastTryBegins = 10_000;

const longestPause = 20_000;

function askedPause(reply: ServerReply): number {
  const asked = reply.ok ? (reply.value.headers.get("retry-after") ?? "") : "";
  return /^\d{1,9}$/u.test(asked) ? Math.min(Number(asked) * 1000, longestPause) : 0;
}
