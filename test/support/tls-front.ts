import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { resolve } from "node:path";
import type { AtEnd } from "./command.ts";
import { onLoopback } from "./loopback.ts";

/** Where the certificates for tests lie: of this machine alone, and secret to nobody. */
export const certificates = resolve("test/support/tls");

/** Puts TLS with a certificate of that name before a service on loopback. */
export async function overTls(upstream: string, name: string, atEnd: AtEnd): Promise<string> {
  const [key, cert] = await Promise.all([readFile(`${certificates}/key.pem`), readFile(`${certificates}/${name}.pem`)]);
  const server = createServer({ key, cert }, async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = "GET", url = "/", headers } = incoming;
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
    const sent = { authorization: headers.authorization ?? "", "content-type": headers["content-type"] ?? "" };
    const answer = await fetch(new URL(url, upstream), { method, headers: sent, ...body });
    outgoing.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    outgoing.end(Buffer.from(await answer.arrayBuffer()));
  });
  return `https://localhost:${await onLoopback(server, atEnd)}`;
}
