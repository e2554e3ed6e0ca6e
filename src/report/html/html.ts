import {
  type Aside,
  type Block,
  type ChangeGroup,
  type ChangeRow,
  type Inline,
  type Line,
  type Prose,
  plainText,
  type Section,
  type Span,
  type Table,
} from "../document/blocks.ts";
import { reviewOf } from "../document/review.ts";
import type { CommandOutcome, Rendered } from "../outcome.ts";
import { truncateText } from "../phrases.ts";
import { safe } from "../safe.ts";
import { script, scriptHash, style, styleHash } from "./assets.ts";

/** One file for a browser: it loads nothing, and its script only filters, opens and copies what is there without it. */
export function htmlFormat(outcome: CommandOutcome): Rendered {
  return { stdout: renderHtml(outcome) };
}

/** Whatever a value might make of the page: nothing but this style and this script has an effect. */
const policy = [
  "default-src 'none'",
  `style-src '${styleHash}'`,
  `script-src '${scriptHash}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

export function renderHtml(outcome: CommandOutcome): string {
  const { heading, facts, sections } = reviewOf(outcome);
  const shown = sections.filter(isFull).map((section, index) => ({ section, id: `part-${index + 1}` }));
  const draw = countRows(sections) > manyRows ? drawnLater : drawnAtOnce;
  const links = shown.flatMap(({ section: { title }, id }) =>
    title === undefined ? [] : [`<li><a href="#${id}">${escapeHtml(title)}</a></li>`],
  );
  return `${[
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(plainText(heading))}</title>`,
    '<link rel="icon" href="data:,">',
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    "<header>",
    `<h1>${renderInline(heading)}</h1>`,
    list(facts, "facts"),
    "</header>",
    ...(links.length === 0 ? [] : ['<nav aria-label="Sections">', "<ul>", ...links, "</ul>", "</nav>"]),
    ...toolbar(labelsIn(shown.map(({ section }) => section))),
    "<main>",
    ...shown.map(({ section, id }) => renderSection(section, id, draw)),
    "</main>",
    `<script>${script}</script>`,
    "</body>",
    "</html>",
  ].join("\n")}\n`;
}

function isFull({ lead = [], body }: Section): boolean {
  switch (body.kind) {
    case "table":
      return lead.length + body.rows.length > 0;
    case "list":
      return lead.length + body.items.length > 0;
    case "stack":
      return lead.length + body.entries.length > 0;
    case "changes":
      return lead.length + body.groups.length > 0;
  }
}

/** Beyond so many, a browser makes only the rows that are in view. */
const manyRows = 500;

/** How a list of rows stands in the page. */
type DrawList = (list: string) => string;

const drawnAtOnce: DrawList = (list) => list;

/** A text for a browser that runs the script, which makes rows of it; the list itself for all others. */
const drawnLater: DrawList = (list) => `<noscript>${list}</noscript>`;

function countRows(sections: readonly Section[]): number {
  return sections.reduce((sum, { body }) => {
    if (body.kind === "changes") return sum + body.groups.reduce((all, { rows }) => all + rows.length, 0);
    return sum + (body.kind === "table" ? body.rows.length : 0);
  }, 0);
}

/** Hidden until the script shows it. */
function toolbar(labels: readonly string[]): readonly string[] {
  const options = labels.map((label) => `<option>${escapeHtml(label)}</option>`);
  return [
    '<div id="tools" role="search" hidden>',
    '<label for="find">Search</label> <input id="find" type="search" autocomplete="off" spellcheck="false">',
    `<span><label for="only">Show</label> <select id="only"><option value="">everything</option>${options.join("")}</select></span>`,
    '<button type="button" id="expand">Open all</button>',
    '<button type="button" id="collapse">Close all</button>',
    '<output id="count" aria-live="polite"></output>',
    "</div>",
  ];
}

/** What rows can be filtered by. */
function labelsIn(sections: readonly Section[]): readonly string[] {
  const labels = sections.flatMap(({ body }) => {
    if (body.kind === "changes") return body.groups.flatMap(({ rows }) => rows.flatMap(labelsOf));
    return body.kind === "table" ? (body.asides ?? []).flatMap((aside) => aside.labels) : [];
  });
  return [...new Set(labels)];
}

function labelsOf({ mark, labels }: ChangeRow): readonly string[] {
  return [markNames[mark], ...labels];
}

const markNames: Readonly<Record<ChangeRow["mark"], string>> = { "+": "adds", "-": "removes", "!": "changes" };

function renderSection({ title, is, lead = [], body }: Section, id: string, draw: DrawList): string {
  const inside = [...lead.map(renderBlock), renderBody(body, draw)].join("\n");
  if (title === undefined) return `<section>\n${inside}\n</section>`;
  const head = `<summary><h2 id="${id}-title">${escapeHtml(title)}</h2></summary>`;
  const open = is === "open" ? " open" : "";
  const details = `<details class="part"${open}>${head}\n${inside}\n</details>`;
  return `<section id="${id}" aria-labelledby="${id}-title">${details}</section>`;
}

function renderBody(body: Section["body"], draw: DrawList): string {
  switch (body.kind) {
    case "table":
      return renderTable(body, draw);
    case "list":
      return list(body.items);
    case "stack":
      return body.entries.map(renderBlocks).join("\n");
    case "changes":
      return body.groups.map((group) => renderGroup(group, draw)).join("\n");
  }
}

function renderTable({ note, columns, rows, asides = [] }: Table, draw: DrawList): string {
  if (rows.length === 0) return "";
  const head = columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join("");
  const drawn = rows.map((cells, index) => renderRow(cells, columns, asides[index]));
  return [
    ...(note === undefined ? [] : [`<p>${renderInline(note)}</p>`]),
    renderRows(drawn, draw, [
      `<table class="widest-${(asides.length > 0 ? detailsColumn : widestColumn(rows)) + 1}">`,
      `<thead><tr>${head}</tr></thead>`,
      '<tbody class="rows">',
      ...drawn.map(({ html }) => html),
      "</tbody>",
      "</table>",
    ]),
  ].join("\n");
}

/** A row, what the search looks for in it, and the labels that it is filtered by. */
interface DrawnRow {
  readonly html: string;
  readonly shown: string;
  readonly labels: readonly string[];
}

/** `data-rows` has a line a row: its labels, a tab, and its text for the search. */
function renderRows(rows: readonly DrawnRow[], draw: DrawList, list: readonly string[]): string {
  const lines = rows.map(({ labels, shown }) => `${escapeHtml(labels.join("|"))}\t${searchedText(shown)}`);
  return `<div class="list" data-rows="${lines.join("\n")}">${draw(list.join("\n"))}</div>`;
}

/** Folded as the script folds the words that are looked for. */
function searchedText(html: string): string {
  return html
    .replace(/(?:<[^>]*>|\s)+/gu, " ")
    .trim()
    .normalize("NFC")
    .toLowerCase();
}

/** Why a row is there opens in its second cell. */
const detailsColumn = 1;

/** The column with the most text gets the most room. */
function widestColumn(rows: Table["rows"]): number {
  const lengths: number[] = [];
  for (const cells of rows) {
    cells.forEach((cell, index) => {
      lengths[index] = (lengths[index] ?? 0) + plainText(cell).length;
    });
  }
  return lengths.indexOf(Math.max(...lengths));
}

function renderRow(cells: readonly Inline[], columns: readonly string[], aside: Aside | undefined): DrawnRow {
  const details = renderBlocks(aside?.details() ?? []);
  const why = details === "" ? "" : `<details class="why"><summary>why</summary>${details}</details>`;
  const drawn = cells.map((cell, index) => {
    const column = escapeHtml(columns[index] ?? "");
    return `<td data-column="${column}"><div>${renderInline(cell)}${index === detailsColumn ? why : ""}</div></td>`;
  });
  const html = `<tr class="row">${drawn.join("")}</tr>`;
  return { html, shown: html, labels: aside?.labels ?? [] };
}

function renderGroup({ title, note, rows }: ChangeGroup, draw: DrawList): string {
  const whose = note === undefined ? "" : ` <span class="dim">${escapeHtml(note)}</span>`;
  const head = `<summary><h3>${escapeHtml(title)}</h3>${whose}</summary>`;
  const drawn = rows.map(renderChange);
  const list = renderRows(drawn, draw, ['<ul class="rows">', ...drawn.map(({ html }) => html), "</ul>"]);
  return ['<details class="group" open>', head, list, "</details>"].join("\n");
}

function renderChange(row: ChangeRow): DrawnRow {
  const { mark, pieces, place, labels, details } = row;
  const name = markNames[mark];
  const badges = labels.map((label) => ` <span class="label ${labelInks[label] ?? "dim"}">${escapeHtml(label)}</span>`);
  const line = [
    `<span class="mark ${name}" role="img" aria-label="${name}">${mark}</span> `,
    `<span class="line">${renderInline(pieces)}${badges.join("")}</span>`,
    ...(place === undefined ? [] : [` <span class="place">${escapeHtml(place)}</span>`]),
  ].join("");
  const html = `<li class="row"><details><summary>${line}</summary>${renderBlocks(details())}</details></li>`;
  return { html, shown: line, labels: labelsOf(row) };
}

/** Labels that are not dim. */
const labelInks: Readonly<Partial<Record<string, string>>> = {
  privileged: "alarm",
  failed: "alarm",
  refused: "alarm",
  "unknown outcome": "alarm",
  stale: "change",
  skipped: "change",
  "not started": "change",
  done: "add",
};

function renderBlocks(blocks: readonly Block[]): string {
  return blocks.map(renderBlock).join("");
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return `<p>${renderInline(block.spans)}</p>`;
    case "item":
      return `<ul class="item"><li>${renderInline(block.spans)}${renderBlocks(block.details)}</li></ul>`;
    case "code": {
      const { lines } = block;
      if (typeof lines !== "string") return renderLines(lines);
      const text = lines.replace(/\n+$/u, "").split("\n").map(escapeHtml).join("\n");
      return `<pre class="paste"><code>${text}</code></pre>`;
    }
  }
}

