import { elapsedSince, type Moment, momentOf, type Timer } from "../ports/clock.ts";
import type { HttpFailure, HttpResponse } from "../ports/http-client.ts";
import { type ConnectionProblem, explainConnectionError } from "./connection.ts";

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

/** One request on its way. Settles once, whatever comes later. */
export class Sending {
  readonly request: HttpRequest;
  readonly #options: SendingOptions;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #chunks: Buffer[] = [];
  readonly #handedOver: Moment;
  #bytes = 0;
  #sent = false;
  #settled = false;
  #head: Pick<Answer, "status" | "headers"> | undefined;
  #cut = (): void => undefined;
  #unwatch = (): void => undefined;

  constructor(request: HttpRequest, options: SendingOptions, resolve: (exchange: Exchange) => void) {
    this.request = request;
    this.#options = options;
    this.#resolve = resolve;
    this.#handedOver = momentOf(options.clock);
  }

  /** Everything that is sent in the head, but for what a client says of its connection. */
  get headers(): Readonly<Record<string, string>> {
    return { "accept-encoding": "identity", "user-agent": "roster", ...this.request.headers };
  }

  get isOver(): boolean {
    return this.#settled;
  }

  /** From now on it ends in its time, and when the signal is aborted. */
  watch(signal: AbortSignal | undefined): void {
    if (signal?.aborted) {
      this.#onAbort();
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
    const abort = () => this.#onAbort();
    signal?.addEventListener("abort", abort, { once: true });
    this.#unwatch = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
  }

  /** How a client ends its work on this request once it is given up. */
  cutBy(cut: () => void): void {
    this.#cut = cut;
  }

  /** Called on a connection that is ready, right before the first byte: false where not a byte may be sent. */
  leave(): boolean {
    // A request that was given up while it waited for a connection is not sent any more, nor is one sent twice.
    if (this.#settled || this.#sent) return false;
    const { timeout, clock } = this.#options;
    const { leaves } = this.request;
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

  /** The head of the answer, with headers as they came, several of one name as well. */
  head(status: number, headers: Iterable<readonly [name: string, value: string]>): void {
    this.#head = { status, headers: joined(headers) };
  }

  data(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const form = this.#head === undefined ? undefined : compressedForm(this.#head.headers);
    if (form !== undefined) this.#refuse(form);
    else if (this.#bytes <= this.#options.largestAnswer) this.#chunks.push(chunk);
    else this.#giveUp({ why: "unreadable", cause: `the answer is larger than ${this.#options.largestAnswer} bytes` });
  }

  /** The answer is there as a whole. */
  end(): void {
    if (this.#head !== undefined && !this.#settled)
      this.#settle({ is: "answer", ...this.#head, body: Buffer.concat(this.#chunks).toString("utf8") });
  }

  fail(error: unknown): void {
    const { lasts, ...trouble } = this.#options.heard.refusal ?? explainConnectionError(error);
    this.#giveUp({ why: lasts === true ? "barred" : "unreachable", ...trouble });
  }

  /** What a status of failure says is enough; an answer of success counts by its content. */
  #refuse(form: string): void {
    if (this.#head !== undefined && this.#head.status >= 400) return;
    const cause = `the answer is compressed (${form}), but roster requested it uncompressed`;
    this.#giveUp({ why: "unreadable", cause });
  }

  #onAbort(): void {
    if (this.request.onceSent === "let-end" && this.#sent) return;
    this.#giveUp({ why: "aborted", cause: "the run was stopped" });
  }

  #giveUp(trouble: Omit<NoAnswer, "is" | "sent">): void {
    if (this.#settled) return;
    this.#settle({ is: "no-answer", sent: this.#sent, ...trouble });
    this.#cut();
  }

  #settle(exchange: Exchange): void {
    this.#settled = true;
    this.#unwatch();
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

function joined(headers: Iterable<readonly [name: string, value: string]>): ReadonlyMap<string, string> {
  const byName = new Map<string, string>();
  for (const [written, value] of headers) {
    const name = written.toLowerCase();
    const before = byName.get(name);
    byName.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return byName;
}
