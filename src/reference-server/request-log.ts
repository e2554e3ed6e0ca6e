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

/** What a log keeps at the most: so many requests, and so many bytes of them as JSON. */
export interface LogBounds {
  readonly requests: number;
  readonly bytes: number;
}

/** The last requests, oldest first. At a bound it drops the oldest ones, a tenth of what may be kept at once. */
export class RequestLog {
  readonly entries: LoggedRequest[] = [];
  readonly #bounds: LogBounds;
  readonly #sizes: number[] = [];
  #bytes = 0;

  constructor(bounds: LogBounds) {
    this.#bounds = bounds;
  }

  add(entry: LoggedRequest): void {
    const size = Buffer.byteLength(JSON.stringify(entry));
    this.entries.push(entry);
    this.#sizes.push(size);
    this.#bytes += size;
    if (this.entries.length > this.#bounds.requests || this.#bytes > this.#bounds.bytes) this.#drop();
  }

  /** Dropping a tenth at a time keeps the cost of each entry constant. */
  #drop(): void {
    const { requests, bytes } = this.#bounds;
    let dropped = 0;
    while (this.entries.length - dropped > requests * 0.9 || this.#bytes > bytes * 0.9) {
      this.#bytes -= this.#sizes[dropped] ?? 0;
      dropped += 1;
    }
    this.entries.splice(0, dropped);
    this.#sizes.splice(0, dropped);
  }
}
