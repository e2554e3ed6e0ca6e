import { type Schedule, type Step, scheduleOf } from "../journal/schedule.ts";
import type { Action, ActionId } from "../model/action.ts";
import { stopsTheRun } from "../model/failure.ts";
import type { ActionEnd } from "./action-end.ts";
import { addMembers } from "./add-members.ts";
import { createUser } from "./create-user.ts";
import { foreseenCall } from "./foreseen-call.ts";
import { lookTogether, type PeopleLook } from "./people-look.ts";
import { type ReadyQueue, readyQueue } from "./ready-queue.ts";
import { type Recheck, recheckOf } from "./recheck.ts";
import { replaceRoles } from "./replace-roles.ts";
import type { ApplyPorts, RunContext } from "./run-context.ts";
import { withoutUnfit } from "./unfit.ts";

/** What is under way in one run. */
interface Progress {
  readonly context: RunContext;
  readonly schedule: Schedule;
  readonly ready: ReadyQueue;
  readonly recheck: Recheck;
  /** Actions whose end was told. */
  readonly told: Set<ActionId>;
}

/** How many actions are announced before their turn: so many for each that may be under way, and no more. */
const aheadOfEach = 5;
const mostAhead = 50;

/**
 * Starts each action as soon as its dependencies and the pace allow, until all have ended or the run is stopped;
 * then those under way finish and the others are told as skipped.
 */
export async function runActions(context: RunContext, ports: ApplyPorts): Promise<void> {
  const { plan, factsAt, unfit } = context.work;
  const { service, people, clock, signal } = ports;
  const look = noted(lookTogether(people, "recheck", signal), context);
  const progress: Progress = {
    context,
    schedule: scheduleOf(plan.actions),
    ready: readyQueue(),
    recheck: withoutUnfit(unfit, recheckOf(plan.actions, factsAt, { service, clock, look, signal })),
    told: new Set(),
  };
  const soon = () => progress.ready.soon(Math.min(mostAhead, context.pace.limit * aheadOfEach));
  context.ahead.follow(() => soon().flatMap((action) => foreseenCall(action, context) ?? []));
  await release(progress, progress.schedule.begin());
  await drain(progress);
  await skipTheRest(progress);
}

/** What is read before a call tells to whom keys and identifiers belong. */
function noted(look: PeopleLook, { known }: RunContext): PeopleLook {
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
function drain(progress: Progress): Promise<void> {
  const { context, ready } = progress;
  let running = 0;
  const defects: unknown[] = [];
  return new Promise((resolve, reject) => {
    function startMore(): void {
      while (context.stopped === undefined && running < context.pace.limit) {
        const action = ready.next();
        if (action === undefined) break;
        running += 1;
        take(progress, action).then(ended, broken);
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

async function take(progress: Progress, action: Action): Promise<void> {
  const end = await checkAndRun(progress, action);
  if (end.is === "not-started") return;
  progress.told.add(action.id);
  keepPace(progress.context, end);
  await release(progress, progress.schedule.end(action, end.ended));
}

function keepPace(context: RunContext, { ended, failure }: Extract<ActionEnd, { readonly is: "ended" }>): void {
  if (ended.done) context.pace.succeeded();
  if (failure !== undefined && stopsTheRun(failure)) context.stop(failure);
}

async function checkAndRun({ context, recheck }: Progress, action: Action): Promise<ActionEnd> {
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
      return run(checked.action, checked.left, context);
  }
}

type Left = Parameters<typeof addMembers>[1];

function run(action: Action, left: Left, context: RunContext): Promise<ActionEnd> {
  switch (action.kind) {
    case "create-user":
      return createUser(action, context);
    case "add-members":
      return addMembers(action, left, context);
    case "replace-roles":
      return replaceRoles(action, context);
  }
}

async function release({ context, ready, told }: Progress, { ready: free, skipped }: Step): Promise<void> {
  const at = context.now();
  for (const { action } of skipped) told.add(action);
  await context.record(
    skipped.map(({ action, cause }) => ({ type: "skipped", at, action, cause: cause.action, why: cause.why })),
  );
  ready.add(free);
}

async function skipTheRest({ context, told }: Progress): Promise<void> {
  const rest = context.work.plan.actions.filter(({ id }) => !told.has(id));
  if (rest.length === 0) return;
  const { stopped } = context;
  if (stopped === undefined) throw new Error(`the plan waits for itself: ${rest.map(({ id }) => id).join(", ")}`);
  const at = context.now();
  await context.record(rest.map(({ id }) => ({ type: "skipped", at, action: id, why: stopped.why })));
}
