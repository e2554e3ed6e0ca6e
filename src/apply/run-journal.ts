import type { ActionId } from "../model/action.ts";
import { announcementTime, callTimeout, maxAnnouncementTime, timeLeft } from "../model/capabilities.ts";
import type { Intended, Intent, RunEvent, ServerDate } from "../model/event.ts";
import { createFinding, type FindingInput } from "../model/finding.ts";
import { type Failure, isRefusedAccess } from "../model/result.ts";
import { definedFields } from "../model/role-set.ts";
import { callIdOf } from "../model/state.ts";
import type { AccountService } from "../ports/account-service.ts";
import { type Clock, elapsedSince, isoTime, type Moment, momentOf } from "../ports/clock.ts";
import type { ServerTimes } from "../ports/server-times.ts";
import type { StateJournal } from "../ports/state-store.ts";

/** What happens in one run: each event is durable before anybody reads it. */
export interface RunJournal {
  /** The id of the run. */
  readonly run: string;
  readonly clock: Clock;
  /** The time, ISO 8601. */
  now(): string;
  /**
   * Makes events durable, in their order with all others, then shows them to the reader; where the journal is lost, they are shown all
   * the same. What is announced after them is durable after them: nobody has to wait.
   */
  record(events: readonly RunEvent[]): void;
  /** Resolves when everything that was recorded is durable, or the journal is lost. */
  written(): Promise<void>;
  /**
   * Makes the intent of a call durable, then shows it. The call must leave soon after the moment that it resolves
   * to. Undefined where the run is stopped: the call must not be sent.
   */
  announce(call: UpcomingCall): Promise<Moment | undefined>;
  /** The time of the service, or else of the state store, at the latest; undefined where neither tells it. */
  dated(): ServerDate | undefined;
  /** A short name of a call of this run, for a person to type. */
  callId(action: ActionId): string;
  /** The event of a finding that only a run can make. */
  found(finding: Omit<FindingInput, "restsOn">): RunEvent;
  /** Records why the run waits, and waits. */
  wait(milliseconds: number, why: string): Promise<void>;
  /** Lets nothing new start. The first reason counts. */
  stop(why: string | Failure): void;
  /** Why nothing new may start. */
  readonly stopped: RunStop | undefined;
  /** No event comes any more; with a defect, reading ends by throwing it. */
  end(defect?: { readonly thrown: unknown }): void;
  /** To be read once, in the order of the journal: those that became durable since the last ones were read, together. */
  events(): AsyncGenerator<readonly RunEvent[], void>;
}

export interface RunStop {
  readonly ended: "stopped" | "interrupted";
  readonly why: string;
  readonly accessRefused?: true;
}

interface JournalOptions {
  readonly run: string;
  readonly session: StateJournal;
  readonly service: Pick<AccountService, "times">;
  readonly clock: Clock;
  /** A stable digest of a text, in hexadecimal. */
  readonly digest: (text: string) => string;
  readonly signal?: AbortSignal | undefined;
  readonly deadline?: AbortSignal | undefined;
}

/** Milliseconds that may pass between an announcement that says no more and its call. */
const promptAnnouncement = 1000;

export function runJournal({ run, session, service, clock, digest, signal, deadline }: JournalOptions): RunJournal {
  const stream = eventStream();
  const dated = (later = 0) => datedBy("service", service.times, later) ?? datedBy("store", session.times, later);
  const now = () => isoTime(clock);
  const stops = runStops(signal, deadline);
  let written = Promise.resolve();

  async function append(events: readonly RunEvent[]): Promise<boolean> {
    try {
      await session.append(events);
      return true;
    } catch (error) {
      stops.stop(error instanceof Error ? error.message : "roster could not write the state");
      return false;
    }
  }

  function record(events: readonly RunEvent[]): void {
    if (events.length > 0) written = append(events).then(() => stream.push(events));
  }

  async function announce(call: UpcomingCall): Promise<Moment | undefined> {
    const announced = await announceDurably(call);
    if (announced === undefined || stops.reason() !== undefined) return undefined;
    const leaves = onTheWay(dated, promptAnnouncement + timeLeft);
    stream.push([{ type: "intended", at: now(), ...leaves, run, ...call }]);
    return announced;
  }

  /**
   * A later run that finds the intent open counts the settling time from what it says: where the write took so long that this
   * would be wrong, it is announced once more, for longer.
   */
  async function announceDurably(call: UpcomingCall): Promise<Moment | undefined> {
    for (let lasts = 0; lasts <= maxAnnouncementTime; ) {
      const began = momentOf(clock);
      const announcement = intendedFor(call, { run, at: began.wall, lasts, dated });
      if (stops.reason() !== undefined || !(await append([announcement]))) return undefined;
      const durable = momentOf(clock);
      const took = elapsedSince(began, clock);
      if (took <= Math.max(promptAnnouncement, lasts - timeLeft)) return durable;
      lasts = Math.max(announcementTime, 3 * took);
      if (lasts > maxAnnouncementTime) stops.stop(storeTooSlow(took));
    }
    return undefined;
  }

  return {
    run,
    clock,
    now,
    record,
    written: () => written,
    announce,
    dated,
    callId: (action) => callIdOf({ run, action }, digest),
    found: (finding) => ({ type: "found", at: now(), finding: createFinding({ ...finding, restsOn: [] }, digest) }),
    async wait(milliseconds, why) {
      record([{ type: "waiting", at: now(), milliseconds, why }]);
      await clock.wait(milliseconds, signal);
    },
    stop: stops.stop,
    get stopped() {
      return stops.reason();
    },
    end: stream.end,
    events: stream.read,
  };
}

