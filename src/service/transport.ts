import "../network/baseline-parser.ts";
import { setMaxListeners } from "node:events";
import Pool from "undici/lib/dispatcher/pool.js";
import { troubleOf } from "../network/connection-trouble.ts";
import type { Answer, Call, Exchange, NoAnswer } from "./exchange.ts";

export interface TransportOptions {
  readonly origin: string;
  readonly key: string;
  /** Connections at once. */
  readonly connections: number;
  /** Milliseconds for one request as a whole, from its handing over to the last byte of its answer. */
  readonly timeout: number;
  /** The largest answer, in bytes. */
  readonly largestAnswer: number;
}

/** Sends one request once, to one origin, and follows nothing. */
export interface Transport {
  /** Never rejects. A read is cut off when the signal is aborted; a write only as long as nothing of it was sent. */
  send(call: Call, signal?: AbortSignal): Promise<Exchange>;
  close(): Promise<void>;
}

export function openTransport(options: TransportOptions): Transport {
  const { origin, connections, timeout } = options;
  const pool = new Pool(origin, { connections, connectTimeout: timeout, headersTimeout: 0, bodyTimeout: 0 });
  return {
    send: (call, signal) => new Promise((resolve) => new Sending(call, options, resolve).start(pool, signal)),
    close: () => pool.close(),
  };
}

type Controller = Parameters<Parameters<Pool["dispatch"]>[1]["onRequestStart"]>[0];
type IncomingHeaders = Parameters<Parameters<Pool["dispatch"]>[1]["onResponseStart"]>[2];

/** One request on its way. Settles once, whatever comes later. */
class Sending {
  readonly #call: Call;
  readonly #options: TransportOptions;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #sent = false;
  #settled = false;
  #head: Pick<Answer, "status" | "headers"> | undefined;
  #controller: Controller | undefined;
  #leave = (): void => undefined;

  constructor(call: Call, options: TransportOptions, resolve: (exchange: Exchange) => void) {
    this.#call = call;
    this.#options = options;
    this.#resolve = resolve;
  }

  start(pool: Pool, signal: AbortSignal | undefined): void {
    if (signal?.aborted) {
      this.#onAbort();
      return;
    }
    this.#watch(signal);
    const { path, method, body } = this.#call;
    pool.dispatch({ path, method, headers: this.#headers(), ...(body === undefined ? {} : { body }) }, this);
  }

  onRequestStart(controller: Controller): void {
    // A request that was given up while it waited for a connection is not sent any more, nor is one sent twice.
    if (this.#settled || this.#sent) {
      controller.abort(new Error("given up"));
      return;
    }
    this.#controller = controller;
    this.#sent = true;
  }

  onResponseStart(_controller: Controller, status: number, headers: IncomingHeaders): void {
    if (status >= 200) this.#head = { status, headers: joined(headers) };
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#options.largestAnswer) this.#chunks.push(chunk);
    else this.#giveUp({ why: "oversized", cause: `the answer is larger than ${this.#options.largestAnswer} bytes` });
  }

  onResponseEnd(): void {
    if (this.#head !== undefined)
      this.#settle({ is: "answer", ...this.#head, body: Buffer.concat(this.#chunks).toString("utf8") });
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    this.#giveUp({ why: "unreachable", ...troubleOf(error) });
  }

  #headers(): Record<string, string> {
    return {
      authorization: `ApiKey ${this.#options.key}`,
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "roster",
      ...(this.#call.body === undefined ? {} : { "content-type": "application/json" }),
    };
  }

  #watch(signal: AbortSignal | undefined): void {
    const { timeout } = this.#options;
    const seconds = timeout / 1000;
    const timer = setTimeout(
      () => this.#giveUp({ why: "timed-out", cause: `no answer came within ${seconds} s` }),
      timeout,
    );
    const abort = () => this.#onAbort();
    if (signal !== undefined) {
      setMaxListeners(0, signal);
      signal.addEventListener("abort", abort, { once: true });
    }
    this.#leave = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
  }

  #onAbort(): void {
    if (this.#call.effect === "write" && this.#sent) return;
    this.#giveUp({ why: "aborted", cause: "the run was stopped" });
  }

  #giveUp(trouble: Pick<NoAnswer, "why" | "cause" | "hint">): void {
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

function joined(headers: IncomingHeaders): ReadonlyMap<string, string> {
  const entries = Object.entries(headers).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    typeof value === "string" ? value : (value ?? []).join(", "),
  ]);
  return new Map(entries);
}
