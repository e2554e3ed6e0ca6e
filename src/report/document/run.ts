import { formatCount, joinList } from "../../codes/message.ts";
import {
  countOutcomes,
  isWhole,
  type RunSummary,
  refusedMembers,
  type UnsuccessfulOutcome,
  unsuccessfulOutcomes,
} from "../../log/summary.ts";
import type { Plan } from "../../model/plan.ts";
import { capitalized, formatCounts, formatTallies } from "../phrases.ts";
import { actionSpan, noNames, type PlanNames, planNames } from "./actions.ts";
import { failureNotes } from "./problems.ts";
import { type FindingContext, findingSections, formatApplyCommand } from "./tasks.ts";
import {
  type Block,
  code,
  type Entry,
  inked,
  type Paragraph,
  paragraph,
  phrase,
  type Section,
  section,
  sentence,
  table,
  words,
} from "./tree.ts";

/** What did not succeed and why, the keys that the run learned, and what it found. */
export function runSections(run: RunSummary, context: FindingContext): readonly Section[] {
  const { names } = context;
  const keys = run.keys.map(({ address, team, prefix }) => [
    phrase`${names.email(address)}`,
    team === undefined ? words("own key") : phrase`team ${names.team(team)}`,
    phrase`${prefix}`,
  ]);
  const failed = unsuccessfulOutcomes(run).map((outcome) => outcomeEntry(outcome, names, run.ended));
  return [
    section("Did not succeed", { rank: 4 }, failed),
    ...findingSections(run.findings, context, ", found by this run").map((one) => ({ ...one, rank: 5 })),
    {
      title: words(`New keys (${run.keys.length})`),
      is: "folded",
      rank: 55,
      blocks: table(["person", "key of", "prefix"], keys),
      whole: "roster state show",
    },
  ];
}

const resultLabels: Readonly<Record<UnsuccessfulOutcome["is"], string>> = {
  failed: "failed",
  unknown: "unknown outcome",
  refused: "refused",
  skipped: "skipped",
  stale: "stale",
};

/** What did not succeed, how it ended, and why. */
function outcomeEntry(outcome: UnsuccessfulOutcome, names: PlanNames, ended: RunSummary["ended"]): Entry {
  const label = resultLabels[outcome.is];
  const what =
    outcome.is === "refused"
      ? phrase`add ${names.email(outcome.address)} to team ${names.team(outcome.team)}`
      : [actionSpan(outcome.action, names)];
  return {
    mark: "!",
    ink: "alarm",
    about: [inked("alarm", label)],
    what,
    notes: outcomeNotes(outcome, names, ended),
    labels: [label],
    actions: [outcome.action],
  };
}

function outcomeNotes(
  outcome: UnsuccessfulOutcome,
  names: PlanNames,
  ended: RunSummary["ended"],
): readonly Paragraph[] {
  if ("failure" in outcome) return failureNotes(outcome.failure);
  if (outcome.is === "stale") return [paragraph([outcome.why])];
  const cause = outcome.cause === undefined ? [] : phrase` (because of: ${[actionSpan(outcome.cause, names)]})`;
  // Why the run ended stands once, at its end, and not at each action that it no longer started.
  const isEnd = ended !== undefined && outcome.why === ended.why;
  return [paragraph([isEnd ? `the run was ${ended.ended}` : outcome.why, ...cause])];
}

/** What to do about what did not succeed. A refused call is not sent again by itself. */
export function runNext(run: RunSummary, repeats: readonly string[] | undefined): readonly Block[] {
  const { failed, skipped, unknown, stale } = countOutcomes(run);
  const refused = [...run.outcomes.values()].flatMap(refusedMembers).length;
  const { retry = [] } = run;
  const steps = [
    ...(failed + skipped + refused === 0
      ? []
      : ["correct the cause and run `roster apply` again. It repeats nothing."]),
    ...(unknown === 0
      ? []
      : ["run `roster apply` again. It resolves unknown outcomes by reading, or use `roster state resolve`."]),
    ...(stale === 0 ? [] : ["plan again. The facts of the plan have changed."]),
  ];
  return [
    ...steps.map((step) => sentence(`Next: ${step}`, "dim")),
    ...(retry.length === 0
      ? []
      : [
          sentence("To send the refused calls again without a change of the roster:", "dim"),
          code("shell", formatApplyCommand(retry, repeats)),
        ]),
  ];
}

