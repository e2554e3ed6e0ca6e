import pLimit from "p-limit";
import type { Clock } from "../../src/ports/clock.ts";
import { RequestCounts } from "../../src/reference-server/fault-triggers.ts";
import { handleRequest } from "../../src/reference-server/handle-request.ts";
import { countingIdentifiers, seededRandom } from "../../src/reference-server/identifiers.ts";
import { defaultKnobs, type Knobs } from "../../src/reference-server/knobs/registry.ts";
import { type InvitationMail, RequestLog, type ServerContext } from "../../src/reference-server/service-context.ts";
import { type Key, World } from "../../src/reference-server/world.ts";
import { headersOf } from "../../src/service/client.ts";
import type { Transport } from "../../src/service/retry.ts";

export interface InProcessOptions {
  /** Puts whatever is there into an empty world, and returns the key of an administrator, who may ask anything. */
  readonly fill: (world: World) => Key;
  /** The address by which callers believe to reach it, without a path and a trailing slash. */
  readonly origin: string;
  readonly knobs?: Partial<Knobs>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The reference service without a port: a function takes its requests. */
export interface InProcessServer {
  readonly key: string;
  /** Every mail so far, oldest first; grows as it is asked. */
  readonly outbox: readonly InvitationMail[];
  answer(request: InProcessRequest): InProcessAnswer;
}

interface InProcessRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** `lost`: the request was answered, or not even served, and nothing came back. */
type InProcessAnswer =
  | { readonly status: number; readonly headers: ReadonlyMap<string, string>; readonly body: string }
  | "lost";

const logBounds = { requests: 100, bytes: 1024 * 1024 };

/** Opens no port and keeps nothing. */
export function openInProcess({ fill, origin, knobs, now }: InProcessOptions): InProcessServer {
  const ways = { ...defaultKnobs, ...knobs };
  const identifiers = countingIdentifiers(1, ways.identifiers);
  const world = new World(identifiers);
  const administrator = fill(world);
  const mails: InvitationMail[] = [];
  const service: ServerContext = {
    world,
    identifiers,
    mails,
    log: new RequestLog(logBounds),
    administrator,
    knobs: ways,
    counts: new RequestCounts(),
    lastDone: new Map(),
    random: seededRandom(1),
    now,
    endpoint: origin,
    onRequest: () => {},
    saved: () => undefined,
  };
  return {
    key: `${administrator.prefix}.${administrator.secret}`,
    outbox: mails,
    answer(request) {
      const outcome = handleRequest(service, receiveInProcess(request, service));
      if (outcome === "reset" || outcome.delivery !== "sent") return "lost";
      const { status, headers, text } = outcome.answer;
      const sent = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
      return { status, headers: new Map([...sent, ["date", new Date(now()).toUTCString()]]), body: text };
    },
  };
}

function receiveInProcess({ method, path: whole, headers, body = "" }: InProcessRequest, service: ServerContext) {
  const now = service.now();
  const mark = whole.indexOf("?");
  const [path, query] = mark < 0 ? [whole, ""] : [whole.slice(0, mark), whole.slice(mark + 1)];
  const bytes = new TextEncoder().encode(body);
  return { method, path, query, headers, now, origin: service.endpoint, body: { size: bytes.length, bytes } };
}

/** Carries calls to a service in this process, each in the same time */
export function memoryTransport(
  server: InProcessServer,
  options: { readonly clock: Clock; readonly latency: number; readonly connections: number },
): Transport {
  const { clock, latency, connections } = options;
  const connection = pLimit(connections);
  return {
    send: ({ method, path, body }, key, signal) =>
      connection(async () => {
        await clock.wait(latency, signal);
        if (signal?.aborted) return { is: "no-answer", why: "aborted", sent: false, cause: "the run was stopped" };
        const request = { method, path, headers: headersOf(key, body) };
        const answer = server.answer(body === undefined ? request : { ...request, body });
        if (answer !== "lost") return { is: "answer", ...answer };
        return { is: "no-answer", why: "unreachable", sent: true, cause: "the connection was ended" };
      }),
    close: async () => {},
  };
}
