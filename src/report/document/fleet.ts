import { formatCount, truncateList } from "../../codes/message.ts";
import type { FleetSummary, QueueStatus, TargetOutcome } from "../../fleet/fleet-summary.ts";
import { mostUrgentFirst } from "../../fleet/outcomes.ts";
import type { FleetReport } from "../outcome.ts";
import { formatCounts, formatTallies } from "../phrases.ts";
import {
  type Content,
  type Inline,
  paragraph,
  part,
  phrase,
  type Section,
  sentence,
  table,
  value,
  words,
} from "./tree.ts";

/** What `roster fleet` found out. A privileged gain anywhere is said before all else; each target links to its own report. */
export function fleetContent(report: FleetReport): Content {
  const { file, targets } = report;
  const scope = formatCount(targets.length, "target");
  if (report.did === "validated") {
    const users = report.targets.reduce((sum, { roster }) => sum + roster.users, 0);
    return { summary: [sentence(`${file}: ${scope}, ${formatCount(users, "user")}: valid.`)] };
  }
  const gains = formatGains(report);
  const isClean = ({ status }: TargetOutcome) => status === "clean";
  const inOrder = mostUrgentFirst(report.targets);
  return {
    about: [paragraph(phrase`${words(scope)}, from ${file}`)],
    summary: [sentence(`${scope}: ${formatResult(report)}.`, "strong")],
    sections: [
      part(undefined, [
        ...(gains === undefined ? [] : [sentence(gains, "alarm")]),
        ...(report.queue === undefined ? [] : queueLines(report.queue)),
      ]),
      targetsSection(
        "Targets",
        "open",
        inOrder.filter((target) => !isClean(target)),
      ),
      // They are only counted where nothing can be opened.
      targetsSection("Clean targets", "extra", inOrder.filter(isClean)),
    ],
  };
}

/** What the workers do, and what they wait for. */
function queueLines({ waiting, running, given_up, round, paused }: QueueStatus) {
  return [
    ...(paused === undefined ? [] : [paragraph(phrase`Paused by ${paused.who} at ${paused.at}: ${paused.reason}`)]),
    ...(given_up.length === 0
      ? []
      : [
          sentence(
            `Given up: ${truncateList(given_up, 20)}. Enqueue them again: roster fleet enqueue --only TARGET.`,
            "alarm",
          ),
        ]),
    ...(round === undefined
      ? []
      : [paragraph(phrase`Last round: ${round.name}, ${round.done} of ${round.targets} done`)]),
    paragraph(words(`Queue: ${waiting} waiting, ${running.length} running.`)),
    ...table(
      ["running", "worker", "since"],
      running.map(({ target, worker, since }) => [[value(target)], [value(worker)], [value(since)]]),
    ),
  ];
}

function targetsSection(title: string, is: Section["is"], targets: readonly TargetOutcome[]): Section {
  const rows = targets.map((target): readonly Inline[] => {
    const page = target.reports.find((one) => one.endsWith(".html"));
    return [
      [page === undefined ? value(target.name) : { is: "link", text: target.name, file: page }],
      words(formatStatus(target)),
      target.error === undefined ? [] : [value(detailOf(target), 300)],
    ];
  });
  const blocks = table(["target", "result", "details"], rows);
  return { title: words(`${title} (${targets.length})`), is, blocks };
}

/** `3 keys have a privileged role that the roster does not give: acme, bolt.` */
function formatGains({ targets, privileged_gains: count }: FleetSummary): string | undefined {
  if (count === 0) return undefined;
  const names = mostUrgentFirst(targets).flatMap(({ name, privileged_gains }) => (privileged_gains > 0 ? [name] : []));
  return `${formatCount(count, "key")} ${count === 1 ? "has" : "have"} a privileged role that the roster does not give: ${truncateList(names, 20)}.`;
}

/** `1 failed, 2 with changes, 397 clean`. */
function formatResult({ counts }: FleetSummary): string {
  const tallies = formatTallies(
    [counts.failed, "failed"],
    [counts["not-started"], "not started"],
    [counts.changes, "with changes"],
    [counts.problems, "with problems"],
    [counts.clean, "clean"],
  );
  return tallies.length === 0 ? "nothing to do" : tallies.join(", ");
}

/** What became of a target, on one line: `acme: 2 changes, 1 problem`. */
export function formatTarget(target: TargetOutcome): string {
  const detail = detailOf(target);
  return `${target.name}: ${formatStatus(target)}${detail === "" ? "" : ` (${detail})`}`;
}

/** `failed`, `clean`, `1 privileged gain, 2 changes`. Each is counted once. */
function formatStatus({ status, privileged_gains, changes, problems, done }: TargetOutcome): string {
  const counts = formatCounts(
    [privileged_gains, "privileged gain"],
    [changes, "change"],
    [problems, "problem"],
    [done, "call done", "calls done"],
  );
  const named = { failed: ["failed"], "not-started": ["not started"], changes: [], problems: [], clean: [] }[status];
  const all = [...named, ...counts];
  return all.length === 0 ? "clean" : all.join(", ");
}

function detailOf({ error }: TargetOutcome): string {
  return error === undefined ? "" : `${error.code}: ${error.message}`;
}

/** A privileged gain anywhere stands before all else. */
export function fleetHeadline(summary: FleetSummary): string {
  const { privileged_gains: gains } = summary;
  const result = formatResult(summary);
  return gains === 0 ? result : `${formatCount(gains, "privileged gain")}, ${result}`;
}
