import type { EmailKey } from "../model/address.ts";
import { definedFields } from "../model/collections.ts";
import type { EventOf, LearnedOutcome, RunEvent } from "../model/event.ts";
import type { Failure } from "../model/failure.ts";
import type { Finding } from "../model/finding.ts";
import type { Action, ActionId, Plan } from "../model/plan.ts";
import { isRefusedAccess } from "../model/result.ts";
import type { LogHead } from "../model/state.ts";
import type { RoleSet, TeamKey } from "../model/values.ts";
import { type LearnedKey, learnedKeys } from "./state-draft.ts";

/** What a run came to: a fold over its events. */
export interface RunSummary {
  readonly run: string;
  readonly startedAt: string;
  /** In the order in which the actions ended. */
  readonly outcomes: ReadonlyMap<ActionId, ActionOutcome>;
  /** How often the call of an action was sent after its first time. Only actions of which that is so. */
  readonly retries: ReadonlyMap<ActionId, number>;
  /** The prefixes that it learned. */
  readonly keys: readonly LearnedKey[];
  /** By prefix: what keys read as after what the run has done. */
  readonly rolesRead: ReadonlyMap<string, RoleSet>;
  /** Findings that only the run could make. */
  readonly findings: readonly Finding[];
  readonly verified?: EventOf<"verified">;
  readonly ended?: EventOf<"run-finished">;
  /** What a person can allow so that calls that the run's service refused are sent again: the codes for `--allow`. */
  readonly retry?: readonly string[];
  /** Where the log ended with the last event of the run. */
  readonly head?: LogHead;
}

export type ActionOutcome =
  | { readonly is: "succeeded"; readonly learned: LearnedOutcome }
  | { readonly is: "unneeded"; readonly why: string }
  | { readonly is: "failed"; readonly failure: Failure }
  | { readonly is: "unknown"; readonly failure: Failure }
  | { readonly is: "skipped"; readonly why: string; readonly cause?: ActionId | undefined }
  | { readonly is: "stale"; readonly why: string };

export function summarizeRun(events: Iterable<RunEvent>): RunSummary {
  const outcomes = new Map<ActionId, ActionOutcome>();
  const keys = new Map<string, LearnedKey>();
  const rolesRead = new Map<string, RoleSet>();
  const findings: Finding[] = [];
  const retries = new Map<ActionId, number>();
  const sent = new Set<string>();
  let summary: Pick<RunSummary, "run" | "startedAt" | "verified" | "ended"> = { run: "", startedAt: "" };
  for (const event of events) {
    const outcome = outcomeOf(event, summary.run);
    if (outcome !== undefined) {
      outcomes.delete(outcome.action);
      outcomes.set(outcome.action, outcome.outcome);
    }
    if (event.type === "intended") countCall(sent, retries, event);
    if (event.type === "run-started") summary = { ...summary, run: event.run, startedAt: event.at };
    for (const key of learnedKeys(event)) keys.set(JSON.stringify([key.address, key.team]), key);
    if (event.type === "key-read") rolesRead.set(event.prefix, event.roles);
    if (event.type === "found") findings.push(event.finding);
    if (event.type === "verified") summary = { ...summary, verified: event };
    if (event.type === "run-finished") summary = { ...summary, ended: event };
  }
  return { ...summary, outcomes, retries, keys: [...keys.values()], rolesRead, findings };
}

/** A batch that is sent in parts has an intent for each part: none of them is a retry. */
function countCall(sent: Set<string>, retries: Map<ActionId, number>, { action, intent }: EventOf<"intended">): void {
  const call = JSON.stringify([action, intent]);
  if (sent.has(call)) retries.set(action, (retries.get(action) ?? 0) + 1);
  sent.add(call);
}

export function countOutcomes(summary: RunSummary): Readonly<Record<ActionOutcome["is"], number>> {
  const counts = { succeeded: 0, unneeded: 0, failed: 0, unknown: 0, skipped: 0, stale: 0 };
  for (const outcome of summary.outcomes.values()) counts[outcome.is] += 1;
  return counts;
}

