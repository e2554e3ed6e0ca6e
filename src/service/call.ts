/** One request to the account service, ready to be sent. */
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

export function requestName(call: Call): string {
  return `${call.method} ${call.shown}`;
}
