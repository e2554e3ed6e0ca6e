import { type ActionOutcome, type RunSummary, refusedMembers } from "../journal/summary.ts";
import type { Action, ActionId } from "../model/action.ts";
import type { Finding } from "../model/finding.ts";
import type { Plan, RehearsalIssue } from "../model/plan.ts";
import type { Result } from "../model/result.ts";
import type { Snapshot } from "../model/snapshot.ts";

/** A plan, what it was made from, and what guards have against it, one sentence each. */
export interface Replan {
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  readonly against: readonly string[];
}

/** A rehearsed run, and the plans that were made before and after it. */
interface RehearsedRun {
  readonly plan: Plan;
  readonly run: RunSummary;
  /** What planning came to on the service in memory before anything was done: what differs there is no matter of the plan. */
  readonly before: Result<Replan, string>;
  readonly again: Result<Replan, string>;
}

interface RehearsalVerdict {
  readonly troubles: readonly RehearsalIssue[];
  /** Findings that the plan does not foretell, and that do not block. */
  readonly notices: readonly Finding[];
}

/** What does not come about as the plan says. */
export function assessRehearsal(rehearsed: RehearsedRun): RehearsalVerdict {
  const { plan, run, before, again } = rehearsed;
  const foretold = [plan, ...(before.ok ? [before.value.plan] : [])].flatMap(({ findings }) => findings);
  const known = new Set(foretold.map(({ fingerprint }) => fingerprint));
  const found = [...run.findings, ...(again.ok ? again.value.plan.findings : [])];
  const news = distinct(found.filter(({ fingerprint }) => !known.has(fingerprint)));
  const troubles = [
    ...[...run.outcomes].flatMap(([action, outcome]) => problemsOfAction(action, outcome)),
    ...problemsOfEnd(run),
    ...news.filter(({ blocking }) => blocking).map((finding): RehearsalIssue => ({ is: "found", finding })),
    ...problemsOfReplan(rehearsed),
  ];
  return { troubles, notices: news.filter(({ blocking }) => !blocking) };
}

function distinct(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [finding.fingerprint, finding])).values()];
}

function problemsOfAction(action: ActionId, outcome: ActionOutcome): readonly RehearsalIssue[] {
  switch (outcome.is) {
    case "unneeded":
      return [];
    case "succeeded":
      return refusedMembers(outcome).map(({ address, failure }) => ({
        is: "refused",
        action,
        person: address,
        failure,
      }));
    case "failed":
    case "unknown":
      return [{ is: outcome.is, action, failure: outcome.failure }];
    case "skipped":
    case "stale":
      return [{ is: outcome.is, action, why: outcome.why }];
  }
}

function problemsOfEnd({ ended }: RunSummary): readonly RehearsalIssue[] {
  if (ended === undefined || ended.ended === "completed") return [];
  return [{ is: "stopped", why: ended.why ?? "the run was stopped" }];
}

function problemsOfReplan({ plan, before, again }: RehearsedRun): readonly RehearsalIssue[] {
  if (!again.ok) return [{ is: "unplanned", why: again.error }];
  const { against, plan: left } = again.value;
  const known = before.ok ? before.value.against : [];
  const guarded = against.filter((one) => !known.includes(one)).map((why) => ({ is: "unplanned", why }) as const);
  const strange = new Set(before.ok ? differingActions(before.value.plan, plan) : []);
  return [...guarded, ...left.actions.flatMap((action) => remainingActionProblem(action, strange))];
}

/** What the service in memory lacked from the start cannot be rehearsed. */
function remainingActionProblem(action: Action, strange: ReadonlySet<string>): readonly RehearsalIssue[] {
  return strange.has(action.id) ? [] : [{ is: "remains", action }];
}

/** The actions of one plan that another lacks, or has for other people or with other roles. */
export function differingActions(plan: Plan, other: Plan): readonly ActionId[] {
  const known = new Map(other.actions.map((action) => [action.id, actionContent(action)]));
  return plan.actions.filter((action) => known.get(action.id) !== actionContent(action)).map(({ id }) => id);
}

function actionContent(action: Action): string {
  switch (action.kind) {
    case "create-user":
      return JSON.stringify([action.user, action.founds?.name]);
    case "add-members":
      return JSON.stringify(action.members.map(({ address }) => address));
    case "replace-roles":
      return JSON.stringify(action.roles);
  }
}
