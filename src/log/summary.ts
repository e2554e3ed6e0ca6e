import type { ActionId } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import type { EventOf, LearnedOutcome, RunEvent } from "../model/event.ts";
import type { Finding } from "../model/finding.ts";
import type { Failure, Intent, TeamKey } from "../model/recorded.ts";
import { isRefusedAccess } from "../model/result.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { LogHead } from "../model/state.ts";

/** What a run came to: a fold over its events. */
export interface RunSummary {
  readonly run: string;
  readonly startedAt: string;
  /** In the order in which the actions ended. */
  readonly outcomes: ReadonlyMap<ActionId, ActionOutcome>;
  /** How often the call of an action was sent after its first time. Only actions of which that is so. */
  readonly retries: ReadonlyMap<ActionId, number>;
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

/** A prefix that this run learned. Without a team it is the user's own key. */
export interface LearnedKey {
  readonly address: EmailKey;
  readonly team?: TeamKey;
  readonly prefix: string;
}

type OutcomeCounts = Readonly<Record<ActionOutcome["is"], number>>;

export function summarizeRun(events: Iterable<RunEvent>): RunSummary {
  const outcomes = new Map<ActionId, ActionOutcome>();
  const keys = new Map<string, LearnedKey>();
  const rolesRead = new Map<string, RoleSet>();
  const findings: Finding[] = [];
  const retries = new Retries();
  let summary: Pick<RunSummary, "run" | "startedAt" | "verified" | "ended"> = { run: "", startedAt: "" };
  for (const event of events) {
    const outcome = outcomeOf(event, summary.run);
    if (outcome !== undefined) {
      outcomes.delete(outcome.action);
      outcomes.set(outcome.action, outcome.outcome);
    }
    retries.see(event);
    if (event.type === "run-started") summary = { ...summary, run: event.run, startedAt: event.at };
    if (event.type === "key-learned")
      keys.set(JSON.stringify([event.address, event.team, event.prefix]), toLearnedKey(event));
    if (event.type === "key-read") rolesRead.set(event.prefix, event.roles);
    if (event.type === "found") findings.push(event.finding);
    if (event.type === "verified") summary = { ...summary, verified: event };
    if (event.type === "run-finished") summary = { ...summary, ended: event };
  }
  return { ...summary, outcomes, retries: retries.counts, keys: [...keys.values()], rolesRead, findings };
}

/** Counts the calls that were announced more than once. A batch that is sent in parts has an intent for each part: none of them is a retry. */
class Retries {
  readonly counts = new Map<ActionId, number>();
  readonly #sent = new Map<ActionId, Intent[]>();

  see(event: RunEvent): void {
    if (event.type !== "intended") return;
    const { action, intent } = event;
    const sent = this.#sent.get(action);
    if (sent === undefined) this.#sent.set(action, [intent]);
    else if (sent.some((other) => JSON.stringify(other) === JSON.stringify(intent)))
      this.counts.set(action, (this.counts.get(action) ?? 0) + 1);
    else sent.push(intent);
  }
}

export function countOutcomes(summary: RunSummary): OutcomeCounts {
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
  | { readonly is: "failed" | "unknown"; readonly action: ActionId; readonly failure: Failure }
  | {
      readonly is: "refused";
      readonly action: ActionId;
      readonly address: EmailKey;
      readonly team: TeamKey;
      readonly failure: Failure;
    }
  | { readonly is: "skipped"; readonly action: ActionId; readonly why: string; readonly cause?: ActionId | undefined }
  | { readonly is: "stale"; readonly action: ActionId; readonly why: string };

/** What did not succeed, in the order of the plan. */
export function unsuccessfulOutcomes({ outcomes }: RunSummary): readonly UnsuccessfulOutcome[] {
  return [...outcomes].flatMap(([action, outcome]) => unsuccessfulOutcome(action, outcome));
}

function unsuccessfulOutcome(action: ActionId, outcome: ActionOutcome): readonly UnsuccessfulOutcome[] {
  switch (outcome.is) {
    case "unneeded":
      return [];
    case "succeeded": {
      const { learned } = outcome;
      if (learned.kind !== "add-members") return [];
      return refusedMembers(outcome).map((refused) => ({ is: "refused", action, team: learned.team, ...refused }));
    }
    case "failed":
    case "unknown":
      return [{ is: outcome.is, action, failure: outcome.failure }];
    case "skipped":
      return [{ is: "skipped", action, why: outcome.why, cause: outcome.cause }];
    case "stale":
      return [{ is: "stale", action, why: outcome.why }];
  }
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
    case "settled":
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
      const cause = event.cause === undefined ? {} : { cause: event.cause };
      return { action: event.action, outcome: { is: "skipped", why: event.why, ...cause } };
    }
    default:
      return undefined;
  }
}

function toLearnedKey({ address, team, prefix }: LearnedKey): LearnedKey {
  return { address, prefix, ...(team === undefined ? {} : { team }) };
}
