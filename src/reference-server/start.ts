import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { administratorKey } from "./administrator.ts";
import { generator } from "./generator.ts";
import { countingIdentifiers } from "./identifiers.ts";
import { defaultKnobs, type Knobs } from "./knobs.ts";
import { RequestCounts } from "./occasion.ts";
import { type Mail, Outbox } from "./outbox.ts";
import { type LoggedRequest, RequestLog } from "./request-log.ts";
import type { Seed } from "./seed-shape.ts";
import { serveRequest } from "./serve-request.ts";
import type { Service } from "./service.ts";
import { sowSeed } from "./sow-seed.ts";
import { Tampering } from "./tampering.ts";
import { World } from "./world.ts";

export interface ReferenceServerOptions {
  /** 0 for a free one. */
  readonly port: number;
  readonly seed?: Seed;
  readonly knobs?: Partial<Knobs>;
  /** Milliseconds since the epoch; the system's clock where it is absent. */
  readonly now?: () => number;
  /** Where the generator of prefixes and secrets starts: the same start gives the same ones. */
  readonly start?: number;
}

/** A running reference server. */
export interface ReferenceServer {
  /** Its base address, such as `http://127.0.0.1:8080`. */
  readonly endpoint: string;
  /** An administrator's full key. */
  readonly key: string;
  /** Every mail so far, oldest first; grows while the server runs. */
  readonly outbox: readonly Mail[];
  /** The requests to the service's routes of late, oldest first; grows while the server runs. */
  readonly requests: readonly LoggedRequest[];
  /** What other people do to the service meanwhile. */
  readonly world: Tampering;
  /** From the next request on; the others stay as they are, and the requests to each route are counted anew. */
  setKnobs(knobs: Partial<Knobs>): void;
  /** Ends open connections; resolves when the port is free. */
  close(): Promise<void>;
}

const requestsKept = 100_000;
/** Longer than the pause of any client between two calls, so that no kept connection ends under a call. */
const keepAliveMilliseconds = 60_000;

/**
 * Starts the account service on the loopback interface. Rejects where the port cannot be had, and where the seed contradicts
 * itself (`readSeed` says so beforehand, with places).
 */
export async function startReferenceServer(options: ReferenceServerOptions): Promise<ReferenceServer> {
  const { seed = {}, now = Date.now, start = 1 } = options;
  const knobs = { ...defaultKnobs, ...options.knobs };
  const identifiers = countingIdentifiers(start, knobs.identifiers);
  const world = new World(identifiers);
  const [fault] = sowSeed(seed, world);
  if (fault !== undefined) throw new Error(`seed, ${fault.path.join(".")}: ${fault.message}`);
  const administrator = administratorKey(seed, world);
  const outbox = new Outbox(identifiers);
  const log = new RequestLog(requestsKept);
  const server = createServer({ keepAliveTimeout: keepAliveMilliseconds });
  const endpoint = await listen(server, options.port);
  const service: Service = {
    world,
    outbox,
    log,
    administrator,
    knobs,
    counts: new RequestCounts(),
    draw: generator(start),
    now,
    endpoint,
  };
  server.on("request", (request, response) => void serveRequest(service, request, response));
  return {
    endpoint,
    key: `${administrator.prefix}.${administrator.secret}`,
    outbox: outbox.mails,
    requests: log.entries,
    world: new Tampering(world),
    setKnobs(changed) {
      service.knobs = { ...service.knobs, ...changed };
      service.counts.reset();
    },
    close: () => close(server),
  };
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1" }, () => {
      server.off("error", reject);
      const { port: chosen } = server.address() as AddressInfo;
      resolve(`http://127.0.0.1:${chosen}`);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
