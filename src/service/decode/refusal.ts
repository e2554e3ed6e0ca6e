import { errorMessage } from "./error-message.ts";
import { held, isObject, type JsonObject, shown } from "./json.ts";

/** What an answer of success says all the same: that the call failed. Some services answer 200 to everything. */
export interface BodyRefusal {
  /** The status that the body names, such as 404. */
  readonly status?: number;
  readonly words?: string;
}

export function refusalIn(body: unknown): BodyRefusal | undefined {
  if (!isObject(body)) return undefined;
  const status = failureStatus(body);
  const words = errorMessage(body);
  if (status === undefined && !saysFailure(body)) return undefined;
  return { ...(status === undefined ? {} : { status }), ...(words === undefined ? {} : { words }) };
}

/** The same, also for a refusal that stands in an envelope or in a list of one. */
export function refusalWithin(body: unknown): BodyRefusal | undefined {
  const record: unknown = Array.isArray(body) && body.length === 1 ? body[0] : body;
  const inner = isObject(record) ? held(record, "data", "result") : undefined;
  return [record, Array.isArray(inner) && inner.length === 1 ? inner[0] : inner]
    .map(refusalIn)
    .find((refusal) => refusal !== undefined);
}

/** A status of failure as a number, which some write as a text. */
export function failureStatus(record: JsonObject): number | undefined {
  const error = held(record, "error");
  const candidates = [
    held(record, "statusCode"),
    held(record, "status"),
    isObject(error) ? held(error, "status", "code") : undefined,
  ];
  return candidates.map(asStatus).find((status) => status !== undefined);
}

function asStatus(value: unknown): number | undefined {
  const status = typeof value === "string" && /^[45]\d\d$/u.test(value.trim()) ? Number(value) : value;
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
}

/** `success: false`, a word of failure as status, or an error that is not empty. */
export function saysFailure(record: JsonObject): boolean {
  if (shown(record, "success") === false || shown(record, "ok") === false) return true;
  const word = held(record, "status");
  if (typeof word === "string" && failureWords.has(word.trim().toLowerCase())) return true;
  return [held(record, "error"), held(record, "errors"), held(record, "errorMessage")].some(saysSomething);
}

const failureWords: ReadonlySet<string> = new Set(["error", "failed", "failure", "fail"]);

function saysSomething(error: unknown): boolean {
  if (error === undefined || error === false || error === "" || error === 0) return false;
  if (Array.isArray(error)) return error.length > 0;
  return !isObject(error) || Object.keys(error).length > 0;
}
