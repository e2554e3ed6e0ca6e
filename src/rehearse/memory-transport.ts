import type { Clock } from "../ports/clock.ts";
import type { InProcessServer } from "../reference-server/in-process.ts";
import type { Transport } from "../service/transport.ts";
import { limitConcurrency } from "./slots.ts";

export interface MemoryTransportOptions {
  readonly clock: Clock;
  /** Milliseconds that each call takes. */
  readonly latency: number;
  /** Calls at once. */
  readonly connections: number;
  /** The path of the service's address, without a trailing slash. */
  readonly prefix: string;
}

/** Carries calls to a service in this process, each in the same time. */
export function memoryTransport(server: InProcessServer, options: MemoryTransportOptions): Transport {
  const { clock, latency, connections, prefix } = options;
  const connection = limitConcurrency(connections);
  return {
    send: ({ method, path, body }, signal) =>
      connection(async () => {
        await clock.wait(latency, signal);
        if (signal?.aborted) return { is: "no-answer", why: "aborted", sent: false, cause: "the run was stopped" };
        const inner = path.startsWith(prefix) ? path.slice(prefix.length) : path;
        const request = { method, path: inner, headers: headersOf(server.key, body) };
        const answer = server.answer(body === undefined ? request : { ...request, body });
        if (answer !== "lost") return { is: "answer", ...answer };
        return { is: "no-answer", why: "unreachable", sent: true, cause: "the connection was ended" };
      }),
    close: async () => {},
  };
}

function headersOf(key: string, body: string | undefined): Record<string, string> {
  const headers = { authorization: `ApiKey ${key}`, accept: "application/json" };
  return body === undefined ? headers : { ...headers, "content-type": "application/json" };
}
