import type { Failure } from "../../model/result.ts";
import type { HttpFailure, HttpResponse } from "../../ports/http-client.ts";
import type { S3Key } from "./address.ts";

/** Completes the sentence "the log could not be …". */
export type ObjectOperation = "read" | "written" | "locked";

/** What was asked for. */
export interface ObjectTask {
  readonly object: S3Key;
  readonly doing: ObjectOperation;
}

/** What was asked for, and what must not be shown of an answer. */
interface ObjectRequest extends ObjectTask {
  readonly region: string;
  /** Takes the credentials out of the service's words. */
  readonly redact: (text: string) => string;
}

/** Says that an object could not be read or written, and why. */
export function objectFailure(
  { object, doing }: ObjectTask,
  { why, hint }: { readonly why: string; readonly hint?: string | undefined },
): Failure {
  const request = object.shown;
  const message = `the log could not be ${doing} at ${request}: ${why}`;
  return { code: "state", message, request, ...(hint === undefined ? {} : { hint }) };
}

/** No answer came to any try. */
export function noAnswer({ cause, hint }: HttpFailure, task: ObjectTask): Failure {
  return objectFailure(task, { why: cause, hint });
}

/** An answer that is of no use, in our words and the service's, with what a person can do. */
export function refusal(answer: HttpResponse, { region, redact, ...task }: ObjectRequest): Failure {
  const says = errorMessage(answer);
  return {
    ...objectFailure(task, explain(answer, region)),
    status: answer.status,
    ...(says === undefined ? {} : { serviceSays: redact(says) }),
  };
}

/** The error's name as an answer gives it, such as `NoSuchKey`; whatever else the answer holds is not looked at. */
export function errorCode({ body }: HttpResponse): string | undefined {
  return /<Code>([A-Za-z][A-Za-z0-9.]{0,63})<\/Code>/u.exec(body.slice(0, longestError))?.[1];
}

/** Errors are some hundred bytes long: what is hidden far behind is none. */
const longestError = 4096;

function errorMessage({ body }: HttpResponse): string | undefined {
  const text = /<Message>([^<]{1,1000})<\/Message>/u.exec(body.slice(0, longestError))?.[1];
  const line = text?.replace(/[\s\p{Cc}\p{Cf}\p{Cs}\p{Co}]+/gu, " ").trim();
  return line === undefined || line === "" ? undefined : line.slice(0, 300);
}

interface S3Explanation {
  readonly why: string;
  readonly hint: string;
}

function explain(answer: HttpResponse, region: string): S3Explanation {
  const code = errorCode(answer);
  if (code === "AccessDenied") return forbidden;
  const known = code === undefined ? undefined : explanations.get(code);
  if (known !== undefined) return known;
  if (code !== undefined ? elsewhere.includes(code) : answer.status >= 300 && answer.status < 400)
    return inAnotherRegion(answer, region);
  if (answer.status === 501) return noConditions;
  if (answer.status === 401 || answer.status === 403) return forbidden;
  if (answer.status === 429 || answer.status >= 500) return busy;
  return {
    why: `the service answered with ${code ?? `status ${answer.status}`}`,
    hint: "check the bucket, the region and the endpoint of the s3: address",
  };
}

/** The codes with which a service says that the bucket is in another region than the request was signed for. */
const elsewhere: readonly string[] = [
  "PermanentRedirect",
  "TemporaryRedirect",
  "Redirect",
  "AuthorizationHeaderMalformed",
  "IllegalLocationConstraintException",
];

function inAnotherRegion(answer: HttpResponse, region: string): S3Explanation {
  const ofBucket = answer.headers.get("x-amz-bucket-region") ?? "";
  const there = /^[a-z0-9-]{1,40}$/u.test(ofBucket) && ofBucket !== region;
  return {
    why: `the bucket is not in the region ${region}`,
    hint: there
      ? `write region=${ofBucket} in the s3: address, or set AWS_REGION`
      : "name the bucket's region with region= in the s3: address, or set AWS_REGION",
  };
}

const forbidden: S3Explanation = {
  why: "the credentials have no permission for this",
  hint: "allow s3:GetObject and s3:PutObject on the objects of the log, its .checkpoint and its .lock, and s3:ListBucket on the bucket",
};

const noConditions: S3Explanation = {
  why: "the service does not support conditional writes, which roster needs",
  hint: "use a service that supports If-Match and If-None-Match on writes, or another kind of store",
};

const busy: S3Explanation = {
  why: "the service was busy or failing at every try",
  hint: "run again later: earlier records are kept",
};

const staleToken: S3Explanation = {
  why: "the session token has expired",
  hint: "set new AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN",
};

const explanations: ReadonlyMap<string, S3Explanation> = new Map<string, S3Explanation>([
  ["NotImplemented", noConditions],
  ["SlowDown", busy],
  ["ServiceUnavailable", busy],
  ["InternalError", busy],
  ["ExpiredToken", staleToken],
  ["InvalidToken", staleToken],
  [
    "NoSuchBucket",
    { why: "the bucket does not exist", hint: "create the bucket, or correct its name in the s3: address" },
  ],
  [
    "InvalidAccessKeyId",
    {
      why: "the service does not know the access key",
      hint: "check AWS_ACCESS_KEY_ID, and the endpoint it belongs to",
    },
  ],
  [
    "SignatureDoesNotMatch",
    {
      why: "the service rejects the signature",
      hint: "check AWS_SECRET_ACCESS_KEY, and the region of the bucket",
    },
  ],
  [
    "RequestTimeTooSkewed",
    { why: "the clock of this machine differs too much from the service's", hint: "set the clock of this machine" },
  ],
]);