/** Its margin is left out, as far as all lines have it. */
function renderLines(lines: readonly Line[]): string {
  const indents = lines.flatMap((line) => (isBlank(line) ? [] : [line.indent]));
  const margin = indents.reduce((least, indent) => Math.min(least, indent), Number.POSITIVE_INFINITY);
  return `<pre class="lines">${lines.map((line) => renderLine(line, margin)).join("\n")}</pre>`;
}

function isBlank(line: Line): boolean {
  return line.kind === "row" && line.pieces.length === 0;
}

/** One line, its place behind it. */
function renderLine(line: Line, leftOut: number): string {
  if (isBlank(line)) return "";
  const margin = " ".repeat(line.indent - leftOut);
  if (line.kind === "prose") return `${margin}${renderPiece(line)}`;
  const place = line.place === undefined ? "" : `  <span class="place">${escapeHtml(line.place)}</span>`;
  return `${margin}${renderInline(line.pieces)}${place}`;
}

function renderPiece({ ink, text }: Pick<Prose, "ink" | "text">): string {
  return ink === undefined ? prose(text) : `<span class="${ink}">${prose(text)}</span>`;
}

function list(items: readonly Inline[], name = ""): string {
  if (items.length === 0) return "";
  return [name === "" ? "<ul>" : `<ul class="${name}">`, ...items.map(listItem), "</ul>"].join("\n");
}

