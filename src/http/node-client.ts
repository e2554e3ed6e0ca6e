import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";
import { answerEndedEarly, answerIsNoHttp, type Connect, ConnectionFailure } from "./connection.ts";
import type { Sending } from "./sending.ts";

/** Carries requests to one origin over connections that it keeps. Each request drives its `Sending`. */
export function nodeClient(origin: string, connections: number, connect: Connect) {
  const agent = new KeptConnections(connect, connections);
  const { host, hostname } = new URL(origin);
  const lanes = lanesOf(connections);
  return {
    /** Sends a request once, when one of the connections is free. Never throws. */
    send: (sending: Sending) => lanes.take((leave) => start(sending, { agent, host, hostname, leave })),
    /** Ends its connections as soon as none of its requests needs them. */
    retire: () => agent.retire(),
  };
}

/** So many requests at once, in the order in which they came. */
function lanesOf(count: number): { take(start: (leave: () => void) => void): void } {
  const waiting: (() => void)[] = [];
  let free = count;
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    take(start) {
      // What has come on a kept connection, such as its end, is read before the next request goes out on it. It may come right behind an
      // answer, in the turn in which the next request is made: so the turn after that is waited for as well.
      const begin = () => setImmediate(() => setImmediate(start, leave));
      if (free === 0) return void waiting.push(begin);
      free -= 1;
      begin();
    },
  };
}

interface Lane {
  readonly agent: Agent;
  readonly host: string;
  readonly hostname: string;
  /** Called when the connection can be used again, or has ended. */
  readonly leave: () => void;
}

function start(sending: Sending, { agent, host, hostname, leave }: Lane): void {
  if (sending.isOver) {
    leave();
    return;
  }
  const { method, path, body } = sending.request;
  const asked = impossible(sending, () =>
    request({ agent, hostname, method, path, setHost: false, insecureHTTPParser: false }),
  );
  if (asked === undefined) {
    leave();
    return;
  }
  asked.once("close", leave);
  sending.cutBy(() => asked.destroy());
  // None of them is dropped unread: how large they are together is limited.
  asked.maxHeadersCount = 0;
  const length = body === undefined ? {} : { "content-length": `${Buffer.byteLength(body)}` };
  // Not as an option of the request, which NODE_DEBUG would show.
  impossible(sending, () => {
    for (const [name, value] of Object.entries({ host, ...length, ...sending.headers })) asked.setHeader(name, value);
  });
  listen(asked, sending);
}

/** Node throws where a request cannot be written down. */
function impossible<T>(sending: Sending, make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    sending.fail(error);
    return undefined;
  }
}

function listen(asked: ClientRequest, sending: Sending): void {
  let answer: IncomingMessage | undefined;
  const noHttp = () => sending.fail(new ConnectionFailure(answerIsNoHttp));
  const fail = (error: Error): void => {
    // What comes after the end of an answer ends the connection, and is nobody's.
    if (answer?.complete !== true) sending.fail(isEarlyEnd(error) ? new ConnectionFailure(answerEndedEarly) : error);
  };
  asked.on("error", fail);
  asked.once("socket", () => {
    if (sending.leave()) asked.end(sending.request.body);
    else asked.destroy();
  });
  // Nobody asked for either.
  asked.once("continue", noHttp);
  asked.once("upgrade", noHttp);
  asked.once("response", (come) => {
    answer = come;
    sending.head(come.statusCode ?? 0, pairs(come.rawHeaders));
    come.on("data", (chunk: Buffer) => sending.data(chunk));
    come.on("end", () => sending.end());
    come.on("error", fail);
  });
}

/** Node's own word for an end has the code of a reset, and not the call that failed. */
function isEarlyEnd(error: Error): boolean {
  return "code" in error && error.code === "ECONNRESET" && !("syscall" in error);
}

function pairs(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as const] : []));
}

/** Milliseconds for which a connection is kept for the next request. */
const longestIdle = 4000;

class KeptConnections extends Agent {
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

  retire(): void {
    this.#retired = true;
    for (const socket of Object.values(this.freeSockets).flat()) socket?.end();
  }
}

/** Nothing can come on a connection that nobody uses, but its end. */
function end(this: Duplex): void {
  this.destroy();
}
