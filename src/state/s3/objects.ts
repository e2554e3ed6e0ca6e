import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { Clock, Randomness } from "../../ports/clock.ts";
import type { HttpResponse } from "../../ports/http-client.ts";
import type { S3Key, S3Place } from "./address.ts";
import { errorCode, type ObjectOperation } from "./failure.ts";
import type { StartHeartbeat } from "./heartbeat.ts";
import type { S3Exchange } from "./requests.ts";

interface S3Object {
  readonly text: string;
  /** Names this version of the object: opaque, sent back as it came. */
  readonly etag: string;
  /** Milliseconds since it was written, by the service's own clock, in whole seconds. */
  readonly age?: number;
}

/** What a write replaces: nothing, or one version of the object. */
export type WriteCondition = "nothing" | Pick<S3Object, "etag">;

interface WrittenObject {
  readonly etag: string;
  /** The answer was lost; reading showed that the object holds what was sent. */
  readonly by: "answer" | "reading";
}

/** Objects that are replaced only where they are as they were last seen. Never rejects. */
interface S3Objects {
  read(object: S3Key, doing?: ObjectOperation): Promise<Result<S3Object | "missing", Failure>>;
  /** `changed`: nothing was written, since the object is not (any more) what was to be replaced. */
  write(
    object: S3Key,
    text: string,
    over: WriteCondition,
    doing?: ObjectOperation,
  ): Promise<Result<WrittenObject | "changed", Failure>>;
}

export function s3Objects(exchange: S3Exchange): S3Objects {
  async function read(object: S3Key, doing: ObjectOperation = "read"): Promise<Result<S3Object | "missing", Failure>> {
    const sent = await exchange.send({ method: "GET", object, doing });
    if (!sent.ok) return sent;
    const { answer } = sent.value;
    if (isMissing(answer)) return success("missing");
    if (answer.status !== 200) return problem(exchange.refused({ object, doing }, answer));
    const etag = answer.headers.get("etag");
    if (etag === undefined) return problem(noEtag(object, doing));
    return success({ text: answer.body, etag, ...ageOf(answer) });
  }

  /** What the object holds now decides what became of a write whose answer was lost. */
  async function confirm(
    object: S3Key,
    text: string,
    doing: ObjectOperation,
  ): Promise<Result<WrittenObject | "changed", Failure>> {
    const found = await read(object, doing);
    if (!found.ok) return found;
    if (found.value === "missing" || found.value.text !== text) return success("changed");
    return success({ etag: found.value.etag, by: "reading" });
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
        return etag === undefined ? confirm(object, text, doing) : success({ etag, by: "answer" });
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

/** Only the service's own word is taken for it: any server may answer with 404. */
function isMissing(answer: HttpResponse): boolean {
  return answer.status === 404 && errorCode(answer) === "NoSuchKey";
}

function ageOf({ headers }: HttpResponse): Pick<S3Object, "age"> {
  const age = Date.parse(headers.get("date") ?? "") - Date.parse(headers.get("last-modified") ?? "");
  return Number.isNaN(age) ? {} : { age: Math.max(0, age) };
}

function noEtag({ shown }: S3Key, doing: ObjectOperation): Failure {
  return {
    code: "state",
    message: `the state could not be ${doing} at ${shown}: the service's answer names no version of the object (ETag)`,
    request: shown,
    hint: "check that the endpoint is one of S3",
  };
}

/** What the parts of the store share. */
export interface S3Session {
  readonly place: S3Place;
  readonly exchange: S3Exchange;
  readonly objects: S3Objects;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly startBeats: StartHeartbeat;
}
