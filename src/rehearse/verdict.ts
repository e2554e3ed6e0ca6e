import { type RunSummary, type UnsuccessfulOutcome, unsuccessfulOutcomes } from "../journal/summary.ts";
import type { Action, ActionId } from "../model/action.ts";
import type { Finding } from "../model/finding.ts";
import type { Plan, RehearsalIssue } from "../model/plan.ts";
import { holdNames } from "../model/policy.ts";
import type { Result } from "../model/result.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { formatSubject, userSubject } from "../model/subject.ts";

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
    ...unsuccessfulOutcomes(run).map(issueOf),
    ...problemsOfEnd(run),
    ...news.filter(({ blocking }) => blocking).map((finding): RehearsalIssue => ({ is: "found", finding })),
    ...problemsOfReplan(rehearsed),
  ];
  return { troubles, notices: news.filter(({ blocking }) => !blocking) };
}

function distinct(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [finding.fingerprint, finding])).values()];
}

function issueOf(outcome: UnsuccessfulOutcome): RehearsalIssue {
  const { is, action } = outcome;
  switch (is) {
    case "refused":
      return { is, action, person: outcome.address, failure: outcome.failure };
    case "skipped":
      return { is, action, why: outcome.why };
    default:
      return outcome;
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
  const released = releasedSubjects(plan, left);
  const remaining = left.actions.filter((action) => !isReleased(action, released));
  return [...guarded, ...remaining.flatMap((action) => remainingActionProblem(action, strange))];
}

/** What guards held of a plan, and do not hold of the next one: this plan made way for it, as when a role moves to another key. */
function releasedSubjects({ findings }: Plan, next: Plan): ReadonlySet<string> {
  const held = new Set(next.findings.map(({ fingerprint }) => fingerprint));
  const isHold = ({ code }: Finding) => holdNames.some((name) => name === code);
  return new Set(
    findings
      .filter((finding) => isHold(finding) && !held.has(finding.fingerprint))
      .map(({ subject }) => formatSubject(subject)),
  );
}

function isReleased(action: Action, released: ReadonlySet<string>): boolean {
  if (action.kind !== "replace-roles") return false;
  const address = action.owner?.address ?? (action.key.of === "prefix" ? undefined : action.key.address);
  return address !== undefined && released.has(formatSubject(userSubject(address)));
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
