import {
  type Block,
  type ChangeGroup,
  type Inline,
  row,
  type Section,
  type Span,
  type Table,
} from "../document/blocks.ts";
import { reviewOf } from "../document/review.ts";
import { type CommandOutcome, plain, type Rendered } from "../outcome.ts";
import { renderLines } from "../text/lines.ts";
import { code, codes, fenced, marker, prose } from "./safe-markdown.ts";

/** For a comment on a pull request or the summary of a job: what matters first, never longer than a comment may be. */
export function markdownFormat(outcome: CommandOutcome): Rendered {
  return { stdout: renderMarkdown(outcome) };
}

/** So many bytes of a comment's 65,536 are used at the most, so that more can be added to the comment. */
const maxBytes = 60_000;

/** The Markdown of an outcome, in no more bytes of UTF-8 than that, and so in no more units of UTF-16 either. */
export function renderMarkdown(outcome: CommandOutcome): string {
  const { heading, facts, sections } = reviewOf(outcome);
  const head = [
    // By this a comment is found again.
    marker(outcome.command, outcome.title),
    `## ${renderInline(heading)}`,
    "",
    ...facts.map((fact) => `- ${renderInline(fact)}`),
  ];
  return renderSections(`${head.join("\n")}\n`, sections.map(drawSection));
}

/** A section as Markdown, of which the last rows may be left out. */
interface DrawnSection extends Pick<Section, "title" | "is" | "rank" | "leftOut"> {
  readonly before: readonly string[];
  readonly rows: readonly string[];
  /** Rows of a table or items of a list follow one another; blocks have a line between them. */
  readonly between: "\n" | "\n\n";
}

function drawSection(section: Section): DrawnSection {
  const { body, lead = [] } = section;
  const before = lead.map(renderBlock);
  switch (body.kind) {
    case "table": {
      const { note } = body;
      const [names = "", rule = "", ...rows] = renderTable(body);
      const head = [...(note === undefined ? [] : [`${renderInline(note)}\n`]), names, rule];
      return { ...section, before: [...before, ...(rows.length === 0 ? [] : head)], rows, between: "\n" };
    }
    case "list": {
      const margin = body.nested === true ? "  " : "";
      return { ...section, before, rows: body.items.map((one) => `${margin}- ${renderInline(one)}`), between: "\n" };
    }
    case "stack":
      return { ...section, before, rows: body.entries.map(renderBlocks), between: "\n\n" };
    case "changes":
      return { ...section, before, rows: body.groups.map(renderDiff), between: "\n\n" };
  }
}

/** A line for each person. */
function renderDiff({ title, note, rows }: ChangeGroup): string {
  const lines = [
    row(0, [`@@ ${title} @@`]),
    ...(note === undefined ? [] : [row(0, [`  ${note}`])]),
    ...rows.map(({ mark, pieces }) => row(0, [`${mark} `, ...pieces])),
  ];
  return renderBlock({ kind: "code", language: "diff", lines });
}

/** The lines of a table: the names of its columns, a rule, and a line for each row. */
export function renderTable({ columns, rows }: Table): readonly string[] {
  const rule = `|${columns.map(() => "---|").join("")}`;
  return [tableRow(columns), rule, ...rows.map((cells) => tableRow(cells.map(renderInline)))];
}

/** A row of a table, of cells that are Markdown already. */
function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => (cell === "" ? "–" : cell)).join(" | ")} |`;
}

function renderBlocks(blocks: readonly Block[]): string {
  return blocks.map(renderBlock).join("\n\n");
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return renderInline(block.spans);
    case "item":
      return [`- ${renderInline(block.spans)}`, ...block.details.map((detail) => indented(renderBlock(detail)))].join(
        "\n\n",
      );
    case "code": {
      const { lines, language } = block;
      return fenced(typeof lines === "string" ? lines : renderLines(lines, plain), { language });
    }
  }
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n");
}

/** The one place where a span becomes Markdown. */
function renderInline(spans: Inline): string {
  return spans.map(renderSpan).join("");
}

function renderSpan(span: Span): string {
  if (typeof span === "string") return prose(span);
  if ("ink" in span) return prose(span.text);
  switch (span.is) {
    case "words":
      return span.text;
    case "value":
      return code(span.text, span.max);
    case "link":
      return code(span.text);
    case "strong":
      return `**${renderInline(span.spans)}**`;
    case "values":
      return codes(span.texts, span.max);
  }
}

/** Sections in their order; the rows of each, in the order of the ranks, as far as there is room for them. */
function renderSections(head: string, sections: readonly DrawnSection[]): string {
  const full = sections.filter(({ before, rows }) => before.length + rows.length > 0);
  const frames = full.map((section) => bytesOf(renderSection(section, [])));
  let room = maxBytes - bytesOf(head) - frames.reduce((sum, bytes) => sum + bytes, 0);
  const kept = new Map<DrawnSection, readonly string[]>();
  for (const section of [...full].sort((a, b) => a.rank - b.rank)) {
    const fitting = rowsWithin(section, room);
    room -= fitting.bytes;
    kept.set(section, fitting.rows);
  }
  return [head, ...full.map((section) => renderSection(section, kept.get(section) ?? []))].join("");
}

function rowsWithin(
  { rows, between }: DrawnSection,
  room: number,
): { readonly rows: readonly string[]; readonly bytes: number } {
  let bytes = 0;
  const fitting: string[] = [];
  for (const row of rows) {
    const more = bytesOf(row) + between.length;
    if (bytes + more > room) break;
    bytes += more;
    fitting.push(row);
  }
  return { rows: fitting, bytes };
}

/** With so many of its rows, and how many are left out. */
function renderSection(section: DrawnSection, rows: readonly string[]): string {
  const { title, is, before, leftOut, between } = section;
  const left = section.rows.length - rows.length;
  const body = [...before, ...(rows.length === 0 ? [] : [rows.join(between)])];
  const all = [...body, ...(left === 0 ? [] : [`${body.length === 0 ? "" : "\n"}${renderInline(leftOut(left))}`])];
  if (is === "open") return `\n${[...(title === undefined ? [] : [`### ${title}\n`]), ...all].join("\n")}\n`;
  return `\n<details><summary>${title ?? ""}</summary>\n\n${all.join("\n")}\n\n</details>\n`;
}

const encoder = new TextEncoder();

function bytesOf(text: string): number {
  return encoder.encode(text).length;
}
