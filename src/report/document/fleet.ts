import { formatCount, truncateList } from "../../codes/message.ts";
import type { FleetSummary, QueueStatus, TargetOutcome } from "../../fleet/fleet-summary.ts";
import { mostUrgentFirst } from "../../fleet/outcomes.ts";
import type { FleetReport } from "../outcome.ts";
import { formatCounts, formatTallies, present } from "../phrases.ts";
import type { Block, Content, Inline, Section } from "./tree.ts";
import * as t from "./tree.ts";

/** What `roster fleet` found out. A privileged gain anywhere is said before all else; each target links to its own report. */
export function fleetContent(report: FleetReport): Content {
  const { file, targets } = report;
  const scope = formatCount(targets.length, "target");
  if (report.did === "validated") {
    const users = report.targets.reduce((sum, { roster }) => sum + roster.users, 0);
    return { summary: [t.sentence(`${file}: ${scope}, ${formatCount(users, "user")}: valid.`)] };
  }
  const gains = formatGains(report);
  const isClean = ({ status }: TargetOutcome) => status === "clean";
  const inOrder = mostUrgentFirst(report.targets);
  const others = inOrder.filter((target) => !isClean(target));
  return {
    about: [t.paragraph(t.phrase`${t.words(scope)}, from ${file}`)],
    summary: [t.sentence(`${scope}: ${formatResult(report)}.`, "strong")],
    sections: [
      t.part(
        undefined,
        present(gains && t.sentence(gains, "alarm"), ...(report.queue ? queueLines(report.queue) : [])),
      ),
      targetsSection("Targets", "open", others),
      // They are only counted where nothing can be opened.
      targetsSection("Clean targets", "extra", inOrder.filter(isClean)),
    ],
  };
}

/** What the workers do, and what they wait for. */
function queueLines({ waiting, running, given_up, round, paused }: QueueStatus): readonly Block[] {
  const givenUp = `Given up: ${truncateList(given_up, 20)}. Enqueue them again: roster fleet enqueue --only TARGET.`;
  const rows = running.map(({ target, worker, since }) => [[t.value(target)], [t.value(worker)], [t.value(since)]]);
  return present<Block>(
    paused && t.paragraph(t.phrase`Paused by ${paused.who} at ${paused.at}: ${paused.reason}`),
    given_up.length > 0 && t.sentence(givenUp, "alarm"),
    round && t.paragraph(t.phrase`Last round: ${round.name}, ${round.done} of ${round.targets} done`),
    t.paragraph(t.words(`Queue: ${waiting} waiting, ${running.length} running.`)),
    ...t.table(["running", "worker", "since"], rows),
  );
}

function targetsSection(title: string, is: Section["is"], targets: readonly TargetOutcome[]): Section {
  const rows = targets.map((target): readonly Inline[] => {
    const page = target.reports.find((one) => one.endsWith(".html"));
    return [
      [page === undefined ? t.value(target.name) : { is: "link", text: target.name, file: page }],
      t.words(formatStatus(target)),
      target.error === undefined ? [] : [t.value(detailOf(target), 300)],
    ];
  });
  const blocks = t.table(["target", "result", "details"], rows);
  return { title: t.words(`${title} (${targets.length})`), is, blocks };
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
