import {
  countOutcomes,
  isWhole,
  type RunSummary,
  refusedMembers,
  type UnsuccessfulOutcome,
  unsuccessfulOutcomes,
} from "../../journal/summary.ts";
import type { Finding } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import { formatCount, formatTallies } from "../phrases.ts";
import { noNames, type PlanNames, planNames } from "../plan-names.ts";
import { actionLabel, actionSpan } from "./actions.ts";
import {
  andMore,
  headed,
  type Inline,
  item,
  joinSections,
  type Line,
  phrase,
  prose,
  row,
  type Section,
  strong,
  type Table,
  words,
} from "./blocks.ts";
import { type Entry, type EntryGroup, groupLines, groupSection } from "./entries.ts";
import { findingEntry, findingGroups, formatApplyCommand, remedySections } from "./findings.ts";
import { failureLines, failureSpans } from "./problems.ts";

/** The result of a run: what did not succeed and why, new keys, what remains, and whether the changes were verified. */
export function runLines(
  run: RunSummary,
  plan: Plan | undefined,
  repeats?: readonly string[],
): readonly (Line | Table)[] {
  const names = plan === undefined ? noNames : planNames(plan);
  return joinSections<Table>([
    unsuccessfulLines(run, names, repeats),
    run.keys.length === 0 ? [] : headed(`Keys (${run.keys.length})`, [keyTable(run, names)]),
    ...foundGroups(run).map(groupLines),
    groupLines(remainingGroup(plan?.findings ?? [])),
    [
      ...verificationLines(run),
      ...runEndLines(run),
      prose(0, `${isWhole(run) ? "Done" : "Partly done"}: ${formatOutcomes(run)}.`, "strong"),
    ],
  ]);
}

/** The same for a review: how it ended and reads first, and the keys folded. */
export function runSections(
  run: RunSummary,
  plan: Plan | undefined,
  { whole, repeats }: { readonly whole: Inline; readonly repeats?: readonly string[] | undefined },
): readonly Section[] {
  const names = plan === undefined ? noNames : planNames(plan);
  const outcomes = unsuccessfulOutcomes(run);
  return [
    endSection(run),
    {
      title: `Did not succeed (${outcomes.length})`,
      is: "open",
      body: {
        kind: "table",
        columns: ["what", "result", "why"],
        rows: outcomes.map((outcome) => unsuccessfulRow(outcome, names)),
      },
      rank: 4,
      leftOut: andMore(whole, "more call"),
    },
    ...retrySections(run, repeats),
    ...foundGroups(run).map((group) => groupSection({ ...group, rank: 5 }, whole)),
    ...remedySections(run, whole),
    {
      title: `New keys (${run.keys.length})`,
      is: "folded",
      body: keyTable(run, names),
      rank: 55,
      leftOut: andMore(phrase`${"roster state show"}`, "more key"),
    },
  ];
}

function foundGroups({ findings }: RunSummary): readonly EntryGroup[] {
  return findingGroups(findings, { by: ", found by this run" });
}

function retrySections({ retry = [] }: RunSummary, repeats: readonly string[] | undefined): readonly Section[] {
  if (retry.length === 0) return [];
  const lines = `${formatApplyCommand(retry, repeats)}\n`;
  return [
    {
      title: "To send the refused calls again without a change of the roster",
      is: "open",
      body: { kind: "stack", entries: [[{ kind: "code", language: "text", lines }]] },
      rank: 4,
      leftOut: () => phrase`${"roster plan"} names each --allow.`,
    },
  ];
}

/** The key prefixes that a run learned, person by person. */
function keyTable({ keys }: RunSummary, names: PlanNames): Table {
  return {
    kind: "table",
    columns: ["person", "key of", "prefix"],
    rows: keys.map(({ address, team, prefix }) => [
      phrase`${names.email(address)}`,
      team === undefined ? words("own key") : phrase`team ${names.team(team)}`,
      phrase`${prefix}`,
    ]),
  };
}

function unsuccessfulLines(run: RunSummary, names: PlanNames, repeats: readonly string[] | undefined): readonly Line[] {
  const lines = unsuccessfulOutcomes(run).flatMap((outcome) => outcomeLines(outcome, names, run.ended));
  return lines.length === 0 ? [] : headed("Did not succeed", [...lines, ...nextStepLines(run, names, repeats)]);
}

const resultLabels: Readonly<Record<UnsuccessfulOutcome["is"], string>> = {
  failed: "failed",
  unknown: "unknown outcome",
  refused: "refused",
  skipped: "skipped",
  stale: "stale",
};

function outcomeLines(outcome: UnsuccessfulOutcome, names: PlanNames, ended: RunSummary["ended"]): readonly Line[] {
  const name =
    outcome.is === "refused"
      ? `add ${names.email(outcome.address)} to team ${names.team(outcome.team)}`
      : actionLabel(outcome.action, names);
  const title = outcomeTitle(resultLabels[outcome.is], name);
  if ("failure" in outcome) return [title, ...failureLines(outcome.failure)];
  if (outcome.is === "stale") return [title, prose(6, outcome.why)];
  // Why the run ended stands once, at its end, and not at each action that it no longer started.
  const isEnd = ended !== undefined && outcome.why === ended.why;
  const why = isEnd ? `the run was ${ended.ended}` : outcome.why;
  const cause = outcome.cause === undefined ? "" : ` (because of: ${actionLabel(outcome.cause, names)})`;
  return [title, prose(6, `${why}${cause}`)];
}

