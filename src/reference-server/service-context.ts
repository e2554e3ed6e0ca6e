import type { Caller } from "./authorization.ts";
import type { RequestCounts, RouteName } from "./fault-triggers.ts";
import type { RandomSource } from "./identifiers.ts";
import type { Knobs } from "./knobs/registry.ts";
import type { Outbox } from "./outbox.ts";
import type { RequestLog } from "./request-log.ts";
import type { ServedAnswer } from "./responses/reply.ts";
import type { SortCache } from "./routes/sorting.ts";
import type { Key, World } from "./world.ts";

/** Hears of a request before it is served: which one to its route it is, from 1, since the knobs were set. */
export type OnRequest = (route: RouteName, number: number) => void;

/** What the server holds between requests. */
export interface ServerContext {
  readonly world: World;
  readonly outbox: Outbox;
  readonly log: RequestLog;
  /** The user with every right: where a route needs no key, its caller counts as this user. */
  readonly administrator: Key;
  knobs: Knobs;
  /** Since the knobs were set. */
  readonly counts: RequestCounts;
  /** What the last write to each route was answered, among those that were done. */
  readonly lastDone: Map<RouteName, ServedAnswer>;
  readonly random: RandomSource;
  readonly sortCache: SortCache;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Where it listens, without a trailing slash. */
  readonly endpoint: string;
  readonly referencePages: "shown" | "hidden";
  readonly onRequest: OnRequest;
  /** To be called after each request that may have changed something. */
  readonly changed: () => void;
}

/** A request that has come in whole. */
export interface ReceivedRequest {
  readonly method: string;
  /** As it was sent. */
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** ISO 8601. */
  readonly at: string;
  /** The same in milliseconds since the epoch. */
  readonly now: number;
  /** The address by which the caller reached the server, without a trailing slash. */
  readonly origin: string;
  readonly body: ReceivedBody;
}

/** One request that may be served: routed, authenticated, its body read. */
export interface RequestContext {
  readonly world: World;
  readonly outbox: Outbox;
  readonly knobs: Knobs;
  readonly caller: Caller;
  /** What the path names, decoded; empty where the route names nothing. */
  readonly pathParameter: string;
  /** The path as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The address by which the caller reached the server, without a trailing slash. */
  readonly origin: string;
  /** Another address that leads to this server too. */
  readonly otherOrigin: string;
  readonly random: RandomSource;
  readonly sortCache: SortCache;
  /** ISO 8601. */
  readonly at: string;
  /** The same in milliseconds since the epoch. */
  readonly now: number;
}

/** The bytes of a body, and how many came; a body over the cap is read to its end and not kept. */
export interface ReceivedBody {
  readonly size: number;
  /** Absent where the body is over the cap. */
  readonly bytes?: Uint8Array;
}
