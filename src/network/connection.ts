import type { Socket } from "node:net";
import { ConnectionFailure, connectionTimedOut } from "./failure.ts";

/** Makes a connection on which a request can be sent, or says what stood in the way. */
export type Connect = (callback: Connected) => void;

export type Connected = (...result: [error: null, socket: Socket] | [error: Error]) => void;

interface Opening {
  /** The event of a connection that is ready. */
  readonly event: "connect" | "secureConnect";
  /** Milliseconds for one connection. */
  readonly timeout: number;
  /** Holds the connections that are not ready yet. */
  readonly opening: Set<Socket>;
}

/** Calls back once: when the connection is ready, has failed or has taken too long. A connection that is destroyed while it opens calls nobody back. */
export function whenReady(socket: Socket, { event, timeout, opening }: Opening, callback: Connected): void {
  opening.add(socket);
  const timer = setTimeout(() => socket.destroy(new ConnectionFailure(connectionTimedOut)), timeout);
  const isFirst = (): boolean => {
    clearTimeout(timer);
    return opening.delete(socket);
  };
  socket.setNoDelay(true).setKeepAlive(true, keepAliveDelay);
  socket.once(event, () => isFirst() && callback(null, socket));
  // An error without a listener would end the process. A later one is reported by the client that uses the connection.
  socket.on("error", (error) => isFirst() && callback(error));
  socket.once("close", isFirst);
}

/** Milliseconds without a byte after which the system asks whether the other end is still there. */
const keepAliveDelay = 60_000;
