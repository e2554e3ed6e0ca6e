import { type Schedule, type ScheduleStep, scheduleOf } from "../journal/schedule.ts";
import type { Action, ActionId, AddMembers } from "../model/action.ts";
import type { Intent, RunEvent } from "../model/event.ts";
import { stopsTheRun } from "../model/result.ts";
import { sameRoles } from "../model/role-set.ts";
import { addMembers } from "./add-members.ts";
import { createUser, creationIntent } from "./create-user.ts";
import type { UpcomingCall } from "./intent-prefetch.ts";
import { batchLookups, type PeopleLookup } from "./people-lookup.ts";
import { createRecheck, type Recheck, skipStaleActions } from "./recheck.ts";
import { keyToReplace, replacementIntent, replaceRoles } from "./replace-roles.ts";
import { type ApplyInput, type ApplyPorts, type RunContext, runContext } from "./run-context.ts";
import type { ActionResult } from "./send.ts";
import { additionIntent, partitionObserved } from "./send-addition.ts";
import { verify } from "./verify.ts";

/**
 * Runs a plan. The events are the only output; each was durable in the session before it is told, unless the
 * journal was lost, which stops the run. Whoever stops reading lets nothing new start, and waits for the calls
 * under way. A failure is an event; only a defect throws.
 */
export async function* applyPlan(work: ApplyInput, ports: ApplyPorts): AsyncGenerator<RunEvent, void> {
  const context = runContext(work, ports);
  const running = runToEnd(context, ports);
  try {
    yield* context.stream.read();
  } finally {
    context.stop("nobody reads its events any more");
    await running;
  }
}

/** Never rejects: a defect comes to the reader of the events. */
async function runToEnd(context: RunContext, ports: ApplyPorts): Promise<void> {
  try {
    await recordStart(context);
    await runActions(context, ports);
    if (context.stopped === undefined) await verify(context, batchLookups(ports.people, "check", ports.signal));
    await context.record([context.writes.learnedEvent(context.now())].filter((event) => event !== undefined));
    await recordEnd(context);
    context.stream.end();
  } catch (thrown) {
    context.stream.end({ thrown });
  }
}

function recordStart(context: RunContext): Promise<void> {
  const { run: id, plan } = context.input;
  const { id: planId, service, actions } = plan;
  return context.record([
    { type: "run-started", at: context.now(), run: id, plan: planId, service, actions: actions.length },
  ]);
}

function recordEnd(context: RunContext): Promise<void> {
  const at = context.now();
  const { stopped } = context;
  return context.record([
    stopped === undefined ? { type: "run-finished", at, ended: "completed" } : { type: "run-finished", at, ...stopped },
  ]);
}

/** What is under way in one run. */
interface Scheduler {
  readonly context: RunContext;
  readonly schedule: Schedule;
  readonly ready: ReadyQueue;
  readonly recheck: Recheck;
  /** Actions whose end was told. */
  readonly ended: Set<ActionId>;
}

/** How many actions are announced before their turn: so many for each that may be under way, and no more. */
const prefetchPerSlot = 5;
const maxPrefetched = 50;

/**
 * Starts each action as soon as its dependencies and the pace allow, until all have ended or the run is stopped;
 * then those under way finish and the others are told as skipped.
 */
async function runActions(context: RunContext, ports: ApplyPorts): Promise<void> {
  const { plan, factsAt, unfit } = context.input;
  const { service, people, clock, signal } = ports;
  const look = recordHolders(batchLookups(people, "recheck", signal), context);
  const progress: Scheduler = {
    context,
    schedule: scheduleOf(plan.actions),
    ready: readyQueue(),
    recheck: skipStaleActions(unfit, createRecheck(plan.actions, factsAt, { service, clock, look, signal })),
    ended: new Set(),
  };
  const soon = () => progress.ready.soon(Math.min(maxPrefetched, context.concurrency.limit * prefetchPerSlot));
  context.prefetch.follow(() => soon().flatMap((action) => upcomingCall(action, context) ?? []));
  await releaseReady(progress, progress.schedule.begin());
  await drain(progress);
  await skipRemaining(progress);
}

/** What is read before a call tells to whom keys and identifiers belong. */
function recordHolders(look: PeopleLookup, { known }: RunContext): PeopleLookup {
  return async (people) => {
    const shown = await look(people);
    if (shown.ok) {
      for (const { address } of people) {
        const looked = shown.value(address);
        if (looked.is === "user") known.note([looked.user]);
        if (looked.is === "several") known.note(looked.users);
      }
    }
    return shown;
  };
}

