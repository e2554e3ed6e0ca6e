import type { AccountService } from "../ports/account-service.ts";
import type { Clock } from "../ports/clock.ts";
import { openInProcess } from "../reference-server/in-process.ts";
import type { Knobs } from "../reference-server/knobs.ts";
import type { RouteName } from "../reference-server/occasion.ts";
import { accountServiceClient } from "../service/client.ts";
import type { KnownService } from "./ground.ts";
import { memoryTransport } from "./memory-transport.ts";
import { seedWorld } from "./seed-world.ts";
import { inferKnobs } from "./ways-of.ts";

export interface RehearsalServiceOptions {
  readonly clock: Clock;
  /** Milliseconds that each call takes. */
  readonly latency: number;
  /** Calls at once. */
  readonly parallelism: number;
  /** Ways that differ from those that were seen. */
  readonly knobs?: Partial<Knobs>;
}

/** A service in memory that holds and answers what is known of another one, under the address of that one. */
export interface RehearsalService {
  readonly service: AccountService;
  /** Requests so far, by route. */
  readonly asked: ReadonlyMap<RouteName, number>;
  /** Mails so far. */
  mails(): number;
}

/** Opens no connection and keeps nothing. */
export function rehearsalService(ground: KnownService, options: RehearsalServiceOptions): RehearsalService {
  const { clock, latency, parallelism: connections, knobs } = options;
  const asked = new Map<RouteName, number>();
  const endpoint = new URL(ground.snapshot.service);
  const prefix = endpoint.pathname.replace(/\/+$/u, "");
  const server = openInProcess({
    fill: (world) => seedWorld(ground, world),
    origin: endpoint.origin,
    knobs: { ...inferKnobs(ground), ...knobs },
    onRequest: (route) => asked.set(route, (asked.get(route) ?? 0) + 1),
    now: () => clock.now(),
  });
  const transport = memoryTransport(server, { clock, latency, connections, prefix });
  const key = `${ground.keyInUse ?? "rehearsal"}.rehearsal`;
  const service = accountServiceClient(transport, { endpoint, key, clock, randomness: steady });
  return { service, asked, mails: () => server.outbox.length };
}

/** The same input makes the same rehearsal. */
const steady = { fraction: () => 0.5, identifier: () => "rehearsal" };
