import type { HttpResponse } from "../../http/http-client.ts";
import { definedFields } from "../../model/collections.ts";
import type { Failure } from "../../model/failure.ts";
import { StoreError } from "../store-error.ts";
import type { S3Key } from "./address.ts";

/** What was asked for. `doing` completes the sentence "the log could not be …". */
export interface ObjectTask {
  readonly object: S3Key;
  readonly doing: "read" | "written" | "locked";
}

export class ObjectError extends StoreError {
  /** The service has answered: it is this object that cannot be had, whatever becomes of others. */
  readonly isAnswer: boolean;

  constructor(isAnswer: boolean, failure: Failure) {
    super(failure);
    this.isAnswer = isAnswer;
  }
}

export function objectFailure({ object, doing }: ObjectTask, why: string, hint: string | undefined): Failure {
  const request = object.shown;
  const message = `the log could not be ${doing} at ${request}: ${why}`;
  return { code: "state", message, request, ...definedFields({ hint }) };
}

/** Whether trouble may pass: the service was busy (429, 503), or broke off (500, 502, 504); 408 and 409 stand for another request in its way. */
export function mayPass({ status }: HttpResponse): boolean {
  return [408, 409, 429, 500, 502, 503, 504].includes(status);
}

/** An answer that is of no use, in our words and the service's, with what a person can do. `redact` takes the credentials out of its words. */
export function refusal(
  answer: HttpResponse,
  task: ObjectTask,
  { region, redact }: { readonly region: string; readonly redact: (text: string) => string },
): ObjectError {
  const [why, hint] = explain(answer, region);
  const says = /<Message>([^<]{1,1000})<\/Message>/u.exec(answer.body.slice(0, longestError))?.[1];
  const line = says?.replace(/[\s\p{Cc}\p{Cf}\p{Cs}\p{Co}]+/gu, " ").trim();
  const serviceSays = line ? redact(line.slice(0, 300)) : undefined;
  return new ObjectError(!mayPass(answer), {
    ...objectFailure(task, why, hint),
    status: answer.status,
    ...definedFields({ serviceSays }),
  });
}

/** The error's name as an answer gives it, such as `NoSuchKey`; whatever else the answer holds is not looked at. */
export function errorCode({ body }: HttpResponse): string | undefined {
  return /<Code>([A-Za-z][A-Za-z0-9.]{0,63})<\/Code>/u.exec(body.slice(0, longestError))?.[1];
}

/** Errors are some hundred bytes long: what is hidden far behind is none. */
const longestError = 4096;

type Explanation = readonly [why: string, hint: string];

function explain(answer: HttpResponse, region: string): Explanation {
  const { status } = answer;
  const code = errorCode(answer);
  const known = code === undefined ? undefined : explanations.get(code);
  if (known !== undefined) return known;
  if (code !== undefined ? elsewhere.includes(code) : status >= 300 && status < 400)
    return inAnotherRegion(answer, region);
  if (status === 501) return noConditions;
  if (status === 401 || status === 403) return forbidden;
  if (status === 429 || status >= 500) return busy;
  const named = code ?? `status ${status}`;
  return [`the service answered with ${named}`, "check the bucket, the region and the endpoint of the s3: address"];
}

/** The codes with which a service says that the bucket is in another region than the request was signed for. */
const elsewhere: readonly string[] = [
  "PermanentRedirect",
  "TemporaryRedirect",
  "Redirect",
  "AuthorizationHeaderMalformed",
  "IllegalLocationConstraintException",
];

function inAnotherRegion(answer: HttpResponse, region: string): Explanation {
  const ofBucket = answer.headers.get("x-amz-bucket-region") ?? "";
  const isNamed = /^[a-z0-9-]{1,40}$/u.test(ofBucket) && ofBucket !== region;
  return [
    `the bucket is not in the region ${region}`,
    isNamed
      ? `write region=${ofBucket} in the s3: address, or set AWS_REGION`
      : "name the bucket's region with region= in the s3: address, or set AWS_REGION",
  ];
}

const forbidden: Explanation = [
  "the credentials have no permission for this",
  "allow s3:GetObject and s3:PutObject on the objects of the log, its .checkpoint and its .lock, and s3:ListBucket on the bucket",
];
const noConditions: Explanation = [
  "the service does not support conditional writes, which roster needs",
  "use a service that supports If-Match and If-None-Match on writes, or another kind of store",
];
const busy: Explanation = ["the service was busy or failing at every try", "run again later: earlier records are kept"];
const staleToken: Explanation = [
  "the session token has expired",
  "set new AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN",
];

const explanations: ReadonlyMap<string, Explanation> = new Map<string, Explanation>([
  ["AccessDenied", forbidden],
  ["NotImplemented", noConditions],
  ["SlowDown", busy],
  ["ServiceUnavailable", busy],
  ["InternalError", busy],
  ["ExpiredToken", staleToken],
  ["InvalidToken", staleToken],
  ["NoSuchBucket", ["the bucket does not exist", "create the bucket, or correct its name in the s3: address"]],
  [
    "InvalidAccessKeyId",
    ["the service does not know the access key", "check AWS_ACCESS_KEY_ID, and the endpoint it belongs to"],
  ],
  [
    "SignatureDoesNotMatch",
    ["the service rejects the signature", "check AWS_SECRET_ACCESS_KEY, and the region of the bucket"],
  ],
  [
    "RequestTimeTooSkewed",
    ["the clock of this machine differs too much from the service's", "set the clock of this machine"],
  ],
]);
