import { formatCount, truncateList } from "../../codes/message.ts";
import type { FleetSummary, QueueStatus, TargetOutcome } from "../../fleet/fleet-summary.ts";
import { mostUrgentFirst } from "../../fleet/outcomes.ts";
import { byCodeUnit, multimap } from "../../model/collections.ts";
import type { FleetReport } from "../outcome.ts";
import { formatCounts, formatTallies, present } from "./names.ts";
import type { Block, Content, Inline, Section } from "./tree.ts";
import * as t from "./tree.ts";

/** What `roster fleet` found out. A privileged gain anywhere is said before all else; each target links to its own report. */
export function fleetContent(report: FleetReport, enqueueAgain?: string): Content {
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
  const result = report.did === "access" ? accessSummary(report) : `${formatResult(report)}.`;
  const queue = report.queue === undefined ? [] : queueLines(report.queue, enqueueAgain);
  return {
    about: [t.paragraph(t.phrase`${t.words(scope)}, from ${file}`)],
    summary: [t.sentence(result, "strong")],
    sections: [
      t.part(undefined, present(gains && t.sentence(gains, "alarm"), ...queue)),
      tasksSection(report),
      ...(report.did === "access" ? [accessSection(report)] : []),
      targetsSection("Targets", "open", others),
      // They are only counted where nothing can be opened.
      targetsSection("Targets in sync", "extra", inOrder.filter(isClean)),
      ...(report.did === "access" ? [] : [peopleSection(report)]),
    ],
  };
}

/** `bo@acme.example has roles in 1 of 12 targets. 1 target was not read whole.`; how many people, where all were asked for. */
function accessSummary({ targets, person }: FleetSummary): string {
  const unread = targets.filter(({ status }) => status !== "clean").length;
  const doubt = unread === 0 ? "" : ` ${formatCount(unread, "target was", "targets were")} not read whole.`;
  const without = targets.filter(({ access, status }) => status === "clean" && access?.length === 0).length;
  const all = formatCount(targets.length, "target");
  const holding = targets.filter(({ access = [] }) => access.length > 0).length;
  if (person !== undefined && holding > 0) return `${person} has roles in ${holding} of ${all}.${doubt}`;
  if (person !== undefined) return `${person} has no role in ${without} of ${all}.${doubt}`;
  const people = new Set(targets.flatMap(({ access = [] }) => access.map((key) => key.person)));
  return `${formatCount(people.size, "person has", "people have")} a role. Nobody has one in ${without} of ${all}.${doubt}`;
}

function accessSection({ targets }: FleetSummary): Section {
  const rows = targets.flatMap(({ name, access = [] }) =>
    access.map(({ person, team, roles, privileged }): readonly Inline[] => {
      const held = roles.join(", ");
      const shown: Inline = privileged ? [{ is: "value", text: held, ink: "alarm" }] : [t.value(held)];
      return [[t.value(person ?? "-")], [t.value(name)], [t.value(team ?? "-")], shown];
    }),
  );
  return t.part(t.words("Access"), t.table(["person", "target", "team", "roles"], rows));
}

const maxCells = 20_000;

/** People and targets: a cell says how many roles, or which of them are privileged. Too many for a grid stand in `fleet access`. */
function peopleSection({ targets }: FleetSummary): Section {
  const read = targets.filter(({ access }) => access !== undefined);
  const people = multimap(
    read.flatMap((target) =>
      (target.access ?? []).flatMap((key) => (key.person ? [[key.person, { target, key }]] : [])),
    ),
  );
  const columns = ["person", ...read.map(({ name }) => name)];
  const rows = [...people].map(([person, held]): readonly Inline[] => [
    [t.value(person)],
    ...read.map((one): Inline => {
      const keys = held.flatMap(({ target, key }) => (target === one ? [key] : []));
      const roles = keys.reduce((sum, key) => sum + key.roles.length, 0);
      const isPrivileged = keys.some(({ privileged }) => privileged);
      if (roles === 0) return [];
      return [t.inked(isPrivileged ? "alarm" : undefined, `${isPrivileged ? "! " : ""}${formatCount(roles, "role")}`)];
    }),
  ]);
  if (rows.length * columns.length > maxCells) return t.part(undefined, []);
  const labels = [...people.values()].map((held) => (held.some(({ key }) => key.privileged) ? ["privileged"] : []));
  const blocks: readonly Block[] =
    rows.length === 0 ? [] : [{ kind: "table", columns, rows, map: { as: "grid", labels } }];
  return { title: t.words(`People and targets (${rows.length})`), is: "extra", blocks };
}

