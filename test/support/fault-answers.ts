import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { FalseAnswer } from "./fault.ts";

/** What a service answers that will do later what it was asked for. */
export const taken: FalseAnswer = { status: 202, type: "application/json", body: '{"status":"QUEUED"}' };

export interface Told {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
}

function head(outgoing: ServerResponse, { incoming, body }: Told): void {
  const { "transfer-encoding": _chunked, connection: _connection, "keep-alive": _alive, ...rest } = incoming.headers;
  const length = incoming.statusCode === 204 ? {} : { "content-length": body.length };
  outgoing.writeHead(incoming.statusCode ?? 502, { ...rest, ...length });
}

export function answer(outgoing: ServerResponse, told: Told): void {
  head(outgoing, told);
  outgoing.end(told.body);
}

/** A body of nothing is cut off within its head: the end of the connection is all that comes. */
export async function writeHalf(outgoing: ServerResponse, told: Told): Promise<void> {
  if (told.body.length === 0) return;
  head(outgoing, told);
  const half = told.body.subarray(0, Math.floor(told.body.length / 2));
  if (outgoing.destroyed) return;
  await new Promise<void>((ended) => {
    outgoing.on("close", () => ended());
    outgoing.write(half, () => ended());
  });
}

export async function drip(outgoing: ServerResponse, told: Told): Promise<void> {
  head(outgoing, told);
  const size = Math.max(1, Math.ceil(told.body.length / 8));
  for (let at = 0; at < told.body.length; at += size) {
    outgoing.write(told.body.subarray(at, at + size));
    await pause(1);
  }
  outgoing.end();
}

export function answerFalsely(
  outgoing: ServerResponse,
  { status, type, body, retryAfter }: FalseAnswer,
  now: () => number,
): void {
  const later = typeof retryAfter === "object" ? dateOf(now() + retryAfter.dateIn * 1000) : retryAfter;
  const length = Buffer.byteLength(body);
  const headers = { "content-type": type, "content-length": length, date: dateOf(now()) };
  outgoing.writeHead(status, later === undefined ? headers : { ...headers, "retry-after": later });
  outgoing.end(body);
}

function dateOf(time: number): string {
  return new Date(time).toUTCString();
}