export function accessWasRefused(summary: RunSummary): boolean {
  if (summary.ended?.accessRefused === true) return true;
  return [...summary.outcomes.values()].some((outcome) => outcome.is === "failed" && isRefusedAccess(outcome.failure));
}

/** The people of an add-members call that the service did not add, although the call itself was answered. */
export function refusedMembers(outcome: ActionOutcome): readonly { address: EmailKey; failure: Failure }[] {
  if (outcome.is !== "succeeded" || outcome.learned.kind !== "add-members") return [];
  return outcome.learned.members.flatMap(({ address, outcome: member }) =>
    member.added ? [] : [{ address, failure: member.failure }],
  );
}

/** An action, or one person's part of it, that did not succeed. */
export type UnsuccessfulOutcome =
  | (Exclude<ActionOutcome, { readonly is: "succeeded" | "unneeded" }> & { readonly action: ActionId })
  | {
      readonly is: "refused";
      readonly action: ActionId;
      readonly address: EmailKey;
      readonly team: TeamKey;
      readonly failure: Failure;
    };

export function unsuccessfulOutcomes({ outcomes }: RunSummary): readonly UnsuccessfulOutcome[] {
  const unsuccessful: UnsuccessfulOutcome[] = [];
  for (const [action, outcome] of outcomes) {
    if (outcome.is === "unneeded") continue;
    if (outcome.is !== "succeeded") unsuccessful.push({ ...outcome, action });
    else if (outcome.learned.kind === "add-members") {
      const { team } = outcome.learned;
      for (const refused of refusedMembers(outcome)) unsuccessful.push({ is: "refused", action, team, ...refused });
    }
  }
  return unsuccessful;
}

/** Whether the run came to its end, and all of it succeeded. */
export function isWhole(run: RunSummary): boolean {
  return unsuccessfulOutcomes(run).length === 0 && run.ended?.ended === "completed";
}

/** The end of an action of this run, where the event tells one. */
export function outcomeOf(event: RunEvent, run: string): { action: ActionId; outcome: ActionOutcome } | undefined {
  switch (event.type) {
    case "succeeded":
      return { action: event.action, outcome: { is: "succeeded", learned: event.learned } };
    case "resolved":
      // What an earlier run left open is no action of this one; what was not done counts as failed.
      if (event.run !== run || !event.as.done || event.except !== undefined) return undefined;
      return { action: event.action, outcome: { is: "succeeded", learned: event.as.learned } };
    case "unneeded":
    case "stale":
      return { action: event.action, outcome: { is: event.type, why: event.why } };
    case "failed":
      return { action: event.action, outcome: { is: "failed", failure: event.failure } };
    case "unknown-outcome":
      return { action: event.action, outcome: { is: "unknown", failure: event.failure } };
    case "skipped":
      return { action: event.action, outcome: { is: "skipped", why: event.why, cause: event.cause } };
    default:
      return undefined;
  }
}

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
  /** Of an unknown outcome, which reading may resolve yet. */
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
  const running = new Map<ActionId, { readonly action: Action; readonly since: number }>();
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
      const begun = event.type === "intended" ? actions.get(event.action) : undefined;
      if (begun !== undefined && !running.has(begun.id)) running.set(begun.id, { action: begun, since: at });
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
        running: [...running.values()],
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

/** Whether a run has put right what a part of an action is for: it did it, or it came to be so without it. */
export function isFixedBy(run: RunSummary | undefined, action: ActionId, person: EmailKey | undefined): boolean {
  const outcome = run?.outcomes.get(action);
  if (outcome?.is !== "succeeded") return outcome?.is === "unneeded";
  const { learned } = outcome;
  if (learned.kind !== "add-members" || person === undefined) return true;
  return learned.members.find(({ address }) => address === person)?.outcome.added === true;
}
