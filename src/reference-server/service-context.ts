import type { Caller } from "./authorization.ts";
import type { RequestCounts, RouteName } from "./fault-triggers.ts";
import type { Identifiers, RandomSource } from "./identifiers.ts";
import type { Knobs } from "./knobs/registry.ts";
import type { ServedAnswer } from "./responses/reply.ts";
import type { Key, World } from "./world.ts";

/** Called before a request is served: which one to its route it is, from 1, since the knobs were set. */
export type OnRequest = (route: RouteName, number: number) => void;

export interface ServerContext {
  readonly world: World;
  readonly identifiers: Identifiers;
  /** Every invitation mail, oldest first. */
  readonly mails: InvitationMail[];
  readonly log: RequestLog;
  /** The user with every right: where a route needs no key, its caller counts as this user. */
  readonly administrator: Key;
  knobs: Knobs;
  /** Since the knobs were set. */
  readonly counts: RequestCounts;
  /** What the last write to each route was answered, among those that were done. */
  readonly lastDone: Map<RouteName, ServedAnswer>;
  readonly random: RandomSource;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Where it listens, without a trailing slash. */
  readonly endpoint: string;
  readonly onRequest: OnRequest;
  /** Resolves when everything that has changed so far is kept, or cannot be; undefined where nothing is to be kept. */
  readonly saved: () => Promise<void> | undefined;
}

export interface ReceivedRequest {
  readonly method: string;
  /** As it was sent. */
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** When it came, in milliseconds since the epoch. */
  readonly now: number;
  /** The address by which the caller reached the server, without a trailing slash. */
  readonly origin: string;
  readonly body: ReceivedBody;
}

/** The bytes of a body, and how many came; a body over the cap is read to its end and not kept. */
export interface ReceivedBody {
  readonly size: number;
  /** Absent where the body is over the cap. */
  readonly bytes?: Uint8Array;
}

/** One request that may be served: routed, authenticated, its body read. */
export interface RequestContext extends Omit<ServerContext, "now">, Omit<ReceivedRequest, "query"> {
  readonly caller: Caller;
  /** What the path names, decoded; empty where the route names nothing. */
  readonly pathParameter: string;
  readonly query: URLSearchParams;
}

export interface InvitationMail {
  /** The team's identifier. */
  readonly team: string;
  readonly teamName: string;
  /** The identifier of the user who is invited. */
  readonly user: string;
  /** To whom, as the user's address stood then. */
  readonly address: string;
  /** ISO 8601. */
  readonly at: string;
  readonly link: string;
}

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

/** The last requests, oldest first: so many at the most, and so many bytes of them as JSON. */
export class RequestLog {
  readonly entries: LoggedRequest[] = [];
  readonly #most: { readonly requests: number; readonly bytes: number };
  readonly #sizes: number[] = [];
  #bytes = 0;

  constructor(most: { readonly requests: number; readonly bytes: number }) {
    this.#most = most;
  }

  add(entry: LoggedRequest): void {
    const size = Buffer.byteLength(JSON.stringify(entry));
    this.entries.push(entry);
    this.#sizes.push(size);
    this.#bytes += size;
    const { requests, bytes } = this.#most;
    if (this.entries.length <= requests && this.#bytes <= bytes) return;
    // A tenth of what may be kept is dropped at once, so that the cost of each entry stays the same.
    let dropped = 0;
    while (this.entries.length - dropped > requests * 0.9 || this.#bytes > bytes * 0.9) {
      this.#bytes -= this.#sizes[dropped] ?? 0;
      dropped += 1;
    }
    this.entries.splice(0, dropped);
    this.#sizes.splice(0, dropped);
  }
}
