import { type Failure, type FailureCode, problem, type Result, success } from "../model/result.ts";
import type { Answer } from "../network/origin.ts";
import { type BodyRefusal, describeShape, isObject, type Misreading, parseJson } from "./decode/json.ts";
import { keyListNames } from "./decode/key.ts";
import { decodeList } from "./decode/list.ts";
import { excerpt, type Redact, redactAnswerTo } from "./redact.ts";
import { type Call, requestName } from "./routes.ts";
import { isRefusal } from "./verdict.ts";

/**
 * The JSON of a successful answer, `undefined` for an empty one; a failure for anything else. Where an answer may be a
 * mere key, plain text is a value too.
 */
export function bodyOf(answer: Answer, call: Call, redact: Redact): Result<unknown, Failure> {
  if (answer.status === 204 || answer.body.trim() === "") return success(undefined);
  const isPage = /\bhtml\b/i.test(contentType(answer));
  const parsed = parseJson(answer.body);
  if (parsed.ok && !isPage) return success(parsed.value);
  if (call.answersWithKey && isOneWord(answer)) return success(answer.body.trim());
  const quoted = call.answersWithKey ? "" : `; it begins: ${excerpt(answer.body, 200, redact)}`;
  const why = isPage ? "it is a web page, as a login or a proxy would answer" : "it is not JSON";
  return problem({ ...misunderstood(answer, call, { why: `${why}${quoted}`, redact }), hint: hints.endpoint });
}

/** Plain text of one word, as a prefix is. */
function isOneWord(answer: Answer): boolean {
  return /^text\/plain\b/i.test(contentType(answer)) && /^[\w~.+/=-]+$/u.test(answer.body.trim());
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
    message: `The answer to ${requestName(call)} (${came}) is not understood: ${why}`,
    request: requestName(call),
    status: answer.status,
    hint: hints.shapes,
  };
}

const hints = {
  endpoint: "Check that the endpoint is the base address of an account service",
  shapes:
    "Check that the endpoint is the base address of an account service; if it is, and shows these things elsewhere, say where " +
    "in the settings, by JSON Pointers under `service.shapes` (see the README)",
};

/** A failure for a body that is not what its route answers, or that says that the call failed. */
export function misread(answer: Answer, call: Call, { why, refused }: Misreading, redact: Redact): Failure {
  return refused === undefined ? misunderstood(answer, call, { why, redact }) : failureInBody(answer, call, refused);
}

function failureInBody(answer: Answer, call: Call, { status, words }: BodyRefusal): Failure {
  const named = status === undefined ? "" : `, with the status ${status}`;
  return {
    code: codeOf(status),
    message: `The answer to ${requestName(call)} (${answer.status}) says that the call failed${named}`,
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

function contentType({ headers }: Answer): string {
  return headers.get("content-type") ?? "";
}

/** What came for one read: kinds and names alone, no values. */
export interface AnswerShape {
  /** Such as `GET /api/accounting/users`. */
  readonly request: string;
  readonly status: number;
  /** Milliseconds since the epoch, when it came. */
  readonly at: number;
  /** The header `Date`. */
  readonly date?: string;
  /** Such as `a list of 3 objects with the keys identifier, email`. */
  readonly shape: string;
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
  return isObject(key) ? `; its keys are each ${describeShape(key)}` : "";
}
