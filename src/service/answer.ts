import type { Answer, Exchange, NoAnswer } from "../http/sending.ts";
import type { AnswerShape } from "../model/capabilities.ts";
import { type Failure, type FailureCode, problem, type Result, success } from "../model/result.ts";
import {
  type BodyRefusal,
  decodeList,
  describeShape,
  errorMessage,
  isObject,
  type Misreading,
  parseJson,
} from "./decode/json.ts";
import { keyListNames } from "./decode/key.ts";
import { excerpt, type Redact, redactAnswerTo } from "./redact.ts";
import { type Call, requestName } from "./requests.ts";

/**
 * The JSON of a successful answer, `undefined` for an empty one; a failure for anything else. Where an answer may be a
 * mere key, one word is a value too.
 */
export function bodyOf(answer: Answer, call: Call, redact: Redact): Result<unknown, Failure> {
  if (answer.status === 204 || answer.body.trim() === "") return success(undefined);
  const isPage = isWebPage(answer);
  const parsed = parseJson(answer.body);
  if (parsed.ok && !isPage) return success(parsed.value);
  if (call.answersWithKey && !isPage && isOneWord(answer)) return success(answer.body.trim());
  const quoted = call.answersWithKey ? "" : `; it begins: ${excerpt(answer.body, 200, redact)}`;
  const why = isPage ? "it is a web page, as a login or a proxy would answer" : "it is not JSON";
  return problem({ ...misunderstood(answer, call, { why: `${why}${quoted}`, redact }), hint: hints.endpoint });
}

/** One word, as a prefix or `OK` is. More words may be those of a refusal. */
function isOneWord({ body }: Answer): boolean {
  return /^[\w~.+/=-]+$/u.test(body.trim());
}

/** A failure that names what was asked, what came, and why it could not be read. */
function misunderstood(
  answer: Answer,
  call: Call,
  { why, redact }: { readonly why: string; readonly redact: Redact },
): Failure {
  const type = contentType(answer);
  const came =
    type === "" ? `${answer.status}` : `${answer.status}, ${excerpt(type, 80, redactAnswerTo(call, redact))}`;
  return {
    code: "misunderstood",
    message: `roster cannot read the answer to ${requestName(call)} (${came}): ${why}`,
    request: requestName(call),
    status: answer.status,
    hint: hints.shapes,
  };
}

const hints = {
  endpoint: "Check that the endpoint is the base address of an account service",
  shapes:
    "Check that the endpoint is the base address of an account service. If it is, write where its answers have these values " +
    "in the settings (in CI: outside the checkout): JSON Pointers under `service.shapes`",
};

/** A failure for a body that is not what its route answers, or that says that the call failed. */
export function misread(answer: Answer, call: Call, { why, refused }: Misreading, redact: Redact): Failure {
  return refused === undefined ? misunderstood(answer, call, { why, redact }) : failureInBody(answer, call, refused);
}

function failureInBody(answer: Answer, call: Call, { status, words }: BodyRefusal): Failure {
  const named = status === undefined ? "" : `, with the status ${status}`;
  return {
    code: codeOf(status),
    message: `The answer to ${requestName(call)} (${answer.status}) reports a failure${named}`,
    request: requestName(call),
    status: answer.status,
    ...(words === undefined || call.answersWithKey ? {} : { serviceSays: words }),
  };
}

function codeOf(status: number | undefined): FailureCode {
  switch (status) {
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not-found";
    case 409:
      return "conflict";
    case 400:
    case 422:
      return "refused";
    default:
      return "misunderstood";
  }
}

/** Whether a body that says that a call failed leaves no doubt that it had no effect. */
export function surelyHadNoEffect({ refused }: Misreading): boolean {
  const status = refused?.status;
  return status !== undefined && isRefusal(status);
}

/** As a login or a proxy would answer. */
export function isWebPage(answer: Answer): boolean {
  return /\bhtml\b/i.test(contentType(answer));
}

function contentType({ headers }: Answer): string {
  return headers.get("content-type") ?? "";
}

export function answerShape(call: Call, { status, headers, body }: Answer, at: number): AnswerShape {
  const date = headers.get("date");
  return {
    request: requestName(call),
    status,
    at,
    ...(date === undefined ? {} : { date }),
    shape: shapeOf(body, headers.get("content-type")),
  };
}

/** Names in a body and the header `Date` are the service's own words. */
export function redactAnswerShape(seen: AnswerShape, redact: Redact): AnswerShape {
  const { date, shape } = seen;
  return { ...seen, ...(date === undefined ? {} : { date: redact(date) }), shape: redact(shape) };
}

function shapeOf(text: string, type: string | undefined): string {
  if (text.trim() === "") return "nothing";
  const parsed = parseJson(text);
  if (!parsed.ok) return /html/iu.test(type ?? "") ? "a web page" : "no JSON";
  const list = decodeList(parsed.value);
  const rows = list.ok ? list.value.rows : [];
  const first = rows.find(isObject);
  const inRows = first === undefined || Array.isArray(parsed.value) ? "" : ` with a list of ${rows.length}`;
  const each = first === undefined ? "" : `, each ${describeShape(first)}${keysIn(first)}`;
  return `${describeShape(parsed.value)}${inRows}${each}`;
}

function keysIn(row: object): string {
  const held = Object.entries(row).find(([name, value]) => keyListNames.includes(name) && Array.isArray(value));
  const key: unknown = Array.isArray(held?.[1]) ? held[1][0] : undefined;
  return isObject(key) ? `; each access key is ${describeShape(key)}` : "";
}

