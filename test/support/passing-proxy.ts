import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { AtEnd } from "./command.ts";

/** A request as it went through the proxy. */
export interface Passed {
  readonly method: string;
  /** As it was sent, with the query. */
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

export interface PassingProxy {
  readonly endpoint: string;
  readonly passed: readonly Passed[];
}

/** Stands before the service on loopback and keeps what goes through. */
export async function passingProxy(upstream: string, atEnd: AtEnd): Promise<PassingProxy> {
  const passed: Passed[] = [];
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing));
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const { method = "", url = "", headers } = incoming;
    passed.push({ method, url, authorization: headers.authorization, body: body.toString("utf8") });
    const answer = await forward(new URL(url, upstream), incoming, body);
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  };
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, passed };
}

function forward(url: URL, { method = "GET", headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers }, resolve).on("error", reject).end(body);
  });
}
