import type { HttpFailure, HttpResponse } from "../ports/http-client.ts";

/** One request to an origin, ready to be sent. */
export interface HttpRequest {
  readonly method: string;
  /** From the origin on, already encoded, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What an abort does after the first byte was sent: what may change something is left to be answered. */
  readonly onceSent: "cut-off" | "let-end";
  /** Milliseconds from its handing over after which it is not sent any more; absent: for as long as the answer is waited for. */
  readonly leavesWithin?: number;
}

/** What came of sending one request once. */
export type Exchange = Answer | NoAnswer;

export interface Answer extends HttpResponse {
  readonly is: "answer";
}

export interface NoAnswer extends HttpFailure {
  readonly is: "no-answer";
  readonly why:
    | "aborted"
    | "timed-out"
    /** It could not leave in its time, so that it was not sent; by now it might. */
    | "too-late"
    /** The answer was there, and too large or in a form that is not read. */
    | "unreadable"
    /** This may pass. */
    | "unreachable"
    /** This lasts until somebody does something, as with a certificate that is not trusted. */
    | "barred";
}
