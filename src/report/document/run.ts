import { type ActionOutcome, countOutcomes, type RunSummary, refusedMembers } from "../../journal/summary.ts";
import type { ActionId } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { Finding } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import type { Failure } from "../../model/result.ts";
import type { TeamKey } from "../../model/team.ts";
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
import {
  findingListLines,
  findingSections,
  findingTitle,
  foldedFindingSections,
  formatApplyCommand,
} from "./findings.ts";
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
    ...findingListLines(run.findings, { by: ", found by this run" }),
    remainingLines(plan?.findings ?? []),
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
  const found = [...findingSections(run.findings, whole), ...foldedFindingSections(run, whole)];
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
    ...found.map((section) => ({ ...section, title: `${section.title ?? ""}, found by this run`, rank: 5 })),
    {
      title: `New keys (${run.keys.length})`,
      is: "folded",
      body: keyTable(run, names),
      rank: 55,
      leftOut: andMore(phrase`${"roster state show"}`, "more key"),
    },
  ];
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

/** An action, or one person's part of it, that did not succeed. */
export type UnsuccessfulOutcome =
  | { readonly is: "failed" | "unknown"; readonly action: ActionId; readonly failure: Failure }
  | {
      readonly is: "refused";
      readonly action: ActionId;
      readonly address: FoldedAddress;
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

function unsuccessfulLines(run: RunSummary, names: PlanNames, repeats: readonly string[] | undefined): readonly Line[] {
  const lines = unsuccessfulOutcomes(run).flatMap((outcome) => outcomeLines(outcome, names, run.ended));
  return lines.length === 0 ? [] : headed("Did not succeed", [...lines, ...nextStepLines(run, names, repeats)]);
}

function outcomeLines(outcome: UnsuccessfulOutcome, names: PlanNames, ended: RunSummary["ended"]): readonly Line[] {
  const name = actionLabel(outcome.action, names);
  switch (outcome.is) {
    case "failed":
      return [outcomeTitle("failed", name), ...failureLines(outcome.failure)];
    case "unknown":
      return [outcomeTitle("unknown outcome", name), ...failureLines(outcome.failure)];
    case "refused": {
      const title = `add ${names.email(outcome.address)} to team ${names.team(outcome.team)}`;
      return [outcomeTitle("refused", title), ...failureLines(outcome.failure)];
    }
    case "skipped": {
      // Why the run ended stands once, at its end, and not at each action that it no longer started.
      const isEnd = ended !== undefined && outcome.why === ended.why;
      const why = isEnd ? `the run was ${ended.ended}` : outcome.why;
      const cause = outcome.cause === undefined ? "" : ` (because of: ${actionLabel(outcome.cause, names)})`;
      return [outcomeTitle("skipped", name), prose(6, `${why}${cause}`)];
    }
    case "stale":
      return [outcomeTitle("stale", name), prose(6, outcome.why)];
  }
}

/** A problem of a run or of a rehearsal, on one line. */
export function outcomeTitle(label: string, name: string): Line {
  return row(2, [{ ink: "alarm", text: `! ${label}` }, `: ${name}`]);
}

function unsuccessfulRow(outcome: UnsuccessfulOutcome, names: PlanNames): readonly Inline[] {
  const what = [actionSpan(outcome.action, names)];
  switch (outcome.is) {
    case "failed":
      return [what, [strong(words("failed"))], failureSpans(outcome.failure)];
    case "unknown":
      return [what, [strong(words("unknown outcome"))], failureSpans(outcome.failure)];
    case "refused": {
      const who = phrase`${what}: ${names.email(outcome.address)}`;
      return [who, [strong(words("refused"))], failureSpans(outcome.failure)];
    }
    case "skipped": {
      const cause = outcome.cause === undefined ? [] : phrase`, because of: ${[actionSpan(outcome.cause, names)]}`;
      return [what, words("skipped"), [outcome.why, ...cause]];
    }
    case "stale":
      return [what, words("stale"), [outcome.why]];
  }
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
function remainingLines(findings: readonly Finding[]): readonly Line[] {
  const blocking = findings.filter((finding) => finding.blocking);
  return headed(`Needs manual action: ${blocking.length}`, blocking.map(findingTitle));
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

function isWhole(run: RunSummary): boolean {
  return unsuccessfulOutcomes(run).length === 0 && run.ended?.ended === "completed";
}
