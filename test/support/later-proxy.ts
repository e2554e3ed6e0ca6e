import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { AtEnd } from "./command.ts";

/** A service as it answers some time later: what is old to it gets older, and nothing else changes. */
export interface LaterProxy {
  readonly endpoint: string;
  /** Lets so many milliseconds pass at the service. */
  pass(milliseconds: number): void;
}

/** Passes everything on, and moves the `Date` of the answers. */
export async function laterProxy(upstream: string, atEnd: AtEnd): Promise<LaterProxy> {
  let ahead = 0;
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", headers, url = "/" } = incoming;
    const sent = request(new URL(url, upstream), { method, headers }, (answer) => {
      const { date, ...rest } = answer.headers;
      const told = date === undefined ? {} : { date: new Date(Date.parse(date) + ahead).toUTCString() };
      void buffer(answer).then((body) => outgoing.writeHead(answer.statusCode ?? 502, { ...rest, ...told }).end(body));
    });
    sent.on("error", () => outgoing.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  atEnd(() => close(server));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pass(milliseconds) {
      ahead += milliseconds;
    },
  };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((closed) => server.close(() => closed()));
}
