import { applyPlan } from "../apply/run.ts";
import { applyEvents } from "../journal/fold.ts";
import { type RunSummary, summarizeRun } from "../journal/summary.ts";
import type { Action, ActionId } from "../model/action.ts";
import type { RunEvent } from "../model/event.ts";
import type { Plan, Rehearsal, RehearsalCalls } from "../model/plan.ts";
import { type Result, success } from "../model/result.ts";
import type { RoleSet } from "../model/role-set.ts";
import { accountStatus, type Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { peopleReader } from "../observe/read-users.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { Clock } from "../ports/clock.ts";
import type { Progress } from "../ports/progress.ts";
import type { StateSession } from "../ports/state-store.ts";
import type { Knobs } from "../reference-server/knobs/registry.ts";
import { limitationsOf } from "./limitations.ts";
import { rehearsalService, virtualClock } from "./rehearsal-service.ts";
import type { KnownService } from "./seed-world.ts";
import { assessRehearsal, type Replan } from "./verdict.ts";

/** What is rehearsed, and with what. */
export interface RehearsalInput {
  readonly plan: Plan;
  /** What the plan's reads have shown. */
  readonly snapshot: Snapshot;
  /** The state that the plan rests on. */
  readonly state: State;
  /** What an apply of this plan records before its first call. */
  readonly before: readonly RunEvent[];
  /** The public part of the key in use. */
  readonly keyInUse?: string | undefined;
  readonly privilegedRoles: RoleSet;
  /** Milliseconds that each call takes. */
  readonly latency: number;
  /** Calls at once. */
  readonly parallelism: number;
  /** Ways of the service that no read shows. */
  readonly knobs?: Partial<Knobs>;
  /** Reads and plans by the one path, before the plan is applied and after it; a person's words for one run count before it. */
  readonly planAgain: (when: "before" | "after", state: State, ports: PlanningPorts) => Promise<Result<Replan, string>>;
}

export interface PlanningPorts {
  readonly service: AccountService;
  readonly clock: Clock;
}

export interface RehearsalPorts {
  readonly digest: (text: string) => string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** One in so many writes is refused, and is to come back after so many milliseconds. */
const oneIn = 10;
const pause = 1000;

const throttling: Partial<Knobs> = {
  flaky: [`writes@every-${oneIn}`],
  flakyStatus: "429",
  retryAfter: "seconds",
  retryAfterSeconds: pause / 1000,
};

/**
 * Applies a plan to a service in memory that is filled with what is known of the service, and plans again. Nothing is sent,
 * written or mailed, and no time is waited for. Undefined where the signal was aborted.
 */
export async function rehearse(question: RehearsalInput, ports: RehearsalPorts): Promise<Rehearsal | undefined> {
  const calm = await runOnce(question, ports, question.knobs ?? {});
  const { plan, state, latency, snapshot } = question;
  const { run, left, started, planned, stage } = calm;
  const again = ports.signal.aborted ? undefined : await question.planAgain("after", left, stage);
  const slow = await runOnce(question, ports, { ...question.knobs, ...throttling });
  if (again === undefined || ports.signal.aborted) return undefined;
  const { troubles, notices } = assessRehearsal({ plan, run, before: planned, again });
  return {
    converges: troubles.length === 0,
    troubles,
    notices,
    unshown: limitationsOf({ plan, snapshot, state }, planned),
    calls: calm.calls,
    mails: calm.mails,
    criticalPath: criticalPath(plan.actions),
    time: {
      latency,
      planning: started.at - started.opened,
      applying: calm.ended - started.at,
      throttled: { oneIn, pause, applying: slow.ended - slow.started.at },
    },
  };
}

/** What one run of the plan came to. */
interface RunOnce {
  readonly run: RunSummary;
  /** The state that the run left. */
  readonly left: State;
  /** What reading for the plan came to before it was run. */
  readonly planned: Result<Replan, string>;
  /** Milliseconds since the epoch, when reading began and when the run did. */
  readonly started: { readonly opened: number; readonly at: number };
  readonly ended: number;
  readonly calls: RehearsalCalls;
  readonly mails: number;
  readonly stage: PlanningPorts;
}

/** Milliseconds after the reads of the plan: what was recent for them had its time to show. */
const settlingMargin = 10_000;

async function runOnce(question: RehearsalInput, ports: RehearsalPorts, knobs: Partial<Knobs>): Promise<RunOnce> {
  const { plan, snapshot, state, before, parallelism, latency, keyInUse } = question;
  const opened = Date.parse(snapshot.readAt) + settlingMargin;
  const clock = virtualClock(opened);
  const ground: KnownService = { snapshot, state, plan, keyInUse };
  const { service, asked, mails } = rehearsalService(ground, { clock, latency, parallelism, knobs });
  const stage = { service, clock };
  const planned = await question.planAgain("before", state, stage);
  const at = clock.now();
  const readsBefore = service.requests.reads;
  const factsAt = planned.ok ? planned.value.snapshot.readAt : snapshot.readAt;
  const session = rehearsalSession(state);
  await session.append(before);
  const known = snapshot.users.filter(({ status }) => accountStatus(status) !== "deleted");
  const { capabilities } = snapshot;
  const { privilegedRoles } = question;
  const work = { plan, run: "rehearsal", factsAt, capabilities, privilegedRoles };
  const { digest, signal } = ports;
  const people = peopleReader({ service, parallelism, known });
  const events: RunEvent[] = [];
  for await (const event of applyPlan(work, { service, people, session, clock, digest, parallelism, signal })) {
    events.push(event);
    ports.progress.report({ what: "events rehearsed", done: events.length });
  }
  const calls = {
    createUser: asked.get("create") ?? 0,
    addMembers: asked.get("members") ?? 0,
    replaceRoles: asked.get("keys") ?? 0,
    reads: service.requests.reads - readsBefore,
  };
  const run = summarizeRun(events);
  return {
    run,
    left: session.left(),
    planned,
    started: { opened, at },
    ended: clock.now(),
    calls,
    mails: mails(),
    stage,
  };
}

/** The longest chain of actions of which each waits for the one before; of several the one that the plan names first. @internal */
export function criticalPath(actions: readonly Action[]): readonly ActionId[] {
  const lengths = new Map<ActionId, number>();
  const before = new Map<ActionId, ActionId>();
  // A plan is in an order that respects every dependency.
  for (const { id, dependsOn } of actions) {
    const last = longest(dependsOn, lengths);
    lengths.set(id, 1 + (last === undefined ? 0 : (lengths.get(last) ?? 0)));
    if (last !== undefined) before.set(id, last);
  }
  const path: ActionId[] = [];
  const ends = longest(lengths.keys(), lengths);
  for (let step = ends; step !== undefined; step = before.get(step)) path.unshift(step);
  return path;
}

function longest(ids: Iterable<ActionId>, lengths: ReadonlyMap<ActionId, number>): ActionId | undefined {
  let best: ActionId | undefined;
  for (const id of ids) {
    if ((lengths.get(id) ?? 0) > (best === undefined ? 0 : (lengths.get(best) ?? 0))) best = id;
  }
  return best;
}

/** A copy of a state that lives as long as its rehearsal. */
export interface RehearsalSession extends StateSession {
  /** The state that a later run would find. */
  left(): State;
}

function rehearsalSession(state: State): RehearsalSession {
  const events: RunEvent[] = [];
  const left = () => applyEvents(state, events);
  return {
    state,
    writes: "appended",
    left,
    async append(more) {
      events.push(...more);
    },
    close: async () => success(left()),
  };
}
