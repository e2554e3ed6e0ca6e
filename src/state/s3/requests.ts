import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { Clock, Randomness } from "../../ports/clock.ts";
import type { HttpClient, HttpClientRequest, HttpResponse } from "../../ports/http-client.ts";
import type { S3Key } from "./address.ts";
import { noAnswer, type ObjectOperation, refusal } from "./failure.ts";

/** What the store needs of the world. */
interface S3Ports {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** A request that may be sent again: a read, or a write that is bound to a condition. */
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
  const unsigned: HttpClientRequest = { method, url: object.url, headers, ...(body === undefined ? {} : { body }) };
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
