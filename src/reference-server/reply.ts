import { STATUS_CODES } from "node:http";

/** What a route says: an answer, or the reason why it refuses. */
export type Reply = Answer | Refusal;

export interface Answer {
  readonly is: "answer";
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Refusal {
  readonly is: "refusal";
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { is: "answer", status, body, headers };
}

export function refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Refusal {
  return { is: "refusal", status, message, headers };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "is" in value && value.is === "refusal";
}

/** The body of an answer, or the one shape that every refusal has. */
export function bodyOf(reply: Reply, reportErrorUrl: string): unknown {
  if (reply.is === "answer") return reply.body;
  const { status, message } = reply;
  return { statusCode: status, status: STATUS_CODES[status] ?? "Error", message, reportErrorUrl };
}

/** A value of the request as it is named in a message: quoted, bounded, on one line. */
export function quoted(value: string): string {
  const bounded = value.length > 100 ? `${value.slice(0, 100)}…` : value;
  return JSON.stringify(bounded);
}
