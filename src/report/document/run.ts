import {
  type ActionOutcome,
  countOutcomes,
  isWhole,
  type RunSummary,
  refusedMembers,
  type UnsuccessfulOutcome,
  unsuccessfulOutcomes,
} from "../../log/summary.ts";
import type { ActionId } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { type Finding, isOpenProblem } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import { capitalized, formatCount, formatTallies } from "../phrases.ts";
import { actionSpan, noNames, onceOfEach, type PlanNames, planNames } from "./actions.ts";
import {
  andMore,
  type Block,
  codeBody,
  headed,
  type Inline,
  item,
  joinInline,
  joinSections,
  type Line,
  paragraph,
  phrase,
  plainText,
  prose,
  row,
  type Section,
  strong,
  type Table,
  words,
} from "./blocks.ts";
import { type Entry, type EntryGroup, type GroupSectionOptions, groupLines, groupSection } from "./entries.ts";
import { findingEntry, findingGroups, formatApplyCommand, remedySections } from "./findings.ts";
import { failureNotes, noteLines } from "./problems.ts";

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
    [...endLines(run), prose(0, `${isWhole(run) ? "Done" : "Partly done"}: ${formatOutcomes(run)}.`, "strong")],
  ]);
}

/** The same for a review: how it ended and reads first, and the keys folded. */
export function runSections(
  run: RunSummary,
  plan: Plan | undefined,
  { repeats, ...options }: GroupSectionOptions & { readonly repeats?: readonly string[] | undefined },
): readonly Section[] {
  const { whole } = options;
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
        rows: outcomes.map((outcome) => outcomeRow(outcomeEntry(outcome, names, run.ended))),
      },
      rank: 4,
      leftOut: andMore(whole, "more call"),
    },
    ...retrySections(run, repeats),
    ...foundGroups(run).map((group) => groupSection({ ...group, rank: 5 }, options)),
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
  const title = "To send the refused calls again without a change of the roster";
  const leftOut = () => phrase`${"roster plan"} names each --allow.`;
  return [{ title, is: "open", body: codeBody(`${formatApplyCommand(retry, repeats)}\n`), rank: 4, leftOut }];
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
  const lines = unsuccessfulOutcomes(run).flatMap((outcome) => outcomeLines(outcomeEntry(outcome, names, run.ended)));
  return lines.length === 0 ? [] : headed("Did not succeed", [...lines, ...nextStepLines(run, repeats)]);
}

const resultLabels: Readonly<Record<UnsuccessfulOutcome["is"], string>> = {
  failed: "failed",
  unknown: "unknown outcome",
  refused: "refused",
  skipped: "skipped",
  stale: "stale",
};

const refusedPeople = onceOfEach(
  (outcome: ActionOutcome) => new Set(refusedMembers(outcome).map(({ address }) => address)),
);

/** How a part of a run is marked and explained whose calls were retried. Nothing where each was sent once. */
export function formatRetries(
  run: RunSummary | undefined,
  ids: readonly ActionId[],
): { readonly labels: readonly string[]; readonly details: readonly Block[] } {
  const retries = ids.reduce((sum, id) => sum + (run?.retries.get(id) ?? 0), 0);
  if (retries === 0) return { labels: [], details: [] };
  const why = `Retried ${formatCount(retries, "time")}: the service did not accept the call at once.`;
  return { labels: ["retried"], details: [paragraph(words(why))] };
}

/** How one part of a plan ended: the worst that any of its calls came to. */
export function formatPartResult(run: RunSummary, actions: readonly ActionId[], person: EmailKey | undefined): string {
  const outcomes = actions.map((id) => run.outcomes.get(id));
  const isRefused =
    person !== undefined && outcomes.some((outcome) => outcome !== undefined && refusedPeople(outcome).has(person));
  const ends = new Set(outcomes.map((outcome) => outcome?.is));
  const worst = (["failed", "unknown", "stale", "skipped"] as const).find((is) => ends.has(is));
  if (worst !== undefined) return resultLabels[worst];
  if (isRefused) return resultLabels.refused;
  if (ends.has(undefined)) return "not started";
  return ends.has("succeeded") ? "done" : "already correct";
}

