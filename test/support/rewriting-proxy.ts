import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { AtEnd } from "./command.ts";

/** What takes the place of an answer of success to a write. Without a body it is 204. */
export interface Rewritten {
  readonly type?: string;
  readonly body?: string;
}

export type WriteKind = "creation" | "addition" | "replacement";

/** Passes everything on, and puts another answer in the place of each successful answer to a write. */
export async function rewritingProxy(
  upstream: string,
  rewrite: (kind: WriteKind) => Rewritten,
  atEnd: AtEnd,
): Promise<{ readonly endpoint: string }> {
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", headers, url = "/" } = incoming;
    const kind = writeKind(method, url);
    const sent = request(new URL(url, upstream), { method, headers }, (answer) => {
      const status = answer.statusCode ?? 502;
      void buffer(answer).then((whole) => {
        if (kind === undefined || status >= 300) return outgoing.writeHead(status, answer.headers).end(whole);
        const { type, body } = rewrite(kind);
        if (body === undefined) return outgoing.writeHead(204).end();
        return outgoing.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);
      });
    });
    sent.on("error", () => outgoing.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function writeKind(method: string, url: string): WriteKind | undefined {
  if (method === "PUT") return "replacement";
  if (method !== "POST" || url.includes("/users/search")) return undefined;
  return /\/members(?:\?|$)/u.test(url) ? "addition" : "creation";
}
