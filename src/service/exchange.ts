/** One request, ready to be sent. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT";
  /** From the origin on, already encoded. */
  readonly path: string;
  /** The path as it is told to people: from `/api` on, without a query. */
  readonly shown: string;
  readonly body?: string;
  readonly effect: "read" | "write";
  /** The answer may hold a whole key: its body is never quoted. */
  readonly answersWithKey: boolean;
}

/** What came of sending one request once. */
export type Exchange = Answer | NoAnswer;

export interface Answer {
  readonly is: "answer";
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string;
}

/** By lower-case name; several of one name are joined by commas. */
type AnswerHeaders = ReadonlyMap<string, string>;

export interface NoAnswer {
  readonly is: "no-answer";
  /** False where not a single byte of the request left: then it had no effect. */
  readonly sent: boolean;
  readonly why: "aborted" | "timed-out" | "oversized" | "unreachable";
  /** The cause, to follow a "because". */
  readonly cause: string;
  readonly hint?: string;
}

export function requestName(call: Call): string {
  return `${call.method} ${call.shown}`;
}
