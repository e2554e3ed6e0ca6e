import type { Answer, Exchange, NoAnswer } from "../http/sending.ts";
import type { AnswerShape } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import type { Failure, FailureCode } from "../model/recorded.ts";
import { problem, type Result, success } from "../model/result.ts";
import { decodeList, describeShape, errorMessage, isObject, type Misreading, parseJson } from "./decode/json.ts";
import { keyListNames } from "./decode/key.ts";
import { excerpt, type Redact, withoutSecrets } from "./redact.ts";
import { type Call, requestName } from "./requests.ts";

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

/** Whether a status proves that a request had no effect. */
export function isRefusal(status: number): boolean {
  return refusals.has(status);
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Whether a refusal only asks to come back later (trap 47). Some say so with 503 or 403: then a header, or their words, tell. */
export function isThrottled({ status, headers, body }: Answer): boolean {
  if ([408, 425, 429].includes(status)) return true;
  if (status === 503) return headers.has("retry-after");
  const asksForRate = () => /rate.?limit|too many requests|throttl/iu.test(body.slice(0, 2000));
  return status === 403 && (headers.has("retry-after") || asksForRate());
}

/** Whether a body that says that a call failed leaves no doubt that it had no effect. */
export function surelyHadNoEffect({ refused }: Misreading): boolean {
  return refused?.status !== undefined && isRefusal(refused.status);
}

/** As a login or a proxy would answer (trap 48). */
export function isWebPage(answer: Answer): boolean {
  return /\bhtml\b/i.test(contentType(answer));
}

function contentType({ headers }: Answer): string {
  return headers.get("content-type") ?? "";
}

/**
 * The JSON of a successful answer, `undefined` for an empty one (trap 50); a failure for anything else. The answer to a write may be a
 * mere key: then one word is a value too, and no body is quoted.
 */
export function bodyOf(answer: Answer, call: Call, redact: Redact): Result<unknown, Failure> {
  const text = answer.body.trim();
  if (answer.status === 204 || text === "") return success(undefined);
  const isPage = isWebPage(answer);
  const parsed = parseJson(answer.body);
  if (parsed.ok && !isPage) return success(parsed.value);
  // One word, as a prefix or `OK` is. More words may be those of a refusal.
  if (call.effect === "write" && !isPage && /^[\w~.+/=-]+$/u.test(text)) return success(text);
  const quoted = call.effect === "write" ? "" : `; it begins: ${excerpt(answer.body, 200, redact)}`;
  const why = isPage ? "it is a web page, as a login or a proxy would answer" : "it is not JSON";
  return problem({ ...misunderstood(answer, call, `${why}${quoted}`, redact), hint: hints.endpoint });
}

/** A failure that names what was asked, what came, and why it could not be read. */
function misunderstood(answer: Answer, call: Call, why: string, redact: Redact): Failure {
  const request = requestName(call);
  const type = contentType(answer);
  const shownType = type === "" ? "" : `, ${excerpt(type, 80, redactAnswerTo(call, redact))}`;
  return {
    code: "misunderstood",
    message: `roster cannot read the answer to ${request} (${answer.status}${shownType}): ${why}`,
    request,
    status: answer.status,
    hint: hints.shapes,
  };
}

const hints = {
  endpoint: "Check that the endpoint is the base address of an account service",
  shapes:
    "Check that the endpoint is the base address of an account service. If it is, write where its answers have these values " +
    "in the settings (in CI, outside the checkout): JSON Pointers under `service.shapes`",
  path: "Check ROSTER_ENDPOINT: it must be the base URL of the account service, without /api. Check the account too",
};

/** A failure for a body that is not what its route answers, or that says that the call failed. */
export function misread(answer: Answer, call: Call, { why, refused }: Misreading, redact: Redact): Failure {
  if (refused === undefined) return misunderstood(answer, call, why, redact);
  const { status, words } = refused;
  const named = status === undefined ? "" : `, with the status ${status}`;
  return {
    code: refusalCodes.get(status ?? 0) ?? "misunderstood",
    message: `The answer to ${requestName(call)} (${answer.status}) reports a failure${named}`,
    request: requestName(call),
    status: answer.status,
    ...(call.effect === "write" ? {} : definedFields({ serviceSays: words })),
  };
}

const refusalCodes: ReadonlyMap<number, FailureCode> = new Map([
  [400, "refused"],
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "not-found"],
  [409, "conflict"],
  [422, "refused"],
]);

