import type { Action, ActionId } from "../model/action.ts";
import type { RunEvent } from "../model/event.ts";
import type { Plan } from "../model/plan.ts";
import { type ActionOutcome, outcomeOf } from "./summary.ts";

/** How far a run is, at one moment. Times are in milliseconds. */
export interface RunProgress {
  readonly phase: "running" | "reading-again" | "finished";
  readonly stages: readonly StageProgress[];
  /** Calls that were announced and have not ended, oldest first. */
  readonly running: readonly { readonly action: Action; readonly since: number }[];
  /** Actions that have not begun, by what they wait for, most first. */
  readonly waiting: readonly WaitingActions[];
  /** What the run itself waits for, or has waited for. */
  readonly pauses: readonly Pause[];
  readonly elapsed: number;
  /** Actions that ended per second, of late; absent until there is something to count. */
  readonly rate?: number;
  /** Absent where nothing tells it yet, or nothing is left. */
  readonly timeLeft?: number;
}

export const stageNames = ["found", "create", "add", "replace"] as const;

export type StageName = (typeof stageNames)[number];

/** One kind of action: those that found a team are not counted among the creations. */
export interface StageProgress {
  readonly stage: StageName;
  readonly total: number;
  readonly done: number;
  readonly running: number;
  readonly waiting: number;
  readonly failed: number;
  /** Of an unknown outcome, which reading may settle yet. */
  readonly unknown: number;
  /** Skipped or stale: never begun. */
  readonly leftOut: number;
}

export interface WaitingActions {
  readonly count: number;
  /** The action whose end they wait for; absent where they wait for other calls to end. */
  readonly for?: Action;
}

export interface Pause {
  readonly why: string;
  /** When the last of them ends. */
  readonly until: number;
  /** How often the run has paused for this. */
  readonly times: number;
}

/** Follows a run by its events. */
export interface ProgressFold {
  take(event: RunEvent): void;
  at(now: number): RunProgress;
}

/** Milliseconds over which the rate is measured. */
const rateWindow = 10_000;

/** Fewer ends than this tell no rate. */
const minEnds = 3;

export function trackProgress(plan: Plan, began: number): ProgressFold {
  const actions = new Map(plan.actions.map((action) => [action.id, action]));
  const running = new Map<ActionId, number>();
  /** In the order of their last outcomes. */
  const ended = new Map<ActionId, ActionOutcome>();
  const pauses = new Map<string, Pause>();
  const ends: number[] = [];
  let run = "";
  let isFinished = false;

  function end(action: ActionId, outcome: ActionOutcome, at: number): void {
    if (!actions.has(action)) return;
    // An unknown outcome may be settled by reading a moment later.
    if (!ended.has(action)) ends.push(at);
    running.delete(action);
    ended.delete(action);
    ended.set(action, outcome);
  }

  return {
    take(event) {
      const at = Date.parse(event.at);
      const outcome = outcomeOf(event, run);
      if (outcome !== undefined) end(outcome.action, outcome.outcome, at);
      switch (event.type) {
        case "run-started":
          run = event.run;
          break;
        case "intended":
          if (!running.has(event.action)) running.set(event.action, at);
          break;
        case "waiting": {
          const before = pauses.get(event.why);
          const until = Math.max(before?.until ?? 0, at + event.milliseconds);
          pauses.set(event.why, { why: event.why, until, times: (before?.times ?? 0) + 1 });
          break;
        }
        case "run-finished":
          isFinished = true;
          break;
        default:
      }
    },
    at(now) {
      const left = actions.size - ended.size;
      const rate = completionRate(ends, now, began);
      const under = [...running].flatMap(([id, since]) => {
        const action = actions.get(id);
        return action === undefined ? [] : [{ action, since }];
      });
      const phase = left > 0 ? "running" : "reading-again";
      return {
        phase: isFinished ? "finished" : phase,
        stages: stageProgress(plan.actions, { running, ended }),
        running: under,
        waiting: waitingActions(plan.actions, { running, ended, actions }),
        pauses: [...pauses.values()],
        elapsed: Math.max(0, now - began),
        ...(rate === undefined ? {} : { rate }),
        ...(rate === undefined || rate === 0 || left === 0 ? {} : { timeLeft: (left / rate) * 1000 }),
      };
    },
  };
}

/** Per second: of late, or of the whole run where too little has happened of late. */
function completionRate(ends: readonly number[], now: number, began: number): number | undefined {
  if (ends.length < minEnds) return undefined;
  const from = Math.max(began, now - rateWindow);
  const recent = ends.length - ends.findLastIndex((at) => at < from) - 1;
  const counted = recent >= minEnds ? recent : ends.length;
  const since = recent >= minEnds ? from : began;
  return counted / (Math.max(1, now - since) / 1000);
}

interface ActionStates {
  readonly running: ReadonlyMap<ActionId, number>;
  readonly ended: ReadonlyMap<ActionId, ActionOutcome>;
}

function stageProgress(actions: readonly Action[], standing: ActionStates): readonly StageProgress[] {
  const counts = new Map(stageNames.map((stage) => [stage, emptyStage(stage)]));
  for (const action of actions) {
    const count = counts.get(stageOf(action));
    if (count === undefined) continue;
    count.total += 1;
    count[actionState(action.id, standing)] += 1;
  }
  return [...counts.values()].filter(({ total }) => total > 0);
}

function emptyStage(stage: StageName) {
  return { stage, total: 0, done: 0, running: 0, waiting: 0, failed: 0, unknown: 0, leftOut: 0 };
}

function stageOf(action: Action): StageName {
  switch (action.kind) {
    case "create-user":
      return action.createsTeam === undefined ? "create" : "found";
    case "add-members":
      return "add";
    case "replace-roles":
      return "replace";
  }
}

function actionState(id: ActionId, { running, ended }: ActionStates): Exclude<keyof StageProgress, "stage" | "total"> {
  const outcome = ended.get(id);
  switch (outcome?.is) {
    case undefined:
      return running.has(id) ? "running" : "waiting";
    case "succeeded":
    case "unneeded":
      return "done";
    case "failed":
      return "failed";
    case "unknown":
      return "unknown";
    case "skipped":
    case "stale":
      return "leftOut";
  }
}

function waitingActions(
  actions: readonly Action[],
  { running, ended, actions: byId }: ActionStates & { readonly actions: ReadonlyMap<ActionId, Action> },
): readonly WaitingActions[] {
  const counts = new Map<ActionId | undefined, number>();
  for (const { id, dependsOn } of actions) {
    if (running.has(id) || ended.has(id)) continue;
    const first = dependsOn.find((other) => byId.has(other) && !ended.has(other));
    counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  const waiting = [...counts].map(([id, count]) => {
    const action = id === undefined ? undefined : byId.get(id);
    return action === undefined ? { count } : { count, for: action };
  });
  return waiting.sort((a, b) => b.count - a.count);
}
