import type { Caller } from "./caller.ts";
import type { RandomSource } from "./generator.ts";
import type { Knobs } from "./knobs.ts";
import type { Outbox } from "./outbox.ts";
import type { SortCache } from "./sorted-lists.ts";
import type { World } from "./world.ts";

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
