import { leavesWithin } from "../model/capabilities.ts";
import type { NetworkOptions } from "../network/connector.ts";
import { type OriginOptions, openOrigin } from "../network/origin.ts";
import type { AccountService } from "../ports/account-service.ts";
import { type AccountServiceOptions, accountServiceClient } from "./client.ts";
import { baseAddress } from "./endpoint.ts";
import type { Transport } from "./retry.ts";

const requestTimeout = 30_000;
const largestAnswer = 64 * 1024 * 1024;

export interface HttpAccountServiceOptions extends AccountServiceOptions {
  /** Connections at once. */
  readonly parallelism: number;
  /** Through which proxy, and trusting which authorities. */
  readonly way?: NetworkOptions;
  /** What carries the calls; over HTTP where it is absent. */
  readonly openTransport?: OpenTransport;
}

/** The account service over HTTP. Opens no connection before the first call. */
export function httpAccountService(options: HttpAccountServiceOptions): AccountService & { close(): Promise<void> } {
  const { origin } = baseAddress(options.endpoint);
  const { key, clock, parallelism: connections, way, openTransport: open = openTransport } = options;
  const transport = open({ origin, key, connections, timeout: requestTimeout, largestAnswer, clock, ...way });
  // Its parts are read as they are now, and would be copied as they were.
  return Object.assign(accountServiceClient(transport, options), { close: () => transport.close() });
}

export interface TransportOptions extends OriginOptions {
  readonly key: string;
}

export type OpenTransport = (options: TransportOptions) => Transport;

/** Over HTTP. Opens no connection before the first call. @internal */
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
