import { documentOf } from "../document/document.ts";
import type { Block, Document, Entries, Entry, Inline, Section, Span } from "../document/tree.ts";
import * as t from "../document/tree.ts";
import type { CommandOutcome, Rendered } from "../outcome.ts";
import { code, fenced, marker, prose } from "../safe.ts";

/** For a comment on a pull request or the summary of a job: what matters first, never longer than a comment may be. By its first line, a comment is found again. */
export function renderMarkdown(outcome: CommandOutcome): string {
  return renderMarkdownDocument(documentOf(outcome), `${marker(outcome.command, outcome.title)}\n`);
}

export function markdownFormat(outcome: CommandOutcome): Rendered {
  return { stdout: renderMarkdown(outcome) };
}

/** So many bytes of a comment's 65,536 are used at the most, so that more can be added to the comment; and so no more units of UTF-16 either. */
const maxBytes = 60_000;

/** Sections in their order, those that are open first, and the parts of each as far as there is room: changes leave room for what must be read. */
export function renderMarkdownDocument(document: Document, before = ""): string {
  const { heading, summary, about, read, end, next, whole } = document;
  const lines = summary.map(({ spans }) => `- ${renderInline(spans)}`);
  const head = `${before}## ${renderInline(heading)}\n${lines.length === 0 ? "" : `\n${lines.join("\n")}\n`}`;
  const facts = [...about, ...read, ...end].map(({ spans }) => `- ${renderInline(spans)}`);
  const foot = [
    ...(next.length === 0 ? [] : [`\n${renderBlocks(next)}\n`]),
    ...(facts.length === 0 ? [] : [folded("About this run", facts.join("\n"))]),
  ].join("");
  const inOrder = document.sections.toSorted((one, other) => Number(one.is !== "open") - Number(other.is !== "open"));
  const sections = inOrder.map((section) => ({
    section,
    parts: section.blocks.flatMap((block, index) => partsOf(block, index === 0 ? "" : "\n\n")),
  }));
  const frames = sections.map(({ section, parts }) => renderSection(section, parts, 0, whole));
  let room = maxBytes - bytesOf([head, foot, ...frames].join(""));
  const kept = new Map<Section, number>();
  const isLast = ({ section: { is, blocks } }: (typeof sections)[number]) =>
    is !== "open" || blocks.some((block) => block.kind === "entries" && block.as === "changes");
  for (const { section, parts } of new Set([...sections.filter((one) => !isLast(one)), ...sections])) {
    const sizes = parts.map(bytesOf);
    let count = 0;
    for (; count < sizes.length && (sizes[count] ?? 0) <= room; count += 1) room -= sizes[count] ?? 0;
    kept.set(section, count);
  }
  const drawn = sections.map(({ section, parts }) => renderSection(section, parts, kept.get(section) ?? 0, whole));
  return [head, ...drawn, foot].join("");
}

/** What of a block is shown whole or not at all: a row, an entry, or a group of changes; each with what parts it from the one before. */
function partsOf(block: Block, lead = ""): readonly string[] {
  const parts = (texts: readonly string[], between = "\n\n", before = "") =>
    texts.map((text, index) => `${index === 0 ? `${lead}${before}` : between}${text}`);
  if (block.kind === "table") {
    const head = `${tableRow(block.columns)}\n|${block.columns.map(() => "---|").join("")}\n`;
    const rows = block.rows.map((cells) => tableRow(cells.map(renderInline)));
    return parts(rows, "\n", head);
  }
  if (block.kind === "entries") {
    if (block.as === "changes") return parts([renderDiff(block)]);
    const notes = block.notes.map(({ spans }) => `${renderInline(spans)}\n\n`).join("");
    const title = block.title === undefined ? "" : `#### ${renderInline(block.title)}\n\n`;
    return parts(block.entries.map(renderEntry), "\n", `${title}${notes}`);
  }
  return parts([renderBlock(block)]);
}

function renderSection({ title, is, whole }: Section, parts: readonly string[], count: number, other: string): string {
  const left = parts.length - count;
  const more =
    left === 0 ? "" : `\n\n${renderInline(t.phrase`… and ${left} more: ${t.value(whole ?? other)} shows all`)}`;
  const body = `${parts.slice(0, count).join("")}${more}`.replace(/^\n+|\n+$/gu, "");
  const name = title === undefined ? "" : renderInline(title);
  return is === "open" ? `\n${name === "" ? "" : `### ${name}\n\n`}${body}\n` : folded(name, body);
}

function folded(title: string, body: string): string {
  return `\n<details><summary>${title}</summary>\n\n${body}\n\n</details>\n`;
}

function renderDiff({ title = [], notes, entries }: Entries): string {
  const lines = [
    ...(title.length === 0 ? [] : [`@@ ${t.plainText(title)} @@`]),
    ...notes.map(({ spans }) => `  ${t.plainText(spans)}`),
    ...entries.flatMap(({ mark = " ", about, what, notes: below }) => {
      const aside = below.flatMap((block) => (block.kind === "paragraph" ? [`  ${t.plainText(block.spans)}`] : []));
      const colon = about.length === 0 || what.length === 0 ? "" : ": ";
      return [`${mark} ${t.plainText(about)}${colon}${t.plainText(what)}`, ...aside];
    }),
  ];
  return fenced(lines, { language: "diff" });
}

function renderEntry({ mark, about, what, place, notes }: Entry): string {
  const colon = about.length === 0 || what.length === 0 ? "" : ": ";
  // Without backticks, a mark would begin another list.
  const sign = mark === undefined || mark === "!" ? "" : `${code(mark)} `;
  const where = place === undefined ? "" : ` · ${code(place)}`;
  const head = `- ${sign}${renderInline(about)}${colon}${renderInline(what)}${where}`;
  return notes.length === 0 ? head : `${head}\n\n${renderBlocks(notes).replace(/^(?=.)/gmu, "  ")}\n`;
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => (cell === "" ? "–" : cell)).join(" | ")} |`;
}

/** Sentences that follow each other are one paragraph of several lines. */
function renderBlocks(blocks: readonly Block[]): string {
  return blocks.reduce((text, block, index) => {
    const isGoingOn = block.kind === "paragraph" && blocks[index - 1]?.kind === "paragraph";
    return `${text}${index === 0 ? "" : isGoingOn ? "\\\n" : "\n\n"}${renderBlock(block)}`;
  }, "");
}

function renderBlock(block: Block): string {
  if (block.kind === "paragraph") return renderInline(block.spans);
  if (block.kind === "code") return fenced(block.text.split("\n"), { language: block.language });
  if (block.kind === "table" || block.kind === "entries") return partsOf(block).join("");
  const lines = block.lines.map(({ indent, spans, place = "" }) => {
    return `${" ".repeat(indent)}${t.plainText(spans)}  ${place}`.trimEnd();
  });
  return fenced(lines, { language: "text" });
}

/** The one place where a span becomes Markdown. */
function renderInline(spans: Inline): string {
  return spans.map(renderSpan).join("");
}

function renderSpan(span: Span): string {
  if (typeof span === "string") return proseWithin(span);
  if (!("is" in span)) return proseWithin(span.text, span.ink === "alarm" ? "**" : "");
  if (span.is === "words") return span.text;
  return span.is === "link" ? code(span.text) : code(span.text, span.max);
}

/** Between other spans, the space at its ends parts it from them. */
function proseWithin(text: string, mark = ""): string {
  const [, before = "", after = ""] = /^(\s?).*?(\s?)$/su.exec(text) ?? [];
  const inside = prose(text);
  return inside === "" ? before : `${before && " "}${mark}${inside}${mark}${after && " "}`;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