/** What a request did to the service. `throttled`: it asks to come back later, which is no proof that it did nothing. */
export type Effect = "none" | "done" | "unsure" | "throttled";

/** With these a service says no. With others it may have done something first. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 409, 410, 413, 415, 422]);

export function effectOf(exchange: Exchange): Effect {
  if (exchange.is === "no-answer") return exchange.sent ? "unsure" : "none";
  const { status, headers } = exchange;
  if (isSuccess(status)) return "done";
  if (isThrottled(exchange)) return status === 408 ? "unsure" : "throttled";
  // After 302 and 303 a service may well have done what was asked and point to the result.
  if (status >= 300 && status < 400) return status === 302 || status === 303 ? "unsure" : "none";
  return isRefusal(status) && !headers.has("retry-after") ? "none" : "unsure";
}

/** Whether a status proves that a request had no effect. @internal */
export function isRefusal(status: number): boolean {
  return refusals.has(status);
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** What stood in the way, where an exchange did not end in a complete answer of success. */
export function failureOf(exchange: Exchange, call: Call, redact: Redact): Failure {
  return exchange.is === "answer" ? answeredFailure(exchange, call, redact) : unansweredFailure(exchange, call);
}

function unansweredFailure({ why, cause, hint, sent }: NoAnswer, call: Call): Failure {
  const request = requestName(call);
  switch (why) {
    case "aborted":
      return {
        code: "aborted",
        message: `The run was stopped before ${request} ${sent ? "was answered" : "was sent"}`,
        request,
      };
    case "unreadable":
      return { code: "misunderstood", message: `The answer to ${request} was not read: ${cause}`, request };
    case "too-late":
      return { code: "unreachable", message: `${request} was not sent: ${cause}`, request };
    case "timed-out":
    case "unreachable":
    case "barred": {
      const message = sent
        ? `${request} was sent, but not answered: ${cause}`
        : `The service cannot be reached: ${cause}`;
      return { code: "unreachable", message, request, ...(hint === undefined ? {} : { hint }) };
    }
  }
}

function answeredFailure(answer: Answer, call: Call, redact: Redact): Failure {
  const { status } = answer;
  const serviceSays = wordsOf(answer, call, redact);
  const common = { request: requestName(call), status, ...(serviceSays === undefined ? {} : { serviceSays }) };
  if (status >= 300 && status < 400) return { ...redirected(answer, call), ...common };
  if (isThrottled(answer)) return { ...throttled(answer, redact), ...common };
  return { ...sentenceFor(status, call), ...common };
}

function throttled({ headers, status }: Answer, redact: Redact): { code: FailureCode; message: string; hint?: string } {
  const later = headers.get("retry-after");
  return {
    code: "service-error",
    message: `The service asks to retry later (${status})`,
    ...(later === undefined ? {} : { hint: `Time to wait, as the service gives it: ${excerpt(later, 60, redact)}` }),
  };
}

function redirected({ headers, status }: Answer, call: Call): Failure {
  const location = headers.get("location") ?? "";
  const to = URL.canParse(location) ? `to ${new URL(location).origin} ` : "";
  return {
    code: "redirected",
    message: `${requestName(call)} was answered with a redirect ${to}(${status}), which roster does not follow: the key was not sent on`,
    hint: "Set ROSTER_ENDPOINT to the service's own address",
  };
}

const wrongPathHint =
  "Check ROSTER_ENDPOINT: it must be the base URL of the account service, without /api. Check the account too";

function sentenceFor(status: number, call: Call): { code: FailureCode; message: string; hint?: string } {
  switch (status) {
    case 202:
      return {
        code: "misunderstood",
        message: "The service accepted the call for later and does not report its result (202)",
      };
    case 401:
      return {
        code: "unauthorized",
        message: "The service rejects the API key (401)",
        hint: "Check ROSTER_API_KEY: it must be the whole key, active, of this service and of an active account",
      };
    case 403:
      return {
        code: "forbidden",
        message: "This API key has no permission for this call (403)",
        hint: "Use the key of a Platform Administrator, or of an Account Administrator of this account",
      };
    case 404:
      return {
        code: "not-found",
        message: "The service does not know this path (404)",
        ...(call.effect === "read" ? { hint: wrongPathHint } : {}),
      };
    case 409:
      return { code: "conflict", message: "The service reports that it exists already (409)" };
    default:
      return status >= 500
        ? { code: "service-error", message: `The service failed (${status})` }
        : { code: "refused", message: `The service refuses the request (${status})` };
  }
}

/** The service's own words. The success of a call that answers with a key is never quoted: its body may be the key. */
function wordsOf(answer: Answer, call: Call, redact: Redact): string | undefined {
  if (call.answersWithKey && isSuccess(answer.status)) return undefined;
  const withoutKeys = redactAnswerTo(call, redact);
  const parsed = parseJson(answer.body);
  const words = parsed.ok ? errorMessage(parsed.value) : excerpt(answer.body, 200, withoutKeys);
  return words === undefined || words === "" ? undefined : withoutKeys(words);
}

/** Whether a refusal only asks to come back later. Some say so with 503 or 403: then a header, or their words, tell. */
export function isThrottled({ status, headers, body }: Answer): boolean {
  if ([408, 425, 429].includes(status)) return true;
  if (status === 503) return headers.has("retry-after");
  return (
    status === 403 &&
    (headers.has("retry-after") || /rate.?limit|too many requests|throttl/iu.test(body.slice(0, 2000)))
  );
}
