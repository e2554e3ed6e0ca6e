import type { Result } from "../model/result.ts";

/** Sends requests over HTTP for a state store: one origin, no redirects, bounded in time and size. */
export interface HttpClient {
  /** Sends one request once. Never rejects. */
  send(request: HttpRequest): Promise<Result<HttpResponse, HttpFailure>>;
  close(): Promise<void>;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface HttpFailure {
  /** False where not a single byte of the request left: then it had no effect. */
  readonly sent: boolean;
  /** The cause, to follow a "because". */
  readonly cause: string;
  readonly hint?: string;
}
