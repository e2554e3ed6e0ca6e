import type { EmailKey } from "../model/address.ts";
import { definedFields } from "../model/collections.ts";
import type { EventOf, LearnedOutcome, RunEvent } from "../model/event.ts";
import { type Failure, isRefusedAccess } from "../model/failure.ts";
import type { Finding } from "../model/finding.ts";
import type { ActionId } from "../model/plan.ts";
import type { LogHead } from "../model/state.ts";
import type { RoleSet, TeamKey } from "../model/values.ts";
import { type LearnedKey, learnedKeys } from "./learned-keys.ts";

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
  | { readonly is: "skipped"; readonly why: string; readonly cause?: ActionId }
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

/** True where the service refused our key or our permission in the middle of the run. */
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

/** What did not succeed, in the order of the plan. */
export function unsuccessfulOutcomes({ outcomes }: RunSummary): readonly UnsuccessfulOutcome[] {
  return [...outcomes].flatMap(([action, outcome]): readonly UnsuccessfulOutcome[] => {
    if (outcome.is === "unneeded") return [];
    if (outcome.is !== "succeeded") return [{ ...outcome, action }];
    const { learned } = outcome;
    if (learned.kind !== "add-members") return [];
    return refusedMembers(outcome).map((refused) => ({ is: "refused", action, team: learned.team, ...refused }));
  });
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
      return { action: event.action, outcome: { is: "unneeded", why: event.why } };
    case "failed":
      return { action: event.action, outcome: { is: "failed", failure: event.failure } };
    case "unknown-outcome":
      return { action: event.action, outcome: { is: "unknown", failure: event.failure } };
    case "stale":
      return { action: event.action, outcome: { is: "stale", why: event.why } };
    case "skipped": {
      const { action, why, cause } = event;
      return { action, outcome: { is: "skipped", why, ...definedFields({ cause }) } };
    }
    default:
      return undefined;
  }
}
