import { definedFields } from "../model/collections.ts";
import type { RunEvent } from "../model/event.ts";
import type { Action, ActionId, Plan } from "../model/plan.ts";
import { type ActionOutcome, outcomeOf } from "./summary.ts";

/** Times are in milliseconds. */
export interface RunProgress {
  readonly phase: "running" | "reading-again" | "finished";
  readonly stages: readonly StageProgress[];
  /** Calls that were announced and have not ended, oldest first. */
  readonly running: readonly { readonly action: Action; readonly since: number }[];
  /** Actions that have not begun, by what they wait for, most first. */
  readonly waiting: readonly WaitingActions[];
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
  readonly until: number;
  readonly times: number;
}

/** Milliseconds over which the rate is measured. */
const rateWindow = 10_000;

/** Fewer ends than this tell no rate. */
const minEnds = 3;

export function trackProgress(plan: Plan, began: number) {
  const actions = new Map(plan.actions.map((action) => [action.id, action]));
  const running = new Map<ActionId, number>();
  const ended = new Map<ActionId, ActionOutcome["is"]>();
  const pauses = new Map<string, Pause>();
  const ends: number[] = [];
  let run = "";
  let isFinished = false;

  /** How many actions wait for each action that has not ended; for undefined: for none of them. */
  function waiting(): readonly WaitingActions[] {
    const counts = new Map<ActionId | undefined, number>();
    for (const { id, dependsOn } of plan.actions) {
      if (running.has(id) || ended.has(id)) continue;
      const first = dependsOn.find((other) => actions.has(other) && !ended.has(other));
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    const counted = [...counts].map(([id, count]) => ({ count, ...definedFields({ for: actions.get(id ?? "") }) }));
    return counted.sort((a, b) => b.count - a.count);
  }

  function stages(): readonly StageProgress[] {
    const counts = stageNames.map((stage) => {
      return { stage, total: 0, done: 0, running: 0, waiting: 0, failed: 0, unknown: 0, leftOut: 0 };
    });
    for (const action of plan.actions) {
      const count = counts.find(({ stage }) => stage === stageOf(action));
      const outcome = ended.get(action.id);
      if (count === undefined) continue;
      count.total += 1;
      count[outcome === undefined ? (running.has(action.id) ? "running" : "waiting") : countedAs[outcome]] += 1;
    }
    return counts.filter(({ total }) => total > 0);
  }

  return {
    take(event: RunEvent): void {
      const at = Date.parse(event.at);
      const { action, outcome } = outcomeOf(event, run) ?? {};
      if (action !== undefined && outcome !== undefined && actions.has(action)) {
        // An unknown outcome may be resolved by reading a moment later.
        if (!ended.has(action)) ends.push(at);
        running.delete(action);
        ended.set(action, outcome.is);
      }
      if (event.type === "run-started") run = event.run;
      if (event.type === "run-finished") isFinished = true;
      if (event.type === "intended" && !running.has(event.action)) running.set(event.action, at);
      if (event.type === "waiting") {
        const { why, milliseconds } = event;
        const { until = 0, times = 0 } = pauses.get(why) ?? {};
        pauses.set(why, { why, until: Math.max(until, at + milliseconds), times: times + 1 });
      }
    },
    at(now: number): RunProgress {
      const left = actions.size - ended.size;
      const rate = completionRate(ends, now, began);
      const timeLeft = rate === undefined || rate === 0 || left === 0 ? undefined : (left / rate) * 1000;
      return {
        phase: isFinished ? "finished" : left > 0 ? "running" : "reading-again",
        stages: stages(),
        running: [...running].flatMap(([id, since]) => {
          const action = actions.get(id);
          return action === undefined ? [] : [{ action, since }];
        }),
        waiting: waiting(),
        pauses: [...pauses.values()],
        elapsed: Math.max(0, now - began),
        ...definedFields({ rate, timeLeft }),
      };
    },
  };
}

/** Per second: of late, or of the whole run where too little has happened of late. */
function completionRate(ends: readonly number[], now: number, began: number): number | undefined {
  if (ends.length < minEnds) return undefined;
  const from = Math.max(began, now - rateWindow);
  const recent = ends.length - ends.findLastIndex((at) => at < from) - 1;
  const [counted, since] = recent >= minEnds ? [recent, from] : [ends.length, began];
  return counted / (Math.max(1, now - since) / 1000);
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

const countedAs = {
  succeeded: "done",
  unneeded: "done",
  failed: "failed",
  unknown: "unknown",
  skipped: "leftOut",
  stale: "leftOut",
} as const;