/** So many stand in the page; each target's own report has all. */
const maxTasks = 200;

function tasksSection({ targets }: FleetSummary): Section {
  const tasks = targets
    .flatMap(({ name, tasks: own = [] }) => own.map((task) => ({ name, ...task })))
    .toSorted((a, b) => byCodeUnit(a.owner ?? "~", b.owner ?? "~") || byCodeUnit(a.since ?? "~", b.since ?? "~"));
  const rows = tasks
    .slice(0, maxTasks)
    .map(({ owner = "-", since, name, subject, code }) =>
      [owner, since?.slice(0, 10) ?? "new", name, `${subject}: ${code}`].map((text): Inline => [t.value(text)]),
    );
  const blocks = t.table(["owner", "since", "target", "task"], rows);
  return { title: t.words(`Tasks by owner (${tasks.length})`), is: "folded", blocks };
}

function queueLines(queue: QueueStatus, enqueueAgain: string | undefined): readonly Block[] {
  const { waiting, running, given_up, round, paused } = queue;
  const givenUp = `Given up: ${truncateList(given_up, 20)}.${enqueueAgain === undefined ? "" : " Enqueue them again:"}`;
  const rows = running.map(({ target, worker, since }) => [[t.value(target)], [t.value(worker)], [t.value(since)]]);
  return present<Block>(
    paused && t.paragraph(t.phrase`Paused by ${paused.who} at ${paused.at}: ${paused.reason}`),
    given_up.length > 0 && t.sentence(givenUp, "alarm"),
    enqueueAgain !== undefined && t.code("shell", enqueueAgain),
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
      detailOf(target) === "" ? [] : [t.value(detailOf(target), 300)],
    ];
  });
  const blocks = t.table(["target", "result", "details"], rows);
  return { title: t.words(`${title} (${targets.length})`), is, blocks };
}

function formatGains({ targets, privileged_gains: count }: FleetSummary): string | undefined {
  if (count === 0) return undefined;
  const names = mostUrgentFirst(targets).flatMap(({ name, privileged_gains }) => (privileged_gains > 0 ? [name] : []));
  return `${formatCount(count, "key")} ${count === 1 ? "has" : "have"} a privileged role that the roster does not give: ${truncateList(names, 20)}.`;
}

function formatResult({ counts, targets }: FleetSummary): string {
  const tallies = formatTallies(
    [counts.failed, "failed"],
    [counts["not-started"], "not started"],
    [counts.changes, "with changes"],
    [counts.problems, "with tasks"],
    [counts.clean, "in sync"],
  );
  return tallies.length === 0 ? "nothing to do" : `${formatCount(targets.length, "target")}: ${tallies.join(", ")}`;
}

/** What became of a target, on one line: `acme: 2 changes, 1 task (user bo@acme.example: leaver-remains)`. */
export function formatTarget(target: TargetOutcome): string {
  const detail = detailOf(target);
  return `${target.name}: ${formatStatus(target)}${detail === "" ? "" : ` (${detail})`}`;
}

/** `failed`, `in sync`, `1 privileged gain, 2 changes`. Each is counted once. */
function formatStatus({ status, privileged_gains, changes, problems, done }: TargetOutcome): string {
  const counts = formatCounts(
    [privileged_gains, "privileged gain"],
    [changes, "change"],
    [problems, "task"],
    [done, "call done", "calls done"],
  );
  const named = { failed: ["failed"], "not-started": ["not started"], changes: [], problems: [], clean: [] }[status];
  const all = [...named, ...counts];
  return all.length === 0 ? "in sync" : all.join(", ");
}

function detailOf({ error, tasks: [first] = [] }: TargetOutcome): string {
  if (error !== undefined) return `${error.code}: ${error.message}`;
  return first === undefined ? "" : `${first.subject}: ${first.code}`;
}

/** A privileged gain anywhere stands before all else. */
export function fleetHeadline(summary: FleetSummary): string {
  const { privileged_gains: gains } = summary;
  const result = formatResult(summary);
  return gains === 0 ? result : `${formatCount(gains, "privileged gain")}, ${result}`;
}
