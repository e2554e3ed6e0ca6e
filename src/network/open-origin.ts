import "./baseline-parser.ts";
import Pool from "undici/lib/dispatcher/pool.js";
import type { Exchange, Outgoing } from "./exchange.ts";
import { Sending, type SendingOptions } from "./sending.ts";

export interface OriginOptions extends SendingOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Connections at once. */
  readonly connections: number;
}

/** One origin over HTTP: sends one request once, and follows nothing. Opens no connection before the first request. */
export interface Origin {
  /** Never rejects. */
  send(request: Outgoing, signal?: AbortSignal): Promise<Exchange>;
  /** Resolves when what is under way has ended. */
  close(): Promise<void>;
}

export function openOrigin(options: OriginOptions): Origin {
  const { origin, connections, timeout } = options;
  const pool = new Pool(origin, { connections, connectTimeout: timeout, headersTimeout: 0, bodyTimeout: 0 });
  return {
    send: (request, signal) => new Promise((resolve) => new Sending(request, options, resolve).start(pool, signal)),
    close: () => pool.close(),
  };
}
