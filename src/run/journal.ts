import type { Intent, ServerDate } from "../model/call.ts";
import { announcementTime, callTimeout, maxAnnouncementTime, timeLeft } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import type { EventOf, RunEvent } from "../model/event.ts";
import { type Failure, isRefusedAccess } from "../model/failure.ts";
import { createFinding, type FindingInput } from "../model/finding.ts";
import type { ActionId } from "../model/plan.ts";
import { elapsedSince, isoTime, type Moment, momentOf } from "../ports/clock.ts";
import type { ApplyPorts } from "./apply-input.ts";
import type { RunKnowledge } from "./knowledge.ts";

export interface UpcomingCall {
  readonly action: ActionId;
  readonly intent: Intent;
}

interface RunStop {
  readonly ended: "stopped" | "interrupted";
  readonly why: string;
  readonly accessRefused?: true;
}

/** Milliseconds that may pass between an announcement that says no more and its call. */
const promptAnnouncement = 1000;

/** What happens in one run: each event is durable before anybody reads it. */
export type RunJournal = ReturnType<typeof runJournal>;

export function runJournal(run: string, knowledge: RunKnowledge, ports: ApplyPorts) {
  const { session, service, clock, signal, deadline } = ports;
  const stream = eventStream();
  const now = () => isoTime(clock);
  let written = Promise.resolve();
  let stop: RunStop | undefined;

  /** Why nothing new may start. */
  function stopped(): RunStop | undefined {
    if (signal?.aborted) stop ??= deadline?.aborted ? outOfTime : interrupted;
    return stop;
  }

  /** The time of the service, or else of the store of the log, so many milliseconds later; undefined where neither shows it. */
  function dated(later = 0): ServerDate | undefined {
    const [by, times] =
      service.times?.latest() === undefined
        ? (["store", session.times] as const)
        : (["service", service.times] as const);
    const time = times?.latest();
    return time === undefined ? undefined : { by, at: new Date(time + later).toISOString() };
  }

  async function append(events: readonly RunEvent[]): Promise<boolean> {
    for (const event of events) knowledge.note(event, clock.monotonic());
    try {
      await session.append(events);
      return true;
    } catch (error) {
      stop ??= { ended: "stopped", why: error instanceof Error ? error.message : "roster could not write the log" };
      return false;
    }
  }

  /**
   * Makes events durable, in their order with all others, then shows them to the reader; where the journal is lost, they are shown all
   * the same. What is announced after them is durable after them: nobody has to wait.
   */
  function record(events: readonly RunEvent[]): void {
    if (events.length > 0) written = append(events).then(() => stream.push(events));
  }

  /**
   * Makes the intent of a call durable, then shows it. The call must leave soon after the moment that it resolves to. Undefined where the
   * run is stopped: the call must not be sent. A later run that finds the intent open counts the consistency window from what it says:
   * where the write took so long that this would be wrong, it is announced once more, for longer.
   */
  async function announce(call: UpcomingCall): Promise<Moment | undefined> {
    for (let lasts = 0; lasts <= maxAnnouncementTime; ) {
      const began = momentOf(clock);
      const announcement: EventOf<"intended"> = {
        type: "intended",
        at: new Date(began.wall).toISOString(),
        ...definedFields({
          until: lasts === 0 ? undefined : new Date(began.wall + lasts).toISOString(),
          dated: dated(Math.max(promptAnnouncement + timeLeft, lasts) + callTimeout),
        }),
        run,
        ...call,
      };
      if (stopped() !== undefined || !(await append([announcement])) || stopped() !== undefined) return undefined;
      const durable = momentOf(clock);
      const took = elapsedSince(began, clock);
      if (took <= Math.max(promptAnnouncement, lasts - timeLeft)) {
        stream.push([announcement]);
        return durable;
      }
      lasts = Math.max(announcementTime, 3 * took);
      if (lasts <= maxAnnouncementTime) continue;
      const slow = `the store of the log took ${Math.round(took / 1000)} s to write`;
      stop ??= { ended: "stopped", why: `${slow}. That is too slow to record each call before it is sent` };
    }
    return undefined;
  }

  return {
    run,
    /** ISO 8601. */
    now,
    record,
    /** Resolves when everything that was recorded is durable, or the journal is lost. */
    written: () => written,
    announce,
    dated: () => dated(),
    found: (input: Omit<FindingInput, "restsOn">) =>
      record([{ type: "found", at: now(), finding: createFinding({ ...input, restsOn: [] }) }]),
    /** Records why the run waits, and waits; not at all where there is nothing to wait for, or the run is stopped. */
    async pause(milliseconds: number, why: string): Promise<void> {
      if (milliseconds <= 0 || stopped() !== undefined) return;
      record([{ type: "waiting", at: now(), milliseconds, why }]);
      await clock.wait(milliseconds, signal);
    },
    /** Lets nothing new start. The first reason counts. */
    stop(why: string | Failure): void {
      if (typeof why === "string") stop ??= { ended: "stopped", why };
      else {
        const accessRefused = isRefusedAccess(why) ? (true as const) : undefined;
        stop ??= { ended: "stopped", why: why.message, ...definedFields({ accessRefused }) };
      }
    },
    get stopped(): RunStop | undefined {
      return stopped();
    },
    /** No event comes any more; with a defect, reading ends by throwing it. */
    end: stream.end,
    /** To be read once, in the order of the journal: those that became durable since the last ones were read, together. */
    events: stream.read,
  };
}

const interrupted: RunStop = { ended: "interrupted", why: "the run was interrupted" };

const outOfTime: RunStop = { ended: "stopped", why: "the time of --deadline is over" };

/** Events on their way from the actions under way to the reader of the run. */
function eventStream() {
  let waiting: RunEvent[] = [];
  let over: { readonly defect?: { readonly thrown: unknown } | undefined } | undefined;
  let wake: () => void = () => undefined;

  return {
    push(events: readonly RunEvent[]): void {
      for (const event of events) waiting.push(event);
      wake();
    },
    end(defect?: { readonly thrown: unknown }): void {
      over ??= { defect };
      wake();
    },
    async *read(): AsyncGenerator<readonly RunEvent[], void> {
      while (true) {
        const batch = waiting;
        waiting = [];
        if (batch.length > 0) yield batch;
        if (waiting.length > 0) continue;
        if (over !== undefined) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (over.defect !== undefined) throw over.defect.thrown;
    },
  };
}
