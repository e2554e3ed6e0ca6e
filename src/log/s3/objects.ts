import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { backoff, retry } from "../../http/retry-loop.ts";
import { uncachedDate } from "../../http/server-date.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { type Clock, momentOf, type Randomness } from "../../ports/clock.ts";
import {
  type HttpClient,
  type HttpClientRequest,
  type HttpFailure,
  type HttpResponse,
  isLoopback,
} from "../../ports/http-client.ts";
import { type ServerTimes, type ServerTimesTracker, trackServerTimes } from "../../ports/server-times.ts";
import type { StartBeats } from "../lease.ts";
import type { S3Key, S3Place } from "./address.ts";
import { errorCode, noAnswer, type ObjectOperation, type ObjectTask, objectFailure, refusal } from "./failure.ts";

interface S3Object {
  readonly text: string;
  /** Names this version of the object: opaque, sent back as it came. */
  readonly etag: string;
  /** Milliseconds since it was written, by the service's own clock, in whole seconds. */
  readonly age?: number;
}

/** What a write replaces: nothing, or one version of the object. */
export type WriteCondition = "nothing" | WrittenVersion;

type WrittenVersion = Pick<S3Object, "etag">;

/** Objects that are replaced only where they are as they were last seen. Never rejects. */
export interface S3Objects {
  read(object: S3Key, doing?: ObjectOperation): Promise<Result<S3Object | "missing", Failure>>;
  /** `changed`: nothing was written, since the object is not (any more) what was to be replaced. */
  write(
    object: S3Key,
    text: string,
    over: WriteCondition,
    doing?: ObjectOperation,
  ): Promise<Result<WrittenVersion | "changed", Failure>>;
}

export function s3Objects(exchange: S3Exchange): S3Objects {
  async function read(object: S3Key, doing: ObjectOperation = "read"): Promise<Result<S3Object | "missing", Failure>> {
    const sent = await exchange.send({ method: "GET", object, doing });
    if (!sent.ok) return sent;
    const { answer } = sent.value;
    if (isMissing(answer)) return success("missing");
    if (answer.status !== 200) return problem(exchange.refused({ object, doing }, answer));
    const etag = answer.headers.get("etag");
    if (etag === undefined) return problem(noEtag({ object, doing }));
    return success({ text: answer.body, etag, ...ageOf(answer) });
  }

  /** What the object holds now decides what became of a write whose answer was lost. */
  async function confirm(
    object: S3Key,
    text: string,
    doing: ObjectOperation,
  ): Promise<Result<WrittenVersion | "changed", Failure>> {
    const found = await read(object, doing);
    if (!found.ok) return found;
    if (found.value === "missing" || found.value.text !== text) return success("changed");
    return success({ etag: found.value.etag });
  }

  return {
    read,
    async write(object, text, over, doing = "written") {
      const headers = { "content-type": "application/json", ...condition(over) };
      const sent = await exchange.send({ method: "PUT", object, doing, headers, body: text });
      if (!sent.ok) return sent;
      const { answer, doubted } = sent.value;
      if (isDone(answer)) {
        const etag = answer.headers.get("etag");
        return etag === undefined ? confirm(object, text, doing) : success({ etag });
      }
      if (isOtherwise(answer)) return doubted ? confirm(object, text, doing) : success("changed");
      return problem(exchange.refused({ object, doing }, answer));
    },
  };
}

/** The headers that bind a write to what it replaces. */
export function condition(over: WriteCondition): Readonly<Record<string, string>> {
  return over === "nothing" ? { "if-none-match": "*" } : { "if-match": over.etag };
}

export function isDone({ status }: HttpResponse): boolean {
  return status === 200 || status === 201 || status === 204;
}

/** The condition of a write did not hold. Some services say so as to a read (304), or miss the object (404). */
export function isOtherwise(answer: HttpResponse): boolean {
  return [304, 409, 412].includes(answer.status) || isMissing(answer);
}

/** Only the error code of the service counts: any server may answer with 404. */
function isMissing(answer: HttpResponse): boolean {
  return answer.status === 404 && errorCode(answer) === "NoSuchKey";
}

function ageOf({ headers }: HttpResponse): Pick<S3Object, "age"> {
  const age = Date.parse(headers.get("date") ?? "") - Date.parse(headers.get("last-modified") ?? "");
  return Number.isNaN(age) ? {} : { age: Math.max(0, age) };
}

