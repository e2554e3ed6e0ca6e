import type { Exchange, NoAnswer } from "../network/origin.ts";
import type { Call } from "./routes.ts";
import { effectOf, isThrottled } from "./verdict.ts";

/** How often one call may be sent, and how long that may take as a whole. */
const maxAttempts = 4;
const deadline = 60_000;

const firstBackoff = 250;
const maxBackoff = 8_000;

/**
 * Reads may be sent again whenever the trouble may pass. So may replacements, but one that was surely not done is told to the
 * caller, who announces it anew and slows down; other writes are announced before each try, and never sent again here.
 */
export type Repeatable = "whenever-it-may-pass" | "unless-surely-not-done" | "never";

export function isTransient(exchange: Exchange, repeatable: Repeatable): boolean {
  if (repeatable === "never") return false;
  if (exchange.is === "no-answer") return mayPass(exchange, repeatable);
  if (isThrottled(exchange)) return repeatable === "whenever-it-may-pass" || effectOf(exchange) === "unsure";
  return passingFailures.has(exchange.status);
}

function mayPass({ why }: NoAnswer, repeatable: Repeatable): boolean {
  if (why === "too-late") return repeatable === "whenever-it-may-pass";
  return why === "unreachable" || why === "timed-out";
}

/** Those from 520 on are told by gateways of services that they cannot reach. */
const passingFailures: ReadonlySet<number> = new Set([500, 502, 503, 504, 520, 521, 522, 523, 524]);

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
  if (next.tries >= maxAttempts) return undefined;
  const backoff = Math.min(maxBackoff, firstBackoff * 2 ** (next.tries - 1));
  const jittered = backoff * (0.5 + next.fraction / 2);
  const wait = Math.ceil(next.asked === undefined ? jittered : next.asked + jittered);
  return isTooLate(next.elapsed + wait) ? undefined : wait;
}

/** Whether so many milliseconds after its first try a call is not sent again: it rests on what was so then. */
export function isTooLate(elapsed: number): boolean {
  return elapsed > deadline;
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
  if (call.effect === "read") return "whenever-it-may-pass";
  return call.method === "PUT" ? "unless-surely-not-done" : "never";
}
