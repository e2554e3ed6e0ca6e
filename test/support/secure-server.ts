import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { TlsOptions } from "node:tls";
import type { AtEnd } from "./command.ts";
import { onLoopback } from "./loopback.ts";
import { certificates } from "./tls-front.ts";

/** Answers `{}` over TLS on loopback, with a certificate of that name. */
export async function secureServer(name: string, atEnd: AtEnd, options: TlsOptions = {}) {
  const seen: string[] = [];
  const key = readFileSync(`${certificates}/key.pem`);
  const cert = readFileSync(`${certificates}/${name}.pem`);
  const server = createServer({ key, cert, ...options }, ({ method, url, rawHeaders }, response) => {
    seen.push([`${method} ${url}`, ...rawHeaders].join("\n"));
    response.writeHead(200, { "content-type": "application/json" });
    response.end("{}");
  });
  server.on("tlsClientError", () => undefined);
  return { port: await onLoopback(server, atEnd), seen };
}
