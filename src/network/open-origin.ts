import "./baseline-parser.ts";
import type { Socket } from "node:net";
import Pool from "undici/lib/dispatcher/pool.js";
import type { ConnectionProblem } from "./connection-trouble.ts";
import { connectorFor, type NetworkOptions } from "./connector.ts";
import type { Exchange, HttpRequest } from "./exchange.ts";
import { Sending, type SendingOptions } from "./sending.ts";

export interface OriginOptions extends Omit<SendingOptions, "heard">, NetworkOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Connections at once. */
  readonly connections: number;
}

/** One origin over HTTP: sends one request once, and follows nothing. Opens no connection before the first request. */
export interface Origin {
  /** Never rejects. */
  send(request: HttpRequest, signal?: AbortSignal): Promise<Exchange>;
  /** Resolves when what is under way has ended. */
  close(): Promise<void>;
}

/** Milliseconds for one connection: less than for a request, so that what is told is why there is none. */
const connectTimeout = 10_000;

export function openOrigin(options: OriginOptions): Origin {
  const { origin, connections, timeout } = options;
  const heard: { refusal?: ConnectionProblem } = {};
  const sending = { ...options, heard };
  const refused = (why: ConnectionProblem): void => {
    heard.refusal = why;
  };
  const opening = new Set<Socket>();
  const connect = connectorFor({ ...options, timeout: Math.min(connectTimeout, timeout / 2), refused, opening });
  const pool = new Pool(origin, { connections, connect, headersTimeout: 0, bodyTimeout: 0 });
  let underWay = 0;
  return {
    async send(request, signal) {
      underWay += 1;
      const exchange = await new Promise<Exchange>((resolve) => {
        new Sending(request, sending, resolve).start(pool, signal);
      });
      underWay -= 1;
      return exchange;
    },
    async close() {
      if (underWay > 0) return pool.close();
      // A connection that nobody waits for any more would keep the process for seconds.
      for (const socket of opening) socket.destroy();
      await pool.destroy();
    },
  };
}