/** What reading the changes again has shown. */
const verificationMessages = {
  converged: "Verified: all changes are in place.",
  pending: "Not verified yet: the service does not show all changes. Run `roster plan` later.",
  diverged: "Verification failed: the service shows other values than roster sent. Run `roster plan`.",
  unverified: "Not verified: roster could not read the changes again. Run `roster plan`.",
} as const;

/** Whether the changes are there, how the run ended, and what it did. */
export function runSummary(run: RunSummary, plan: Plan | undefined): readonly Paragraph[] {
  const { verified, ended } = run;
  const isPartly = verified?.result === "converged" && unsuccessfulOutcomes(run).length > 0;
  const message = verified && verificationMessages[verified.result];
  return [
    ...(message === undefined
      ? []
      : [sentence(isPartly ? "Verified: the changes that were made are in place." : message)]),
    ...(verified?.remarks ?? []).map((remark) => paragraph([`- ${remark}`])),
    ...endNotes(ended).map((text) => sentence(text, "alarm")),
    sentence(`${isWhole(run) ? "Done" : "Partly done"}: ${formatOutcomes(run, plan)}.`, "strong"),
  ];
}

/** How a run ended, unless in order. */
function endNotes(ended: RunSummary["ended"]): readonly string[] {
  if (ended === undefined) return ["The run did not finish."];
  if (ended.ended === "completed") return [];
  const end = `the run was ${ended.ended}`;
  const why = ended.why === undefined || ended.why === end ? "" : `: ${ended.why}`;
  return [`${capitalized(end)}${why}.`];
}

/** `created 1 user and 1 team, invited 2 members, changed the roles of 3 keys; 2 unchanged, 1 failed`. */
function formatOutcomes(run: RunSummary, plan: Plan | undefined): string {
  const counts = countOutcomes(run);
  const done = formatDone(run, plan === undefined ? noNames : planNames(plan));
  const others = formatTallies(
    [counts.unneeded, "unchanged"],
    [counts.failed, "failed"],
    [counts.unknown, "with an unknown outcome"],
    [counts.skipped, "skipped"],
    [counts.stale, "stale"],
  );
  return [done, ...(others.length === 0 ? [] : [others.join(", ")])].join("; ");
}

/** In the words of the plan's own summary. */
function formatDone({ outcomes }: RunSummary, names: PlanNames): string {
  const made = [...outcomes].flatMap(([id, outcome]) =>
    outcome.is === "succeeded" ? [{ action: names.action(id), learned: outcome.learned }] : [],
  );
  const count = (of: (one: (typeof made)[number]) => number) => made.reduce((sum, one) => sum + of(one), 0);
  const isCreated = ({ learned }: (typeof made)[number]) => learned.kind === "create-user" && learned.was === undefined;
  const created = formatCounts(
    [count((one) => (isCreated(one) ? 1 : 0)), "user"],
    [count((one) => (isCreated(one) && one.action?.kind === "create-user" && one.action.createsTeam ? 1 : 0)), "team"],
  );
  const found = count(({ learned }) => (learned.kind === "create-user" && learned.was !== undefined ? 1 : 0));
  const members = count(({ learned }) =>
    learned.kind === "add-members" ? learned.members.filter(({ outcome }) => outcome.added).length : 0,
  );
  const keys = count(({ learned }) => (learned.kind === "replace-roles" ? 1 : 0));
  const done = [
    ...(created.length === 0 ? [] : [`created ${joinList(created)}`]),
    ...(found === 0 ? [] : [`found ${formatCount(found, "user")}`]),
    ...(members === 0 ? [] : [`invited ${formatCount(members, "member")}`]),
    ...(keys === 0 ? [] : [`changed the roles of ${formatCount(keys, "key")}`]),
  ];
  return done.length === 0 ? "nothing was changed" : done.join(", ");
}
