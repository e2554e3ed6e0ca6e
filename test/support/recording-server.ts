import { type AddressInfo, createServer, type Socket } from "node:net";
import type { AtEnd } from "./command.ts";

/** Somebody else's server on loopback, which answers everything and keeps every byte that comes. */
export interface RecordingServer {
  readonly origin: string;
  /** All that came, over all connections. */
  readonly heard: () => string;
  readonly connections: () => number;
}

export async function recordingServer(atEnd: AtEnd): Promise<RecordingServer> {
  const open = new Set<Socket>();
  let heard = "";
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      heard += bytes.toString("latin1");
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}");
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  atEnd(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, heard: () => heard, connections: () => connections };
}
