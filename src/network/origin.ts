import "./v8-flags.ts";
import type { Socket } from "node:net";
import Pool from "undici/lib/dispatcher/pool.js";
import { problem, success } from "../model/result.ts";
import type { Clock } from "../ports/clock.ts";
import type { HttpClient, HttpFailure, HttpResponse } from "../ports/http-client.ts";
import { connectorFor, type NetworkOptions } from "./connector.ts";
import { type ConnectionProblem, explainConnectionError } from "./failure.ts";

export interface OriginOptions extends Omit<SendingOptions, "heard">, NetworkOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Connections at once. */
  readonly connections: number;
}

/** One origin over HTTP: sends one request once, and follows nothing. Opens no connection before the first request. */
interface Origin {
  /** Never rejects. */
  send(request: HttpRequest, signal?: AbortSignal): Promise<Exchange>;
  /** Resolves when what is under way has ended. */
  close(): Promise<void>;
}

/** Milliseconds for one connection: less than for a request, so that the reason is known. */
const connectTimeout = 10_000;

export function openOrigin(options: OriginOptions): Origin {
  const { origin, connections, timeout } = options;
  const heard: { refusal?: ConnectionProblem } = {};
  const sending = { ...options, heard };
  const refused = (why: ConnectionProblem): void => {
    heard.refusal = why;
  };
  const opening = new Set<Socket>();
  const connect = connectorFor({ ...options, timeout: Math.min(connectTimeout, timeout / 2), refused, opening });
  const pool = new Pool(origin, { connections, connect, headersTimeout: 0, bodyTimeout: 0 });
  let underWay = 0;
  return {
    async send(request, signal) {
      underWay += 1;
      const exchange = await new Promise<Exchange>((resolve) => {
        new Sending(request, sending, resolve).start(pool, signal);
      });
      underWay -= 1;
      return exchange;
    },
    async close() {
      if (underWay > 0) return pool.close();
      // A connection that nobody waits for any more would keep the process for seconds.
      for (const socket of opening) socket.destroy();
      await pool.destroy();
    },
  };
}

/** One request to an origin, ready to be sent. */
export interface HttpRequest {
  readonly method: string;
  /** From the origin on, already encoded, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What an abort does after the first byte was sent: what may change something is left to be answered. */
  readonly onceSent: "cut-off" | "let-end";
  /** Milliseconds from its handing over after which it is not sent any more; absent: for as long as the answer is waited for. */
  readonly leavesWithin?: number;
}

/** What came of sending one request once. */
export type Exchange = Answer | NoAnswer;

export interface Answer extends HttpResponse {
  readonly is: "answer";
}

export interface NoAnswer extends HttpFailure {
  readonly is: "no-answer";
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

interface SendingOptions {
  /** Milliseconds for one request as a whole, from its handing over to the last byte of its answer. */
  readonly timeout: number;
  /** The largest answer, in bytes. */
  readonly largestAnswer: number;
  readonly clock: Pick<Clock, "now">;
  /** Why the other end refuses connections, once it has said so. */
  readonly heard: { readonly refusal?: ConnectionProblem };
}

type Controller = Parameters<Parameters<Pool["dispatch"]>[1]["onRequestStart"]>[0];
type IncomingHeaders = Parameters<Parameters<Pool["dispatch"]>[1]["onResponseStart"]>[2];

/** One request on its way. Settles once, whatever comes later. */
class Sending {
  readonly #request: HttpRequest;
  readonly #options: SendingOptions;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #chunks: Buffer[] = [];
  readonly #handedOver: number;
  #bytes = 0;
  #sent = false;
  #settled = false;
  #head: Pick<Answer, "status" | "headers"> | undefined;
  #controller: Controller | undefined;
  #leave = (): void => undefined;

  constructor(request: HttpRequest, options: SendingOptions, resolve: (exchange: Exchange) => void) {
    this.#request = request;
    this.#options = options;
    this.#resolve = resolve;
    this.#handedOver = options.clock.now();
  }

  start(pool: Pool, signal: AbortSignal | undefined): void {
    if (signal?.aborted) {
      this.#onAbort();
      return;
    }
    this.#watch(signal);
    const { path, method, body, headers } = this.#request;
    const all = { "accept-encoding": "identity", "user-agent": "roster", ...headers };
    pool.dispatch({ path, method, headers: all, ...(body === undefined ? {} : { body }) }, this);
  }

