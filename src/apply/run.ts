import { type Schedule, type ScheduleStep, scheduleOf } from "../journal/schedule.ts";
import type { Action, ActionId } from "../model/action.ts";
import type { RunEvent } from "../model/event.ts";
import { stopsTheRun } from "../model/result.ts";
import { addMembers } from "./add-members.ts";
import { type ApplyInput, type ApplyPorts, type ApplySession, openApplySession } from "./apply-session.ts";
import { createUser } from "./create-user.ts";
import { batchLookups, type KnownHolders, type PeopleLookup } from "./learned-facts.ts";
import { createRecheck, type Recheck, type RecheckResult, skipStaleActions } from "./recheck.ts";
import { replaceRoles } from "./replace-roles.ts";
import type { RunJournal } from "./run-journal.ts";
import { type ActionResult, recordFailure } from "./send.ts";

import { verify } from "./verify.ts";

/**
 * Runs a plan. The events are the only output; each was durable in the state before it is yielded, unless the
 * journal was lost, which stops the run. Where the reader stops reading, nothing new starts, and the calls under way
 * are waited for. A failure is an event; only a defect throws.
 */
export async function* applyPlan(input: ApplyInput, ports: ApplyPorts): AsyncGenerator<readonly RunEvent[], void> {
  const session = openApplySession(input, ports);
  const { journal } = session;
  const running = runToEnd(input, ports, session);
  try {
    yield* journal.events();
  } finally {
    journal.stop("the reader of its events stopped");
    await running;
  }
}

/** Never rejects: the reader of the events gets a defect. */
async function runToEnd(input: ApplyInput, ports: ApplyPorts, session: ApplySession): Promise<void> {
  const { journal, writes } = session;
  try {
    recordStart(input, journal);
    await runActions(input, ports, session);
    await journal.written();
    if (journal.stopped === undefined) await verify(session, batchLookups(ports.people, "check", ports.signal));
    const learned = writes.behaviour.learnedEvent(journal.now());
    if (learned !== undefined) journal.record([learned]);
    await journal.written();
    recordEnd(journal);
    await journal.written();
    journal.end();
  } catch (thrown) {
    await journal.written();
    journal.end({ thrown });
  }
}

function recordStart({ plan }: ApplyInput, { record, now, run }: RunJournal): void {
  const { id, service, actions } = plan;
  record([{ type: "run-started", at: now(), run, plan: id, service, actions: actions.length }]);
}

function recordEnd({ record, now, stopped }: RunJournal): void {
  const at = now();
  record([
    stopped === undefined ? { type: "run-finished", at, ended: "completed" } : { type: "run-finished", at, ...stopped },
  ]);
}

/** The actions of one run on their way: waiting, ready, under way or ended. */
interface Scheduler {
  readonly session: ApplySession;
  readonly schedule: Schedule;
  readonly ready: ReadyQueue;
  readonly recheck: Recheck;
  /** Actions whose end is recorded. */
  readonly ended: Set<ActionId>;
}

/**
 * Starts each action as soon as its dependencies and the concurrency limit allow, until all have ended or the run is stopped;
 * then those under way finish and the others are recorded as skipped.
 */
async function runActions(
  { plan, stale, teamMembers, ...facts }: ApplyInput,
  ports: ApplyPorts,
  session: ApplySession,
): Promise<void> {
  const { service, people, clock, signal } = ports;
  const { learned } = session;
  const lookUp = recordHolders(batchLookups(people, "recheck", signal), learned.holders);
  const scheduler: Scheduler = {
    session,
    schedule: scheduleOf(plan.actions),
    ready: readyQueue(),
    recheck: skipStaleActions(
      stale,
      createRecheck(plan.actions, facts, { service, clock, lookUp, signal, teamMembers }),
    ),
    ended: new Set(),
  };
  releaseReady(scheduler, scheduler.schedule.begin());
  await drain(scheduler);
  skipRemaining(plan.actions, scheduler);
}

/** What is read before a call shows who holds which key and identifier. */
function recordHolders(lookUp: PeopleLookup, holders: KnownHolders): PeopleLookup {
  return async (people) => {
    const shown = await lookUp(people);
    if (shown.ok) {
      for (const { address } of people) {
        const found = shown.value(address);
        if (found.is === "user") holders.note([found.user]);
        if (found.is === "several") holders.note(found.users);
      }
    }
    return shown;
  };
}

