import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { RequestCounts } from "./fault-triggers.ts";
import { handleRequest, isOwnPage, renderRefusal } from "./handle-request.ts";
import { countingIdentifiers, seededRandom } from "./identifiers.ts";
import type { ReplyDelivery } from "./inject-faults.ts";
import { defaultKnobs, type Knobs } from "./knobs/registry.ts";
import { administratorKey, loadSeed } from "./load-seed.ts";
import {
  DataFile,
  type IdentifierDraws,
  lockData,
  type OnDataWriting,
  readDataFile,
  type ServerData,
} from "./persistence.ts";
import { answerErrorPage, Refusal, type ServedAnswer } from "./responses/reply.ts";
import type { Seed } from "./seed.ts";
import {
  type InvitationMail,
  type LoggedRequest,
  type OnRequest,
  type ReceivedBody,
  type ReceivedRequest,
  RequestLog,
  type ServerContext,
} from "./service-context.ts";
import { TestControls } from "./test-controls.ts";
import { World } from "./world.ts";

export interface ReferenceServerOptions {
  /** 0 for a free one. */
  readonly port: number;
  /** What there is from the start, where no data say so. */
  readonly seed?: Seed;
  /** A file that keeps everything: read now where it is there. What a request changes is in it before the answer leaves. */
  readonly data?: string;
  /** Called when that file cannot be written while the server runs. */
  readonly onDataWriting?: OnDataWriting;
  readonly knobs?: Partial<Knobs>;
  /** So that a test can do between two requests what other people might. */
  readonly onRequest?: OnRequest;
  /** Milliseconds since the epoch; the system's clock where it is absent. */
  readonly now?: () => number;
  /** Where the generator of prefixes and secrets starts: the same start gives the same ones. */
  readonly start?: number;
}

export interface ReferenceServer {
  /** Its base address, such as `http://127.0.0.1:8080`. */
  readonly endpoint: string;
  /** An administrator's full key. */
  readonly key: string;
  /** Every mail so far, oldest first; grows while the server runs. */
  readonly outbox: readonly InvitationMail[];
  /** The requests to the service's routes of late, oldest first; grows while the server runs. */
  readonly requests: readonly LoggedRequest[];
  readonly world: TestControls;
  /** From the next request on; the others stay as they are, and the requests to each route are counted anew. */
  setKnobs(knobs: Partial<Knobs>): void;
  readonly startedWith: "data" | "seed";
  /** Ends open connections; resolves when the port is free and the data, where they are kept, are written. */
  close(): Promise<void>;
}

/** Longer than the pause of any client between two calls, so that no kept connection ends under a call. */
const keepAliveMilliseconds = 60_000;

/**
 * Starts the account service on the loopback interface. Rejects where the port cannot be had, where the seed contradicts
 * itself (`readSeed` says so beforehand, with places), and where the data cannot be read, written or understood.
 */
