import { lookup } from "node:dns";
import { Agent, ClientRequest, type IncomingMessage } from "node:http";
import { connect, type LookupFunction, type Socket } from "node:net";
import { type Clock, elapsedSince, type Moment, momentOf, stopwatch, type Timer } from "../ports/clock.ts";
import {
  answerEndedEarly,
  answerIsNoHttp,
  type Connect,
  ConnectionFailure,
  type ConnectionProblem,
  type ConnectorOptions,
  explainConnectionError,
  type NetworkOptions,
  whenReady,
} from "./connection.ts";
import { type HttpClientRequest, type HttpResponse, isLoopback } from "./http-client.ts";

/** One request to an origin, ready to be sent. */
export interface HttpRequest {
  readonly method: string;
  /** From the origin on, already encoded, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What an abort does after the first byte was sent: what may change something is left to be answered. */
  readonly onceSent: "cut-off" | "let-end";
  /** When its first byte must have left, else it is not sent; absent: for as long as the answer is waited for. */
  readonly leaves?: { readonly within: number; readonly since: Moment };
}

/** What came of sending one request once. */
export type Exchange = Answer | NoAnswer;

export interface Answer extends HttpResponse {
  readonly is: "answer";
}

export interface NoAnswer extends Omit<ConnectionProblem, "lasts"> {
  readonly is: "no-answer";
  /** False where not a single byte of the request left: then it had no effect. */
  readonly sent: boolean;
  readonly why:
    | "aborted"
    | "timed-out"
    /** It could not leave in its time, so that it was not sent; by now it might. */
    | "too-late"
    /** The answer was there, and too large or in a form that is not read. */
    | "unreadable"
    /** This may pass. */
    | "unreachable"
    /** This lasts until somebody does something, as with a certificate that is not trusted. */
    | "barred";
}

export interface OriginOptions extends NetworkOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Connections at once. */
  readonly connections: number;
  /** Milliseconds for one request as a whole, from its handing over to the last byte of its answer. */
  readonly timeout: number;
  /** The largest answer, in bytes. */
  readonly largestAnswer: number;
  readonly clock: Timer;
}

/** Milliseconds for one connection: less than for a request, so that the reason is known. */
const connectTimeout = 10_000;

/** One origin over HTTP: sends one request once, and follows nothing. Opens no connection before the first request. */
export function openOrigin(options: OriginOptions) {
  const { origin, timeout } = options;
  const opening = new Set<Socket>();
  const heard: { refusal?: ConnectionProblem } = {};
  const refused = (why: ConnectionProblem): void => {
    heard.refusal = why;
  };
  const sending = { ...options, host: new URL(origin).host, heard };
  const limit = Math.min(connectTimeout, timeout / 2);
  const connect = connectorFor(origin, { ...options, timeout: limit, refused, opening });
  const idle: Connection[] = [];
  const waiting: Sending[] = [];
  const underWay = new Set<Promise<Exchange>>();
  let free = options.connections;
  let closed = false;
  // Trap 55: what has come on a kept connection, such as its end, is read before the next request goes out on it. It may come right behind an
  // answer, in the turn in which the next request is made: so the turn after that is waited for as well.
  const begin = (one: Sending) => setImmediate(() => setImmediate(start, one));
  const start = (one: Sending): void => {
    if (one.ended) return void leave();
    let connection = idle.pop();
    while (connection?.use() === false) connection = idle.pop();
    if (connection !== undefined) return void one.start(connection, leave);
    connect((...[error, socket]) => {
      if (error === null) return one.start(new Connection(socket), leave);
      one.fail(error);
      leave();
    });
  };
  const leave = (connection?: Connection): void => {
    if (closed) connection?.end();
    else if (connection?.keep()) idle.push(connection);
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else begin(next);
  };
  return {
    /** Never rejects. */
    async send(request: HttpRequest, signal?: AbortSignal): Promise<Exchange> {
      const exchange = new Promise<Exchange>((resolve) => {
        const one = new Sending(request, sending, resolve);
        one.watch(signal);
        if (closed) return one.fail(new ConnectionFailure({ cause: "its connections are closed already" }));
        if (free === 0) return void waiting.push(one);
        free -= 1;
        begin(one);
      });
      underWay.add(exchange);
      await exchange;
      underWay.delete(exchange);
      return exchange;
    },
    /** Resolves when what is under way has ended. */
    async close(): Promise<void> {
      closed = true;
      await Promise.all(underWay);
      // A connection that nobody waits for any more would keep the process for seconds.
      for (const socket of opening) socket.destroy();
      for (const connection of idle) connection.end();
    },
  };
}

const connections = 4;

