import { nodeClient } from "../../src/network/node-client.ts";
import type { Client, ClientOptions } from "../../src/network/sending.ts";
import { undiciClient } from "../../src/network/undici-client.ts";

export type OpenClient = (options: ClientOptions) => Client;

/** What sends to an origin: each must do the same. */
export const clients: readonly (readonly [name: string, open: OpenClient])[] = [
  ["Node's client", nodeClient],
  ["undici", undiciClient],
];
