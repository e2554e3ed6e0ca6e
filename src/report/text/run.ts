import {
  type ActionOutcome,
  countOutcomes,
  type LearnedKey,
  type RunSummary,
  refusedMembers,
} from "../../journal/summary.ts";
import type { ActionId } from "../../model/action.ts";
import type { Finding } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import type { Failure } from "../../model/result.ts";
import { noNames, type PlanNames, planNames } from "../plan-summary.ts";
import { actionName } from "./actions.ts";
import { findingCounts, findingListLines, findingTitle } from "./findings.ts";
import { joinSections, type Line, prose, row, table } from "./lines.ts";
import { serviceLines } from "./problems.ts";

/** What a run came to: what did not succeed and why, the keys it learned, what remains, and whether it shows. */
export function runLines(run: RunSummary, plan: Plan | undefined): readonly Line[] {
  const names = plan === undefined ? noNames : planNames(plan);
  return joinSections([
    failureLines(run, names),
    learnedKeyLines(run.keys, names),
    findingListLines("Found by this run", run.findings),
    remainingLines(plan?.findings ?? []),
    [...verificationLines(run), ...closingLines(run, plan)],
  ]);
}

function failureLines(run: RunSummary, names: PlanNames): readonly Line[] {
  const lines = [...run.outcomes].flatMap(([id, outcome]) => outcomeLines(id, outcome, { names, ended: run.ended }));
  if (lines.length === 0) return [];
  return [row(0, [{ ink: "strong", text: "Did not succeed" }]), ...lines, ...nextLines(run, names)];
}

interface OutcomeContext {
  readonly names: PlanNames;
  readonly ended: RunSummary["ended"];
}

function outcomeLines(id: ActionId, outcome: ActionOutcome, { names, ended }: OutcomeContext): readonly Line[] {
  switch (outcome.is) {
    case "unneeded":
      return [];
    case "succeeded":
      return refusedLines(outcome, names);
    case "failed":
      return [outcomeTitle("failed", nameOf(id, names)), ...failureDetailLines(outcome.failure)];
    case "unknown":
      return [outcomeTitle("unknown outcome", nameOf(id, names)), ...failureDetailLines(outcome.failure)];
    case "skipped": {
      const cause = outcome.cause === undefined ? "" : ` (because of: ${nameOf(outcome.cause, names)})`;
      return [outcomeTitle("skipped", nameOf(id, names)), prose(6, `${shortReason(outcome.why, ended)}${cause}`)];
    }
    case "stale":
      return [outcomeTitle("stale", nameOf(id, names)), prose(6, outcome.why)];
  }
}

/** Why the run ended is told once, at its end, and not of each action that it no longer started. */
function shortReason(why: string, ended: RunSummary["ended"]): string {
  return ended !== undefined && why === ended.why ? `the run was ${ended.ended}` : why;
}

function nameOf(id: ActionId, names: PlanNames): string {
  const action = names.action(id);
  return action === undefined ? id : actionName(action, names);
}

function refusedLines(outcome: ActionOutcome, names: PlanNames): readonly Line[] {
  if (outcome.is !== "succeeded" || outcome.learned.kind !== "add-members") return [];
  const team = names.team(outcome.learned.team);
  return refusedMembers(outcome).flatMap(({ address, failure }) => [
    outcomeTitle("refused", `add ${names.email(address)} to team ${team}`),
    ...failureDetailLines(failure),
  ]);
}

function outcomeTitle(label: string, name: string): Line {
  return row(2, [{ ink: "alarm", text: `! ${label}` }, `: ${name}`]);
}

function failureDetailLines(failure: Failure): readonly Line[] {
  return [
    prose(6, failure.message),
    ...serviceLines(6, failure),
    ...(failure.hint === undefined ? [] : [prose(6, `hint: ${failure.hint}`)]),
  ];
}

function nextLines(run: RunSummary, names: PlanNames): readonly Line[] {
  const counts = countOutcomes(run);
  const refused = [...run.outcomes.values()].flatMap(refusedMembers).length;
  return [
    ...(counts.failed + counts.skipped + refused === 0 ? [] : [prose(2, `Next: ${afterFailure(run, names)}`, "dim")]),
    ...(counts.unknown === 0
      ? []
      : [prose(2, "Next: apply again; an unknown outcome is settled by reading, or by roster state resolve.", "dim")]),
    ...(counts.stale === 0 ? [] : [prose(2, "Next: plan again; what the plan rested on has moved.", "dim")]),
  ];
}