/** Resolves when nothing is under way any more. After a defect nothing new starts, and it is thrown at the end. */
function drain(scheduler: Scheduler): Promise<void> {
  const { session, ready } = scheduler;
  const { journal, writes } = session;
  let running = 0;
  const defects: unknown[] = [];
  return new Promise((resolve, reject) => {
    function startMore(): void {
      while (journal.stopped === undefined && running < writes.concurrency.limit) {
        const action = ready.next();
        if (action === undefined) break;
        running += 1;
        runAction(scheduler, action).then(ended, broken);
      }
      if (running > 0) return;
      if (defects.length > 0) reject(defects[0]);
      else resolve();
    }
    function ended(): void {
      running -= 1;
      startMore();
    }
    function broken(defect: unknown): void {
      defects.push(defect);
      journal.stop("an internal error of roster ended the run");
      ended();
    }
    startMore();
  });
}

async function runAction(scheduler: Scheduler, action: Action): Promise<void> {
  const { session, schedule, recheck } = scheduler;
  const result = await runChecked(await recheck(action), action.id, session);
  if (result.is === "not-started") return;
  scheduler.ended.add(action.id);
  if (result.ended.done) session.writes.concurrency.succeeded();
  if (result.failure !== undefined && stopsTheRun(result.failure)) session.journal.stop(result.failure);
  releaseReady(scheduler, schedule.end(action, result.ended));
}

async function runChecked(checked: RecheckResult, id: ActionId, session: ApplySession): Promise<ActionResult> {
  const { journal } = session;
  switch (checked.is) {
    case "stale":
      journal.record([{ type: "stale", at: journal.now(), action: id, why: checked.why }]);
      return { is: "ended", ended: { done: false } };
    case "unread":
      if (checked.failure.code === "aborted") return { is: "not-started" };
      return recordFailure(journal, id, checked.failure);
    case "fresh":
      return runFresh(checked, session);
  }
}

function runFresh(
  { action, leftOut }: Extract<RecheckResult, { readonly is: "fresh" }>,
  session: ApplySession,
): Promise<ActionResult> {
  switch (action.kind) {
    case "create-user":
      return createUser(action, session);
    case "add-members":
      return addMembers(action, leftOut, session);
    case "replace-roles":
      return replaceRoles(action, session);
  }
}

function releaseReady({ session, ready, ended }: Scheduler, step: ScheduleStep): void {
  const { journal } = session;
  const at = journal.now();
  for (const { action } of step.skipped) ended.add(action);
  journal.record(
    step.skipped.map(({ action, cause }) => ({ type: "skipped", at, action, cause: cause.action, why: cause.why })),
  );
  ready.add(step.ready);
}

function skipRemaining(actions: readonly Action[], { session, ended }: Scheduler): void {
  const rest = actions.filter(({ id }) => !ended.has(id));
  if (rest.length === 0) return;
  const { journal } = session;
  const { stopped } = journal;
  if (stopped === undefined) throw new Error(`the plan waits for itself: ${rest.map(({ id }) => id).join(", ")}`);
  const at = journal.now();
  journal.record(rest.map(({ id }) => ({ type: "skipped", at, action: id, why: stopped.why })));
}

/** Actions that may start: what completes something begun comes before new creations, else first come, first served. */
interface ReadyQueue {
  add(actions: readonly Action[]): void;
  next(): Action | undefined;
}

function readyQueue(): ReadyQueue {
  const dependents = fifoQueue();
  const beginnings = fifoQueue();
  return {
    add(actions) {
      for (const action of actions) (startsNew(action) ? beginnings : dependents).add(action);
    },
    next: () => dependents.next() ?? beginnings.next(),
  };
}

function startsNew(action: Action): boolean {
  return action.kind === "create-user" && action.founds === undefined && action.dependsOn.length === 0;
}

/** Taking the first costs the same however many wait. */
function fifoQueue() {
  let items: Action[] = [];
  let taken = 0;
  return {
    add(action: Action) {
      items.push(action);
    },
    next(): Action | undefined {
      const action = items[taken];
      if (action === undefined) return undefined;
      taken += 1;
      if (taken === items.length) {
        items = [];
        taken = 0;
      }
      return action;
    },
  };
}