/** Sends requests for the store of a log, and to a webhook. */
export type HttpClient = ReturnType<typeof openHttpClient>;

/** Sends nothing to any other origin. Opens no connection before the first request. Answers come as they are: no redirect is followed, nothing is decompressed. */
export function openHttpClient(options: Omit<OriginOptions, "connections">) {
  const { origin: expected, ...limits } = options;
  const { origin } = new URL(expected);
  const { send, close } = openOrigin({ origin, connections, ...limits });
  return {
    async send({ url, ...request }: HttpClientRequest): Promise<Exchange> {
      if (url.origin !== origin) {
        const cause = `the request is for ${url.origin}, but roster sends only to ${origin}`;
        return { is: "no-answer", why: "barred", sent: false, cause };
      }
      const onceSent = request.method === "GET" ? "cut-off" : "let-end";
      return send({ ...request, path: `${url.pathname}${url.search}`, onceSent });
    },
    close,
  };
}

/** Plain HTTP is for this machine alone. What TLS and proxies take is loaded when it is needed. */
export function connectorFor(origin: string, options: ConnectorOptions): Connect {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/gu, "");
  if (protocol !== "http:") {
    let secure: Promise<Connect> | undefined;
    return (callback) => {
      secure ??= import("./tls.ts").then(({ secureConnector }) =>
        secureConnector({ host, port: port === "" ? 443 : Number(port) }, options),
      );
      secure.then((connect) => connect(callback), callback);
    };
  }
  if (!isThisMachine(host)) {
    const cause = "it would be reached without encryption: http:// works only for this machine";
    return (callback) => callback(new ConnectionFailure({ cause, lasts: true }));
  }
  const target = { host, port: port === "" ? 80 : Number(port), lookup: lookUpThisMachine(lookup) };
  return (callback) => whenReady(connect(target), "connect", options, callback);
}

/** Whether a host, without brackets, is said to be this machine. */
export function isThisMachine(hostname: string): boolean {
  return isLoopback(hostname.includes(":") ? `[${hostname}]` : hostname);
}