/** What did not succeed, how it ended, and why. */
interface OutcomeEntry {
  readonly what: Inline;
  readonly result: string;
  readonly why: readonly Inline[];
}

function outcomeEntry(outcome: UnsuccessfulOutcome, names: PlanNames, ended: RunSummary["ended"]): OutcomeEntry {
  const what = [actionSpan(outcome.action, names)];
  const result = resultLabels[outcome.is];
  if (outcome.is === "refused") {
    const { address, team, failure } = outcome;
    return {
      what: phrase`add ${names.email(address)} to team ${names.team(team)}`,
      result,
      why: failureNotes(failure),
    };
  }
  if ("failure" in outcome) return { what, result, why: failureNotes(outcome.failure) };
  if (outcome.is === "stale") return { what, result, why: [[outcome.why]] };
  // Why the run ended stands once, at its end, and not at each action that it no longer started.
  const isEnd = ended !== undefined && outcome.why === ended.why;
  const why = isEnd ? `the run was ${ended.ended}` : outcome.why;
  const cause = outcome.cause === undefined ? [] : phrase` (because of: ${[actionSpan(outcome.cause, names)]})`;
  return { what, result, why: [[why, ...cause]] };
}

function outcomeLines({ what, result, why }: OutcomeEntry): readonly Line[] {
  return [outcomeTitle(result, plainText(what)), ...noteLines(6, why)];
}

function outcomeRow({ what, result, why }: OutcomeEntry): readonly Inline[] {
  return [what, [strong(words(result))], joinInline(why, "; ")];
}

/** A problem of a run, on one line. */
function outcomeTitle(label: string, name: string): Line {
  return row(2, [{ ink: "alarm", text: `! ${label}` }, `: ${name}`]);
}

function nextStepLines(run: RunSummary, repeats: readonly string[] | undefined): readonly Line[] {
  const { failed, skipped, unknown, stale } = countOutcomes(run);
  const refused = [...run.outcomes.values()].flatMap(refusedMembers).length;
  const { retry = [] } = run;
  const steps = [
    ...(failed + skipped + refused === 0 ? [] : ["correct the cause and run roster apply again. It repeats nothing."]),
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

/** The plan, which was shown before, has the findings in full. Here is only what is left to do by hand. */
function remainingGroup(findings: readonly Finding[]): EntryGroup {
  const blocking = findings.filter(isOpenProblem);
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

function verificationMessage(run: RunSummary, { result }: NonNullable<RunSummary["verified"]>): string {
  if (result === "converged" && unsuccessfulOutcomes(run).length > 0)
    return "Verified: the changes that were made are in place.";
  return verificationMessages[result];
}

/** How a run ended, unless in order. */
function endNotes({ ended }: RunSummary): readonly Inline[] {
  if (ended === undefined) return [[strong(words("The run did not finish."))]];
  if (ended.ended === "completed") return [];
  const end = `the run was ${ended.ended}`;
  const why = ended.why === undefined || ended.why === end ? [] : phrase`: ${[ended.why]}`;
  return [phrase`${strong(words(capitalized(end)))}${why}.`];
}

function endLines(run: RunSummary): readonly Line[] {
  const { verified } = run;
  return [
    ...(verified === undefined ? [] : [prose(0, verificationMessage(run, verified))]),
    ...(verified?.remarks ?? []).map((remark) => prose(2, `- ${remark}`)),
    ...endNotes(run).map((end) => prose(0, plainText(end), "alarm")),
  ];
}

function endSection(run: RunSummary): Section {
  const { verified } = run;
  return {
    is: "open",
    lead: [
      ...endNotes(run).map((end) => item(end)),
      ...(verified === undefined ? [] : [item(words(verificationMessage(run, verified)))]),
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
