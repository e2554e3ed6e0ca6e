import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { RequestCounts } from "./fault-triggers.ts";
import { acceptInvitation, handleRequest, referencePage, renderReply } from "./handle-request.ts";
import { countingIdentifiers, seededRandom } from "./identifiers.ts";
import type { ReplyDelivery } from "./inject-faults.ts";
import { defaultKnobs, type Knobs } from "./knobs/registry.ts";
import {
  DataFile,
  type IdentifierDraws,
  lockData,
  type OnDataWriting,
  readDataFile,
  type ServerData,
} from "./persistence.ts";
import {
  answerText,
  htmlErrorPage,
  type Reply,
  refuse,
  type ServedAnswer,
  serializeAnswer,
} from "./responses/reply.ts";
import { administratorKey, loadSeed, type Seed } from "./seed.ts";
import {
  type InvitationMail,
  type LoggedRequest,
  type OnRequest,
  Outbox,
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
  /** Hears when that file cannot be written while the server runs. Nobody hears it where it is absent. */
  readonly onDataWriting?: OnDataWriting;
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
  /** Whether it started with what its file held. */
  readonly startedWith: "data" | "seed";
  /** Ends open connections; resolves when the port is free and the data, where they are kept, are written. */
  close(): Promise<void>;
}

const logBounds = { requests: 100_000, bytes: 8 * 1024 * 1024 };
/** Longer than the pause of any client between two calls, so that no kept connection ends under a call. */
const keepAliveMilliseconds = 60_000;

/**
 * Starts the account service on the loopback interface. Rejects where the port cannot be had, where the seed contradicts
 * itself (`readSeed` says so beforehand, with places), and where the data cannot be read, written or understood.
 */