  /** To throw is how a request is withdrawn whose connection then serves the next one: an abort would end that as well. */
  onRequestStart(controller: Controller): void {
    // A request that was given up while it waited for a connection is not sent any more, nor is one sent twice.
    if (this.#settled || this.#sent) throw new Error("given up");
    const late = this.#options.clock.now() - this.#handedOver;
    const { leavesWithin } = this.#request;
    const { timeout } = this.#options;
    if (late <= (leavesWithin ?? timeout)) {
      this.#controller = controller;
      this.#sent = true;
      return;
    }
    const cause = late > timeout ? sentTooLate(late) : exceedsHeaderLimit(late);
    this.#giveUp({ why: leavesWithin === undefined ? "timed-out" : "too-late", cause });
    throw new Error("too late");
  }

  onResponseStart(_controller: Controller, status: number, headers: IncomingHeaders): void {
    if (status >= 200) this.#head = { status, headers: joined(headers) };
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#bytes += chunk.length;
    const form = this.#head === undefined ? undefined : compressedForm(this.#head.headers);
    if (form !== undefined) this.#refuse(form);
    else if (this.#bytes <= this.#options.largestAnswer) this.#chunks.push(chunk);
    else this.#giveUp({ why: "unreadable", cause: `the answer is larger than ${this.#options.largestAnswer} bytes` });
  }

  onResponseEnd(): void {
    if (this.#head !== undefined)
      this.#settle({ is: "answer", ...this.#head, body: Buffer.concat(this.#chunks).toString("utf8") });
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    const { lasts, ...trouble } = this.#options.heard.refusal ?? explainConnectionError(error);
    this.#giveUp({ why: lasts === true ? "barred" : "unreachable", ...trouble });
  }

  /** What a status of failure says is enough; an answer of success counts by its content. */
  #refuse(form: string): void {
    if (this.#head !== undefined && this.#head.status >= 400) return;
    const cause = `the answer is compressed (${form}), but roster requested it uncompressed`;
    this.#giveUp({ why: "unreadable", cause });
  }

  #watch(signal: AbortSignal | undefined): void {
    const { timeout } = this.#options;
    const seconds = timeout / 1000;
    const timer = setTimeout(
      () => this.#giveUp({ why: "timed-out", cause: `no answer came within ${seconds} s` }),
      timeout,
    );
    const abort = () => this.#onAbort();
    signal?.addEventListener("abort", abort, { once: true });
    this.#leave = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
  }

  #onAbort(): void {
    if (this.#request.onceSent === "let-end" && this.#sent) return;
    this.#giveUp({ why: "aborted", cause: "the run was stopped" });
  }

  #giveUp(trouble: Omit<NoAnswer, "is" | "sent">): void {
    this.#settle({ is: "no-answer", sent: this.#sent, ...trouble });
    this.#controller?.abort(new Error("given up"));
  }

  #settle(exchange: Exchange): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#leave();
    this.#resolve(exchange);
  }
}

/**
 * No timer runs while a process sleeps. What its caller had made sure of before, such as a lock, need not hold any more.
 */
function sentTooLate(milliseconds: number): string {
  return `this process was paused for ${Math.round(milliseconds / 1000)} s before it could send`;
}

/** What was announced as about to be sent is taken for not done by a later run that does not see it soon after. */
function exceedsHeaderLimit(milliseconds: number): string {
  return `it got a connection only after ${Math.round(milliseconds / 100) / 10} s, too long after it was recorded`;
}

/** In what form a body is not what it stands for, `undefined` where it is. */
function compressedForm(headers: ReadonlyMap<string, string>): string | undefined {
  const content = headers.get("content-encoding") ?? "identity";
  const transfer = headers.get("transfer-encoding") ?? "chunked";
  const form = /^(?:identity)?$/iu.test(content.trim()) ? transfer : content;
  if (/^(?:chunked|identity)?$/iu.test(form.trim())) return undefined;
  return /^[\w, -]{1,40}$/u.test(form) ? form : "an unknown form";
}

function joined(headers: IncomingHeaders): ReadonlyMap<string, string> {
  const entries = Object.entries(headers).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    typeof value === "string" ? value : (value ?? []).join(", "),
  ]);
  return new Map(entries);
}

interface HttpClientOptions extends NetworkOptions {
  /** Scheme, host and port: a request to any other origin is not sent. */
  readonly origin: string;
  /** Milliseconds for one request as a whole, from its handing over to the last byte of its answer. */
  readonly timeout: number;
  /** The largest answer, in bytes. */
  readonly largestAnswer: number;
  readonly clock: Pick<Clock, "now">;
}

const connections = 4;

/** Opens no connection before the first request. Answers come as they are: no redirect is followed, nothing is decompressed. */
export function openHttpClient(options: HttpClientOptions): HttpClient {
  const { origin: expected, ...limits } = options;
  const { origin } = new URL(expected);
  const opened = openOrigin({ origin, connections, ...limits });
  return {
    async send({ method, url, headers, body }) {
      if (url.origin !== origin) {
        return problem({
          sent: false,
          cause: `the request is for ${url.origin}, but roster sends only to ${origin}`,
        });
      }
      const path = `${url.pathname}${url.search}`;
      const exchange = await opened.send({
        method,
        path,
        headers,
        onceSent: "let-end",
        ...(body === undefined ? {} : { body }),
      });
      if (exchange.is === "answer") {
        const { status, headers: answered, body: text } = exchange;
        return success({ status, headers: answered, body: text });
      }
      const { sent, cause, hint } = exchange;
      return problem({ sent, cause, ...(hint === undefined ? {} : { hint }) });
    },
    close: () => opened.close(),
  };
}
