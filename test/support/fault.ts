/** What becomes of one request between the command and the service. */
export type Fault =
  /**
   * The command is killed: before the service has done anything, after that, or once its answer has gone out, and so many
   * turns of the event loop later.
   */
  | { readonly is: "kill"; readonly when: KillPoint; readonly turns?: number }
  /** No whole answer comes. `reaches`: whether the service serves the request all the same. */
  | { readonly is: "silence"; readonly how: "reset" | "truncated" | "hang"; readonly reaches: boolean }
  /** Something else answers in the service's place. */
  | { readonly is: "false-answer"; readonly reaches: boolean; readonly answer: FalseAnswer }
  /** The request comes to the service only so many milliseconds after its sender was told that it was taken, or nothing. */
  | { readonly is: "late"; readonly says: 202 | "nothing"; readonly after: number }
  /** The service's own answer comes, in many small pieces. */
  | { readonly is: "drip" };

export type KillPoint = "before-commit" | "after-commit" | "after-answer";

export const killPoints: readonly KillPoint[] = ["before-commit", "after-commit", "after-answer"];

export interface FalseAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  /** The header Retry-After; a number of seconds from now stands for a date. */
  readonly retryAfter?: string | { readonly dateIn: number };
}

const json = "application/json";
const page = { type: "text/html; charset=utf-8", body: "<!doctype html><html><title>Sign in</title></html>\n" };

function refusal(status: number, retryAfter?: FalseAnswer["retryAfter"]): FalseAnswer {
  const body = JSON.stringify({ error: "the gateway cannot serve this" });
  return { status, type: json, body, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

function instead(reaches: boolean, answer: FalseAnswer): Fault {
  return { is: "false-answer", reaches, answer };
}

/**
 * Every fault but the kills, by name. A 429 says that nothing was done, so that none comes after the service has done
 * something; everything else may come before and after.
 */
export const faults = {
  "reset before": { is: "silence", how: "reset", reaches: false },
  "reset after": { is: "silence", how: "reset", reaches: true },
  truncated: { is: "silence", how: "truncated", reaches: true },
  "hang before": { is: "silence", how: "hang", reaches: false },
  "hang after": { is: "silence", how: "hang", reaches: true },
  "garbage before": instead(false, { status: 200, type: json, body: '{"ok":tru' }),
  "garbage after": instead(true, { status: 200, type: json, body: '{"ok":tru' }),
  "HTML 200 before": instead(false, { status: 200, ...page }),
  "HTML 200 after": instead(true, { status: 200, ...page }),
  "429": instead(false, refusal(429)),
  "429 in seconds": instead(false, refusal(429, "2")),
  "429 until a date": instead(false, refusal(429, { dateIn: 3 })),
  "429 absurd": instead(false, refusal(429, "99999999999")),
  "429 in the past": instead(false, refusal(429, "Thu, 01 Jan 1970 00:00:00 GMT")),
  "429 in words": instead(false, refusal(429, "soon, -5")),
  "503 before": instead(false, refusal(503)),
  "503 after": instead(true, refusal(503)),
  "503 in seconds": instead(false, refusal(503, "1")),
  "503 after, until a date": instead(true, refusal(503, { dateIn: 2 })),
  "503 absurd": instead(true, refusal(503, "1e400")),
  "500 before": instead(false, refusal(500)),
  "500 after": instead(true, refusal(500)),
  "502 after": instead(true, { status: 502, ...page }),
  "504 after": instead(true, { status: 504, ...page }),
  "409 though created": instead(true, refusal(409)),
  "202, done later": { is: "late", says: 202, after: 20_000 },
  "reset, done a little later": { is: "late", says: "nothing", after: 900 },
  drip: { is: "drip" },
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof faults;

export const faultNames = Object.keys(faults) as readonly FaultName[];
