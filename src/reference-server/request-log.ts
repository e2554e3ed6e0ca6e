/** One request to a route of the service, as it was answered. Never holds a key. */
export interface LoggedRequest {
  /** ISO 8601, when it came. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly query: string;
  /** 0 where the connection was ended before anything was done. */
  readonly status: number;
  /** Size of the request's body. */
  readonly bytes: number;
  /** By which name the caller reached the server, with the port. */
  readonly host: string;
  /** Whether there was an Authorization header. */
  readonly sentKey: boolean;
}

/** The requests of late, oldest first: never fewer than the last `kept`, where there were so many. */
export class RequestLog {
  readonly entries: LoggedRequest[] = [];
  readonly #kept: number;

  constructor(kept: number) {
    this.#kept = kept;
  }

  add(entry: LoggedRequest): void {
    this.entries.push(entry);
    // Dropping a tenth at a time keeps the cost of each entry constant.
    const surplus = this.entries.length - this.#kept;
    if (surplus > this.#kept / 10) this.entries.splice(0, surplus);
  }
}