/** Resolves when nothing is under way any more. After a defect nothing new starts, and it is thrown at the end. */
function drain(progress: Scheduler): Promise<void> {
  const { context, ready } = progress;
  let running = 0;
  const defects: unknown[] = [];
  return new Promise((resolve, reject) => {
    function startMore(): void {
      while (context.stopped === undefined && running < context.concurrency.limit) {
        const action = ready.next();
        if (action === undefined) break;
        running += 1;
        runAction(progress, action).then(ended, broken);
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
      context.stop("a defect of roster ended the run");
      ended();
    }
    startMore();
  });
}

async function runAction(progress: Scheduler, action: Action): Promise<void> {
  const end = await recheckAndRun(progress, action);
  if (end.is === "not-started") return;
  progress.ended.add(action.id);
  adjustConcurrency(progress.context, end);
  await releaseReady(progress, progress.schedule.end(action, end.ended));
}

function adjustConcurrency(
  context: RunContext,
  { ended, failure }: Extract<ActionResult, { readonly is: "ended" }>,
): void {
  if (ended.done) context.concurrency.succeeded();
  if (failure !== undefined && stopsTheRun(failure)) context.stop(failure);
}

async function recheckAndRun({ context, recheck }: Scheduler, action: Action): Promise<ActionResult> {
  const checked = await recheck(action);
  const at = context.now();
  switch (checked.is) {
    case "stale":
      await context.record([{ type: "stale", at, action: action.id, why: checked.why }]);
      return { is: "ended", ended: { done: false } };
    case "unread": {
      const { failure } = checked;
      if (failure.code === "aborted") return { is: "not-started" };
      await context.record([{ type: "failed", at, action: action.id, failure }]);
      return { is: "ended", ended: { done: false }, failure };
    }
    case "fresh":
      return dispatch(checked.action, checked.left, context);
  }
}

type LeftOutMembers = Parameters<typeof addMembers>[1];

function dispatch(action: Action, left: LeftOutMembers, context: RunContext): Promise<ActionResult> {
  switch (action.kind) {
    case "create-user":
      return createUser(action, context);
    case "add-members":
      return addMembers(action, left, context);
    case "replace-roles":
      return replaceRoles(action, context);
  }
}

async function releaseReady(
  { context, ready, ended }: Scheduler,
  { ready: free, skipped }: ScheduleStep,
): Promise<void> {
  const at = context.now();
  for (const { action } of skipped) ended.add(action);
  await context.record(
    skipped.map(({ action, cause }) => ({ type: "skipped", at, action, cause: cause.action, why: cause.why })),
  );
  ready.add(free);
}

async function skipRemaining({ context, ended }: Scheduler): Promise<void> {
  const rest = context.input.plan.actions.filter(({ id }) => !ended.has(id));
  if (rest.length === 0) return;
  const { stopped } = context;
  if (stopped === undefined) throw new Error(`the plan waits for itself: ${rest.map(({ id }) => id).join(", ")}`);
  const at = context.now();
  await context.record(rest.map(({ id }) => ({ type: "skipped", at, action: id, why: stopped.why })));
}

/** The call that an action would send if it were its turn now; undefined where none is sent, or none can be told. */
function upcomingCall(action: Action, context: RunContext): UpcomingCall | undefined {
  const intent = upcomingIntent(action, context);
  return intent === undefined ? undefined : { action: action.id, intent };
}

function upcomingIntent(action: Action, context: RunContext): Intent | undefined {
  switch (action.kind) {
    case "create-user":
      return creationIntent(action);
    case "add-members":
      return upcomingAddition(action, context);
    case "replace-roles": {
      const key = keyToReplace(action, context);
      if (key === undefined) return undefined;
      const isExact = action.unlessExact && key.roles !== undefined && sameRoles(key.roles, action.roles);
      return isExact ? undefined : replacementIntent(action, key.prefix);
    }
  }
}

/** What reading cannot settle is not announced before it must be: nobody could say that it was never sent. */
function upcomingAddition(action: AddMembers, context: RunContext): Intent | undefined {
  const { keysOnUsers, teamsOnKeys } = context.input.capabilities ?? {};
  if (keysOnUsers !== "shown" || teamsOnKeys !== "shown" || context.facts.keysAreHidden) return undefined;
  const identifier = context.facts.teamIdentifier(action.team);
  if (identifier === undefined) return undefined;
  const addition = { action, identifier, context };
  const { members } = partitionObserved(addition);
  return members.length === 0 ? undefined : additionIntent(addition, members);
}

/** Actions that may start: what completes something begun comes before new creations, else first come, first served. */
interface ReadyQueue {
  add(actions: readonly Action[]): void;
  next(): Action | undefined;
  /** Up to so many of those that come next, in their order. */
  soon(count: number): readonly Action[];
}

function readyQueue(): ReadyQueue {
  const dependents = fifoQueue();
  const beginnings = fifoQueue();
  return {
    add(actions) {
      for (const action of actions) (startsNew(action) ? beginnings : dependents).add(action);
    },
    next: () => dependents.next() ?? beginnings.next(),
    soon(count) {
      const first = dependents.soon(count);
      return [...first, ...beginnings.soon(count - first.length)];
    },
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
    soon: (count: number) => items.slice(taken, taken + count),
  };
}
