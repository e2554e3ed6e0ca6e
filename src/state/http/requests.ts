import { createHash } from "node:crypto";
import type { Failure, Result } from "../../model/result.ts";
import { retry, retryAfter } from "../../network/retry-loop.ts";
import type { Clock, Randomness } from "../../ports/clock.ts";
import type { HttpClient, HttpFailure, HttpResponse } from "../../ports/http-client.ts";
import { type Route, type ServerPlace, shownAddress } from "./address.ts";

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
  const isOver = () => deadline?.aborted === true;
  return retry(() => send(ports, route, body), {
    clock,
    pauseAfter(reply, { tries, elapsed }) {
      const pause = pauses[tries - 1];
      if (pause === undefined || !mayFollow(reply)) return undefined;
      const jittered = pause * (0.75 + ports.randomness.fraction() / 2);
      const wait = Math.max(jittered, askedPause(reply, clock));
      return isOver() && elapsed + wait > lastTryBegins ? undefined : wait;
    },
    // Once the time of the command is over, its end must not end the last pauses as well.
    signal: () => (isOver() ? undefined : deadline),
  });
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
function basic({ username, password }: { readonly username: string; readonly password: string }): string {
  return Buffer.from(`${username}:${password}`).toString("base64");
}

const pauses = [500, 1000, 2000];

/** Milliseconds after which nothing is tried again once the time of the command is over: an end in order is worth that much. */
const lastTryBegins = 10_000;

const longestPause = 20_000;

function askedPause(reply: ServerReply, clock: Clock): number {
  const asked = reply.ok ? retryAfter(reply.value.headers.get("retry-after"), clock.now()) : undefined;
  return Math.min(asked ?? 0, longestPause);
}

/** What was asked of the state server: `doing` completes the sentence "the state could not be …". */
export interface StateRequest {
  readonly place: ServerPlace;
  readonly route: Route;
  readonly doing: string;
}

/** A failure that names the request, and quotes the server without our credentials. */
export function serverFailure(
  { place, route, doing }: StateRequest,
  said: { readonly why: string; readonly hint: string; readonly answer?: HttpResponse },
): Failure {
  const { why, hint, answer } = said;
  const says = answer === undefined || isPage(answer) ? "" : excerpt(withoutCredentials(answer.body, place));
  return {
    code: "state",
    message: `the state could not be ${doing}: ${why}`,
    request: shownRequest(route),
    ...(answer === undefined ? {} : { status: answer.status }),
    ...(says === "" ? {} : { serviceSays: says }),
    hint,
  };
}

export function shownRequest({ method, url }: Route): string {
  return `${method} ${shownAddress(url)}`;
}

/** Names a reply that is not one of those that the protocol knows for this request. */
export function unexpected(asked: StateRequest, reply: ServerReply): Failure {
  return reply.ok ? unexpectedAnswer(asked, reply.value) : serverFailure(asked, noAnswer(reply.error));
}

function noAnswer({ cause, hint }: HttpFailure): { readonly why: string; readonly hint: string } {
  return {
    why: `the state server did not answer: ${cause}`,
    hint: hint ?? "check that this machine can reach the state server, and run again",
  };
}

function unexpectedAnswer(asked: StateRequest, answer: HttpResponse): Failure {
  const named = explanations.find(({ of }) => of(answer));
  const [why, hint] = named?.says(asked.place) ?? [
    `the state server answers with status ${answer.status}`,
    "read the answer of the state server",
  ];
  return serverFailure(asked, { why, hint, answer });
}

interface StatusExplanation {
  readonly of: (answer: HttpResponse) => boolean;
  readonly says: (place: ServerPlace) => readonly [why: string, hint: string];
}

const explanations: readonly StatusExplanation[] = [
  {
    of: ({ status }) => status === 401,
    says: ({ credentials }) => [
      `the state server ${credentials === undefined ? "requires credentials" : "rejects the credentials"} (401)`,
      "set ROSTER_STATE_USERNAME and ROSTER_STATE_PASSWORD to what it accepts",
    ],
  },
  {
    of: ({ status }) => status === 403,
    says: () => [
      "these credentials have no permission at the state server (403)",
      "give their owner the right to lock and write the state; in GitLab, the Maintainer role in the project",
    ],
  },
  {
    of: ({ status }) => status >= 300 && status < 400,
    says: () => [
      "the state server answers with a redirect; roster does not follow it with credentials",
      "if you trust the target, use it as the state address",
    ],
  },
  {
    of: isPage,
    says: () => [
      "the answer is a web page, such as a login page or an error page of a proxy",
      "check the state address, and check for a proxy in between",
    ],
  },
  {
    of: ({ status }) => status === 404,
    says: () => [
      "the state server does not know the address (404)",
      "check the address and the permissions of the credentials; GitLab answers 404 without permission",
    ],
  },
  {
    of: ({ status }) => status === 413,
    says: () => ["the state is too large for the state server (413)", "raise the size limit of the state server"],
  },
  {
    of: ({ status }) => status === 429,
    says: () => ["the state server limits the rate of requests (429)", "run again later"],
  },
];

/** Whatever its status says, a page is no answer of this protocol. */
export function isPage({ headers, body }: HttpResponse): boolean {
  return /^text\/html\b/iu.test(headers.get("content-type") ?? "") || /^\s*</u.test(body);
}

function withoutCredentials(text: string, { credentials, read, lock, unlock }: ServerPlace): string {
  const secrets = [
    ...(credentials === undefined ? [] : [basic(credentials), credentials.password]),
    ...[read, lock, unlock].flatMap(({ url }) => [url.search.slice(1), ...url.searchParams.values()]),
  ];
  const spellings = secrets.filter((secret) => secret.length >= 4).flatMap((one) => [one, encodeURIComponent(one)]);
  const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
}

const longestExcerpt = 200;

function excerpt(text: string): string {
  const line = text.slice(0, 4000).replace(/\s+/gu, " ").trim();
  return line.length > longestExcerpt ? `${line.slice(0, longestExcerpt)}…` : line;
}
