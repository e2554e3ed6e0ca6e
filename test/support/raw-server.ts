import { createServer, type Socket } from "node:net";
import type { AtEnd } from "./command.ts";
import { onLoopback } from "./loopback.ts";

/** Says, byte by byte, what comes for a request; the number counts requests over all connections from 1. */
export type RawScript = (socket: Socket, number: number) => void;

export type RawServer = Awaited<ReturnType<typeof rawServer>>;

/** A server on loopback that keeps to no protocol but what the script says. */
export async function rawServer(script: RawScript, atEnd: AtEnd) {
  /** The requests that came as a whole: first line and body. */
  const seen: string[] = [];
  const open = new Set<Socket>();
  let heard = "";
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    let come = "";
    socket.on("data", (chunk) => {
      come += chunk.toString("latin1");
      heard += chunk.toString("latin1");
      for (let request = whole(come); request !== undefined; request = whole(come)) {
        come = come.slice(request.length);
        seen.push([request.split("\r\n", 1)[0], request.split("\r\n\r\n")[1]].join(" ").trim());
        script(socket, seen.length);
      }
    });
  });
  atEnd(() => {
    for (const socket of open) socket.destroy();
  });
  const origin = `http://127.0.0.1:${await onLoopback(server, atEnd)}`;
  return { origin, seen, heard: () => heard, connections: () => connections };
}

/** The first request of what came, as soon as all of it is there. */
function whole(come: string): string | undefined {
  const end = come.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const length = Number(/^content-length: (\d+)\r$/imu.exec(come.slice(0, end + 2))?.[1] ?? 0);
  const request = come.slice(0, end + 4 + length);
  return request.length === end + 4 + length ? request : undefined;
}
