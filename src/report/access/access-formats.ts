import { heading, type Inline, type Line, prose, type Table, value, words } from "../document/blocks.ts";
import { renderTable } from "../markdown/markdown.ts";
import { plain, type TerminalStyle } from "../outcome.ts";
import { formatCount } from "../phrases.ts";
import { csvTable, jsonDocument } from "../safe.ts";
import { renderLines } from "../text/lines.ts";
import { type AccessGap, type AccessReview, type AccessRow, type AccessSource, hides } from "./access-review.ts";

/** The formats of an access review. */
export type AccessFormat = "text" | "csv" | "json" | "markdown";

/** `style`: how the text is to look. */
export function formatAccess(
  review: AccessReview,
  format: AccessFormat,
  style: TerminalStyle = { paint: plain },
): string {
  switch (format) {
    case "text":
      return renderLines(accessLines(review), style.paint, style.columns);
    case "csv":
      return csvTable(columns, review.rows);
    case "json":
      return jsonDocument({ as_of: review.asOf, from: review.from, notes: notes(review), access: review.rows });
    case "markdown":
      return accessMarkdown(review);
  }
}

const columns = [
  "person",
  "status",
  "team",
  "prefix",
  "role",
  "privileged",
  "source",
  "place",
  "until",
  "granted_at",
  "granted_by",
  "run",
  "last_seen",
  "not_shown",
  "owner",
] as const satisfies readonly (keyof AccessRow)[];

/** What people are shown: the rest is for programs. */
const shownColumns: readonly (readonly [name: string, text: (row: AccessRow) => string])[] = [
  [
    "person",
    ({ person, status }) => `${person ?? "?"}${status === undefined || status === "active" ? "" : ` (${status})`}`,
  ],
  ["team", (row) => row.team ?? (hides(row, "team") ? "not shown" : "-")],
  ["key", ({ prefix }) => prefix ?? "not shown"],
  ["role", (row) => `${row.role ?? (hides(row, "roles") ? "not shown" : "-")}${row.privileged ? " (privileged)" : ""}`],
  ["in roster", ({ source, place }) => place ?? sourceTexts[source ?? "roster"]],
  ["until", ({ until }) => until ?? "-"],
  ["since", ({ granted_at: at }) => at?.slice(0, 10) ?? "-"],
  ["granted by", ({ granted_by: by }) => by ?? "-"],
];

const sourceTexts: Readonly<Record<AccessSource, string>> = {
  roster: "-",
  "not-in-roster": "no",
  leaver: "no: a leaver",
  unmanaged: "no: unmanaged user",
};

function accessTable({ rows }: AccessReview): Table {
  const cellOf = (text: string): Inline => (text === "-" ? words(text) : [value(text)]);
  const cells = rows.map((row) => shownColumns.map(([, text]) => cellOf(text(row))));
  return { kind: "table", columns: shownColumns.map(([name]) => name), rows: cells };
}

function accessLines(review: AccessReview): readonly (Line | Table)[] {
  return [
    heading(`Access ${timeText(review)}`),
    ...(review.rows.length === 0 ? [prose(0, "Nothing matches.")] : [accessTable(review)]),
    prose(0, summaryText(review)),
    ...notes(review).map((note) => prose(0, note, "dim")),
  ];
}

function timeText({ asOf, from }: AccessReview): string {
  return from === "service" ? `in the service, read at ${asOf}` : `by the log, at ${asOf}`;
}

function summaryText({ rows }: AccessReview): string {
  const people = new Set(rows.flatMap(({ person }) => person ?? [])).size;
  const roles = rows.filter(({ role }) => role !== undefined);
  const privileged = roles.filter((row) => row.privileged).length;
  const unmanaged = roles.filter(({ source }) => source === "unmanaged").length;
  const counts = [
    formatCount(people, "user"),
    formatCount(roles.length, "role"),
    `${privileged} privileged`,
    ...(unmanaged === 0 ? [] : [`${unmanaged} of unmanaged users`]),
  ];
  return `${counts.join(", ")}.`;
}

function gapText(gap: AccessGap): string {
  switch (gap.of) {
    case "earlier":
      return `The log begins at ${gap.than}. Access that was given before is not listed.`;
    case "unknown":
      return `${formatCount(gap.calls, "call")} had an unknown outcome at that time: more access may have existed.`;
    case "users":
      return "Not all users were read: more access may exist.";
  }
}

function notes(review: AccessReview): readonly string[] {
  return [...review.gaps.map(gapText), ...sourceNotes(review)];
}

function sourceNotes({ from, rows }: AccessReview): readonly string[] {
  if (from === "audit") {
    const unknown = rows.some(({ role }) => role === undefined);
    return [
      "Changes that were made outside roster are not in the log.",
      ...(unknown ? ["The roles of a key are unknown if no recorded call set them."] : []),
    ];
  }
  const undated = rows.some(({ role, granted_at: at }) => role !== undefined && at === undefined);
  const hidden = rows.some(({ prefix }) => prefix === undefined);
  return [
    ...(undated ? ["Roles without a date were not given by a recorded run."] : []),
    ...(hidden ? ["The service does not show the keys of some users."] : []),
    ...(rows.some(({ prefix, not_shown: is }) => prefix !== undefined && is?.includes("roles") === true)
      ? ["The service does not show the roles of some keys."]
      : []),
    ...(rows.some(({ not_shown: is }) => is?.includes("team") === true)
      ? ["The service does not show the team of some keys."]
      : []),
  ];
}

function accessMarkdown(review: AccessReview): string {
  const lines = [
    `### Access ${timeText(review)}`,
    "",
    summaryText(review),
    "",
    ...renderTable(accessTable(review)),
    "",
    ...notes(review),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}
