import { setImmediate } from "node:timers/promises";
import { peopleOf } from "../log/state-draft.ts";
import type { EmailKey } from "../model/address.ts";
import type { Intent, ServerDate } from "../model/call.ts";
import { type Capabilities, callTimeout } from "../model/capabilities.ts";
import type { EventOf, RunEvent } from "../model/event.ts";
import type { Failure } from "../model/failure.ts";
import { createFinding, type FindingInput } from "../model/finding.ts";
import { type KindWords, kindWords } from "../model/key.ts";
import { type ActionId, dependenciesOf, type Plan } from "../model/plan.ts";
import type { AddressedUser } from "../model/user.ts";
import { elapsedSince, isoTime, type Moment, momentOf } from "../ports/clock.ts";
import { announcementTime, timeLeft } from "../service/port.ts";
import type { ApplyInput, ApplyPorts } from "./apply-input.ts";
import { batchLookups, type PeopleLookup, type Shown } from "./assess.ts";
import { RunKnowledge } from "./knowledge.ts";

export type RunSession = ReturnType<typeof openSession>;

export function openSession(input: ApplyInput, ports: ApplyPorts) {
  const { service, people, clock, session, parallelism, signal } = ports;
  const { plan, run, shown = [], privilegedRoles, resolve = "roster state resolve" } = input;
  const capabilities: Partial<Capabilities> = input.capabilities ?? {};
  const knowledge = new RunKnowledge(input, session);
  const kinds: KindWords = capabilities.teamsOnKeys === "shown" ? "tell-own-keys" : kindWords(shown);
  return {
    ...{ service, people, clock, signal, plan, privilegedRoles, resolve, knowledge, capabilities },
    journal: runJournal(run, knowledge, ports),
    concurrency: writeLimit(parallelism),
    /** Looks for people whose keys, or whose team, an answer did not show. */
    lookForKeys: batchLookups(people, "key search", signal),
    /** Looks for the people of a call of unknown or doubtful outcome. */
    look: batchLookups(people, "resolution", signal),
    /** What the kinds of keys have told before the run. */
    kinds,
    neededKeys: neededKeysOf(plan),
  };
}

/** How many writes may be under way at once: few at first, one more for each success, half for each that is throttled. */
function writeLimit(parallelism: number) {
  let limit = Math.min(2, parallelism);
  return {
    get limit(): number {
      return limit;
    },
    succeeded(): void {
      limit = Math.min(limit + 1, parallelism);
    },
    throttled(): void {
      limit = Math.max(1, Math.floor(limit / 2));
    },
  };
}

/** Prefixes of keys that no call may touch unless the plan names it. The key in use is one, as it is now. */
export function forbiddenKeys({ plan, service }: Pick<RunSession, "plan" | "service">): ReadonlySet<string> {
  return new Set([...(plan.forbids?.keys ?? []), ...(service.keyPrefix === undefined ? [] : [service.keyPrefix])]);
}

/** The people whose key, given by an action, has its roles replaced later. */
function neededKeysOf({ actions }: Plan): ReadonlyMap<ActionId, ReadonlySet<EmailKey>> {
  const needed = new Map<ActionId, Set<EmailKey>>();
  for (const { action, person } of actions.flatMap(dependenciesOf))
    if (person !== undefined) needed.set(action, (needed.get(action) ?? new Set()).add(person));
  return needed;
}

/**
 * What reads show, once `judge` finds something in one of them; a read that fails shows nothing. `pauses`: milliseconds before each read.
 * `why`: what is waited for. `readAt`: by the monotonic clock.
 */
