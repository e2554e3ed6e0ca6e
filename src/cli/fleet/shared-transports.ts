import type { OriginOptions } from "../../network/origin.ts";
import { type OpenTransport, openTransport } from "../../service/client.ts";
import type { Transport } from "../../service/retry.ts";

/** Transports that targets of one origin share. */
export interface SharedTransports {
  readonly open: OpenTransport;
  /** Ends all connections. */
  close(): Promise<void>;
}

/**
 * One transport for each origin, with at most so many calls at once from all targets together. A write is announced with the time
 * by which it leaves: it waits only for reads that have begun.
 */
export function sharedTransports(callsPerOrigin: number, open: OpenTransport = openTransport): SharedTransports {
  const opened = new Map<string, Transport>();
  return {
    open(options) {
      const key = transportKey(options);
      const shared = opened.get(key) ?? limited(open({ ...options, connections: callsPerOrigin }), callsPerOrigin);
      opened.set(key, shared);
      return { send: shared.send, close: async () => undefined };
    },
    async close() {
      await Promise.all([...opened.values()].map((transport) => transport.close()));
    },
  };
}

function transportKey({ origin, proxy, ca, timeout, largestAnswer }: OriginOptions): string {
  return JSON.stringify([origin, proxy, ca, timeout, largestAnswer]);
}

function limited(transport: Transport, limit: number): Transport {
  let free = limit;
  const waiting: (() => void)[] = [];
  const enter = async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((go) => waiting.push(go));
  };
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async send(call, key, signal) {
      if (call.effect === "write") return transport.send(call, key, signal);
      await enter();
      try {
        return await transport.send(call, key, signal);
      } finally {
        leave();
      }
    },
    close: () => transport.close(),
  };
}