/** Resolves names as `resolve` does, and refuses those that lead anywhere but to this machine, as localhost may. */
export function lookUpThisMachine(resolve: typeof lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const elsewhere = addresses.find(({ address }) => !isThisMachine(address));
      const [first] = addresses;
      if (elsewhere !== undefined || first === undefined) {
        const cause = `its name leads to ${elsewhere?.address ?? "no address"}, not to this machine; http:// works only for this machine`;
        const hint = "Use https://, or the address 127.0.0.1";
        return callback(new ConnectionFailure({ cause, hint, lasts: true }), "");
      }
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Milliseconds for which a connection is kept for the next request. */
const longestIdle = 4000;

/** One connection. Node asks it, as the agent of a request, on what the request goes out. */
class Connection extends Agent {
  readonly #socket: Socket;
  #use: "first" | "again" | "none" = "first";
  /** What the server says of how long it keeps the connection. */
  hint: string | undefined;

  constructor(socket: Socket) {
    super({ keepAlive: true });
    this.#socket = socket;
  }

  /** By this name, Node hands over each request. */
  addRequest(asked: ClientRequest): void {
    asked.onSocket(this.#socket);
  }

  /** False where it cannot be used again. A server may end it as soon as it says, so that it ends a second before. */
  keep(): boolean {
    const seconds = /^timeout=(\d+)/u.exec(this.hint ?? "")?.[1];
    const limit = seconds === undefined ? longestIdle : Math.min(Number(seconds) * 1000 - 1000, longestIdle);
    if (limit <= 0 || !this.#socket.writable) this.#socket.destroy();
    else {
      if (this.#use === "first") this.#watch();
      this.#use = "none";
      this.#socket.setTimeout(limit).unref();
    }
    return !this.#socket.destroyed;
  }

  /** False where it has ended. */
  use(): boolean {
    this.#use = "again";
    this.#socket.setTimeout(0).ref();
    return !this.#socket.destroyed;
  }

  /** Nothing can come on a connection that nobody uses, but its end. To add and remove listeners would take longer than to ask. */
  #watch(): void {
    const destroy = (): void => {
      if (this.#use === "none") this.#socket.destroy();
    };
    this.#socket.on("data", destroy).on("end", destroy).on("timeout", destroy);
  }

  end(): void {
    this.#socket.end();
  }
}

interface SendingOptions extends OriginOptions {
  /** With the port, where it is not the scheme's own. */
  readonly host: string;
  /** Why the other end refuses connections, once it has said so. */
  readonly heard: { readonly refusal?: ConnectionProblem };
}

/** Timers stand still while a machine sleeps. */
const longestTimer = 1000;

const watched = new WeakMap<AbortSignal, Set<Sending>>();

/** What ends with a signal. It has one listener for all: adding and removing one takes Node as long as a third of a request. */
function watchedBy(signal: AbortSignal): Set<Sending> {
  const known = watched.get(signal);
  if (known !== undefined) return known;
  const all = new Set<Sending>();
  const end = () => {
    for (const one of all) one.abort();
  };
  signal.addEventListener("abort", end, { once: true });
  watched.set(signal, all);
  return all;
}

/** One request on its way. Ends once, whatever comes later. */
class Sending {
  readonly #request: HttpRequest;
  readonly #options: SendingOptions;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #chunks: Buffer[] = [];
  readonly #handedOver: Moment;
  ended = false;
  #bytes = 0;
  #sent = false;
  #asked: ClientRequest | undefined;
  #timer: NodeJS.Timeout | undefined;
  #others: Set<Sending> | undefined;

  constructor(request: HttpRequest, options: SendingOptions, resolve: (exchange: Exchange) => void) {
    this.#request = request;
    this.#options = options;
    this.#resolve = resolve;
    this.#handedOver = momentOf(options.clock);
  }

  /** From now on it ends in its time, and when the signal is aborted. */
  watch(signal: AbortSignal | undefined): void {
    if (signal?.aborted) return void this.abort();
    this.#others = signal && watchedBy(signal);
    this.#others?.add(this);
    this.#wait(this.#options.timeout);
  }

  #wait(left: number): void {
    const { timeout, clock } = this.#options;
    if (left <= 0) this.#giveUp({ why: "timed-out", cause: `no answer came within ${timeout / 1000} s` });
    if (this.ended) return;
    const pause = Math.min(left, longestTimer);
    const next = () => this.#wait(Math.min(left - pause, timeout - elapsedSince(this.#handedOver, clock)));
    this.#timer = setTimeout(next, pause);
  }

  /** Sends it on a connection. `left` is called when that can be used again, or has ended. Never throws. */
  start(connection: Connection, left: (connection: Connection) => void): void {
    if (this.ended) return void left(connection);
    const { method, path, body, headers } = this.#request;
    const written = ["host", this.#options.host, "accept-encoding", "identity", "user-agent", "roster"];
    if (body !== undefined) written.push("content-length", `${Buffer.byteLength(body)}`);
    for (const [name, value] of Object.entries(headers)) written.push(name, value);
    try {
      const asked = new ClientRequest({ agent: connection, method, path, headers: written, insecureHTTPParser: false });
      this.#asked = asked;
      asked.once("close", () => left(connection));
      // None of them is dropped unread: how large they are together is limited.
      asked.maxHeadersCount = 0;
      this.#listen(asked, connection);
    } catch (error) {
      // Node throws where a request cannot be written down.
      this.fail(error);
      left(connection);
    }
  }

  fail(error: unknown): void {
    const { lasts, ...trouble } = this.#options.heard.refusal ?? explainConnectionError(error);
    this.#giveUp({ why: lasts === true ? "barred" : "unreachable", ...trouble });
  }

  #listen(asked: ClientRequest, connection: Connection): void {
    let answer: IncomingMessage | undefined;
    const noHttp = () => this.fail(new ConnectionFailure(answerIsNoHttp));
    const fail = (error: Error): void => {
      // What comes after the end of an answer ends the connection, and is nobody's.
      if (answer?.complete !== true) this.fail(isEarlyEnd(error) ? new ConnectionFailure(answerEndedEarly) : error);
    };
    asked.on("error", fail);
    asked.on("socket", () => {
      if (this.#mayLeave()) asked.end(this.#request.body);
      else asked.destroy();
    });
    // Nobody asked for either.
    asked.on("continue", noHttp);
    asked.on("upgrade", noHttp);
    asked.on("response", (come) => {
      answer = come;
      const head = { status: come.statusCode ?? 0, headers: joined(come.rawHeaders) };
      connection.hint = head.headers.get("keep-alive");
      const form = compressedForm(head.headers);
      come.on("data", (chunk: Buffer) => {
        if (form === undefined) return this.#keep(chunk);
        const cause = `the answer is compressed (${form}), but roster requested it uncompressed`;
        // What a status of failure says is enough; an answer of success counts by its content.
        if (head.status < 400) this.#giveUp({ why: "unreadable", cause });
      });
      come.on("end", () => {
        if (!this.ended) this.#end({ is: "answer", ...head, body: Buffer.concat(this.#chunks).toString("utf8") });
      });
      come.on("error", fail);
    });
  }

  /** Asked on a connection that is ready, right before the first byte: false where not a byte may be sent. */
  #mayLeave(): boolean {
    // A request that was given up while it waited for a connection is not sent any more, nor is one sent twice.
    if (this.ended || this.#sent) return false;
    const { timeout, clock } = this.#options;
    const { leaves } = this.#request;
    const { within, since } = leaves ?? { within: timeout, since: this.#handedOver };
    const late = elapsedSince(since, clock);
    if (late <= within) {
      this.#sent = true;
      return true;
    }
    const cause =
      late > timeout
        ? // No timer runs while a process sleeps. What its caller had made sure of before, such as a lock, need not hold any more.
          `this process was paused for ${Math.round(late / 1000)} s before it could send`
        : // What was announced as about to be sent is taken for not done by a later run that does not see it soon after.
          `it got a connection only after ${Math.round(late / 100) / 10} s, too long after it was recorded`;
    this.#giveUp({ why: leaves === undefined ? "timed-out" : "too-late", cause });
    return false;
  }

  #keep(chunk: Buffer): void {
    const { largestAnswer } = this.#options;
    this.#bytes += chunk.length;
    if (this.#bytes <= largestAnswer) this.#chunks.push(chunk);
    else this.#giveUp({ why: "unreadable", cause: `the answer is larger than ${largestAnswer} bytes` });
  }

  abort(): void {
    if (this.#request.onceSent === "let-end" && this.#sent) return;
    this.#giveUp({ why: "aborted", cause: "the run was stopped" });
  }

  #giveUp(trouble: Omit<NoAnswer, "is" | "sent">): void {
    if (this.ended) return;
    this.#end({ is: "no-answer", sent: this.#sent, ...trouble });
    this.#asked?.destroy();
  }

  #end(exchange: Exchange): void {
    this.ended = true;
    clearTimeout(this.#timer);
    this.#others?.delete(this);
    this.#resolve(exchange);
  }
}

/** Node's own word for an end has the code of a reset, and not the call that failed. */
function isEarlyEnd(error: Error): boolean {
  return "code" in error && error.code === "ECONNRESET" && !("syscall" in error);
}

/** In what form a body is not what it stands for, `undefined` where it is. */
function compressedForm(headers: ReadonlyMap<string, string>): string | undefined {
  const content = headers.get("content-encoding") ?? "identity";
  const transfer = headers.get("transfer-encoding") ?? "chunked";
  const form = /^(?:identity)?$/iu.test(content.trim()) ? transfer : content;
  if (/^(?:chunked|identity)?$/iu.test(form.trim())) return undefined;
  return /^[\w, -]{1,40}$/u.test(form) ? form : "an unknown form";
}

/** Names and values take turns; several headers of one name are one. */
function joined(raw: readonly string[]): ReadonlyMap<string, string> {
  const byName = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    const value = raw[at + 1] ?? "";
    const before = byName.get(name);
    byName.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return byName;
}

/** How often and how late something is tried. */
export interface RetryRule<T> {
  readonly clock: Clock;
  /** Milliseconds to wait before the next attempt; undefined where the result of this one holds. */
  readonly pauseAfter: (result: T, so: Attempts) => number | undefined;
  /** Ends a pause early. */
  readonly signal?: AbortSignal | undefined;
  /** After a pause, which may have been long for a process that slept: false where there is no further attempt. */
  readonly isStillWanted?: (so: Attempts) => boolean;
}

interface Attempts {
  /** How many there were. */
  readonly tries: number;
  /** Milliseconds since the first one began. */
  readonly elapsed: number;
}

/** Attempts something until its result holds, and returns the last result. */
export async function retry<T>(
  attempt: () => Promise<T>,
  { clock, pauseAfter, signal, isStillWanted = () => true }: RetryRule<T>,
): Promise<T> {
  const elapsed = stopwatch(clock);
  for (let tries = 1; ; tries += 1) {
    const result = await attempt();
    const pause = pauseAfter(result, { tries, elapsed: elapsed() });
    if (pause === undefined) return result;
    await clock.wait(pause, signal);
    if (!isStillWanted({ tries, elapsed: elapsed() })) return result;
  }
}

/** Milliseconds before the next attempt: doubled after each, and shortened by up to a half, so that clients do not come all at once. */
export function backoff(tries: number, fraction: number, first: number, max = Number.POSITIVE_INFINITY): number {
  return Math.min(max, first * 2 ** (tries - 1)) * (0.5 + fraction / 2);
}

/** Milliseconds that a `Retry-After` asks for, in seconds or as an HTTP date; `undefined` where it says nothing. */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // A bare or negative number is no date, though Date.parse would make one of it.
  if (!/[a-z]/i.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
