import { allowedRetries } from "../log/remembered-refusals.ts";
import { summarizeRun } from "../log/summary.ts";
import { timeLeft } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import type { RunEvent } from "../model/event.ts";
import type { Plan } from "../model/plan.ts";
import type { LogHead, State } from "../model/state.ts";
import type { AddressedUser } from "../model/user.ts";
import { peopleReader } from "../observe/read-users.ts";
import { withRolesRevoked } from "../plan/extra-members.ts";
import { isoTime } from "../ports/clock.ts";
import type { ApplyInput } from "../run/apply-input.ts";
import { applyPlan } from "../run/run.ts";
import { type ApplyResult, abortedBefore, stopError, withoutSecrets } from "./error.ts";
import { type LockedLog, type LockOptions, lockLog, record, underLock } from "./lock.ts";
import type { Work } from "./plan.ts";

/** How a run of a plan starts and ends. */
export interface RunOptions extends LockOptions {
  /** A number that only grows, such as that of a pipeline's run: a lower one than was applied before is refused. */
  readonly sequence?: number | undefined;
  /** Awaited before the first call. `head`: where the log ends by then. */
  readonly begins?: ((plan: Plan, run: { readonly run: string; head(): LogHead }) => Promise<void>) | undefined;
  /** Aborted, together with `signal`, once the time of the run is over: then it counts as stopped, not as interrupted. */
  readonly deadline?: AbortSignal | undefined;
}

export interface ApplyRun {
  /** Each event of the run, durable in the log by then. Everybody who iterates gets all of them. Nothing waits for it. */
  readonly events: AsyncIterable<RunEvent>;
  /** Resolves when the log is written and unlocked. It rejects with a `RosterError`, of which `applied` says how far it came. */
  readonly result: Promise<ApplyResult>;
}

/** A run that has locked its log. @internal */
export interface Run<Options extends RunOptions> {
  readonly work: Work;
  readonly options: Options;
  readonly lock: LockedLog;
  readonly event: (event: RunEvent) => void;
}

/** Locks the log, works, and unlocks it. Nothing that a program gets of it holds a secret. @internal */
export function startRun<Options extends RunOptions>(
  options: Options,
  prepare: () => { readonly operation: string; readonly work: Work },
  act: (run: Run<Options>) => Promise<ApplyResult>,
): ApplyRun {
  const events = new EventLog<RunEvent>();
  const runUnderLock = async () => {
    const { operation, work } = prepare();
    const { log, policy, signal, secrets } = work;
    return withoutSecrets(secrets, async () => {
      const lock = await lockLog(log, operation, { ...options, policy, signal });
      const event = (one: RunEvent) => events.add(secrets.redactAll(one));
      const applied = await underLock(lock, () => {
        checkSequence(options.sequence, lock.state);
        return act({ work, options, lock, event });
      });
      const result = secrets.redactAll({ ...applied, head: lock.ownHead() });
      // A signal that came too late has ended nothing.
      if (signal.aborted && (result.run === undefined || result.run.ended?.ended === "interrupted"))
        throw (result.run === undefined ? abortedBefore() : abortedWithin()).after(result);
      return result;
    });
  };
  const result = runUnderLock().finally(() => events.end());
  // A program that iterates over the events first gets an error after them.
  result.catch(() => undefined);
  return { events, result };
}

function abortedWithin() {
  return stopError("aborted", "aborted", "the signal was aborted before every action was done");
}

/** Throws where a newer roster was applied before, which the run would undo. @internal */
export function checkSequence(sequence: number | undefined, { sequence: applied }: State): void {
  if (sequence === undefined || applied === undefined || sequence >= applied) return;
  throw stopError(
    "stale",
    "stale",
    `this run has number ${sequence}, but number ${applied} with a newer roster was already applied`,
    "nothing was read or sent; let the newest pipeline run apply",
  );
}

