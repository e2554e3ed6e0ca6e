import type { Answer } from "../network/exchange.ts";
import { type Call, requestName } from "./call.ts";
import { describeShape, isObject, parseJson } from "./decode/json.ts";
import { keyListNames } from "./decode/key.ts";
import { decodeList } from "./decode/list.ts";
import type { Redact } from "./redacting.ts";

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
