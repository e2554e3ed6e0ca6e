import { type AddressInfo, createServer, type Server } from "node:net";
import type { AtEnd } from "./command.ts";

/** Has a server listen on loopback until the test ends, however many connections stand then. Answers the port. */
export async function onLoopback(server: Server & { closeAllConnections?(): void }, atEnd: AtEnd): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  atEnd(() => {
    server.closeAllConnections?.();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await onLoopback(server, () => undefined);
  await new Promise((closed) => server.close(closed));
  return port;
}