function listItem(spans: Inline): string {
  return `<li>${renderInline(spans)}</li>`;
}

function renderInline(spans: Inline): string {
  return spans.map(renderSpan).join("");
}

/** Of many values, where it is not said how many are shown. */
const maxValues = 20;

/** The one place where a span becomes HTML. */
function renderSpan(span: Span): string {
  if (typeof span === "string") return prose(span);
  if ("ink" in span) return renderPiece(span);
  switch (span.is) {
    case "words":
      return prose(span.text);
    case "value":
      return `<code>${escapeHtml(span.max === undefined ? span.text : truncateText(span.text, span.max))}</code>`;
    case "link":
      return `<a href="${escapeHtml(span.file)}">${escapeHtml(span.text)}</a>`;
    case "strong":
      return `<strong>${renderInline(span.spans)}</strong>`;
    case "values": {
      const shown = span.max ?? maxValues;
      const more = span.texts.length - shown;
      const codes = span.texts.slice(0, shown).map((text) => `<code>${escapeHtml(text)}</code>`);
      return `${codes.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
    }
  }
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** The one place where a text enters HTML, as text or in an attribute with quotes: it is never markup, and nothing of it is hidden. */
export function escapeHtml(text: string): string {
  return safe(text).replace(/[&<>"']/gu, (character) => entities[character] ?? "");
}

/** A sentence: what stands between backticks is code. */
export function prose(text: string): string {
  const parts = text.split("`").map(escapeHtml);
  if (parts.length % 2 === 0) return parts.join("`");
  return parts.map((part, index) => (index % 2 === 1 ? `<code>${part}</code>` : part)).join("");
}
