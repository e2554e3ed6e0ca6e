import type { Todo, TodoEntry } from "../../model/drift.ts";
import type { Plan } from "../../model/plan.ts";
import { headed, joinSections, type Line, prose, row } from "../document/blocks.ts";
import { findingLines } from "../document/findings.ts";
import { readingLines } from "../document/plan.ts";
import { countTodo, type TodoFormat } from "../drift.ts";
import { code, prose as markdownProse } from "../markdown/safe-markdown.ts";
import { plain, type ReadSummary, type TerminalStyle } from "../outcome.ts";
import { csvTable, safeJson } from "../safe.ts";
import { renderLines } from "../text/lines.ts";
import { formatTodoCounts, formatTodoDates, type TodoRow, todoRow } from "./todo-rows.ts";

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
      return csvTable([columns, ...rows.map((one) => columns.map((column) => one[column] ?? ""))]);
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
  const having = (status: TodoEntry["status"]) => todo.open.filter((entry) => entry.status === status);
  const section = (title: string, entries: readonly TodoEntry[]) =>
    headed(`${title}: ${entries.length}`, entries.flatMap(entryLines));
  return joinSections([
    readingLines("To do at", plan, reading),
    section("Overdue", having("overdue")),
    section("New", having("opened")),
    section("Open", having("open")),
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
  const { status, since, due, owner } = entry;
  const dates = [
    ...(status === "opened" ? [] : [`since ${since.slice(0, 10)}`]),
    ...(due === undefined ? [] : [`due ${due}`]),
    ...(owner === undefined ? [] : [`owner ${code(owner)}`]),
    ...(place === undefined ? [] : [code(place)]),
  ].join(", ");
  return `- [ ] ${mark}${code(subject)} ${markdownProse(message)} (${dates}${dates === "" ? "" : ", "}${code(entry.finding.fingerprint)})`;
}
