import { type Group, groupBy } from "../../model/collections.ts";
import type { Plan } from "../../model/plan.ts";
import { documentOf } from "../document/document.ts";
import { formatCounts } from "../document/names.ts";
import { problemBlocks } from "../document/tasks.ts";
import type { Block, Document, Entries, Entry, Ink, Line, Paragraph, Section } from "../document/tree.ts";
import * as t from "../document/tree.ts";
import type { CommandOutcome, Rendered, RenderOptions, TerminalStyle } from "../outcome.ts";
import { piecesOf, piecesWidth, renderLines } from "./lines.ts";

/** Read from top to bottom: the summary stands at the end, above the prompt. */
export function textFormat(outcome: CommandOutcome, style: RenderOptions): Rendered {
  return { stdout: renderDocument(documentOf(outcome, "terminal"), style) };
}

export function renderPlan(plan: Plan, options: TerminalStyle & Partial<CommandOutcome>): string {
  const outcome = { ...options, command: "plan", exitCode: 0, diagnostics: [], plan } as const;
  return renderDocument(documentOf(outcome, "terminal"), options);
}

export function renderProblems(outcome: CommandOutcome, style: TerminalStyle): string {
  const lines = problemBlocks(outcome).flatMap((block) => blockLines(block, 0));
  return renderLines(lines, style);
}

export function renderDocument(document: Document, style: TerminalStyle): string {
  const { heading, about, read, sections, summary, next, end } = document;
  const dimmed = ({ spans }: Paragraph) => t.line(0, inkedSpans("dim", spans));
  const indentOf = (blocks: readonly Block[]) => blocks.flatMap((block) => blockLines(block, 0));
  const parts = [
    heading.length === 0 ? [] : [t.line(0, inkedSpans("strong", heading))],
    ...sections.flatMap((section) => (section.is === "extra" ? [] : sectionParts(section, style.columns))),
    heading.length === 0 ? [] : [...about, ...read].map(dimmed),
    indentOf(summary),
    indentOf(next),
    end.map(dimmed),
  ];
  return renderLines(joinParts(parts), style);
}

/** With a blank line between them; what stands at the end belongs to the summary. */
function joinParts(parts: readonly (readonly Line[])[]): readonly Line[] {
  const full = parts.filter((part) => part.length > 0);
  const last = parts.at(-1);
  return full.flatMap((part, index) => {
    const isGlued = part === last && full[index - 1]?.at(-1)?.fixed !== true;
    return index === 0 || isGlued ? part : [t.line(0, []), ...part];
  });
}

function sectionParts({ title, blocks }: Section, columns = Number.POSITIVE_INFINITY): readonly (readonly Line[])[] {
  const isTitled = (block: Block) => block.kind === "entries" && block.title !== undefined;
  const isPlan = blocks.every(isTitled);
  const parts = blocks.map((block) => {
    const indent = title === undefined || isPlan ? 0 : 2;
    return block.kind === "entries" ? entriesLines(block, indent, columns >= 100) : blockLines(block, indent, columns);
  });
  if (isPlan) return parts;
  return [[...(title === undefined ? [] : [t.line(0, inkedSpans("strong", title))]), ...parts.flat()]];
}

/** What has no ink of its own. */
function inkedSpans(ink: Ink, spans: Line["spans"]): Line["spans"] {
  return piecesOf(spans).map((piece) => (typeof piece === "string" ? t.inked(ink, piece) : piece));
}

export function blockLines(block: Block, indent: number, columns = Number.POSITIVE_INFINITY): readonly Line[] {
  if (block.kind === "paragraph") return [t.line(indent, block.spans)];
  if (block.kind === "table") return tableLines(block, Math.max(2, indent), columns);
  if (block.kind === "entries") return entriesLines(block, indent);
  if (block.kind === "lines") return block.lines.map((one) => ({ ...one, indent: one.indent + indent }));
  const lines = block.text.split("\n");
  return lines.map((text) => ({ indent: text === "" ? 0 : indent + 2, spans: [text], fixed: true }));
}

