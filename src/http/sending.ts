import { type Agent, type ClientRequest, type IncomingMessage, request as makeRequest } from "node:http";
import { elapsedSince, type Moment, momentOf, type Timer } from "../ports/clock.ts";
import type { HttpFailure, HttpResponse } from "../ports/http-client.ts";
import {
  answerEndedEarly,
  answerIsNoHttp,
  ConnectionFailure,
  type ConnectionProblem,
  explainConnectionError,
} from "./connection.ts";

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

export interface SendingOptions {
  /** Milliseconds for one request as a whole, from its handing over to the last byte of its answer. */
  readonly timeout: number;
  /** The largest answer, in bytes. */
  readonly largestAnswer: number;
  readonly clock: Timer;
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

/** One request on its way. Settles once, whatever comes later. */
export class Sending {
  readonly #request: HttpRequest;
  readonly #options: SendingOptions;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #chunks: Buffer[] = [];
  readonly #handedOver: Moment;
  #bytes = 0;
  #sent = false;
  #settled = false;
  #asked: ClientRequest | undefined;
  #unwatch = (): void => undefined;

  constructor(request: HttpRequest, options: SendingOptions, resolve: (exchange: Exchange) => void) {
    this.#request = request;
    this.#options = options;
    this.#resolve = resolve;
    this.#handedOver = momentOf(options.clock);
  }

  get isOver(): boolean {
    return this.#settled;
  }

  /** From now on it ends in its time, and when the signal is aborted. */
  watch(signal: AbortSignal | undefined): void {
    if (signal?.aborted) {
      this.abort();
      return;
    }
    const { timeout, clock } = this.#options;
    let timer: NodeJS.Timeout;
    const check = (left: number) => {
      if (left <= 0) return this.#giveUp({ why: "timed-out", cause: `no answer came within ${timeout / 1000} s` });
      const pause = Math.min(left, longestTimer);
      const next = () => check(Math.min(left - pause, timeout - elapsedSince(this.#handedOver, clock)));
      timer = setTimeout(next, pause);
    };
    check(timeout);
    const others = signal && watchedBy(signal);
    others?.add(this);
    this.#unwatch = () => {
      clearTimeout(timer);
      others?.delete(this);
    };
  }

  /** Sends it on a connection of the agent. `left` is called when the connection can be used again, or has ended. Never throws. */
  start(agent: Agent, { host, hostname }: URL, left: () => void): void {
    if (this.#settled) {
      left();
      return;
    }
    const { method, path, body, headers } = this.#request;
    try {
      const asked = makeRequest({ agent, hostname, method, path, setHost: false, insecureHTTPParser: false });
      this.#asked = asked;
      asked.once("close", left);
      // None of them is dropped unread: how large they are together is limited.
      asked.maxHeadersCount = 0;
      this.#listen(asked);
      const length = body === undefined ? {} : { "content-length": `${Buffer.byteLength(body)}` };
      const all = { host, ...length, "accept-encoding": "identity", "user-agent": "roster", ...headers };
      // Not as an option of the request, which NODE_DEBUG would show.
      for (const [name, value] of Object.entries(all)) asked.setHeader(name, value);
    } catch (error) {
      // Node throws where a request cannot be written down.
      this.fail(error);
      if (this.#asked === undefined) left();
    }
  }

  fail(error: unknown): void {
    const { lasts, ...trouble } = this.#options.heard.refusal ?? explainConnectionError(error);
    this.#giveUp({ why: lasts === true ? "barred" : "unreachable", ...trouble });
  }

  #listen(asked: ClientRequest): void {
    let answer: IncomingMessage | undefined;
    const noHttp = () => this.fail(new ConnectionFailure(answerIsNoHttp));
    const fail = (error: Error): void => {
      // What comes after the end of an answer ends the connection, and is nobody's.
      if (answer?.complete !== true) this.fail(isEarlyEnd(error) ? new ConnectionFailure(answerEndedEarly) : error);
    };
    asked.on("error", fail);
    asked.once("socket", () => {
      if (this.#mayLeave()) asked.end(this.#request.body);
      else asked.destroy();
    });
    // Nobody asked for either.
    asked.once("continue", noHttp);
    asked.once("upgrade", noHttp);
    asked.once("response", (come) => {
      answer = come;
      const head = { status: come.statusCode ?? 0, headers: joined(come.rawHeaders) };
      const form = compressedForm(head.headers);
      come.on("data", (chunk: Buffer) => {
        if (form === undefined) this.#keep(chunk);
        // What a status of failure says is enough; an answer of success counts by its content.
        else if (head.status < 400)
          this.#unreadable(`the answer is compressed (${form}), but roster requested it uncompressed`);
      });
      come.on("end", () => {
        if (!this.#settled) this.#settle({ is: "answer", ...head, body: Buffer.concat(this.#chunks).toString("utf8") });
      });
      come.on("error", fail);
    });
  }

  /** Asked on a connection that is ready, right before the first byte: false where not a byte may be sent. */
  #mayLeave(): boolean {
    // A request that was given up while it waited for a connection is not sent any more, nor is one sent twice.
    if (this.#settled || this.#sent) return false;
    const { timeout, clock } = this.#options;
    const { leaves } = this.#request;
    const { within, since } = leaves ?? { within: timeout, since: this.#handedOver };
    const late = elapsedSince(since, clock);
    if (late <= within) {
      this.#sent = true;
      return true;
    }
    const cause = late > timeout ? sentTooLate(late) : connectedTooLate(late);
    this.#giveUp({ why: leaves === undefined ? "timed-out" : "too-late", cause });
    return false;
  }

  #keep(chunk: Buffer): void {
    const { largestAnswer } = this.#options;
    this.#bytes += chunk.length;
    if (this.#bytes <= largestAnswer) this.#chunks.push(chunk);
    else this.#unreadable(`the answer is larger than ${largestAnswer} bytes`);
  }

  #unreadable(cause: string): void {
    this.#giveUp({ why: "unreadable", cause });
  }

  abort(): void {
    if (this.#request.onceSent === "let-end" && this.#sent) return;
    this.#giveUp({ why: "aborted", cause: "the run was stopped" });
  }

  #giveUp(trouble: Omit<NoAnswer, "is" | "sent">): void {
    if (this.#settled) return;
    this.#settle({ is: "no-answer", sent: this.#sent, ...trouble });
    this.#asked?.destroy();
  }

  #settle(exchange: Exchange): void {
    this.#settled = true;
    this.#unwatch();
    this.#resolve(exchange);
  }
}

/** Node's own word for an end has the code of a reset, and not the call that failed. */
function isEarlyEnd(error: Error): boolean {
  return "code" in error && error.code === "ECONNRESET" && !("syscall" in error);
}

/**
 * No timer runs while a process sleeps. What its caller had made sure of before, such as a lock, need not hold any more.
 */
function sentTooLate(milliseconds: number): string {
  return `this process was paused for ${Math.round(milliseconds / 1000)} s before it could send`;
}

/** What was announced as about to be sent is taken for not done by a later run that does not see it soon after. */
function connectedTooLate(milliseconds: number): string {
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

/** Names and values take turns; several headers of one name are one. */
function joined(raw: readonly string[]): ReadonlyMap<string, string> {
  const byName = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = raw.slice(at, at + 2);
    const before = byName.get(name.toLowerCase());
    byName.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  return byName;
}
