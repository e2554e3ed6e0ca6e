import { backoff, retry, retryAfter } from "../http/retry-loop.ts";
import type { Answer, Exchange, NoAnswer } from "../http/sending.ts";
import { uncachedDate } from "../http/server-date.ts";
import { type AnswerShape, maxRenewals } from "../model/capabilities.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import type { RequestCount, WriteResult } from "../ports/account-service.ts";
import { type Clock, momentOf, type Randomness, stopwatch, type Timer } from "../ports/clock.ts";
import { type ServerTimes, type ServerTimesTracker, trackServerTimes } from "../ports/server-times.ts";
import {
  answerShape,
  bodyOf,
  type Effect,
  effectOf,
  failureOf,
  isSuccess,
  isThrottled,
  isWebPage,
  misread,
  redactAnswerShape,
  surelyHadNoEffect,
} from "./answer.ts";
import type { ApiKey } from "./api-key.ts";
import type { Decoded, Misreading } from "./decode/json.ts";
import type { UnreadFields } from "./decode/unread-fields.ts";
import type { LearnedPaging } from "./page-walk.ts";
import { type Redact, redactFailure, withoutSecrets } from "./redact.ts";
import { type Call, type Requests, requestName } from "./requests.ts";
import type { Reshape } from "./shapes.ts";

/** Sends one call once, with a key, to one origin. */
export interface Transport {
  /** Never rejects. A read is cut off when the signal is aborted; a write only as long as nothing of it was sent. */
  send(call: Call, key: string, signal?: AbortSignal): Promise<Exchange>;
  close(): Promise<void>;
}

export interface CallerPorts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** As `readKey` gives it. */
  readonly key: ApiKey;
  /** Called with each request, without bodies and without the key. */
  readonly trace?: (line: string) => void;
  /** Is shown what came for each read: kinds and names, no values. */
  readonly watch?: (seen: AnswerShape) => void;
  /** Resolves when one more request may start. */
  readonly mayStart?: () => Promise<void>;
}

/** A successful answer and its JSON, `undefined` where the answer is empty. */
export interface Reply {
  readonly answer: Answer;
  readonly body: unknown;
}

/** Sends calls, again where that is safe, counts them, and lets no key out. */
export class Caller {
  readonly #ports: CallerPorts;
  readonly #redact: Redact = (text) => this.#ports.key.redact(text);
  readonly #count = { reads: 0, writes: 0 };
  readonly #times: ServerTimesTracker;

  constructor(ports: CallerPorts) {
    this.#ports = ports;
    this.#times = trackServerTimes(ports.clock);
  }

  get times(): ServerTimes {
    return this.#times;
  }

