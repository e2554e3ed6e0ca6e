import { type Answer, backoff, type Exchange, type NoAnswer, retry, retryAfter } from "../http/origin.ts";
import { type ServerTimesTracker, trackServerTimes, uncachedDate } from "../http/server-times.ts";
import type { AnswerShape } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import type { Failure, FailureCode } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import { type Clock, elapsedSince, momentOf, type Randomness } from "../ports/clock.ts";
import {
  type Decoded,
  decodeList,
  describeShape,
  errorMessage,
  isObject,
  type Misreading,
  parseJson,
} from "./decode/json.ts";
import { keyListNames } from "./decode/observed.ts";
import { type AccountService, maxRenewals, type WriteResult } from "./port.ts";
import { type Call, requestName } from "./requests.ts";
import { type ApiKey, excerpt, type Redact, redactFailure, withoutSecrets } from "./secrets.ts";

/** Sends one call once, with a key, to one origin. */
export interface Transport {
  /** Never rejects. A read is cut off when the signal is aborted; a write only as long as nothing of it was sent. */
  send(call: Call, key: string, signal?: AbortSignal): Promise<Exchange>;
  close(): Promise<void>;
}

export interface CallerPorts {
  readonly transport: Transport;
  /** By which the service is known. */
  readonly address: string;
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
  readonly times: ServerTimesTracker;
  readonly #ports: CallerPorts;
  readonly #redact: Redact = (text) => this.#ports.key.redact(text);
  readonly #count = { reads: 0, writes: 0 };

  constructor(ports: CallerPorts) {
    this.#ports = ports;
    this.times = trackServerTimes(ports.clock);
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
    if (exchange.is === "no-answer" || !isSuccess(exchange.status)) return problem(this.#failure(sent, call));
    const body = this.#bodyOf(exchange, call);
    return body.ok ? success({ answer: exchange, body: body.value }) : body;
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
    const body = this.#bodyOf(exchange, call);
    // What a service says of a call that it takes for later need not be of the route's shape.
    if (!body.ok) return isForLater ? forLater() : { outcome: "unknown", failure: body.error };
    const decoded = decode({ answer: exchange, body: body.value });
    if (decoded.ok)
      return isForLater && !isDone(decoded.value) ? forLater() : { outcome: "done", value: decoded.value };
    const { refused } = decoded.error;
    if (isForLater && refused === undefined) return forLater();
    const { status = 0 } = refused ?? {};
    const surelyDidNothing = !unsureBefore && refusals.has(status) && !isThrottled({ ...exchange, status });
    return { outcome: surelyDidNothing ? "failed" : "unknown", failure: this.misread(exchange, call, decoded.error) };
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
      if (renewal.ok) this.#trace(() => `${requestName(call)} was refused, and another key is in use now`);
      if (!renewal.ok || call.effect === "write") return { ...sent, renewal };
    }
  }

  async #sendWithRetries(call: Call, signal: AbortSignal | undefined): Promise<Sent> {
    const { clock, randomness, key: keys } = this.#ports;
    let unsureBefore = false;
    let key = keys.value;
    let sent: Exchange | undefined;
    const exchange = await retry(
      async () => {
        // Not before the first try of an announced call: its caller has waited, and it has to leave soon.
        if (sent !== undefined || call.announced === undefined) await this.mayStart(signal, call.effect);
        unsureBefore ||= sent !== undefined && effectOf(sent) === "unsure";
        key = keys.value;
        sent = await this.#sendOnce(call, key, signal);
        return sent;
      },
      {
        clock,
        pauseAfter: (exchange, { tries, elapsed }) => {
          if (tries === maxAttempts || !maySendAgain(exchange, call, unsureBefore)) return undefined;
          const { askAfter = 0 } = this.#askAfter(exchange);
          const jittered = backoff(tries, randomness.fraction(), firstBackoff, maxBackoff);
          const wait = Math.ceil(askAfter + jittered);
          if (elapsed + wait > deadline) return undefined;
          this.#trace(() => `${requestName(call)} is sent again in ${wait} ms`);
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
    if (!signal?.aborted) this.#count[call.effect === "read" ? "reads" : "writes"] += 1;
    const exchange = await transport.send(call, key, signal);
    const time = exchange.is === "answer" ? uncachedDate(exchange) : undefined;
    if (time !== undefined) this.times.told(time, { sent, roundedTo: 1000 });
    this.#trace(() => {
      const came = exchange.is === "answer" ? `${exchange.status}, ${exchange.body.length} characters` : exchange.cause;
      return `${call.method} ${call.path} -> ${came}, ${elapsedSince(sent, clock)} ms`;
    });
    return exchange;
  }