/** A problem of a run or of a rehearsal, on one line. */
export function outcomeTitle(label: string, name: string): Line {
  return row(2, [{ ink: "alarm", text: `! ${label}` }, `: ${name}`]);
}

function unsuccessfulRow(outcome: UnsuccessfulOutcome, names: PlanNames): readonly Inline[] {
  const action = [actionSpan(outcome.action, names)];
  const result = words(resultLabels[outcome.is]);
  if ("failure" in outcome) {
    const what = outcome.is === "refused" ? phrase`${action}: ${names.email(outcome.address)}` : action;
    return [what, [strong(result)], failureSpans(outcome.failure)];
  }
  const isCaused = outcome.is === "skipped" && outcome.cause !== undefined;
  const cause = isCaused ? phrase`, because of: ${[actionSpan(outcome.cause, names)]}` : [];
  return [action, result, [outcome.why, ...cause]];
}

function nextStepLines(run: RunSummary, names: PlanNames, repeats: readonly string[] | undefined): readonly Line[] {
  const { failed, skipped, unknown, stale } = countOutcomes(run);
  const refused = [...run.outcomes.values()].flatMap(refusedMembers).length;
  const { retry = [] } = run;
  const steps = [
    ...(failed + skipped + refused === 0 ? [] : [stepAfterFailure(run, names)]),
    ...(unknown === 0
      ? []
      : ["run roster apply again. It resolves unknown outcomes by reading, or use roster state resolve."]),
    ...(stale === 0 ? [] : ["plan again. The facts of the plan have changed."]),
  ];
  return [...steps.map((step) => prose(2, `Next: ${step}`, "dim")), ...retryLines(retry, repeats)];
}

/** A refused call is not sent again by itself. */
function retryLines(retry: readonly string[], repeats: readonly string[] | undefined): readonly Line[] {
  if (retry.length === 0) return [];
  return [
    prose(2, "To send the refused calls again without a change of the roster:", "dim"),
    row(4, [formatApplyCommand(retry, repeats)]),
  ];
}

/** An invitation that is sent again is alone in its plan, and no apply sends it. */
function stepAfterFailure(run: RunSummary, names: PlanNames): string {
  const failures = unsuccessfulOutcomes(run).flatMap((outcome) => {
    const action = names.action(outcome.action);
    const isInvitation = action?.kind === "add-members" && action.again === true;
    return isInvitation && (outcome.is === "failed" || outcome.is === "refused") ? [outcome.failure] : [];
  });
  if (failures.some(({ code }) => code === "conflict")) {
    return "renew the invitation in the service. This service does not send it again.";
  }
  if (failures.length > 0)
    return "correct the cause and run roster resend-invitation again. roster apply sends no second mail.";
  return "correct the cause and run roster apply again. It repeats nothing.";
}

/** The plan, which was shown before, has the findings in full. Here is only what is left to do by hand. */
function remainingGroup(findings: readonly Finding[]): EntryGroup {
  const blocking = findings.filter((finding) => finding.blocking);
  const entries = blocking.map((finding): Entry => ({ ...findingEntry(finding), brief: true }));
  return { title: "Needs manual action", is: "open", rank: 10, entries };
}

/** What reading the changes again has shown. */
const verificationMessages = {
  converged: "Verified: all changes are in place.",
  pending: "Not verified yet: the service does not show all changes. Run roster plan later.",
  diverged: "Verification failed: the service shows other values than roster sent. Run roster plan.",
  unverified: "Not verified: roster could not read the changes again. Run roster plan.",
} as const;

function verificationLines({ verified }: RunSummary): readonly Line[] {
  if (verified === undefined) return [];
  return [
    prose(0, verificationMessages[verified.result]),
    ...verified.remarks.map((remark) => prose(2, `- ${remark}`)),
  ];
}

function runEndLines({ ended }: RunSummary): readonly Line[] {
  if (ended === undefined) return [prose(0, unfinished, "alarm")];
  if (ended.ended === "completed") return [];
  const { why } = ended;
  const isKnown = why === undefined || why === `the run was ${ended.ended}`;
  return [prose(0, `The run was ${ended.ended}${isKnown ? "" : `: ${why}`}.`, "alarm")];
}

const unfinished = "The run did not finish.";

function endSection({ ended, verified }: RunSummary): Section {
  const why: Inline = ended?.why === undefined ? [] : [...words(": "), ended.why];
  const end =
    ended === undefined ? [strong(words(unfinished))] : phrase`${strong(words(`The run was ${ended.ended}`))}${why}`;
  return {
    is: "open",
    lead: [
      ...(ended?.ended === "completed" ? [] : [item(end)]),
      ...(verified === undefined ? [] : [item(words(verificationMessages[verified.result]))]),
    ],
    body: { kind: "list", nested: true, items: (verified?.remarks ?? []).map((remark) => [remark]) },
    rank: 6,
    leftOut: (count) => words(`… and ${formatCount(count, "more remark")}`),
  };
}

/** `5 changed, 2 already correct, 1 failed`. */
export function formatOutcomes(run: RunSummary): string {
  const counts = countOutcomes(run);
  const others = formatTallies(
    [counts.unneeded, "already correct"],
    [counts.failed, "failed"],
    [counts.unknown, "with an unknown outcome"],
    [counts.skipped, "skipped"],
    [counts.stale, "stale"],
  );
  return [`${counts.succeeded} changed`, ...others].join(", ");
}