  get requests(): RequestCount {
    return { ...this.#count };
  }

  readonly mayStart = async (signal?: AbortSignal): Promise<void> => {
    const { mayStart } = this.#ports;
    if (mayStart === undefined || signal?.aborted) return;
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    signal?.addEventListener("abort", stop, { once: true });
    await Promise.race([mayStart(), stopped]).finally(() => signal?.removeEventListener("abort", stop));
  };

  async read(call: Call, signal: AbortSignal | undefined): Promise<Result<Reply, Failure>> {
    const sent = await this.#send(call, signal);
    const { exchange } = sent;
    const { watch, clock } = this.#ports;
    if (exchange.is === "answer") watch?.(redactAnswerShape(answerShape(call, exchange, clock.now()), this.#redact));
    if (exchange.is !== "answer" || !isSuccess(exchange.status)) return problem(this.#failure(sent, call));
    const body = bodyOf(exchange, call, this.#redact);
    return body.ok ? success({ answer: exchange, body: body.value }) : problem(this.clean(body.error));
  }

  /** `isDone`: whether an answer that takes the call for later (202) shows all the same that it is done. */
  async write<T>(
    call: Call,
    { decode, isDone }: { readonly decode: (reply: Reply) => Decoded<T>; readonly isDone: (value: T) => boolean },
    signal: AbortSignal | undefined,
  ): Promise<WriteResult<T>> {
    const sent = await this.#send(call, signal);
    const { exchange, unsureBefore } = sent;
    const effect = effectOf(exchange);
    if (exchange.is === "no-answer" || effect !== "done") return this.#notDone(sent, call, effect);
    const body = bodyOf(exchange, call, this.#redact);
    if (!body.ok) return this.#notUnderstood(exchange, call, body.error);
    const decoded = decode({ answer: exchange, body: body.value });
    if (!decoded.ok && decoded.error.refused === undefined) {
      return this.#notUnderstood(exchange, call, this.misread(exchange, call, decoded.error));
    }
    if (!decoded.ok) {
      const outcome = !unsureBefore && surelyHadNoEffect(decoded.error) ? "failed" : "unknown";
      return { outcome, failure: this.misread(exchange, call, decoded.error) };
    }
    if (exchange.status !== 202 || isDone(decoded.value)) return { outcome: "done", value: decoded.value };
    return this.#takenForLater(exchange, call);
  }

  #takenForLater(exchange: Exchange, call: Call): Extract<WriteResult<never>, { readonly outcome: "unknown" }> {
    return { outcome: "unknown", failure: this.#failure({ exchange }, call), accepted: this.#askAfter(exchange) };
  }

  /** What a service says of a call that it takes for later need not be of the route's shape. */
  #notUnderstood(
    answer: Answer,
    call: Call,
    failure: Failure,
  ): Extract<WriteResult<never>, { readonly outcome: "unknown" }> {
    if (answer.status === 202) return this.#takenForLater(answer, call);
    return { outcome: "unknown", failure: this.clean(failure) };
  }

  #notDone(sent: Sent, call: Call, effect: Effect): Exclude<WriteResult<never>, { readonly outcome: "done" }> {
    const { exchange, unsureBefore, renewal } = sent;
    const failure = this.#failure(sent, call);
    if (unsureBefore || effect === "unsure") return { outcome: "unknown", failure };
    if (effect === "throttled") return { outcome: "throttled", failure, ...this.#askAfter(exchange) };
    if (renewal?.ok === true) return { outcome: "failed", failure, sendAgain: "new-key" };
    return { outcome: "failed", failure, ...lateness(exchange) };
  }

  #askAfter(exchange: Exchange): { readonly askAfter?: number } {
    const header = exchange.is === "answer" ? exchange.headers.get("retry-after") : undefined;
    const askAfter = retryAfter(header, this.#ports.clock.now());
    return askAfter === undefined ? {} : { askAfter };
  }

  clean(failure: Failure): Failure {
    return redactFailure(failure, this.#redact);
  }

  /** As `clean`, for words that may stand next to new keys. */
  cleanBesideKeys(failure: Failure): Failure {
    return redactFailure(failure, (text) => withoutSecrets(this.#redact(text)));
  }

  misread(answer: Answer, call: Call, misreading: Misreading): Failure {
    return this.clean(misread(answer, call, misreading, this.#redact));
  }

  #failure({ exchange, renewal }: Pick<Sent, "exchange" | "renewal">, call: Call): Failure {
    const failure = failureOf(exchange, call, this.#redact);
    return this.clean(renewal?.ok === false ? { ...failure, hint: `${renewal.error}. ${workingKey}` } : failure);
  }

  /** How often another key has taken the place of a refused one. */
  get keyChanges(): number {
    return this.#ports.key.changes;
  }

  /** A read whose key is refused is sent again with another key, where there is one. A write is left to its caller, who announces it anew. */
  async #send(call: Call, signal: AbortSignal | undefined, renewals = 0): Promise<Sent> {
    const sent = await this.#sendWithRetries(call, signal);
    if (!provesRefusedKey(sent, call)) return sent;
    if (renewals === maxRenewals) return { ...sent, renewal: problem(everyKeyRefused) };
    const renewal = await this.#ports.key.replace(sent.key);
    if (renewal === undefined) return sent;
    if (renewal.ok) this.#trace(`${requestName(call)} was refused, and another key is in use now`);
    return renewal.ok && call.effect === "read" ? this.#send(call, signal, renewals + 1) : { ...sent, renewal };
  }

  async #sendWithRetries(call: Call, signal: AbortSignal | undefined): Promise<Sent> {
    const { clock, randomness, key: keys } = this.#ports;
    let unsureBefore = false;
    let key = keys.value;
    let sent: Exchange | undefined;
    // Not before the first try of an announced call: its caller has waited, and it has to leave soon.
    if (call.announced === undefined) await this.mayStart(signal);
    const exchange = await retry(
      async () => {
        if (sent !== undefined) await this.mayStart(signal);
        unsureBefore ||= sent !== undefined && effectOf(sent) === "unsure";
        key = keys.value;
        sent = await this.#sendOnce(call, key, signal);
        return sent;
      },
      {
        clock,
        pauseAfter: (exchange, so) => {
          const repeatable = unsureBefore ? "whenever-it-may-pass" : repeatableCall(call);
          if (!isTransient(exchange, repeatable)) return undefined;
          const asked = this.#askAfter(exchange).askAfter;
          const wait = waitBefore({ ...so, asked, fraction: randomness.fraction() });
          if (wait !== undefined) this.#trace(`${requestName(call)} is sent again in ${wait} ms`);
          return wait;
        },
        signal,
        isStillWanted: ({ elapsed }) => !isTooLate(elapsed),
      },
    );
    return { exchange, key, unsureBefore };
  }

  async #sendOnce(call: Call, key: string, signal: AbortSignal | undefined): Promise<Exchange> {
    const { transport, clock } = this.#ports;
    const sent = momentOf(clock);
    const elapsed = stopwatch(clock);
    if (!signal?.aborted) this.#count[call.effect === "read" ? "reads" : "writes"] += 1;
    const exchange = await transport.send(call, key, signal);
    const time = exchange.is === "answer" ? uncachedDate(exchange) : undefined;
    if (time !== undefined) this.#times.told(time, { sent, roundedTo: 1000 });
    const came = exchange.is === "answer" ? `${exchange.status}, ${exchange.body.length} characters` : exchange.cause;
    this.#trace(`${call.method} ${call.path} -> ${came}, ${elapsed()} ms`);
    return exchange;
  }

  #trace(line: string): void {
    this.#ports.trace?.(this.#redact(line));
  }
}

function lateness(exchange: Exchange): { readonly sendAgain?: "too-late" } {
  return exchange.is === "no-answer" && exchange.why === "too-late" ? { sendAgain: "too-late" } : {};
}

/** What came of a call. */
interface Sent {
  readonly exchange: Exchange;
  /** The key of the last try. */
  readonly key: string;
  /** An earlier try may have had its effect. */
  readonly unsureBefore: boolean;
  /** Whether another key is in use since the service has refused the key. */
  readonly renewal?: Result<undefined, string>;
}

const everyKeyRefused = `the service refused ${maxRenewals + 1} keys for this call, one after the other`;

const workingKey = "The key must be whole and active, and belong to this service and an active account";

/** A read may be repeated after any 401. A write only after one that proves that nothing was done: complete, and no web page of something in between. */
function provesRefusedKey({ exchange, unsureBefore }: Sent, call: Call): boolean {
  if (exchange.is === "no-answer" || exchange.status !== 401) return false;
  return call.effect === "read" || (!unsureBefore && effectOf(exchange) === "none" && !isWebPage(exchange));
}

/** What the calls of one service share. */
export interface ServiceParts {
  readonly caller: Caller;
  readonly clock: Timer;
  /** Pages of one list that are read at the same time. */
  readonly parallelism: number;
  readonly requests: Requests;
  readonly reshape: Reshape;
  readonly learned: LearnedPaging;
  readonly unread: UnreadFields;
}

/** How often one call may be sent, and how long that may take as a whole. */
const maxAttempts = 4;
const deadline = 60_000;

const firstBackoff = 250;
const maxBackoff = 8_000;

/**
 * Reads may be sent again whenever the trouble may pass. So may replacements, but one that was surely not done is told to the
 * caller, who announces it anew and slows down; other writes are announced before each try, and never sent again here.
 */
type Repeatable = "whenever-it-may-pass" | "unless-surely-not-done" | "never";

/** @internal */
export function isTransient(exchange: Exchange, repeatable: Repeatable): boolean {
  if (repeatable === "never") return false;
  if (exchange.is === "no-answer") return mayPass(exchange, repeatable);
  if (isThrottled(exchange)) return repeatable === "whenever-it-may-pass" || effectOf(exchange) === "unsure";
  return passingFailures.has(exchange.status);
}

function mayPass({ why }: NoAnswer, repeatable: Repeatable): boolean {
  if (why === "too-late") return repeatable === "whenever-it-may-pass";
  return why === "unreachable" || why === "timed-out";
}

/** Those from 520 on come from gateways that cannot reach the service. */
const passingFailures: ReadonlySet<number> = new Set([500, 502, 503, 504, 520, 521, 522, 523, 524]);

/** Milliseconds to wait before the next try, or `undefined` where there is none. @internal */
export function waitBefore(next: {
  /** Tries that were made so far. */
  readonly tries: number;
  /** Milliseconds since the first of them began. */
  readonly elapsed: number;
  /** Milliseconds that the service asked for. */
  readonly asked: number | undefined;
  /** Uniform in [0, 1). */
  readonly fraction: number;
}): number | undefined {
  if (next.tries >= maxAttempts) return undefined;
  const jittered = backoff(next.tries, { first: firstBackoff, max: maxBackoff, fraction: next.fraction });
  const wait = Math.ceil(next.asked === undefined ? jittered : next.asked + jittered);
  return isTooLate(next.elapsed + wait) ? undefined : wait;
}

/** Whether so many milliseconds after its first try a call is not sent again: it rests on what was so then. */
function isTooLate(elapsed: number): boolean {
  return elapsed > deadline;
}

function repeatableCall(call: Call): Repeatable {
  if (call.effect === "read") return "whenever-it-may-pass";
  return call.method === "PUT" ? "unless-surely-not-done" : "never";
}