export async function startReferenceServer(options: ReferenceServerOptions): Promise<ReferenceServer> {
  const { data } = options;
  const lock = data === undefined ? undefined : await lockData(data);
  const release = async () => await lock?.release();
  try {
    return await startUnlocked(options, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function startUnlocked(options: ReferenceServerOptions, release: () => Promise<void>): Promise<ReferenceServer> {
  const { seed = {}, data, onRequest = () => {}, now = Date.now, start = 1 } = options;
  const knobs = { ...defaultKnobs, ...options.knobs };
  const draws = { start, kind: knobs.identifiers };
  const kept = data === undefined ? undefined : await readDataFile(data, draws);
  const { world, identifiers, mails, administrator } = kept ?? dataFromSeed(seed, draws);
  const outbox = new Outbox(identifiers, mails);
  const log = new RequestLog(logBounds);
  const keeping = { world, mails: outbox.mails, identifiers, administrator };
  const file = data === undefined ? undefined : new DataFile(data, keeping, options.onDataWriting ?? (() => {}));
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
    now,
    endpoint,
    onRequest,
    saved: () => file?.saved(),
  };
  server.on("request", (request, response) => receiveRequest(service, request, response));
  // Written once the port is had; also what was read, for it may be read-only.
  await file?.saved()?.catch(async (error: unknown) => {
    await close(server);
    throw error;
  });
  return {
    endpoint,
    key: `${administrator.prefix}.${administrator.secret}`,
    outbox: outbox.mails,
    requests: log.entries,
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

/** Takes a request in whole and answers it: at once where it has no body. */
function receiveRequest(service: ServerContext, request: IncomingMessage, response: ServerResponse): void {
  const now = service.now();
  if (service.now !== Date.now) response.setHeader("date", new Date(now).toUTCString());
  const serve = (body: ReceivedBody): void => {
    orDestroy(response, () => serveRequest(service, receivedRequest(service, request, { now, body }), response));
  };
  if (hasBody(request)) receiveBody(request, service.knobs.maxBodyBytes, serve);
  else serve(noBody);
}

/** A caller who went away is nobody to tell. */
function orDestroy(response: ServerResponse, work: () => void): void {
  try {
    work();
  } catch {
    response.destroy();
  }
}

function serveRequest(service: ServerContext, received: ReceivedRequest, response: ServerResponse): void {
  if (received.path.startsWith("/reference/")) {
    sendSaved(service, received, response, renderReply(service, referencePage(service, received), received));
    return;
  }
  if (received.path.startsWith("/invitations/")) {
    sendSaved(service, received, response, renderReply(service, acceptInvitation(service, received), received));
    return;
  }
  const respond = (): void => {
    const outcome = handleRequest(service, received);
    if (outcome === "reset") response.req.socket.resetAndDestroy();
    else sendSaved(service, received, response, outcome.answer, outcome.delivery);
  };
  const { latencyMs } = service.knobs;
  if (latencyMs > 0) setTimeout(() => orDestroy(response, respond), latencyMs).unref();
  else respond();
}

function receivedRequest(
  service: ServerContext,
  request: IncomingMessage,
  { now, body }: Pick<ReceivedRequest, "now" | "body">,
): ReceivedRequest {
  const { method = "", url = "", headers } = request;
  const mark = url.indexOf("?");
  const [path, query] = mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
  // Links lead back to where the caller came in, which may be a proxy.
  const reached = `http://${headers.host}`;
  const origin = /^http:\/\/[\w.:[\]-]+$/.test(reached) && URL.canParse(reached) ? reached : service.endpoint;
  return { method, path, query, headers, at: new Date(now).toISOString(), now, origin, body };
}

const noBody: ReceivedBody = { size: 0, bytes: new Uint8Array() };

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/** Reads to the end whatever the size, so that the caller is there to read the refusal. Nobody is answered who goes away before. */
function receiveBody(request: IncomingMessage, cap: number, received: (body: ReceivedBody) => void): void {
  const chunks: Uint8Array[] = [];
  let size = 0;
  request.on("data", (chunk: Uint8Array) => {
    size += chunk.length;
    if (size <= cap) chunks.push(chunk);
  });
  request.on("end", () => {
    const [first, second] = chunks;
    const bytes = first !== undefined && second === undefined ? first : Buffer.concat(chunks);
    received(size <= cap ? { size, bytes } : { size });
  });
  request.on("error", () => {});
}

/** Sends an answer once all that it may show is kept; a refusal where that cannot be. */
function sendSaved(
  service: ServerContext,
  received: ReceivedRequest,
  response: ServerResponse,
  answer: ServedAnswer,
  delivery?: ReplyDelivery,
): void {
  const saved = service.saved();
  if (saved === undefined) {
    sendAnswer(response, answer, delivery);
    return;
  }
  const send = (reply: Reply) => () =>
    orDestroy(response, () => sendAnswer(response, renderReply(service, reply, received), delivery));
  saved.then(send(answer), send(refuse(503, "The service cannot save its data")));
}

/** Sends an answer, or what becomes of it on its way. */
function sendAnswer(response: ServerResponse, answer: ServedAnswer, way: ReplyDelivery = "sent"): void {
  switch (way) {
    case "sent":
      writeAnswer(response, answer);
      return;
    case "reset":
      response.destroy();
      return;
    case "hang":
      return;
    case "half":
      writeHalfAnswer(response, answer);
      return;
    case "502":
    case "504": {
      const status = Number(way);
      writeAnswer(response, answerText(status, "text/html; charset=utf-8", htmlErrorPage(status)));
      return;
    }
  }
}

function writeAnswer(response: ServerResponse, answer: ServedAnswer): void {
  const { status, headers, text } = serializeAnswer(answer);
  response.writeHead(status, headers).end(text);
}

function writeHalfAnswer(response: ServerResponse, answer: ServedAnswer): void {
  const { status, headers, text } = serializeAnswer(answer);
  response.writeHead(status, headers);
  response.flushHeaders();
  response.write(Buffer.from(text).subarray(0, Math.floor(Buffer.byteLength(text) / 2)));
}
