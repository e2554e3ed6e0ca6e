import type { Failure } from "../../model/failure.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../../ports/http-client.ts";
import type { Randomness } from "../../ports/randomness.ts";
import type { S3Key } from "./s3-place.ts";
import { noAnswer, type ObjectOperation, refusal } from "./s3-refusal.ts";
import { type S3Credentials, type Sign, signerFor, withoutCredentials } from "./s3-signing.ts";

/** What the store needs of the world. */
export interface S3Ports {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** A request that may be sent again: a read, or a write that is bound to a condition. */
export interface S3Request {
  readonly method: "GET" | "PUT";
  readonly object: S3Key;
  readonly doing: ObjectOperation;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface S3Reply {
  readonly answer: HttpResponse;
  /** An earlier try of the same request may have had its effect: its answer never came. */
  readonly doubted: boolean;
}

/** Signs and sends, again where the trouble may pass. Never rejects. */
export interface S3Exchange {
  send(request: S3Request): Promise<Result<S3Reply, Failure>>;
  /** What an answer that is of no use means. */
  refused(request: Pick<S3Request, "object" | "doing">, answer: HttpResponse): Failure;
}

const mostTries = 6;
const firstBackoff = 200;
/** Milliseconds after which no try begins. With the last try's own time, of 10 s, a request ends within 30 s. */
const deadline = 20_000;

/** The service was busy (429, 503), or broke off (500, 502, 504); 408 and 409 stand for another request in its way. */
const passing: readonly number[] = [408, 409, 429, 500, 502, 503, 504];
/** After these it is certain that nothing was written. */
const certain: readonly number[] = [408, 409, 429];

export function s3Exchange(ports: S3Ports, region: string, credentials: S3Credentials): S3Exchange {
  const sign = signerFor(credentials, { region, clock: ports.clock });
  const redact = (text: string): string => withoutCredentials(text, credentials);
  return {
    send: (request) => sendUntilAnswered(ports, sign, request),
    refused: ({ object, doing }, answer) => refusal(answer, { object, doing, region, redact }),
  };
}

async function sendUntilAnswered(ports: S3Ports, sign: Sign, request: S3Request): Promise<Result<S3Reply, Failure>> {
  const { clock, http, randomness } = ports;
  const { method, object, headers = {}, body } = request;
  const unsigned: HttpRequest = { method, url: object.url, headers, ...(body === undefined ? {} : { body }) };
  const begun = clock.now();
  let doubted = false;
  for (let tries = 1; ; tries += 1) {
    const answered = await http.send(await sign(unsigned));
    const wait = Math.ceil(firstBackoff * 2 ** (tries - 1) * (0.5 + randomness.fraction() / 2));
    const last = tries === mostTries || clock.now() - begun + wait > deadline;
    if (answered.ok && (last || !passing.includes(answered.value.status)))
      return success({ answer: answered.value, doubted });
    if (!answered.ok && last) return problem(noAnswer(answered.error, request));
    doubted ||= answered.ok ? !certain.includes(answered.value.status) : answered.error.sent;
    await clock.wait(wait);
  }
}
