import { backoff, retry, retryAfter } from "../http/retry-loop.ts";
import type { Answer, Exchange } from "../http/sending.ts";
import { uncachedDate } from "../http/server-date.ts";
import { type AnswerShape, maxRenewals } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import type { Failure } from "../model/recorded.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { AccountService, WriteResult } from "../ports/account-service.ts";
import { type Clock, momentOf, type Randomness, stopwatch } from "../ports/clock.ts";
import { type ServerTimes, type ServerTimesTracker, trackServerTimes } from "../ports/server-times.ts";
import {
  answerShape,
  bodyOf,
  effectOf,
  failureOf,
  isSuccess,
  isThrottled,
  isWebPage,
  misread,
  surelyHadNoEffect,
} from "./answer.ts";
import type { ApiKey } from "./api-key.ts";
import type { Decoded, Misreading } from "./decode/json.ts";
import { type Redact, redactFailure, withoutSecrets } from "./redact.ts";
import { type Call, requestName } from "./requests.ts";

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
  readonly mayStart?: (effect: Call["effect"]) => Promise<void>;
}

/** A successful answer and its JSON, `undefined` where the answer is empty. */
export interface Reply {
  readonly answer: Answer;
  readonly body: unknown;
}

/** How the answer to a write is understood. */
interface WriteReading<T> {
  readonly decode: (reply: Reply) => Decoded<T>;
  /** Whether an answer that takes the call for later (202, trap 33) shows all the same that it is done. */
  readonly isDone: (value: T) => boolean;
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