function noEtag(task: ObjectTask): Failure {
  return objectFailure(task, {
    why: "the service's answer names no version of the object (ETag)",
    hint: "check that the endpoint is an S3 service",
  });
}

/** What the parts of the store share. */
export interface S3Session {
  readonly place: S3Place;
  readonly exchange: S3Exchange;
  readonly objects: S3Objects;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly startBeats: StartBeats;
}

/** What the store needs of the world. */
export interface S3Ports {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** A request that may be sent again: a read, a write that is bound to a condition, or one that replaces whatever is there. */
interface S3Request {
  readonly method: "GET" | "PUT";
  readonly object: S3Key;
  readonly doing: ObjectOperation;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface S3Reply {
  readonly answer: HttpResponse;
  /** An earlier try of the same request may have had its effect: its answer never came. */
  readonly doubted: boolean;
}

/** Signs and sends, again where the trouble may pass. Never rejects. */
export interface S3Exchange {
  /** The time of the service, where that is another machine's. */
  readonly times: ServerTimes;
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

/** Who sends, and what about. */
interface S3Account {
  readonly region: string;
  readonly credentials: S3Credentials;
}

export function s3Exchange(ports: S3Ports, { region, credentials }: S3Account): S3Exchange {
  const sign = signerFor(credentials, { region, clock: ports.clock });
  const redact = (text: string): string => withoutCredentials(text, credentials);
  const times = trackServerTimes(ports.clock);
  return {
    times,
    async send(request) {
      const reply = await sendUntilAnswered(ports, sign, { ...request, times });
      return reply.ok ? reply : problem(noAnswer(reply.error, request));
    },
    refused: ({ object, doing }, answer) => refusal(answer, { object, doing, region, redact }),
  };
}

async function sendUntilAnswered(
  ports: S3Ports,
  sign: Sign,
  request: S3Request & { readonly times: ServerTimesTracker },
): Promise<Result<S3Reply, HttpFailure>> {
  const { clock, http, randomness } = ports;
  const { method, object, headers = {}, body, times } = request;
  const unsigned: HttpClientRequest = { method, url: object.url, headers, ...(body === undefined ? {} : { body }) };
  let doubted = false;
  const sendOnce = async () => {
    const sent = momentOf(clock);
    const answered = await http.send(await sign(unsigned));
    const time = answered.ok ? uncachedDate(answered.value) : undefined;
    if (time !== undefined && !isLoopback(object.url.hostname)) times.told(time, { sent, roundedTo: 1000 });
    return answered;
  };
  const answered = await retry(sendOnce, {
    clock,
    pauseAfter(answered, { tries, elapsed }) {
      if (tries === mostTries || (answered.ok && !passing.includes(answered.value.status))) return undefined;
      const wait = Math.ceil(backoff(tries, { first: firstBackoff, fraction: randomness.fraction() }));
      if (elapsed + wait > deadline) return undefined;
      doubted ||= answered.ok ? !certain.includes(answered.value.status) : answered.error.sent;
      return wait;
    },
  });
  return answered.ok ? success({ answer: answered.value, doubted }) : answered;
}

/** Who writes. Never shown. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Signs a request, its body included. The signature is good for some minutes from now. */
type Sign = (request: HttpClientRequest) => Promise<HttpClientRequest>;

/** @internal */
export function signerFor(
  credentials: S3Credentials,
  { region, clock }: { readonly region: string; readonly clock: Pick<Clock, "now"> },
): Sign {
  const cache = new Map<string, ArrayBuffer>();
  return async (request) => {
    const { method, url, headers, body } = request;
    const contentSha256 = createHash("sha256")
      .update(body ?? "")
      .digest("hex");
    const signer = new AwsV4Signer({
      ...credentials,
      method,
      url: url.href,
      headers: { ...headers, "x-amz-content-sha256": contentSha256 },
      service: "s3",
      region,
      cache,
      datetime: new Date(clock.now()).toISOString().replace(/[:-]|\.\d{3}/gu, ""),
    });
    const signed = await signer.sign();
    return { ...request, headers: Object.fromEntries(signed.headers) };
  };
}

/** Takes the credentials out of a text that came from outside. @internal */
export function withoutCredentials(text: string, credentials: S3Credentials): string {
  const { accessKeyId, secretAccessKey, sessionToken = "" } = credentials;
  const secrets = [secretAccessKey, sessionToken, accessKeyId].filter((secret) => secret !== "");
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
}