  #trace(line: () => string): void {
    this.#ports.trace?.(this.#redact(line()));
  }

  /**
   * The JSON of a successful answer, `undefined` for an empty one (trap 50); a failure for anything else. The answer to a write may be a
   * mere key: then one word is a value too, and no body is quoted.
   */
  #bodyOf(answer: Answer, call: Call): Result<unknown, Failure> {
    const text = answer.body.trim();
    if (answer.status === 204 || text === "") return success(undefined);
    const isPage = isWebPage(answer);
    const parsed = isPage ? undefined : parseJson(answer.body);
    if (parsed?.ok) return success(parsed.value);
    // One word, as a prefix or `OK` is. More words may be those of a refusal.
    if (call.effect === "write" && !isPage && /^[\w~.+/=-]+$/u.test(text)) return success(text);
    const quoted = call.effect === "write" ? "" : `. It begins: ${excerpt(answer.body, 200, this.#redact)}`;
    const why = isPage ? "it is a web page" : "it is not JSON";
    return problem({ ...this.#misunderstood(answer, call, `${why}${quoted}`), hint: hints.endpoint });
  }

  /** A failure for a body that is not what its route answers, or that says that the call failed. */
  misread(answer: Answer, call: Call, { why, refused }: Misreading): Failure {
    if (refused === undefined) return this.#misunderstood(answer, call, why);
    const { status, words } = refused;
    const named = status === undefined ? "" : `, with the status ${status}`;
    const isForLater = status !== undefined && isThrottled({ ...answer, status });
    return this.#clean({
      code: isForLater ? "service-error" : (refusalCodes.get(status ?? 0) ?? "misunderstood"),
      message: `The answer to ${requestName(call)} (${answer.status}) reports a failure${named}`,
      request: requestName(call),
      status: answer.status,
      ...(call.effect === "write" ? {} : definedFields({ serviceSays: words })),
    });
  }

  /** Names what was asked, what came, and why it could not be read. */
  #misunderstood(answer: Answer, call: Call, why: string): Failure {
    const request = requestName(call);
    const type = contentType(answer);
    const shownType = type === "" ? "" : `, ${excerpt(type, 80, this.#redactAnswerTo(call))}`;
    return this.#clean({
      code: "misunderstood",
      message: `roster cannot read the answer to ${request} (${answer.status}${shownType}): ${why}`,
      request,
      status: answer.status,
      hint: hints.shapes,
    });
  }

  /** What stood in the way, where an exchange did not end in a complete answer of success. */
  #failure({ exchange, renewal }: Sent, call: Call): Failure {
    const request = requestName(call);
    const refusal = renewal?.ok === false ? { hint: `${renewal.error}. ${workingKey}` } : {};
    if (exchange.is === "no-answer")
      return this.#clean({ ...unanswered(exchange, request, this.#ports.address), request });
    const { status } = exchange;
    const redact = this.#redactAnswerTo(call);
    const serviceSays = wordsOf(exchange, call, redact);
    const failure = answeredFailure(exchange, call, redact);
    return this.#clean({ ...failure, request, status, ...definedFields({ serviceSays }), ...refusal });
  }

  #clean(failure: Failure): Failure {
    return redactFailure(failure, this.#redact);
  }

  /** The answer to a write may show a new key: then no other key of it is shown either. */
  #redactAnswerTo({ effect }: Pick<Call, "effect">): Redact {
    return effect === "write" ? (text) => withoutSecrets(this.#redact(text)) : this.#redact;
  }

  /** Words that may stand next to new keys. */
  cleanBesideKeys(failure: Failure): Failure {
    return redactFailure(failure, this.#redactAnswerTo({ effect: "write" }));
  }
}

const everyKeyRefused = `the service refused ${maxRenewals + 1} keys for this call, one after the other`;

const workingKey = "Use the complete key. The key and its account must be active in this service";

