import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { AtEnd } from "./command.ts";

/** When the proxy strikes: at the n-th write, counted from 1, before or after the service has committed it. */
export interface Strike {
  readonly write: number;
  readonly when: "before-commit" | "after-commit";
  readonly strike: () => void;
}

/** Stands between the command and the service on loopback, and strikes once. */
export async function killingProxy(upstream: string, strike: Strike, atEnd: AtEnd): Promise<string> {
  let writes = 0;
  const server = createServer((incoming, outgoing) => {
    const isWrite =
      incoming.method === "PUT" || (incoming.method === "POST" && incoming.url?.endsWith("/search") !== true);
    if (isWrite) writes += 1;
    const strikes = isWrite && strike.write === writes ? strike : undefined;
    void pass(upstream, incoming, outgoing, strikes);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function pass(
  upstream: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  strike: Strike | undefined,
): Promise<void> {
  const body = await buffer(incoming);
  if (strike?.when === "before-commit") return end(strike, outgoing);
  const answer = await forward(upstream, incoming, body);
  const answered = await buffer(answer);
  if (strike?.when === "after-commit") return end(strike, outgoing);
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
  outgoing.end(answered);
}

function end(strike: Strike, outgoing: ServerResponse): void {
  strike.strike();
  outgoing.destroy();
}

function forward(upstream: string, incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  const { method = "GET", headers, url = "/" } = incoming;
  return new Promise((resolve, reject) => {
    request(new URL(url, upstream), { method, headers }, resolve).on("error", reject).end(body);
  });
}
