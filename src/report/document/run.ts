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
  entry,
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

export function runSections(run: RunSummary, context: FindingContext): readonly Section[] {
  const { names } = context;
  const keys = run.keys.map(({ address, team, prefix }) => [
    phrase`${names.email(address)}`,
    team === undefined ? words("own key") : phrase`team ${names.team(team)}`,
    phrase`${prefix}`,
  ]);
  const failed = unsuccessfulOutcomes(run).map((outcome) => outcomeEntry(outcome, names, run.ended));
  return [
    section("Did not succeed", failed),
    ...findingSections(run.findings, context, ", found by this run"),
    {
      title: words(`New keys (${run.keys.length})`),
      is: "folded",
      blocks: table(["person", "key of", "prefix"], keys),
      whole: "roster state show",
    },
  ];
}

function outcomeEntry(outcome: UnsuccessfulOutcome, names: PlanNames, ended: RunSummary["ended"]): Entry {
  const label = outcome.is === "unknown" ? "unknown outcome" : outcome.is;
  const what =
    outcome.is === "refused"
      ? phrase`add ${names.email(outcome.address)} to team ${names.team(outcome.team)}`
      : [actionSpan(outcome.action, names)];
  const about = [inked("alarm", label)];
  const notes = outcomeNotes(outcome, ended);
  return entry(what, { mark: "!", ink: "alarm", about, notes, labels: [label], actions: [outcome.action] });
}

function outcomeNotes(outcome: UnsuccessfulOutcome, ended: RunSummary["ended"]): readonly Paragraph[] {
  if ("failure" in outcome) return failureNotes(outcome.failure);
  if (outcome.is === "stale") return [paragraph([outcome.why])];
  // Why the run ended stands once, at its end, and not at each action that it no longer started.
  return [paragraph([ended !== undefined && outcome.why === ended.why ? `the run was ${ended.ended}` : outcome.why])];
}

/** What to do about what did not succeed. A refused call is not sent again by itself. */
export function runNext(run: RunSummary, repeats: readonly string[] | undefined): readonly Block[] {
  const { failed, skipped, unknown, stale } = countOutcomes(run);
  const refused = [...run.outcomes.values()].flatMap(refusedMembers).length;
  const { retry = [] } = run;
  const repeat = "correct the cause and run `roster apply` again. It repeats nothing.";
  const resolve = "run `roster apply` again. It resolves unknown outcomes by reading, or use `roster state resolve`.";
  const steps = [
    ...(failed + skipped + refused === 0 ? [] : [repeat]),
    ...(unknown === 0 ? [] : [resolve]),
    ...(stale === 0 ? [] : ["plan again. The facts of the plan have changed."]),
  ].map((step) => sentence(`Next: ${step}`, "dim"));
  if (retry.length === 0) return steps;
  const again = sentence("To send the refused calls again without a change of the roster:", "dim");
  return [...steps, again, code("shell", formatApplyCommand(retry, repeats))];
}

const verificationMessages = {
  converged: "Verified: all changes are in place.",
  pending: "Not verified yet: the service does not show all changes. Run `roster plan` later.",
  diverged: "Verification failed: the service shows other values than roster sent. Run `roster plan`.",
  unverified: "Not verified: roster could not read the changes again. Run `roster plan`.",
} as const;

export function runSummary(run: RunSummary, plan: Plan | undefined): readonly Paragraph[] {
  const { verified, ended } = run;
  const isPartly = verified?.result === "converged" && unsuccessfulOutcomes(run).length > 0;
  const partly = "Verified: the changes that were made are in place.";
  const message = verified && (isPartly ? partly : verificationMessages[verified.result]);
  const end = endNote(ended);
  return [
    ...(message === undefined ? [] : [sentence(message)]),
    ...(verified?.remarks ?? []).map((remark) => paragraph([`- ${remark}`])),
    ...(end === undefined ? [] : [sentence(end, "alarm")]),
    sentence(`${isWhole(run) ? "Done" : "Partly done"}: ${formatOutcomes(run, plan)}.`, "strong"),
  ];
}

function endNote(ended: RunSummary["ended"]): string | undefined {
  if (ended === undefined) return "The run did not finish.";
  if (ended.ended === "completed") return undefined;
  const end = `the run was ${ended.ended}`;
  return `${capitalized(end)}${ended.why === undefined || ended.why === end ? "" : `: ${ended.why}`}.`;
}

/** `created 1 user and 1 team, invited 2 members, changed the roles of 3 keys; 2 unchanged, 1 failed`. */
function formatOutcomes(run: RunSummary, plan: Plan | undefined): string {
  const counts = countOutcomes(run);
  const others = formatTallies(
    [counts.unneeded, "unchanged"],
    [counts.failed, "failed"],
    [counts.unknown, "with an unknown outcome"],
    [counts.skipped, "skipped"],
    [counts.stale, "stale"],
  );
  const done = formatDone(run, plan === undefined ? noNames : planNames(plan));
  return others.length === 0 ? done : `${done}; ${others.join(", ")}`;
}

function formatDone({ outcomes }: RunSummary, names: PlanNames): string {
  const made = { users: 0, teams: 0, found: 0, members: 0, keys: 0 };
  for (const [id, outcome] of outcomes) {
    if (outcome.is !== "succeeded") continue;
    const { learned } = outcome;
    const action = names.action(id);
    if (learned.kind === "replace-roles") made.keys += 1;
    else if (learned.kind === "add-members") made.members += learned.members.filter((one) => one.outcome.added).length;
    else if (learned.was !== undefined) made.found += 1;
    else {
      made.users += 1;
      if (action?.kind === "create-user" && action.createsTeam !== undefined) made.teams += 1;
    }
  }
  const created = formatCounts([made.users, "user"], [made.teams, "team"]);
  const done = [
    ...(created.length === 0 ? [] : [`created ${joinList(created)}`]),
    ...(made.found === 0 ? [] : [`found ${formatCount(made.found, "user")}`]),
    ...(made.members === 0 ? [] : [`invited ${formatCount(made.members, "member")}`]),
    ...(made.keys === 0 ? [] : [`changed the roles of ${formatCount(made.keys, "key")}`]),
  ];
  return done.length === 0 ? "nothing was changed" : done.join(", ");
}