/** A read may be repeated after any 401. A write only after one that proves that nothing was done: complete, and no web page of something in between. */
function provesRefusedKey({ exchange, unsureBefore }: Sent, call: Call): boolean {
  if (exchange.is === "no-answer" || exchange.status !== 401) return false;
  return call.effect === "read" || (!unsureBefore && effectOf(exchange) === "none" && !isWebPage(exchange));
}

/** How often one call may be sent, and the milliseconds after its first try in which it is sent again: it rests on what was so then. */
const maxAttempts = 4;
const deadline = 60_000;

/** Milliseconds. */
const firstBackoff = 250;
const maxBackoff = 8_000;

/**
 * Reads may be sent again whenever the trouble may pass (traps 54 and 55). So may replacements, but one that was surely not done is told to the
 * caller, who announces it anew and slows down. Other writes are announced before each try, and never sent again here.
 */
function maySendAgain(exchange: Exchange, { effect, method }: Call, unsureBefore: boolean): boolean {
  const always = effect === "read" || unsureBefore;
  if (!always && method !== "PUT") return false;
  if (exchange.is === "answer")
    return isThrottled(exchange) ? always || effectOf(exchange) === "unsure" : passingFailures.has(exchange.status);
  const { why } = exchange;
  return why === "unreachable" || why === "timed-out" || (why === "too-late" && always);
}

/** Those from 520 on come from gateways that cannot reach the service. */
const passingFailures: ReadonlySet<number> = new Set([500, 502, 503, 504, 520, 521, 522, 523, 524]);

/** With these a service says no, also in the body of an answer of success. With others it may have done something first. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 409, 410, 413, 415, 422]);

/** What a request did to the service. `throttled`: it asks to come back later, which is no proof that it did nothing. */
function effectOf(exchange: Exchange): "none" | "done" | "unsure" | "throttled" {
  if (exchange.is === "no-answer") return exchange.sent ? "unsure" : "none";
  const { status, headers } = exchange;
  if (isSuccess(status)) return "done";
  if (isThrottled(exchange)) return status === 408 ? "unsure" : "throttled";
  // After 302 and 303 a service may well have done what was asked and point to the result.
  if (status >= 300 && status < 400) return status === 302 || status === 303 ? "unsure" : "none";
  return refusals.has(status) && !headers.has("retry-after") ? "none" : "unsure";
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Whether a refusal only asks to come back later (trap 47). Some say so with 503 or 403: then a header, or their words, tell. */
function isThrottled({ status, headers, body }: Answer): boolean {
  if ([408, 425, 429].includes(status)) return true;
  if (status === 503) return headers.has("retry-after");
  const asksForRate = () => /rate.?limit|too many requests|throttl/iu.test(body.slice(0, 2000));
  return status === 403 && (headers.has("retry-after") || asksForRate());
}

/** As a login or a proxy would answer (trap 48). */
function isWebPage(answer: Answer): boolean {
  return /\bhtml\b/i.test(contentType(answer));
}

function contentType({ headers }: Answer): string {
  return headers.get("content-type") ?? "";
}

const hints = {
  endpoint:
    "Check ROSTER_ENDPOINT: it must be the base URL of the account service. If it is, a sign-in page or a proxy has answered. Ask the operators of the service for a URL that leads to the API itself",
  shapes:
    "Check ROSTER_ENDPOINT: it must be the base URL of the account service. If the URL is right, set JSON Pointers to these values under `service.shapes` in the settings file",
  failure: "Run the command again later. If it fails again, ask the operators of the service",
  path: "Check the account, and ROSTER_ENDPOINT: it must be the base URL of the account service, without /api",
};

const refusalCodes: ReadonlyMap<number, FailureCode> = new Map([
  [400, "refused"],
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "not-found"],
  [409, "conflict"],
  [422, "refused"],
]);

/** What happened, without the request and the answer's status. */
type Sentence = Pick<Failure, "code" | "message" | "hint">;

