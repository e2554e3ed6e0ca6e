import type { Exchange } from "../../../src/http/origin.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { seededRandom } from "../../../src/reference-server/identifiers.ts";
import type { OpenTransport } from "../../../src/service/client.ts";
import type { Call } from "../../../src/service/requests.ts";
import type { DrawnService, WireOutcome, WireRequest } from "./drawn-service.ts";

export interface DrawnTransportOptions {
  readonly clock: Clock;
  /** Draws how long each request and each answer takes, whatever else is under way. */
  readonly seed: number;
}

/** Milliseconds in which nothing came back, and a client gives up. */
const patience = 30_000;

/** Carries calls to a service in this process, in the time that a network might need. */
export function drawnTransport(service: DrawnService, { clock, seed }: DrawnTransportOptions): OpenTransport {
  const asked = new Map<string, number>();
  return () => ({
    async send({ effect, ...call }, key, signal) {
      const what = `${call.method} ${call.path} ${call.body ?? ""}`;
      const times = asked.get(what) ?? 0;
      asked.set(what, times + 1);
      const random = seededRandom(hash(`${seed} ${times} ${what}`));
      const oneWay = () => Math.round(5 + 145 * random() ** 3);
      await clock.wait(oneWay(), signal);
      if (signal?.aborted) return { is: "no-answer", why: "aborted", sent: false, cause: "the run was stopped" };
      const outcome = service.answer(requestFor(call, key));
      const back = outcome.is === "answer" || random() < 0.5 ? oneWay() : patience;
      await clock.wait(back, effect === "write" ? undefined : signal);
      return exchangeOf(outcome, back === patience ? timedOut : cutOff);
    },
    close: async () => undefined,
  });
}

function exchangeOf(outcome: WireOutcome, noAnswer: Exchange): Exchange {
  if (outcome.is === "lost") return noAnswer;
  return { ...outcome, headers: new Map(Object.entries(outcome.headers)) };
}

const timedOut: Exchange = { is: "no-answer", why: "timed-out", sent: true, cause: "no answer came within 30 s" };
const cutOff: Exchange = { is: "no-answer", why: "unreachable", sent: true, cause: "the connection was ended" };

/** FNV-1a. */
function hash(text: string): number {
  let mixed = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x01000193);
  }
  return mixed;
}

function requestFor({ method, path, body }: Pick<Call, "method" | "path" | "body">, key: string): WireRequest {
  const headers = { authorization: `ApiKey ${key}`, accept: "application/json" };
  if (body === undefined) return { method, path, headers };
  return { method, path, headers: { ...headers, "content-type": "application/json" }, body };
}
