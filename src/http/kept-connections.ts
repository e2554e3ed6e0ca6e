import { Agent, type ClientRequest } from "node:http";
import type { Duplex } from "node:stream";
import type { Connect } from "./connection.ts";

/** So many turns at once, in the order in which they were asked for. */
export function turns(count: number): (start: (leave: () => void) => void) => void {
  const waiting: (() => void)[] = [];
  let free = count;
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return (start) => {
    // Trap 55: what has come on a kept connection, such as its end, is read before the next request goes out on it. It may come right behind an
    // answer, in the turn in which the next request is made: so the turn after that is waited for as well.
    const begin = () => setImmediate(() => setImmediate(start, leave));
    if (free === 0) return void waiting.push(begin);
    free -= 1;
    begin();
  };
}

/** Milliseconds for which a connection is kept for the next request. */
const longestIdle = 4000;

/** Connections that are kept for the next request. */
export class KeptConnections extends Agent {
  readonly #connect: Connect;
  #retired = false;

  constructor(connect: Connect, connections: number) {
    super({ keepAlive: true, maxFreeSockets: connections, timeout: longestIdle });
    this.#connect = connect;
  }

  override createConnection(_options: object, callback: (error: Error | null, socket?: Duplex) => void): undefined {
    this.#connect(callback);
  }

  override keepSocketAlive(socket: Duplex): boolean {
    // By its types it says nothing, and Node acts upon what it says.
    const isKept: unknown = super.keepSocketAlive(socket);
    socket.once("data", end).once("end", end);
    return isKept !== false && !this.#retired;
  }

  override reuseSocket(socket: Duplex, asked: ClientRequest): void {
    socket.off("data", end).off("end", end);
    super.reuseSocket(socket, asked);
  }

  /** Ends its connections as soon as no request needs them. */
  retire(): void {
    this.#retired = true;
    for (const socket of Object.values(this.freeSockets).flat()) socket?.end();
  }
}

/** Nothing can come on a connection that nobody uses, but its end. */
function end(this: Duplex): void {
  this.destroy();
}
