import type { Exchange } from "../../src/http/origin.ts";
import { elapsedSince, momentOf } from "../../src/ports/clock.ts";
import type { OpenTransport } from "../../src/service/client.ts";
import type { Call } from "../../src/service/requests.ts";
import type { Dice } from "../support/dice.ts";
import type { SimulatedProcess } from "./machine.ts";
import { type Service, type WireAnswer, type WireRequest, writeOf } from "./service.ts";
import type { SimulatedTime } from "./time.ts";

/** What becomes of a call between the process and the service. */
type Fate =
  | "well"
  | "lost-before"
  | "lost-after"
  | "late"
  | "hangs"
  | "busy-before"
  | "busy-after"
  | "broken-before"
  | "broken-after"
  /** The answer is that to another call, or shows nobody. */
  | "crossed"
  /** Nothing is done, and the answer shows what was not asked for. */
  | "misanswered"
  /** The answer to a replacement shows the roles of before. */
  | "former";

const fates: readonly Fate[] = [
  "lost-before",
  "lost-after",
  "late",
  "hangs",
  "busy-before",
  "busy-after",
  "broken-before",
  "broken-after",
  "crossed",
  "crossed",
  "misanswered",
  "misanswered",
  "former",
];

/** Milliseconds after its announcement within which a call leaves, or does not. */
const leavesWithin = 2000;

/** Milliseconds after which nobody waits for an answer any more. */
const patience = 30_000;

export interface Wire {
  readonly time: SimulatedTime;
  readonly dice: Dice;
  readonly service: Service;
  /** How large a share of the calls of this process meets trouble. */
  readonly trouble: number;
  readonly leaving: (request: WireRequest) => void;
  readonly answered: (answer: WireAnswer) => void;
  readonly befell: (fate: Fate) => void;
  /** Answers to writes, by their routes, which may cross with later ones. */
  readonly lastAnswers: Map<string, WireAnswer>;
}

/** Carries the calls of one process. What has left takes effect whatever becomes of the process. */
export function simulatedWire(process: SimulatedProcess, wire: Wire): OpenTransport {
  const { time, dice, service } = wire;
  const { clock } = process;
  return () => ({ send: (call, _key, signal) => send(call, signal), close: async () => undefined });

  async function send({ method, path, body, effect, announced }: Call, signal?: AbortSignal): Promise<Exchange> {
    const since = announced ?? momentOf(clock);
    await clock.wait(dice.between(1, 20), signal);
    await process.step();
    if (signal?.aborted) return aborted;
    if (effect === "write" && elapsedSince(since, clock) > leavesWithin) return tooLate;
    const request = { method, path, body };
    wire.leaving(request);
    const fate = drawnFate(effect);
    const arrival = deliver(request, fate);
    const silence = silenceAfter(fate);
    const answer = silence === undefined ? await arrival : "lost";
    await clock.wait(silence ?? dice.between(1, 100), effect === "read" ? signal : undefined);
    await process.step();
    if (answer === "lost") return fate === "hangs" ? timedOut : cutOff;
    wire.answered(answer);
    return { is: "answer", status: answer.status, headers: answer.headers, body: answer.body };
  }

  function drawnFate(effect: "read" | "write"): Fate {
    if (!dice.chance(effect === "write" ? wire.trouble : wire.trouble / 4)) return "well";
    const fate = dice.one(fates) ?? "well";
    wire.befell(fate);
    return fate;
  }

  /** How long the process hears nothing of what is still on its way. */
  function silenceAfter(fate: Fate): number | undefined {
    if (fate === "hangs") return patience;
    return fate === "late" ? dice.between(1, 900) : undefined;
  }

  async function deliver(request: WireRequest, fate: Fate): Promise<WireAnswer | "lost"> {
    await time.after(fate === "late" ? dice.between(1000, 20_000) : dice.between(1, 100));
    time.stir();
    switch (fate) {
      case "lost-before":
        return "lost";
      case "busy-before":
        return busy();
      case "broken-before":
        return broken();
      case "lost-after":
      case "late":
        service.answer(request);
        return "lost";
      case "hangs":
        if (dice.chance(0.5)) service.answer(request);
        return "lost";
      case "busy-after":
        service.answer(request);
        return busy();
      case "broken-after":
        service.answer(request);
        return broken();
      case "crossed":
        return crossed(request);
      case "misanswered":
        return service.misanswer(request) ?? remembered(request);
      case "former":
        return service.answerFormer(request);
      case "well":
        return remembered(request);
    }
  }

  function remembered(request: WireRequest): WireAnswer {
    const answer = service.answer(request);
    // Refusals are not crossed: nobody could know of one to which call it belongs.
    if (writeOf(request) !== undefined && answer.status < 300) wire.lastAnswers.set(routeOf(request), answer);
    return answer;
  }

  function crossed(request: WireRequest): WireAnswer {
    const other = wire.lastAnswers.get(routeOf(request));
    const answer = remembered(request);
    const call = writeOf(request);
    if (call === undefined) return request.path.includes("/search") ? { ...answer, body: "[]" } : answer;
    if (other === undefined || answer.status >= 300) return answer;
    // Where reads are late they show the former roles of the same key too, and nobody could tell.
    const isFormer = call.is === "replace-roles" && other.body.includes(`"${call.prefix}"`);
    return isFormer && service.readsAreLate ? answer : { ...other, gave: [] };
  }

  function busy(): WireAnswer {
    const wait: [string, string][] = dice.chance(0.7) ? [["retry-after", `${dice.between(0, 20)}`]] : [];
    return { ...broken(), status: dice.chance(0.7) ? 429 : 503, headers: new Map([...broken().headers, ...wait]) };
  }

  function broken(): WireAnswer {
    const headers = service.answer({ method: "GET", path: "/api/accounting/roles" }).headers;
    return { status: dice.one([500, 502, 504] as const) ?? 500, headers, body: '{"message":"trouble"}', gave: [] };
  }
}

const aborted: Exchange = { is: "no-answer", why: "aborted", sent: false, cause: "the run was stopped" };

const tooLate: Exchange = { is: "no-answer", why: "too-late", sent: false, cause: "it could not leave in time" };

const timedOut: Exchange = { is: "no-answer", why: "timed-out", sent: true, cause: "no answer came within 30 s" };

const cutOff: Exchange = { is: "no-answer", why: "unreachable", sent: true, cause: "the connection was ended" };

/** `users`, `members` or `roles`. */
function routeOf({ path }: WireRequest): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
