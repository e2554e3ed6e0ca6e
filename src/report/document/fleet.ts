import { formatCount, truncateList } from "../../codes/message.ts";
import type { FleetSummary, QueueStatus, TargetOutcome } from "../../fleet/fleet-summary.ts";
import { countAccess, mostUrgentFirst, peopleGrid, usersWithoutRoles } from "../../fleet/outcomes.ts";
import { byCodeUnit } from "../../model/collections.ts";
import { countsInExitCode, type Plan } from "../../model/plan.ts";
import type { FleetReport } from "../outcome.ts";
import { type DriftReport, isPrivilegedGain, outsideSentence, reportedItems } from "./drift.ts";
import { actionLabel, formatCounts, formatTallies, namesOf, present } from "./names.ts";
import type { Block, Content, Inline, Section, Table } from "./tree.ts";
import * as t from "./tree.ts";

/** What `roster fleet` found out. A privileged gain anywhere is said before all else; each target links to its own report. */
export function fleetContent(report: FleetReport, enqueueAgain?: string): Content {
  const scope = formatCount(report.targets.length, "target");
  if (report.did === "validated") {
    const users = report.targets.reduce((sum, { roster }) => sum + roster.users, 0);
    return { summary: [t.sentence(`${report.file}: ${scope}, ${formatCount(users, "user")}: valid.`)] };
  }
  const gains = formatGains(report);
  const isClean = ({ status }: TargetOutcome) => status === "clean";
  const inOrder = mostUrgentFirst(report.targets);
  const others = inOrder.filter((target) => !isClean(target));
  const { file, did, person } = report;
  const clean = did !== "access" ? "in sync" : person === undefined ? "read whole" : "without this user";
  const queue = report.queue === undefined ? [] : queueLines(report.queue, enqueueAgain);
  return {
    about: [t.paragraph(t.phrase`${t.words(scope)}, from ${file}`)],
    summary: [t.sentence(`${person === undefined ? "" : `${person} is `}${formatResult(report)}.`, "strong")],
    sections: [
      t.part(undefined, present(gains && t.sentence(gains, "alarm"), ...queue)),
      tasksSection(report),
      ...(did === "access" ? [accessSection(report)] : []),
      targetsSection("Targets", "open", others, did),
      // They are only counted where nothing can be opened.
      targetsSection(`Targets ${clean}`, "extra", inOrder.filter(isClean), did),
      ...(did === "access" ? [] : [peopleSection(report)]),
    ],
  };
}

/** `nowhere: in none of 12 targets`, which is about the person. Whose name is from outside is not in it. */
function accessResult({ targets, person }: FleetSummary): string {
  const { people, holding, there, without, unread } = countAccess(targets);
  const all = `of ${formatCount(targets.length, "target")}`;
  const rest = unread === 0 ? "" : `. ${formatCount(unread, "target was", "targets were")} not read whole`;
  const roles = holding > 0 ? `, with roles in ${holding} of them` : unread === 0 ? ", without roles" : "";
  if (person === undefined) return `${formatCount(people, "user has", "users have")} roles in ${holding} ${all}${rest}`;
  if (there > 0) return `a user in ${there} ${all}${roles}${rest}`;
  return unread === 0 ? `nowhere: in none ${all}` : `not a user in ${without} ${all}${rest}`;
}

function accessSection({ targets }: FleetSummary): Section {
  const rows = targets.flatMap((target): Table["rows"] => [
    ...(target.access ?? []).map(({ person = "-", team = "-", roles, privileged }) => {
      const shown = t.inked(privileged ? "alarm" : undefined, roles.join(", "));
      return [[t.value(person)], [t.value(target.name)], [t.value(team)], [shown]];
    }),
    ...usersWithoutRoles(target).map(({ person, status = "active", keys, unread }) => {
      const what = unread ? "roles not shown" : keys === 0 ? "no key" : `${formatCount(keys, "key")} without roles`;
      return [[t.value(person)], [t.value(target.name)], t.words("-"), [t.inked("change", `${status} user: ${what}`)]];
    }),
  ]);
  return t.part(t.words("Access"), t.table(["person", "target", "team", "roles"], rows));
}