/** What stood in the way, where an exchange did not end in a complete answer of success. */
export function failureOf(exchange: Exchange, call: Call, redact: Redact): Failure {
  const request = requestName(call);
  if (exchange.is === "no-answer") return { ...unanswered(exchange, request), request };
  const { status } = exchange;
  const serviceSays = wordsOf(exchange, call, redact);
  return { ...answeredFailure(exchange, call, redact), request, status, ...definedFields({ serviceSays }) };
}

/** What happened, without the request and the answer's status. */
type Sentence = Pick<Failure, "code" | "message" | "hint">;

function unanswered({ why, cause, hint, sent }: NoAnswer, request: string): Sentence {
  switch (why) {
    case "aborted":
      return {
        code: "aborted",
        message: `The run was stopped before ${request} ${sent ? "was answered" : "was sent"}`,
      };
    case "unreadable":
      return { code: "misunderstood", message: `The answer to ${request} was not read: ${cause}` };
    case "too-late":
      return { code: "unreachable", message: `${request} was not sent: ${cause}` };
    case "timed-out":
    case "unreachable":
    case "barred": {
      const begin = sent ? `${request} was sent, but not answered` : "The service cannot be reached";
      return { code: "unreachable", message: `${begin}: ${cause}`, ...definedFields({ hint }) };
    }
  }
}

function answeredFailure(answer: Answer, call: Call, redact: Redact): Sentence {
  const { status, headers } = answer;
  if (status >= 300 && status < 400) {
    const location = headers.get("location") ?? "";
    const to = URL.canParse(location) ? `to ${new URL(location).origin} ` : "";
    return {
      code: "redirected",
      message: `${requestName(call)} was answered with a redirect ${to}(${status}), which roster does not follow: the key was not sent on`,
      hint: "Set ROSTER_ENDPOINT to the service's own address",
    };
  }
  if (isThrottled(answer)) {
    const later = headers.get("retry-after");
    const hint =
      later === undefined ? undefined : `Time to wait, as the service gives it: ${excerpt(later, 60, redact)}`;
    return {
      code: "service-error",
      message: `The service asks to retry later (${status})`,
      ...definedFields({ hint }),
    };
  }
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
    case 404: {
      const hint = call.effect === "read" ? hints.path : undefined;
      return {
        code: "not-found",
        message: "The service does not know this path (404)",
        ...definedFields({ hint }),
      };
    }
    case 409:
      return { code: "conflict", message: "The service reports that it exists already (409)" };
    default:
      return status >= 500
        ? { code: "service-error", message: `The service failed (${status})` }
        : { code: "refused", message: `The service refuses the request (${status})` };
  }
}

/** The service's own words. The success of a write is never quoted: its body may be the key. */
function wordsOf(answer: Answer, call: Call, redact: Redact): string | undefined {
  if (call.effect === "write" && isSuccess(answer.status)) return undefined;
  const withoutKeys = redactAnswerTo(call, redact);
  const parsed = parseJson(answer.body);
  const words = parsed.ok ? errorMessage(parsed.value) : excerpt(answer.body, 200, withoutKeys);
  return words === undefined || words === "" ? undefined : withoutKeys(words);
}

/** The answer to a write may show a new key: then no other key of it is shown either. */
function redactAnswerTo({ effect }: Call, redact: Redact): Redact {
  return effect === "write" ? (text) => withoutSecrets(redact(text)) : redact;
}

/** What came for one read. Names in a body and the header `Date` are the service's own words. */
export function answerShape(
  call: Call,
  { status, headers, body }: Answer,
  { at, redact }: { readonly at: number; readonly redact: Redact },
): AnswerShape {
  const date = headers.get("date");
  return {
    request: requestName(call),
    status,
    at,
    ...(date === undefined ? {} : { date: redact(date) }),
    shape: redact(shapeOf(body, headers.get("content-type") ?? "")),
  };
}

function shapeOf(text: string, type: string): string {
  if (text.trim() === "") return "nothing";
  const parsed = parseJson(text);
  if (!parsed.ok) return /html/iu.test(type) ? "a web page" : "no JSON";
  const list = decodeList(parsed.value);
  const rows = list.ok ? list.value.rows : [];
  const first = rows.find(isObject);
  if (first === undefined) return describeShape(parsed.value);
  const inRows = Array.isArray(parsed.value) ? "" : ` with a list of ${rows.length}`;
  const keys = Object.entries(first).flatMap(([name, value]) =>
    keyListNames.includes(name) && Array.isArray(value) ? value.slice(0, 1) : [],
  );
  const inKeys = isObject(keys[0]) ? `; each access key is ${describeShape(keys[0])}` : "";
  return `${describeShape(parsed.value)}${inRows}, each ${describeShape(first)}${inKeys}`;
}