export async function startReferenceServer(options: ReferenceServerOptions): Promise<ReferenceServer> {
  const lock = options.data === undefined ? undefined : await lockData(options.data);
  try {
    return await startUnlocked(options, async () => await lock?.release());
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

async function startUnlocked(options: ReferenceServerOptions, release: () => Promise<void>): Promise<ReferenceServer> {
  const { seed = {}, data, onRequest = () => {}, now = Date.now, start = 1 } = options;
  const knobs = { ...defaultKnobs, ...options.knobs };
  const draws = { start, kind: knobs.identifiers };
  const kept = data === undefined ? undefined : await readDataFile(data, draws);
  const { world, identifiers, administrator, mails: before } = kept ?? dataFromSeed(seed, draws);
  const mails = [...before];
  const keeping = { world, mails, identifiers, administrator };
  const file = data === undefined ? undefined : new DataFile(data, keeping, options.onDataWriting);
  const server = createServer({ keepAliveTimeout: keepAliveMilliseconds });
  const endpoint = await listen(server, options.port);
  const service: ServerContext = {
    ...keeping,
    log: new RequestLog({ requests: 100_000, bytes: 8 * 1024 * 1024 }),
    knobs,
    counts: new RequestCounts(),
    lastDone: new Map(),
    random: seededRandom(start),
    now,
    endpoint,
    onRequest,
    saved: () => file?.saved(),
  };
  // A caller who went away is nobody to tell.
  server.on("request", (request, response) => {
    receiveRequest(service, request, response).catch(() => response.destroy());
  });
  // Written once the port is had; also what was read, for it may be read-only.
  await file?.saved()?.catch(async (error: unknown) => {
    await close(server);
    throw error;
  });
  return {
    endpoint,
    key: `${administrator.prefix}.${administrator.secret}`,
    outbox: mails,
    requests: service.log.entries,
    world: new TestControls(world),
    startedWith: kept === undefined ? "seed" : "data",
    setKnobs(changed) {
      service.knobs = { ...service.knobs, ...changed };
      service.counts.reset();
    },
    async close() {
      await close(server);
      try {
        await file?.saved();
      } finally {
        await release();
      }
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

function dataFromSeed(seed: Seed, { start, kind }: IdentifierDraws): ServerData {
  const identifiers = countingIdentifiers(start, kind);
  const world = new World(identifiers);
  const [fault] = loadSeed(seed, world);
  if (fault !== undefined) throw new Error(`seed, ${fault.path.join(".")}: ${fault.message}`);
  return { world, identifiers, mails: [], administrator: administratorKey(seed, world) };
}

/** Takes a request in whole, and answers it once all that the answer may show is kept. */
async function receiveRequest(
  service: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const now = service.now();
  if (service.now !== Date.now) response.setHeader("date", new Date(now).toUTCString());
  const received = receivedRequest(service, request, now, await receiveBody(request, service.knobs.maxBodyBytes));
  const { latencyMs } = service.knobs;
  if (latencyMs > 0 && !isOwnPage(received.path)) await setTimeout(latencyMs, undefined, { ref: false });
  const handled = handleRequest(service, received);
  if (handled === "reset") {
    request.socket.resetAndDestroy();
    return;
  }
  try {
    await service.saved();
  } catch {
    const unsaved = new Refusal(503, "The service cannot save its data");
    sendAnswer(response, renderRefusal(service, received, unsaved), "sent");
    return;
  }
  sendAnswer(response, handled.answer, handled.delivery);
}

function receivedRequest(
  service: ServerContext,
  { method = "", url = "", headers }: IncomingMessage,
  now: number,
  body: ReceivedBody,
): ReceivedRequest {
  const mark = url.indexOf("?");
  const [path, query] = mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
  // Links lead back to where the caller came in, which may be a proxy.
  const reached = `http://${headers.host}`;
  const origin = /^http:\/\/[\w.:[\]-]+$/.test(reached) && URL.canParse(reached) ? reached : service.endpoint;
  return { method, path, query, headers, now, origin, body };
}

/** Reads to the end whatever the size, so that the caller is there to read the refusal. */
async function receiveBody(request: IncomingMessage, cap: number): Promise<ReceivedBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= cap) chunks.push(chunk);
  }
  return size <= cap ? { size, bytes: Buffer.concat(chunks) } : { size };
}

function sendAnswer(response: ServerResponse, answer: ServedAnswer, delivery: ReplyDelivery): void {
  switch (delivery) {
    case "reset":
      response.destroy();
      return;
    case "hang":
      return;
    case "502":
    case "504":
      sendAnswer(response, answerErrorPage(Number(delivery)), "sent");
      return;
    case "sent":
    case "half":
      break;
  }
  const { status, headers, text } = answer;
  const length = status === 204 ? {} : { "content-length": Buffer.byteLength(text) };
  response.writeHead(status, { ...headers, ...length });
  if (delivery === "sent") {
    response.end(text);
    return;
  }
  response.flushHeaders();
  response.write(Buffer.from(text).subarray(0, Math.floor(Buffer.byteLength(text) / 2)));
}