export async function readUntil<T>(
  { journal, clock, look }: RunSession,
  pauses: readonly number[],
  why: string,
  people: () => readonly AddressedUser[],
  judge: (shown: Shown, readAt: number) => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  for (const pause of pauses) {
    await journal.pause(pause, why);
    if (journal.stopped !== undefined) break;
    const readAt = clock.monotonic();
    const shown = await readPeople(journal, look, people());
    const found = shown && (await judge(shown, readAt));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Undefined where they could not be read. */
export async function readPeople(journal: RunJournal, look: PeopleLookup, people: readonly AddressedUser[]) {
  const read = await look(people);
  if (read.ok) return read.value;
  journal.stopAfter(read.error);
  return undefined;
}

/** Somebody to look for, by the address as the plan writes it. */
export function queryOf(address: EmailKey, { users }: Plan): AddressedUser {
  return { address, email: users.get(address)?.email ?? address };
}

export function queriesOf(intent: Intent, plan: Plan): readonly AddressedUser[] {
  return peopleOf(intent).map((address) => queryOf(address, plan));
}

export interface UpcomingCall {
  readonly action: ActionId;
  readonly intent: Intent;
}

interface RunStop {
  readonly ended: "stopped" | "interrupted";
  readonly why: string;
  readonly accessRefused?: true | undefined;
  readonly logLost?: true | undefined;
}

/** Milliseconds that may pass between an announcement that says no more and its call. */
const promptAnnouncement = 1000;

/** What happens in one run: each event is durable before anybody reads it. */
type RunJournal = ReturnType<typeof runJournal>;

function runJournal(run: string, knowledge: RunKnowledge, ports: ApplyPorts) {
  const { session, service, clock, signal, deadline } = ports;
  const stream = eventStream();
  const now = () => isoTime(clock);
  let written = Promise.resolve();
  let stop: RunStop | undefined;

  function stopped(): RunStop | undefined {
    if (signal?.aborted) stop ??= deadline?.aborted ? outOfTime : interrupted;
    return stop;
  }

  /** The time of the service, or else of the store of the log, so many milliseconds later; undefined where neither shows it. */
  function dated(later = 0): ServerDate | undefined {
    const told = service.times?.latest();
    const by = told === undefined ? "store" : "service";
    const time = told ?? session.times?.latest();
    return time === undefined ? undefined : { by, at: new Date(time + later).toISOString() };
  }

  async function append(events: readonly RunEvent[]): Promise<boolean> {
    for (const event of events) knowledge.note(event, clock.monotonic());
    try {
      await session.append(events);
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : "roster could not write the log";
      stop = { ended: "stopped", why, ...stop, logLost: true };
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
   * Waits until the service takes one more call, makes its intent durable, then shows it. The call must leave soon after the moment that
   * it resolves to. Undefined where the run is stopped: the call must not be sent. A later run that finds the intent open counts the
   * consistency window from what it says: where the write took so long that this would be wrong, it is announced once more, for longer.
   */
  async function announce(call: UpcomingCall): Promise<Moment | undefined> {
    await service.mayStart?.(signal);
    for (let lasts = 0; lasts <= announcementTime.most; ) {
      const began = momentOf(clock);
      const announcement: EventOf<"intended"> = {
        type: "intended",
        at: new Date(began.wall).toISOString(),
        until: lasts === 0 ? undefined : new Date(began.wall + lasts).toISOString(),
        dated: dated(Math.max(promptAnnouncement + timeLeft, lasts) + callTimeout),
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
      lasts = Math.max(announcementTime.least, 3 * took);
      if (lasts <= announcementTime.most) continue;
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
    stop(why: string): void {
      stop ??= { ended: "stopped", why };
    },
    /** The same where no further call of the run can succeed after such a failure. */
    stopAfter({ code, message: why }: Failure): void {
      if (code === "redirected") stop ??= { ended: "stopped", why };
      if (code === "unauthorized") stop ??= { ended: "stopped", why, accessRefused: true };
    },
    get stopped(): RunStop | undefined {
      return stopped();
    },
    /** No event comes any more. */
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
  let isOver = false;
  let wake: () => void = () => undefined;

  return {
    push(events: readonly RunEvent[]): void {
      for (const event of events) waiting.push(event);
      wake();
    },
    end(): void {
      isOver = true;
      wake();
    },
    async *read(): AsyncGenerator<readonly RunEvent[], void> {
      while (true) {
        const batch = waiting;
        waiting = [];
        if (batch.length > 0) yield batch;
        if (waiting.length > 0) continue;
        if (isOver) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        // The calls that became durable with them leave first, after the two turns that an origin waits: to show events takes longer.
        for (let turn = 0; turn < 2; turn += 1) await setImmediate();
      }
    },
  };
}