/** Columns that have no room side by side go on below, the same ones in each row. */
function tableLines(table: Extract<Block, { kind: "table" }>, indent: number, columns: number): readonly Line[] {
  const head = table.columns.map((title) => [t.inked("dim", title)]);
  const rows = [head, ...table.rows.map((row) => row.map(piecesOf))];
  const widths = head.map((_, at) => rows.reduce((width, row) => Math.max(width, piecesWidth(row[at] ?? [])), 0));
  const bands: number[][] = [];
  let room = -1;
  widths.forEach((width, column) => {
    if (width > room) room = columns - (bands.push([]) === 1 ? indent : indent + 4);
    bands.at(-1)?.push(column);
    room -= width + 2;
  });
  return rows.flatMap((row) =>
    bands.flatMap((band, at) => {
      const last = band.findLast((column) => row[column]?.length !== 0) ?? 0;
      const spans = band.flatMap((column) => {
        const cell = row[column] ?? [];
        return column >= last ? cell : [...cell, " ".repeat((widths[column] ?? 0) - piecesWidth(cell) + 2)];
      });
      return at > 0 && spans.length === 0 ? [] : [t.line(at === 0 ? indent : indent + 4, spans, "")];
    }),
  );
}

const maxAboutWidth = 44;

/** `aligned`: what happens stands in one column. */
export function entriesLines({ title, notes, entries, as }: Entries, indent: number, aligned = false): readonly Line[] {
  const inside = title === undefined ? indent : indent + 2;
  const groups = as === "changes" ? alikeEntries(entries) : entries.map((entry) => [entry] as const);
  const widths = aligned && as === "changes" ? entries.map(({ about }) => piecesWidth(piecesOf(about)) + 1) : [];
  const column = Math.max(0, ...widths.filter((width) => width <= maxAboutWidth));
  return [
    ...(title === undefined ? [] : [t.line(indent, title)]),
    ...notes.flatMap((note) => blockLines(note, inside)),
    ...groups.flatMap((group) =>
      group.length === 1 ? entryLines(group[0], inside, column) : groupLines(group, inside),
    ),
  ];
}

function entryLines(entry: Entry, indent: number, column = 0): readonly Line[] {
  const { mark, about, what, place = "", notes } = entry;
  const colon = about.length === 0 || what.length === 0 ? "" : ":";
  const gap = colon === "" ? "" : " ".repeat(Math.max(1, column - piecesWidth(piecesOf(about))));
  const spans = [...markSpans(entry), ...about, `${colon}${gap}`, ...what];
  const inside = mark === undefined ? indent + 2 : indent + 4;
  return [t.line(indent, spans, place), ...notes.flatMap((note) => blockLines(note, inside))];
}

export function markSpans({ mark, ink }: Entry): Line["spans"] {
  return mark === undefined ? [] : [t.inked(ink, mark), " "];
}

/** So many people with the same change share one line. */
const minGroupSize = 9;

const maxNamed = 40;

/** Entries one by one, and together those that say the same of many; never those that need attention. */
function alikeEntries(entries: readonly Entry[]): readonly Group<Entry>[] {
  const keyOf = ({ mark, what, ink, notes }: Entry) =>
    ink === "alarm" || notes.length > 0 ? undefined : `${mark} ${t.plainText(what)}`;
  const groups = groupBy(entries, keyOf);
  return entries.flatMap((entry): readonly Group<Entry>[] => {
    const group = groups.get(keyOf(entry) ?? "") ?? [entry];
    if (group.length < minGroupSize) return [[entry]];
    return group[0] === entry ? [group] : [];
  });
}

function groupLines(group: Group<Entry>, indent: number): readonly Line[] {
  const [first] = group;
  const keys = group.filter(({ about }) => t.plainText(about).startsWith("key ")).length;
  const counts = formatCounts([group.length - keys, "person", "people"], [keys, "key"]);
  const more = group.length - maxNamed;
  const names = group.slice(0, maxNamed).map(({ about }) => t.plainText(about));
  const rest = more > 0 ? t.words(`, and ${more} more: see \`--view calls\``) : [];
  const place = first.place && `${first.place} and ${group.length - 1} other lines`;
  return [
    t.line(indent, [...markSpans(first), `${counts.join(", ")}, each: `, ...first.what], place),
    t.line(indent + 4, [names.join(", "), ...rest]),
  ];
}
