import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { initialState } from "./beginning.ts";
import { seededRandom } from "./generator.ts";
import { defaultKnobs, type Knobs } from "./knobs.ts";
import { RequestCounts } from "./occasion.ts";
import { type InvitationMail, Outbox } from "./outbox.ts";
import { type LoggedRequest, RequestLog } from "./request-log.ts";
import type { Seed } from "./seed-shape.ts";
import { serveRequest } from "./serve-request.ts";
import type { OnRequest, ServerContext } from "./service.ts";
import { SortCache } from "./sorted-lists.ts";
import { type OnStateWriting, readStateFile, StateFile } from "./state-file.ts";
import { TestControls } from "./tampering.ts";

export interface ReferenceServerOptions {
  /** 0 for a free one. */
  readonly port: number;
  /** What there is from the start, where no state says so. */
  readonly seed?: Seed;
  /** A file that keeps everything over a restart: read now where it is there, and written soon after each change. */
  readonly state?: string;
  /** Hears when that file cannot be written while the server runs. Nobody hears it where it is absent. */
  readonly onStateWriting?: OnStateWriting;
  /** Whether the outbox and the request log can be read under /reference/; `shown` where it is absent. */
  readonly referencePages?: "shown" | "hidden";
  readonly knobs?: Partial<Knobs>;
  /** So that a test can do between two requests what other people might. */
  readonly onRequest?: OnRequest;
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
  readonly outbox: readonly InvitationMail[];
  /** The requests to the service's routes of late, oldest first; grows while the server runs. */
  readonly requests: readonly LoggedRequest[];
  /** What other people do to the service meanwhile. */
  readonly world: TestControls;
  /** From the next request on; the others stay as they are, and the requests to each route are counted anew. */
  setKnobs(knobs: Partial<Knobs>): void;
  /** Ends open connections; resolves when the port is free and the state, where there is one, is written. */
  close(): Promise<void>;
}

const logBounds = { requests: 100_000, bytes: 8 * 1024 * 1024 };
/** Longer than the pause of any client between two calls, so that no kept connection ends under a call. */
const keepAliveMilliseconds = 60_000;

/**
 * Starts the account service on the loopback interface. Rejects where the port cannot be had, where the seed contradicts
 * itself (`readSeed` says so beforehand, with places), and where the state cannot be read, written or understood.
 */
export async function startReferenceServer(options: ReferenceServerOptions): Promise<ReferenceServer> {
  const { seed = {}, state, referencePages = "shown", onRequest = () => {}, now = Date.now, start = 1 } = options;
  const knobs = { ...defaultKnobs, ...options.knobs };
  const saved = state === undefined ? undefined : await readStateFile(state);
  const { world, identifiers, mails, administrator } = initialState(saved, seed, { start, kind: knobs.identifiers });
  const outbox = new Outbox(identifiers, mails);
  const log = new RequestLog(logBounds);
  const kept = () => ({
    world,
    mails: outbox.mails,
    counters: identifiers.counters,
    administrator: administrator.prefix,
  });
  const file = state === undefined ? undefined : new StateFile(state, kept, options.onStateWriting ?? (() => {}));
  const server = createServer({ keepAliveTimeout: keepAliveMilliseconds });
  const endpoint = await listen(server, options.port);
  const service: ServerContext = {
    world,
    outbox,
    log,
    administrator,
    knobs,
    counts: new RequestCounts(),
    lastDone: new Map(),
    random: seededRandom(start),
    sortCache: new SortCache(),
    now,
    endpoint,
    referencePages,
    onRequest,
    changed: () => file?.scheduleWrite(),
  };
  server.on("request", (request, response) => void serveRequest(service, request, response));
  // Written once the port is had, so that two servers do not write one file; also what was read, for it may be read-only.
  await file?.save().catch(async (error: unknown) => {
    file.stop();
    await close(server);
    throw error;
  });
  return {
    endpoint,
    key: `${administrator.prefix}.${administrator.secret}`,
    outbox: outbox.mails,
    requests: log.entries,
    world: new TestControls(world),
    setKnobs(changed) {
      service.knobs = { ...service.knobs, ...changed };
      service.counts.reset();
    },
    async close() {
      await close(server);
      file?.stop();
      await file?.save();
    },
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