/** A plan, what it rests on, and what is recorded before its first call. @internal */
export interface PlanToRun
  extends Pick<
    ApplyInput,
    "plan" | "factsAt" | "factsRead" | "capabilities" | "stale" | "shown" | "former" | "teamMembers"
  > {
  /** Users who exist: a search that does not find them proves no absence. */
  readonly known: readonly AddressedUser[];
  /** By what was read or allowed. */
  readonly resolved: readonly RunEvent[];
  /** Counts even if the plan is not approved. */
  readonly learned: readonly RunEvent[];
  /** Counts once the plan is approved. */
  readonly approved: readonly RunEvent[];
}

/** Once the signal is aborted, no new call starts, and calls in progress finish. The plan is as it stands after the run. @internal */
export async function runPlan(
  { work, options, lock, event: emit }: Run<RunOptions>,
  { known, resolved, learned, approved, ...input }: PlanToRun,
  decide?: () => Promise<void>,
): Promise<Pick<ApplyResult, "plan" | "run">> {
  const { service, clock, parallelism, signal, policy } = work;
  const { sequence, begins, deadline } = options;
  const { plan } = input;
  // Whoever held the lock before may still send what it had announced by then: such a call is not given up before that is over.
  const isGivenUp = (event: RunEvent) => event.type === "resolved" && !event.as.done && event.as.unproven;
  if (resolved.some(isGivenUp)) await clock.wait(Math.max(0, timeLeft - lock.heldFor()), signal);
  // Without a place for what was learned, no call can be announced: nothing is sent.
  await record(lock, learned, "nothing was sent");
  if (signal.aborted) throw abortedBefore();
  await decide?.();
  if (signal.aborted) throw abortedBefore();
  const sequenced: readonly RunEvent[] =
    sequence === undefined || sequence === lock.state.sequence
      ? []
      : [{ type: "sequenced", at: isoTime(clock), sequence }];
  // Recorded even if nothing is left to do: an older roster that comes later must not be applied, and nobody is forgotten.
  await record(lock, [...sequenced, ...approved], "nothing was sent");
  if (plan.actions.length + resolved.length === 0) return { plan };
  await begins?.(plan, lock);
  const people = peopleReader({ service, parallelism, known, ...definedFields({ shown: input.shown }) });
  const ports = { service, people, session: lock, clock, parallelism, signal, ...definedFields({ deadline }) };
  const events: RunEvent[] = [];
  const report = (event: RunEvent) => {
    events.push(event);
    emit(event);
  };
  for (const event of learned) report(event);
  const { privilegedRoles, consistency, throttling } = policy;
  const started = applyPlan({ ...input, run: lock.run, privilegedRoles, consistency, throttling }, ports);
  for await (const together of started) for (const event of together) report(event);
  const retry = allowedRetries(lock.now(), plan);
  const run = { ...summarizeRun(events), ...(retry.length === 0 ? {} : { retry }), head: lock.head() };
  return { plan: withRolesRevoked(plan, (prefix) => run.rolesRead.get(prefix)?.length === 0), run };
}

/** What planning has taught: what of it counts at once, and what only when the plan is applied. @internal */
export function splitLessons<Event extends RunEvent>(
  events: readonly Event[],
): {
  readonly moved: readonly Event[];
  readonly others: readonly Event[];
  readonly applied: readonly Event[];
} {
  const startsAnew = events.some(({ type }) => type === "epoch-started");
  const late: readonly RunEvent["type"][] = [
    ...(startsAnew ? (["epoch-started", "users-observed"] as const) : []),
    "roster-applied",
  ];
  return {
    moved: events.filter(({ type }) => type === "records-moved"),
    others: events.filter(({ type }) => type !== "records-moved" && !late.includes(type)),
    applied: late.flatMap((type) => events.filter((event) => event.type === type)),
  };
}

/** Events that are kept for everybody who iterates over them, from the first one on, until the last one was added. */
class EventLog<Event> implements AsyncIterable<Event> {
  readonly #events: Event[] = [];
  #waiting: (() => void)[] = [];
  #ended = false;

  add(event: Event): void {
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    for (let next = 0; ; next += 1) {
      while (next >= this.#events.length && !this.#ended) await new Promise<void>((wake) => this.#waiting.push(wake));
      const event = this.#events[next];
      if (event === undefined) return;
      yield event;
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