function unanswered({ why, cause, hint, sent }: NoAnswer, request: string, address: string): Sentence {
  switch (why) {
    case "aborted":
      return {
        code: "aborted",
        message: `The run was stopped before ${request} ${sent ? "was answered" : "was sent"}`,
      };
    case "unreadable":
      return { code: "misunderstood", message: `The answer to ${request} was not read: ${cause}` };
    case "too-late":
      return { code: "unreachable", message: `${request} was not sent: ${cause}` };
    case "timed-out":
    case "unreachable":
    case "barred": {
      const begin = sent ? `${request} was sent, but not answered` : `The service at ${address} cannot be reached`;
      return { code: "unreachable", message: `${begin}: ${cause}`, ...definedFields({ hint }) };
    }
  }
}

function answeredFailure(answer: Answer, call: Call, redact: Redact): Sentence {
  const { status, headers } = answer;
  if (status >= 300 && status < 400) {
    const location = headers.get("location") ?? "";
    const to = URL.canParse(location) ? `to ${new URL(location).origin} ` : "";
    return {
      code: "redirected",
      message: `${requestName(call)} was answered with a redirect ${to}(${status}), which roster does not follow: the key was not sent on`,
      hint: "Set ROSTER_ENDPOINT to the service's own address",
    };
  }
  if (isThrottled(answer)) {
    const wait = excerpt(headers.get("retry-after") ?? "", 60, redact);
    const asked = /^\d+$/u.test(wait) ? `Wait ${wait} s, then try again` : `The service sent Retry-After: ${wait}`;
    return {
      code: "service-error",
      message: `The service asks to retry later (${status})`,
      ...definedFields({ hint: wait === "" ? undefined : asked }),
    };
  }
  switch (status) {
    case 202:
      return {
        code: "misunderstood",
        message: "The service accepted the call for later and does not report its result (202)",
      };
    case 401:
      return {
        code: "unauthorized",
        message: "The service rejects the API key (401)",
        hint: "Check ROSTER_API_KEY: it must be the whole key, not only its prefix. The key and its account must be active in this service",
      };
    case 403:
      return {
        code: "forbidden",
        message: "This API key has no permission for this call (403)",
        hint: "Use the key of a Platform Administrator, or of an Account Administrator of this account",
      };
    case 404: {
      const hint = call.effect === "read" ? hints.path : undefined;
      return {
        code: "not-found",
        message: "The service does not know this path (404)",
        ...definedFields({ hint }),
      };
    }
    case 409:
      return { code: "conflict", message: "The service reports that it exists already (409)" };
    default: {
      if (status < 500) return { code: "refused", message: `The service refuses the request (${status})` };
      const hint = call.effect === "read" ? hints.failure : undefined;
      return { code: "service-error", message: `The service failed (${status})`, ...definedFields({ hint }) };
    }
  }
}

/** The service's own words. The success of a write is never quoted: its body may be the key. */
function wordsOf(answer: Answer, call: Call, redact: Redact): string | undefined {
  if (call.effect === "write" && isSuccess(answer.status)) return undefined;
  const parsed = parseJson(answer.body);
  const words = parsed.ok ? errorMessage(parsed.value) : excerpt(answer.body, 200, redact);
  return words === undefined || words === "" ? undefined : redact(words);
}

/** What came for one read. Names in a body and the header `Date` are the service's own words. */
function answerShape(
  call: Call,
  { status, headers, body }: Answer,
  { at, redact }: { readonly at: number; readonly redact: Redact },
): AnswerShape {
  const date = headers.get("date");
  return {
    request: requestName(call),
    status,
    at,
    ...(date === undefined ? {} : { date: redact(date) }),
    shape: redact(shapeOf(body, headers.get("content-type") ?? "")),
  };
}

function shapeOf(text: string, type: string): string {
  if (text.trim() === "") return "nothing";
  const parsed = parseJson(text);
  if (!parsed.ok) return /html/iu.test(type) ? "a web page" : "no JSON";
  const list = decodeList(parsed.value);
  const rows = list.ok ? list.value.rows : [];
  const first = rows.find(isObject);
  if (first === undefined) return describeShape(parsed.value);
  const inRows = Array.isArray(parsed.value) ? "" : ` with a list of ${rows.length}`;
  const keys = Object.entries(first).flatMap(([name, value]) =>
    keyListNames.includes(name) && Array.isArray(value) ? value.slice(0, 1) : [],
  );
  const inKeys = isObject(keys[0]) ? `; each access key is ${describeShape(keys[0])}` : "";
  return `${describeShape(parsed.value)}${inRows}, each ${describeShape(first)}${inKeys}`;
}
