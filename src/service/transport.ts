import { leavesWithin } from "../model/capabilities.ts";
import { type Exchange, type OriginOptions, openOrigin } from "../network/origin.ts";
import type { Call } from "./routes.ts";

export interface TransportOptions extends OriginOptions {
  readonly key: string;
}

/** Sends one call once, with the key, to one origin. */
export interface Transport {
  /** Never rejects. A read is cut off when the signal is aborted; a write only as long as nothing of it was sent. */
  send(call: Call, signal?: AbortSignal): Promise<Exchange>;
  close(): Promise<void>;
}

export type OpenTransport = (options: TransportOptions) => Transport;

/** Over HTTP. Opens no connection before the first call. */
export function openTransport({ key, ...options }: TransportOptions): Transport {
  const origin = openOrigin(options);
  return {
    send: ({ method, path, body, effect }, signal) =>
      origin.send(
        {
          method,
          path,
          headers: headersOf(key, body),
          ...(effect === "write"
            ? ({ onceSent: "let-end", leavesWithin } as const)
            : ({ onceSent: "cut-off" } as const)),
          ...(body === undefined ? {} : { body }),
        },
        signal,
      ),
    close: () => origin.close(),
  };
}

function headersOf(key: string, body: string | undefined): Record<string, string> {
  return {
    authorization: `ApiKey ${key}`,
    accept: "application/json",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
}
