import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { type HttpClientRequest, type HttpResponse, isLoopback } from "../../http/http-client.ts";
import { backoff, type HttpClient, retry } from "../../http/origin.ts";
import { trackServerTimes, uncachedDate } from "../../http/server-times.ts";
import { type Clock, momentOf, type Randomness } from "../../ports/clock.ts";
import type { StartBeats } from "../lock-holder.ts";
import type { S3Key, S3Place } from "./address.ts";
import { errorCode, mayPass, ObjectError, type ObjectTask, objectFailure, refusal } from "./failure.ts";

/** What the parts of the store share. */
export interface S3Session {
  readonly place: S3Place;
  readonly objects: ReturnType<typeof s3Objects>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly startBeats: StartBeats | undefined;
}

interface S3Object extends WrittenVersion {
  readonly text: string;
  /** Milliseconds since it was written, by the service's own clock, in whole seconds. */
  readonly age: number | undefined;
}

/** Names a version of an object: opaque, sent back as it came. */
interface WrittenVersion {
  readonly etag: string;
}

/** What a write replaces: nothing, one version of the object, or whatever is there. */
export type WriteCondition = "nothing" | "anything" | WrittenVersion;

export interface S3Ports {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** What is read at most, in bytes. */
export const largestObject = 64 * 1024 * 1024;

const mostTries = 6;
const firstBackoff = 200;
/** Milliseconds after which no try begins. With the last try's own time, of 10 s, a request ends within 30 s. */
const deadline = 20_000;

/** Objects that are replaced only where they are as they were last seen. What fails throws an `ObjectError`. */
export function s3Objects(
  { http, clock, randomness }: S3Ports,
  { region, credentials }: { readonly region: string; readonly credentials: S3Credentials },
) {
  const sign = signerFor(credentials, { region, clock });
  const refused = (answer: HttpResponse, task: ObjectTask) =>
    refusal(answer, task, { region, redact: (text) => withoutCredentials(text, credentials) });
  const times = trackServerTimes(clock);

  async function sendOnce(unsigned: HttpClientRequest) {
    const sent = momentOf(clock);
    const answered = await http.send(await sign(unsigned));
    const time = answered.is === "answer" ? uncachedDate(answered) : undefined;
    if (time !== undefined && !isLoopback(unsigned.url.hostname)) times.told(time, { sent, roundedTo: 1000 });
    return answered;
  }

  /** Again where the trouble may pass. `isDoubted`: an earlier try may have had its effect, since its answer never came. */
  async function send(task: ObjectTask, request: Omit<HttpClientRequest, "url">) {
    let isDoubted = false;
    const answered = await retry(() => sendOnce({ ...request, url: task.object.url }), {
      clock,
      pauseAfter(answered, { tries, elapsed }) {
        const lasts = answered.is === "answer" ? !mayPass(answered) : answered.why === "unreadable";
        const wait = Math.ceil(backoff(tries, randomness.fraction(), firstBackoff));
        if (lasts || tries === mostTries || elapsed + wait > deadline) return undefined;
        // After 408, 409 and 429 it is certain that nothing was written.
        isDoubted ||= answered.is === "answer" ? answered.status >= 500 : answered.sent;
        return wait;
      },
    });
    if (answered.is === "answer") return { answer: answered, isDoubted };
    const { cause, hint, why } = answered;
    throw new ObjectError(why === "unreadable", objectFailure(task, cause, hint));
  }

  function put(task: ObjectTask, text: string, over: WriteCondition) {
    const headers = { "content-type": "application/json", ...condition(over) };
    return send(task, { method: "PUT", headers, body: text });
  }

  async function read(object: S3Key, doing: ObjectTask["doing"] = "read"): Promise<S3Object | "missing"> {
    const { answer } = await send({ object, doing }, { method: "GET", headers: {} });
    if (isMissing(answer)) return "missing";
    if (answer.status !== 200) throw refused(answer, { object, doing });
    const etag = answer.headers.get("etag");
    if (etag !== undefined) return { text: answer.body, etag, age: ageOf(answer) };
    const why = "the service's answer names no version of the object (ETag)";
    throw new ObjectError(true, objectFailure({ object, doing }, why, "check that the endpoint is an S3 service"));
  }

  return {
    /** The time of the service, where that is another machine's. */
    times,
    read,
    /** `changed`: nothing was written, since the object is not (any more) what was to be replaced. */
    async write(
      object: S3Key,
      text: string,
      over: WriteCondition,
      doing: ObjectTask["doing"] = "written",
    ): Promise<WrittenVersion | "changed"> {
      const { answer, isDoubted } = await put({ object, doing }, text, over);
      const etag = answer.headers.get("etag");
      if (isDone(answer) && etag !== undefined) return { etag };
      if (!isDone(answer) && !isOtherwise(answer)) throw refused(answer, { object, doing });
      if (!isDone(answer) && !isDoubted) return "changed";
      // What the object holds now decides what became of a write whose answer was lost.
      const found = await read(object, doing);
      return found === "missing" || found.text !== text ? "changed" : { etag: found.etag };
    },
    /** Whether a write is refused for its condition. Where an answer was lost, it may have been done all the same. */
    async refuses(object: S3Key, text: string, over: WriteCondition) {
      const { answer } = await put({ object, doing: "locked" }, text, over);
      if (!isDone(answer) && !isOtherwise(answer)) throw refused(answer, { object, doing: "locked" });
      return isOtherwise(answer);
    },
  };
}

function condition(over: WriteCondition): Readonly<Record<string, string>> {
  if (over === "anything") return {};
  return over === "nothing" ? { "if-none-match": "*" } : { "if-match": over.etag };
}

function isDone({ status }: HttpResponse): boolean {
  return status === 200 || status === 201 || status === 204;
}

/** The condition of a write did not hold. Some services say so as to a read (304), or miss the object (404). */
function isOtherwise(answer: HttpResponse): boolean {
  return [304, 409, 412].includes(answer.status) || isMissing(answer);
}

/** Only the error code of the service counts: any server may answer with 404. */
function isMissing(answer: HttpResponse): boolean {
  return answer.status === 404 && errorCode(answer) === "NoSuchKey";
}

function ageOf({ headers }: HttpResponse): number | undefined {
  const age = Date.parse(headers.get("date") ?? "") - Date.parse(headers.get("last-modified") ?? "");
  return Number.isNaN(age) ? undefined : Math.max(0, age);
}

/** Who writes. Never shown. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Signs a request, its body included. The signature is good for some minutes from now. */
type Sign = (request: HttpClientRequest) => Promise<HttpClientRequest>;

export function signerFor(
  credentials: S3Credentials,
  { region, clock }: { readonly region: string; readonly clock: Pick<Clock, "now"> },
): Sign {
  const cache = new Map<string, ArrayBuffer>();
  return async (request) => {
    const { method, url, headers, body = "" } = request;
    const contentSha256 = createHash("sha256").update(body).digest("hex");
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

export function withoutCredentials(text: string, credentials: S3Credentials): string {
  const { accessKeyId, secretAccessKey, sessionToken = "" } = credentials;
  const secrets = [secretAccessKey, sessionToken, accessKeyId].filter((secret) => secret !== "");
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
}