/** `at`: milliseconds since the epoch. `lasts`: milliseconds, 0 where the call follows at once. */
function intendedFor(
  call: UpcomingCall,
  {
    run,
    at,
    lasts,
    dated,
  }: { readonly run: string; readonly at: number; readonly lasts: number; readonly dated: Dated },
): Intended {
  const until = lasts === 0 ? {} : { until: new Date(at + lasts).toISOString() };
  const leaves = Math.max(promptAnnouncement + timeLeft, lasts);
  return { type: "intended", at: new Date(at).toISOString(), ...until, ...onTheWay(dated, leaves), run, ...call };
}

/** The time of a server, so many milliseconds later. */
type Dated = (later: number) => ServerDate | undefined;

function datedBy(by: ServerDate["by"], times: ServerTimes | undefined, later: number): ServerDate | undefined {
  const time = times?.latest();
  return time === undefined ? undefined : { by, at: new Date(time + later).toISOString() };
}

/** Until when a call may be on its way that leaves within so many milliseconds. */
function onTheWay(dated: Dated, leaves: number): Pick<Intended, "dated"> {
  return definedFields({ dated: dated(leaves + callTimeout) });
}

function runStops(signal: AbortSignal | undefined, deadline: AbortSignal | undefined) {
  let first: RunStop | undefined;
  return {
    stop(why: string | Failure): void {
      first ??= typeof why === "string" ? { ended: "stopped", why } : stoppedByFailure(why);
    },
    reason(): RunStop | undefined {
      if (signal?.aborted) first ??= deadline?.aborted ? outOfTime : interrupted;
      return first;
    },
  };
}

const interrupted: RunStop = { ended: "interrupted", why: "the run was interrupted" };

const outOfTime: RunStop = { ended: "stopped", why: "the time of --deadline is over" };

function stoppedByFailure(failure: Failure): RunStop {
  const refused = isRefusedAccess(failure) ? ({ accessRefused: true } as const) : {};
  return { ended: "stopped", why: failure.message, ...refused };
}

function storeTooSlow(took: number): string {
  return `the state store took ${Math.round(took / 1000)} s to write. That is too slow to record each call before it is sent`;
}

/** Events on their way from the actions under way to the reader of the run. */
interface EventStream {
  push(events: readonly RunEvent[]): void;
  end(defect?: { readonly thrown: unknown }): void;
  read(): AsyncGenerator<readonly RunEvent[], void>;
}

function eventStream(): EventStream {
  let waiting: RunEvent[] = [];
  let over: { readonly defect?: { readonly thrown: unknown } | undefined } | undefined;
  let wake: () => void = () => undefined;

  return {
    push(events) {
      for (const event of events) waiting.push(event);
      wake();
    },
    end(defect) {
      over ??= { defect };
      wake();
    },
    async *read() {
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

/** A call that is sent soon. */
export interface UpcomingCall {
  readonly action: ActionId;
  readonly intent: Intent;
}

/** A wait of nothing is not recorded. */
export async function waitUnlessStopped(journal: RunJournal, milliseconds: number, why: string): Promise<void> {
  if (milliseconds > 0 && journal.stopped === undefined) await journal.wait(milliseconds, why);
}
