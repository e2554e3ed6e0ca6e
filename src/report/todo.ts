import type { Todo, TodoEntry } from "../model/drift.ts";
import { formatPlace } from "../model/fact.ts";
import type { Plan } from "../model/plan.ts";
import type { ReadSummary } from "../model/snapshot.ts";
import { formatSubject, subjectPrefix, subjectTeam } from "../model/subject.ts";
import { findings } from "./codes/findings.ts";
import { headed, joinSections, type Line, prose, row } from "./document/blocks.ts";
import { findingLines } from "./document/findings.ts";
import { readingLines } from "./document/plan.ts";
import {
  countTodo,
  formatFactChange,
  formatTodoChange,
  formatTodoCounts,
  type TodoFormat,
  todoChangePart,
} from "./drift.ts";
import { code, prose as markdownProse } from "./markdown/safe-markdown.ts";
import { plain, type TerminalStyle } from "./outcome.ts";
import { csvTable, jsonDocument } from "./safe.ts";
import { renderLines } from "./text/lines.ts";

/** What is left to people, and what was read for it. */
export interface TodoReport {
  readonly todo: Todo;
  readonly plan: Plan;
  readonly reading: ReadSummary | undefined;
  /** Why the state does not remember what was seen, where that was wanted. */
  readonly notRecorded?: string;
}

/** `style`: how the text is to look. */
export function formatTodo(report: TodoReport, format: TodoFormat, style: TerminalStyle = { paint: plain }): string {
  const { open } = report.todo;
  switch (format) {
    case "text":
      return renderLines(todoLines(report), style.paint, style.columns);
    case "markdown":
      return todoMarkdown(report);
    case "csv":
      return csvTable(columns, open.map(csvRow));
    case "json":
      return jsonDocument(todoDocument(report));
  }
}

const columns = [
  "status",
  "code",
  "person",
  "team",
  "key",
  "subject",
  "what",
  "message",
  "owner",
  "ref",
  "labels",
  "since",
  "due",
  "place",
  "fingerprint",
  "changed",
  "changes",
] as const satisfies readonly (keyof ReturnType<typeof csvRow>)[];

function todoDocument({ todo, plan, reading }: TodoReport) {
  return {
    format_version: "1.0",
    service: plan.service,
    read_at: reading?.readAt,
    ...countTodo(todo),
    todo: todo.open.map(todoRow),
    closed_items: todo.closed,
  };
}

function todoLines(report: TodoReport): readonly Line[] {
  const { todo, plan, reading, notRecorded } = report;
  const section = (title: string, status: TodoEntry["status"]) => {
    const entries = todo.open.filter((entry) => entry.status === status);
    return headed(`${title}: ${entries.length}`, entries.flatMap(entryLines));
  };
  return joinSections([
    readingLines("To do at", plan, reading),
    section("Overdue", "overdue"),
    section("New", "opened"),
    section("Changed", "changed"),
    section("Open", "open"),
    closedLines(todo),
    [
      prose(0, summaryText(todo), "strong"),
      ...(notRecorded === undefined ? [] : [prose(0, `This was not recorded: ${notRecorded}.`, "dim")]),
    ],
  ]);
}

function entryLines(entry: TodoEntry): readonly Line[] {
  const ink = entry.status === "overdue" ? "alarm" : "dim";
  return [
    ...findingLines(entry.finding),
    row(6, [
      { ink: "dim", text: `${entry.finding.fingerprint}, ` },
      { ink, text: formatTodoDates(entry) },
    ]),
    ...(entry.changed === undefined
      ? []
      : [row(6, [{ ink: entry.changed.is === "new" ? "strong" : "dim", text: formatTodoChange(entry.changed) }])]),
  ];
}

function closedLines({ closed }: Todo): readonly Line[] {
  return headed(
    `Closed: ${closed.length}`,
    closed.map(({ code: what, subject, since }) =>
      row(2, [{ ink: "dim", text: `${subject}: ${what}, since ${since.slice(0, 10)}` }]),
    ),
  );
}

function summaryText(todo: Todo): string {
  if (todo.open.length === 0) {
    return todo.closed.length === 0 ? "Nothing to do." : `Nothing to do. ${todo.closed.length} closed.`;
  }
  return `To do: ${formatTodoCounts(todo)}.`;
}

/** A list of tasks, as the issues of a forge show it. */
function todoMarkdown({ todo, plan }: TodoReport): string {
  const lines = [
    `### To do at ${code(plan.service)}`,
    "",
    summaryText(todo),
    ...(todo.open.length === 0 ? [] : ["", ...todo.open.map(task)]),
    ...(todo.closed.length === 0
      ? []
      : ["", "#### Closed", "", ...todo.closed.map((one) => `- [x] ${code(one.subject)} ${code(one.code)}`)]),
  ];
  return `${lines.join("\n")}\n`;
}

function task(entry: TodoEntry): string {
  const { changed } = entry;
  const { status, subject, message, owner, since, due, place, fingerprint } = todoRow(entry);
  const dates = [
    ...(status === "opened" ? [] : [`since ${since.slice(0, 10)}`]),
    ...(due === undefined ? [] : [`due ${due}`]),
    ...(owner === undefined ? [] : [`owner ${code(owner)}`]),
    ...(place === undefined ? [] : [code(place)]),
    ...(changed === undefined
      ? []
      : [
          `changed ${changed.at.slice(0, 10)}: ${changed.changes.map((one) => code(formatFactChange(one))).join("; ")}`,
        ]),
  ].join(", ");
  return `- [ ] ${taskMark(entry)}${code(subject)} ${markdownProse(message)} (${dates}${dates === "" ? "" : ", "}${code(fingerprint)})`;
}

function taskMark({ status, changed }: TodoEntry): string {
  const isChanged = changed?.is === "new" ? "**changed** " : "";
  if (status === "overdue") return `**overdue** ${isChanged}`;
  return status === "opened" ? "**new** " : isChanged;
}

/** A cell is one text: of a change, when it was seen and what it is. */
function csvRow(entry: TodoEntry) {
  const { changed } = entry;
  return { ...todoRow(entry), changed: changed?.at, changes: changed?.changes.map(formatFactChange).join("; ") };
}

/** Something that people have to do, for other programs. Names are stable. */
function todoRow({ item, finding, status, since, due, person, changed }: TodoEntry) {
  const { code, subject, message, because, fingerprint } = finding;
  const [place] = because;
  return {
    status,
    code,
    person,
    // The account and the name of the team.
    team: subjectTeam(item.subject),
    key: subjectPrefix(item.subject),
    // Such as `member ada@acme.example of team acc-1/platform`.
    subject: formatSubject(subject),
    what: findings[code].title,
    message,
    owner: item.owner,
    ref: item.ownership?.ref,
    labels: item.ownership?.labels,
    since,
    due,
    place: place === undefined ? undefined : formatPlace(place),
    fingerprint,
    changed: changed && todoChangePart(changed),
  };
}

/** `since 2026-11-01, due 2026-11-15, owner ada@acme.example`; without an owner that the roster declares, which its finding shows. */
function formatTodoDates({ status, since, due, item }: TodoEntry): string {
  return [
    status === "opened" ? "new" : `since ${since.slice(0, 10)}`,
    ...(due === undefined ? [] : [status === "overdue" ? `was due ${due}` : `due ${due}`]),
    ...(item.owner === undefined || item.ownership?.owner !== undefined ? [] : [`owner ${item.owner}`]),
  ].join(", ");
}
