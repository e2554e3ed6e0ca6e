import pLimit from "p-limit";
import { type OpenTransport, openTransport } from "../service/client.ts";
import type { Transport } from "../service/retry.ts";

/** What carries the calls of several services: those of one origin share its connections, and so many reads at once. */
export function sharedTransports(callsPerOrigin: number, openWhole = openTransport) {
  const opened = new Map<string, Transport>();
  const open: OpenTransport = (options) => {
    const known = opened.get(options.origin);
    if (known !== undefined) return known;
    const whole = openWhole({ ...options, connections: callsPerOrigin });
    const limit = pLimit(callsPerOrigin);
    // A write is announced already: it leaves soon or not at all.
    const send: Transport["send"] = (call, ...others) =>
      call.effect === "write" ? whole.send(call, ...others) : limit(() => whole.send(call, ...others));
    const shared = { send, close: () => whole.close() };
    opened.set(options.origin, shared);
    return shared;
  };
  return { open, close: () => Promise.all([...opened.values()].map((one) => one.close())) };
}
