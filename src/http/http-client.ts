import type { Result } from "../model/result.ts";

/** Sends requests over HTTP for the store of a log: one origin, no redirects, bounded in time and size. */
export interface HttpClient {
  send(request: HttpClientRequest): Promise<Result<HttpResponse, HttpFailure>>;
  close(): Promise<void>;
}

export interface HttpClientRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface HttpFailure {
  /** False where not a single byte of the request left: then it had no effect. */
  readonly sent: boolean;
  /** The cause, to follow a "because". */
  readonly cause: string;
  readonly hint?: string;
  /** The answer was there, and too large or in a form that is not read. */
  readonly isUnreadable?: true;
}

/**
 * Whether a host, as a URL has it, is this machine: only there may plain HTTP carry what is secret. Names are
 * not resolved here: the code that connects to one over plain HTTP makes sure that it resolves to this machine.
 */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/u.test(hostname)
  );
}
