import type { NetworkOptions } from "../network/connector.ts";
import type { AccountService } from "../ports/account-service.ts";
import { type AccountServiceOptions, accountServiceClient } from "./client.ts";
import { baseAddress } from "./endpoint.ts";
import { type OpenTransport, openTransport } from "./transport.ts";

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