/** People and targets: a cell says how many roles, or which of them are privileged. Too many for a grid stand in `fleet access`. */
function peopleSection({ targets }: FleetSummary): Section {
  const people = peopleGrid(targets);
  const rows = people.map(({ person, cells }): readonly Inline[] => [
    [t.value(person)],
    ...cells.map(({ user, roles, privileged, unread }): Inline => {
      const held = t.inked(privileged ? "alarm" : undefined, `${privileged ? "! " : ""}${formatCount(roles, "role")}`);
      const rest = unread ? [t.inked("change", "unread")] : user && roles === 0 ? [t.inked("dim", "no roles")] : [];
      return t.joinInline([roles === 0 ? [] : [held], rest], ", ");
    }),
  ]);
  const labels = people.map(({ cells }) => (cells.some(({ privileged }) => privileged) ? ["privileged"] : []));
  const columns = ["person", ...targets.map(({ name }) => name)];
  const blocks = t.table(columns, rows).map((table): Block => ({ ...table, map: { as: "grid", labels } }));
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

function targetsSection(title: string, is: Section["is"], targets: readonly TargetOutcome[], did: FleetSummary["did"]) {
  const rows = targets.map((target): readonly Inline[] => {
    const page = target.reports.find((one) => one.endsWith(".html"));
    return [
      [page === undefined ? t.value(target.name) : { is: "link", text: target.name, file: page }],
      t.words(formatStatus(target, did)),
      detailOf(target) === "" ? [] : [t.value(detailOf(target), 300)],
    ];
  });
  return { title: t.words(`${title} (${targets.length})`), is, blocks: t.table(["target", "result", "details"], rows) };
}

function formatGains({ targets, privileged_gains: count }: FleetSummary): string | undefined {
  if (count === 0) return undefined;
  const names = mostUrgentFirst(targets).flatMap(({ name, privileged_gains }) => (privileged_gains > 0 ? [name] : []));
  return `${formatCount(count, "key")} ${count === 1 ? "has" : "have"} a privileged role that the roster does not give: ${truncateList(names, 20)}.`;
}

function formatResult(summary: FleetSummary): string {
  const { counts, targets, did } = summary;
  if (did === "access") return accessResult(summary);
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
export function formatTarget(target: TargetOutcome, did: FleetSummary["did"]): string {
  const detail = detailOf(target);
  return `${target.name}: ${formatStatus(target, did)}${detail === "" ? "" : ` (${detail})`}`;
}

function formatStatus(target: TargetOutcome, did: FleetSummary["did"]): string {
  const { status, privileged_gains, changes, problems, done } = target;
  if (did === "access" && (status === "clean" || status === "problems")) {
    const { people, bare, hidden } = countAccess([target]);
    const users = formatCounts(
      [people, "user with roles", "users with roles"],
      [bare, "user without roles", "users without roles"],
      [hidden, "user with hidden roles", "users with hidden roles"],
    );
    return users.join(", ") || "no user";
  }
  const counts = formatCounts(
    [privileged_gains, "privileged gain"],
    [changes, "change"],
    [problems, "task"],
    [done, "call done", "calls done"],
  );
  const named = { failed: ["failed"], "not-started": ["not started"], changes: [], problems: [], clean: [] }[status];
  return [...named, ...counts].join(", ") || "in sync";
}

function detailOf({ error, details = [] }: TargetOutcome): string {
  if (error !== undefined) return `${error.code}: ${error.message}`;
  return [...details.slice(0, 3), ...(details.length > 3 ? ["…"] : [])].join("; ").replaceAll(".; ", "; ");
}

/** What others changed and what is planned, privileged gains first. */
export function changeTexts(plan?: Plan, drift?: DriftReport): readonly string[] {
  if (drift === undefined) return (plan?.actions ?? []).map(({ id }) => actionLabel(id, namesOf(plan)));
  const items = reportedItems(drift);
  const ordered = [...items.filter(isPrivilegedGain), ...items.filter(countsInExitCode)];
  const texts = ordered.flatMap(({ of, outside = [] }) => {
    const changes = outside.map((change) => t.plainText(outsideSentence(change, "")));
    return changes.length === 0 && of.is === "action" ? [actionLabel(of.action, namesOf(plan))] : changes;
  });
  return [...new Set(texts)];
}

export function fleetHeadline(summary: FleetSummary): string {
  return [...formatCounts([summary.privileged_gains, "privileged gain"]), formatResult(summary)].join(", ");
}
