import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, type Socket } from "node:net";
import type { AtEnd } from "./command.ts";
import { onLoopback } from "./loopback.ts";
import { certificates } from "./tls-front.ts";

interface AskedTunnel {
  readonly authority: string;
  readonly credentials: string | undefined;
  readonly headers: readonly string[];
}

export interface TunnelScript {
  readonly to?: number;
  readonly refusesWith?: number;
  readonly hangs?: true;
  /** Speaks TLS itself, with a certificate of this name. */
  readonly certificate?: string;
}

/** A proxy on loopback that opens tunnels (CONNECT), or does not. */
export async function tunnelProxy(script: TunnelScript, atEnd: AtEnd) {
  const asked: AskedTunnel[] = [];
  const carried: Buffer[] = [];
  const open = new Set<Socket>();
  const { certificate: name } = script;
  const server =
    name === undefined
      ? createServer()
      : createSecureServer({
          key: readFileSync(`${certificates}/key.pem`),
          cert: readFileSync(`${certificates}/${name}.pem`),
        });
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  };
  server.on("connection", keep);
  server.on("connect", ({ url = "", headers }: IncomingMessage, client: Socket) => {
    asked.push({ authority: url, credentials: headers["proxy-authorization"], headers: Object.keys(headers).sort() });
    client.on("error", () => undefined);
    if (script.hangs === true) {
      client.on("end", () => client.destroy()).resume();
      return;
    }
    if (script.refusesWith !== undefined || script.to === undefined) {
      client.end(`HTTP/1.1 ${script.refusesWith ?? 502} No\r\ncontent-length: 2\r\n\r\nno`);
      return;
    }
    const upstream = connect(script.to, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.on("data", (chunk: Buffer) => carried.push(chunk));
      client.pipe(upstream).pipe(client);
    });
    keep(upstream);
    upstream.on("error", () => client.destroy());
  });
  atEnd(() => {
    for (const socket of open) socket.destroy();
  });
  const port = await onLoopback(server, atEnd);
  const address = name === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  return { address, asked, carried: () => Buffer.concat(carried).toString("latin1"), open: () => open.size };
}