/** An invitation that was to be sent once more stands alone in its plan, and no apply sends it. */
function afterFailure({ outcomes }: RunSummary, names: PlanNames): string {
  const again = [...outcomes].flatMap(([id, outcome]) => (isReinvitation(id, names) ? failuresOf(outcome) : []));
  if (again.some(({ code }) => code === "conflict")) {
    return "this service mails no member again: have the invitation renewed by hand in the service.";
  }
  if (again.length > 0) return "correct what failed and say roster reinvite again; an apply mails nobody twice.";
  return "correct what failed and apply again; nothing that succeeded is done twice.";
}

function isReinvitation(id: ActionId, names: PlanNames): boolean {
  const action = names.action(id);
  return action?.kind === "add-members" && action.again === true;
}

function failuresOf(outcome: ActionOutcome): readonly Failure[] {
  if (outcome.is === "failed") return [outcome.failure];
  return refusedMembers(outcome).map(({ failure }) => failure);
}

/** The plan, which was shown before, has told the findings at length: here they are only named. */
function remainingLines(findings: readonly Finding[]): readonly Line[] {
  if (findings.length === 0) return [];
  const heading = row(0, [{ ink: "strong", text: `What no call can correct: ${findingCounts(findings)}` }]);
  return [heading, ...findings.filter((finding) => finding.blocking).map(findingTitle)];
}

/** What reading again has shown of what a run touched. */
export const verificationMessages = {
  converged: "Read again: what was touched is as the roster says (converged).",
  settling: "Read again: not everything that was touched shows yet (settling).",
  diverged: "Read again: something that was touched shows otherwise than asked (diverged).",
  unverified: "What was touched could not be read again (unverified).",
} as const;

function verificationLines({ verified }: RunSummary): readonly Line[] {
  if (verified === undefined) return [];
  return [
    prose(0, verificationMessages[verified.result]),
    ...verified.remarks.map((remark) => prose(2, `- ${remark}`)),
  ];
}

function closingLines(run: RunSummary, plan: Plan | undefined): readonly Line[] {
  return [...runEndLines(run), prose(0, `Applied: ${formatOutcomes(run, plan)}.`, "strong")];
}

/** `5 of 7 actions done, 2 not needed`. */
export function formatOutcomes(run: RunSummary, plan: Plan | undefined): string {
  const counts = countOutcomes(run);
  const parts = [
    `${counts.succeeded}${plan === undefined ? "" : ` of ${plan.actions.length}`} actions done`,
    ...(counts.unneeded === 0 ? [] : [`${counts.unneeded} not needed`]),
    ...(counts.failed === 0 ? [] : [`${counts.failed} failed`]),
    ...(counts.unknown === 0 ? [] : [`${counts.unknown} with an unknown outcome`]),
    ...(counts.skipped === 0 ? [] : [`${counts.skipped} skipped`]),
    ...(counts.stale === 0 ? [] : [`${counts.stale} stale`]),
  ];
  return parts.join(", ");
}

function runEndLines({ ended }: RunSummary): readonly Line[] {
  if (ended === undefined) return [prose(0, "The run did not come to its end.", "alarm")];
  if (ended.ended === "completed") return [];
  const { why } = ended;
  const isSaidAlready = why === undefined || why === `the run was ${ended.ended}`;
  return [prose(0, `The run was ${ended.ended}${isSaidAlready ? "" : `: ${why}`}.`, "alarm")];
}

/** The key prefixes that a run learned, person by person. */
function learnedKeyLines(keys: readonly LearnedKey[], names: PlanNames): readonly Line[] {
  if (keys.length === 0) return [];
  const rows = keys.map((key) => [
    names.email(key.address),
    key.team === undefined ? "own key" : `team ${names.team(key.team)}`,
    key.prefix,
  ]);
  return [row(0, [{ ink: "strong", text: `Keys (${keys.length})` }]), ...table(["person", "key of", "prefix"], rows)];
}
