import type { Todo, TodoEntry } from "../model/drift.ts";
import { formatPlace } from "../model/fact.ts";
import type { Plan } from "../model/plan.ts";
import { formatSubject, type Labels, subjectPrefix, subjectTeam } from "../model/subject.ts";
import { findings } from "./codes/findings.ts";
import { headed, joinSections, type Line, prose, row } from "./document/blocks.ts";
import { findingLines } from "./document/findings.ts";
import { readingLines } from "./document/plan.ts";
import { countTodo, formatTodoCounts, type TodoFormat } from "./drift.ts";
import { code, prose as markdownProse } from "./markdown/safe-markdown.ts";
import { plain, type ReadSummary, type TerminalStyle } from "./outcome.ts";
import { cellText, csvTable, safeJson } from "./safe.ts";
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
  const rows = report.todo.open.map(todoRow);
  switch (format) {
    case "text":
      return renderLines(todoLines(report), style.paint, style.columns);
    case "markdown":
      return todoMarkdown(report, rows);
    case "csv":
      return csvTable([columns, ...rows.map((one) => columns.map((column) => cellText(one[column])))]);
    case "json":
      return `${safeJson(JSON.stringify(todoDocument(report, rows), undefined, 2))}\n`;
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
] as const satisfies readonly (keyof TodoRow)[];

function todoDocument({ todo, plan, reading }: TodoReport, rows: readonly TodoRow[]) {
  return {
    format_version: "1.0",
    service: plan.service,
    read_at: reading?.readAt,
    ...countTodo(todo),
    todo: rows,
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
function todoMarkdown({ todo, plan }: TodoReport, rows: readonly TodoRow[]): string {
  const lines = [
    `### To do at ${code(plan.service)}`,
    "",
    summaryText(todo),
    ...(rows.length === 0 ? [] : ["", ...todo.open.map((entry) => task(entry, todoRow(entry)))]),
    ...(todo.closed.length === 0
      ? []
      : ["", "#### Closed", "", ...todo.closed.map((one) => `- [x] ${code(one.subject)} ${code(one.code)}`)]),
  ];
  return `${lines.join("\n")}\n`;
}

function task(entry: TodoEntry, { subject, message, place }: TodoRow): string {
  const mark = entry.status === "overdue" ? "**overdue** " : entry.status === "opened" ? "**new** " : "";
  const {
    status,
    since,
    due,
    item: { owner },
  } = entry;
  const dates = [
    ...(status === "opened" ? [] : [`since ${since.slice(0, 10)}`]),
    ...(due === undefined ? [] : [`due ${due}`]),
    ...(owner === undefined ? [] : [`owner ${code(owner)}`]),
    ...(place === undefined ? [] : [code(place)]),
  ].join(", ");
  return `- [ ] ${mark}${code(subject)} ${markdownProse(message)} (${dates}${dates === "" ? "" : ", "}${code(entry.finding.fingerprint)})`;
}

/** Something that people have to do. Names are stable. */
export interface TodoRow {
  readonly status: TodoEntry["status"];
  readonly code: string;
  readonly person: string | undefined;
  /** The account and the name of the team. */
  readonly team: string | undefined;
  readonly key: string | undefined;
  /** Such as `member ada@acme.example of team acc-1/platform`. */
  readonly subject: string;
  /** What it is, in a few words. */
  readonly what: string;
  /** What it is, why, and what can be done. */
  readonly message: string;
  readonly owner: string | undefined;
  readonly ref: string | undefined;
  readonly labels: Labels | undefined;
  readonly since: string;
  readonly due: string | undefined;
  readonly place: string | undefined;
  readonly fingerprint: string;
}

function todoRow({ item, finding, status, since, due, person }: TodoEntry): TodoRow {
  const { code, subject, message, because, fingerprint } = finding;
  const [place] = because;
  return {
    status,
    code,
    person,
    team: subjectTeam(item.subject),
    key: subjectPrefix(item.subject),
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
