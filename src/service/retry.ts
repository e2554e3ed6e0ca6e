import type { Exchange } from "../network/exchange.ts";
import type { Call } from "./call.ts";
import { asksToComeLater } from "./throttling.ts";

/** How often one call may be sent, and how long that may take as a whole. */
const mostTries = 4;
const deadline = 60_000;

const firstBackoff = 250;
const largestBackoff = 8_000;

/** Reads and replacements may be sent again whenever the trouble may pass; other writes are announced by the caller before each try. */
export type Repeatable = "whenever-it-may-pass" | "never";

export function isTransient(exchange: Exchange, repeatable: Repeatable): boolean {
  if (repeatable === "never") return false;
  if (exchange.is === "no-answer") return exchange.why === "unreachable" || exchange.why === "timed-out";
  return asksToComeLater(exchange) || [500, 502, 504].includes(exchange.status);
}

/** Milliseconds to wait before the next try, or `undefined` where there is none. */
export function waitBefore(next: {
  /** Tries that were made so far. */
  readonly tries: number;
  /** Milliseconds since the first of them began. */
  readonly elapsed: number;
  /** Milliseconds that the service asked for. */
  readonly asked: number | undefined;
  /** Uniform in [0, 1). */
  readonly fraction: number;
}): number | undefined {
  if (next.tries >= mostTries) return undefined;
  const backoff = Math.min(largestBackoff, firstBackoff * 2 ** (next.tries - 1));
  const jittered = backoff * (0.5 + next.fraction / 2);
  const wait = Math.ceil(next.asked === undefined ? jittered : next.asked + jittered);
  return next.elapsed + wait > deadline ? undefined : wait;
}

/** Milliseconds that a `Retry-After` asks for, in seconds or as an HTTP date; `undefined` where it says nothing. */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // A bare or negative number is no date, though Date.parse would make one of it.
  if (!/[a-z]/i.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export function repeatableCall(call: Call): Repeatable {
  return call.effect === "read" || call.method === "PUT" ? "whenever-it-may-pass" : "never";
}