  get requests(): AccountService["requests"] {
    return { ...this.#count };
  }

  /** How often another key has taken the place of a refused one. */
  get keyChanges(): number {
    return this.#ports.key.changes;
  }

  readonly mayStart = async (signal?: AbortSignal, effect: Call["effect"] = "write"): Promise<void> => {
    const { mayStart } = this.#ports;
    if (mayStart === undefined || signal?.aborted) return;
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    signal?.addEventListener("abort", stop, { once: true });
    await Promise.race([mayStart(effect), stopped]).finally(() => signal?.removeEventListener("abort", stop));
  };

  async read(call: Call, signal: AbortSignal | undefined): Promise<Result<Reply, Failure>> {
    const sent = await this.#send(call, signal);
    const { exchange } = sent;
    const { watch, clock } = this.#ports;
    if (exchange.is === "answer") watch?.(answerShape(call, exchange, { at: clock.now(), redact: this.#redact }));
    if (exchange.is !== "answer" || !isSuccess(exchange.status)) return problem(this.#failure(sent, call));
    const body = bodyOf(exchange, call, this.#redact);
    return body.ok ? success({ answer: exchange, body: body.value }) : problem(this.#clean(body.error));
  }

  async write<T>(
    call: Call,
    { decode, isDone }: WriteReading<T>,
    signal: AbortSignal | undefined,
  ): Promise<WriteResult<T>> {
    const sent = await this.#send(call, signal);
    const { exchange, unsureBefore } = sent;
    if (exchange.is === "no-answer" || !isSuccess(exchange.status)) return this.#notDone(sent, call);
    const isForLater = exchange.status === 202;
    const forLater = (): WriteResult<T> => ({
      outcome: "unknown",
      failure: this.#failure(sent, call),
      accepted: this.#askAfter(exchange),
    });
    const body = bodyOf(exchange, call, this.#redact);
    // What a service says of a call that it takes for later need not be of the route's shape.
    if (!body.ok) return isForLater ? forLater() : { outcome: "unknown", failure: this.#clean(body.error) };
    const decoded = decode({ answer: exchange, body: body.value });
    if (decoded.ok)
      return isForLater && !isDone(decoded.value) ? forLater() : { outcome: "done", value: decoded.value };
    if (isForLater && decoded.error.refused === undefined) return forLater();
    const outcome = !unsureBefore && surelyHadNoEffect(decoded.error) ? "failed" : "unknown";
    return { outcome, failure: this.misread(exchange, call, decoded.error) };
  }

  /** Words that may stand next to new keys. */
  cleanBesideKeys(failure: Failure): Failure {
    return redactFailure(failure, (text) => withoutSecrets(this.#redact(text)));
  }

  misread(answer: Answer, call: Call, misreading: Misreading): Failure {
    return this.#clean(misread(answer, call, misreading, this.#redact));
  }

  #clean(failure: Failure): Failure {
    return redactFailure(failure, this.#redact);
  }

  #failure({ exchange, renewal }: Sent, call: Call): Failure {
    const failure = failureOf(exchange, call, this.#redact);
    return this.#clean(renewal?.ok === false ? { ...failure, hint: `${renewal.error}. ${workingKey}` } : failure);
  }

  #notDone(sent: Sent, call: Call): Exclude<WriteResult<never>, { readonly outcome: "done" }> {
    const { exchange, unsureBefore, renewal } = sent;
    const effect = effectOf(exchange);
    const failure = this.#failure(sent, call);
    if (unsureBefore || effect === "unsure") return { outcome: "unknown", failure };
    if (effect === "throttled") return { outcome: "throttled", failure, ...this.#askAfter(exchange) };
    if (renewal?.ok === true) return { outcome: "failed", failure, sendAgain: "new-key" };
    const isLate = exchange.is === "no-answer" && exchange.why === "too-late";
    return { outcome: "failed", failure, ...(isLate ? { sendAgain: "too-late" } : {}) };
  }

  #askAfter(exchange: Exchange): { readonly askAfter?: number } {
    const header = exchange.is === "answer" ? exchange.headers.get("retry-after") : undefined;
    return definedFields({ askAfter: retryAfter(header, this.#ports.clock.now()) });
  }

  /** A read whose key is refused is sent again with another key, where there is one. A write is left to its caller, who announces it anew. */
  async #send(call: Call, signal: AbortSignal | undefined): Promise<Sent> {
    for (let renewals = 0; ; renewals += 1) {
      const sent = await this.#sendWithRetries(call, signal);
      if (!provesRefusedKey(sent, call)) return sent;
      if (renewals === maxRenewals) return { ...sent, renewal: problem(everyKeyRefused) };
      const renewal = await this.#ports.key.replace(sent.key);
      if (renewal === undefined) return sent;
      if (renewal.ok) this.#trace(`${requestName(call)} was refused, and another key is in use now`);
      if (!renewal.ok || call.effect === "write") return { ...sent, renewal };
    }
  }

  async #sendWithRetries(call: Call, signal: AbortSignal | undefined): Promise<Sent> {
    const { clock, randomness, key: keys } = this.#ports;
    let unsureBefore = false;
    let key = keys.value;
    let sent: Exchange | undefined;
    // Not before the first try of an announced call: its caller has waited, and it has to leave soon.
    if (call.announced === undefined) await this.mayStart(signal, call.effect);
    const exchange = await retry(
      async () => {
        if (sent !== undefined) await this.mayStart(signal, call.effect);
        unsureBefore ||= sent !== undefined && effectOf(sent) === "unsure";
        key = keys.value;
        sent = await this.#sendOnce(call, key, signal);
        return sent;
      },
      {
        clock,
        pauseAfter: (exchange, so) => {
          if (!isTransient(exchange, unsureBefore ? "whenever-it-may-pass" : repeatableCall(call))) return undefined;
          const asked = this.#askAfter(exchange).askAfter;
          const wait = waitBefore({ ...so, asked, fraction: randomness.fraction() });
          if (wait !== undefined) this.#trace(`${requestName(call)} is sent again in ${wait} ms`);
          return wait;
        },
        signal,
        isStillWanted: ({ elapsed }) => elapsed <= deadline,
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

const everyKeyRefused = `the service refused ${maxRenewals + 1} keys for this call, one after the other`;

const workingKey = "The key must be whole and active, and belong to this service and an active account";

/** A read may be repeated after any 401. A write only after one that proves that nothing was done: complete, and no web page of something in between. */
function provesRefusedKey({ exchange, unsureBefore }: Sent, call: Call): boolean {
  if (exchange.is === "no-answer" || exchange.status !== 401) return false;
  return call.effect === "read" || (!unsureBefore && effectOf(exchange) === "none" && !isWebPage(exchange));
}

/** How often one call may be sent, and the milliseconds after its first try in which it is sent again: it rests on what was so then. */
const maxAttempts = 4;
const deadline = 60_000;

const firstBackoff = 250;
const maxBackoff = 8_000;

/**
 * Reads may be sent again whenever the trouble may pass (traps 54 and 55). So may replacements, but one that was surely not done is told to the
 * caller, who announces it anew and slows down; other writes are announced before each try, and never sent again here.
 */
type Repeatable = "whenever-it-may-pass" | "unless-surely-not-done" | "never";

function repeatableCall({ effect, method }: Call): Repeatable {
  if (effect === "read") return "whenever-it-may-pass";
  return method === "PUT" ? "unless-surely-not-done" : "never";
}

export function isTransient(exchange: Exchange, repeatable: Repeatable): boolean {
  if (repeatable === "never") return false;
  const always = repeatable === "whenever-it-may-pass";
  if (exchange.is === "answer")
    return isThrottled(exchange) ? always || effectOf(exchange) === "unsure" : passingFailures.has(exchange.status);
  const { why } = exchange;
  return why === "unreachable" || why === "timed-out" || (why === "too-late" && always);
}

/** Those from 520 on come from gateways that cannot reach the service. */
const passingFailures: ReadonlySet<number> = new Set([500, 502, 503, 504, 520, 521, 522, 523, 524]);

/** Milliseconds to wait before the next try, or `undefined` where there is none. */
export function waitBefore({
  tries,
  elapsed,
  asked = 0,
  fraction,
}: {
  /** Tries that were made so far. */
  readonly tries: number;
  /** Milliseconds since the first of them began. */
  readonly elapsed: number;
  /** Milliseconds that the service asked for. */
  readonly asked: number | undefined;
  /** Uniform in [0, 1). */
  readonly fraction: number;
}): number | undefined {
  const wait = Math.ceil(asked + backoff(tries, { first: firstBackoff, max: maxBackoff, fraction }));
  return tries >= maxAttempts || elapsed + wait > deadline ? undefined : wait;
}
