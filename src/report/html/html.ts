import { documentOf } from "../document/document.ts";
import {
  type Block,
  type Document,
  type Entries,
  type Entry,
  type Inline,
  type Mark,
  type Paragraph,
  plainText,
  type Section,
  type Span,
} from "../document/tree.ts";
import type { CommandOutcome, Rendered } from "../outcome.ts";
import { truncateText } from "../phrases.ts";
import { script, scriptHash, style, styleHash } from "./assets.ts";
import { escapeHtml, prose } from "./safe-html.ts";

/** One file for a browser: it loads nothing, and its script only filters, opens and copies what is there without it. */
export function htmlFormat(outcome: CommandOutcome): Rendered {
  return { stdout: renderHtml(documentOf(outcome, "page")) };
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

/** What a person wants to know first; how it is known is one folded line. */
export function renderHtml({ heading, summary, about, end, sections, next }: Document): string {
  const shown = sections.map((section, index) => ({ section, id: `part-${index + 1}` }));
  const draw = countRows(sections) > manyRows ? drawnLater : drawnAtOnce;
  const links = shown.flatMap(({ section: { title }, id }) =>
    title === undefined ? [] : [`<li><a href="#${id}">${renderInline(title)}</a></li>`],
  );
  const facts = [...about, ...end];
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
    sentences(summary, "summary"),
    ...(facts.length === 0
      ? []
      : [`<details class="about"><summary>How this is known</summary>${sentences(facts, "facts")}</details>`]),
    "</header>",
    ...(links.length === 0 ? [] : ['<nav aria-label="Sections">', "<ul>", ...links, "</ul>", "</nav>"]),
    ...toolbar(sections),
    "<main>",
    ...shown.map(({ section, id }) => renderSection(section, id, draw)),
    ...(next.length === 0 ? [] : [`<section>${renderBlocks(next, draw)}</section>`]),
    "</main>",
    `<script>${script}</script>`,
    "</body>",
    "</html>",
  ].join("\n")}\n`;
}

/** Beyond so many, a browser makes only the rows that are in view. */
const manyRows = 500;

/** How a list of rows stands in the page. */
type DrawList = (list: string) => string;

const drawnAtOnce: DrawList = (list) => list;

/** A text for a browser that runs the script, which makes rows of it; the list itself for all others. */
const drawnLater: DrawList = (list) => `<noscript>${list}</noscript>`;

function countRows(sections: readonly Section[]): number {
  const counts = sections.flatMap(({ blocks }) =>
    blocks.map((block) =>
      block.kind === "entries" ? block.entries.length : block.kind === "table" ? block.rows.length : 0,
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Hidden until the script shows it. */
function toolbar(sections: readonly Section[]): readonly string[] {
  const labels = sections.flatMap(({ blocks }) =>
    blocks.flatMap((block) => {
      if (block.kind === "table") return block.map?.labels.flat() ?? [];
      return block.kind === "entries" ? block.entries.flatMap(filtersOf) : [];
    }),
  );
  const options = [...new Set(labels)].map((label) => `<option>${escapeHtml(label)}</option>`);
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

const markNames: Readonly<Record<Mark, string>> = { "+": "adds", "-": "removes", "~": "changes", "!": "attention" };

/** What an entry can be filtered by. */
function filtersOf({ mark, labels }: Entry): readonly string[] {
  return [...(mark === undefined || mark === "!" ? [] : [markNames[mark]]), ...labels];
}

function renderSection({ title, is, blocks }: Section, id: string, draw: DrawList): string {
  const inside = renderBlocks(blocks, draw);
  if (title === undefined) return `<section>\n${inside}\n</section>`;
  const head = `<summary><h2 id="${id}-title">${renderInline(title)}</h2></summary>`;
  const details = `<details class="part"${is === "open" ? " open" : ""}>${head}\n${inside}\n</details>`;
  return `<section id="${id}" aria-labelledby="${id}-title">${details}</section>`;
}

function renderBlocks(blocks: readonly Block[], draw: DrawList | undefined): string {
  return blocks.map((block) => renderBlock(block, draw)).join("\n");
}

/** `draw`: how rows stand there that can be searched; undefined inside a row. */
function renderBlock(block: Block, draw: DrawList | undefined): string {
  switch (block.kind) {
    case "paragraph":
      return `<p>${renderInline(block.spans)}</p>`;
    case "code":
      return `<pre class="paste"><code>${block.text.split("\n").map(escapeHtml).join("\n")}</code></pre>`;
    case "lines": {
      const lines = block.lines.map(({ indent, spans, place }) => {
        const where = place === undefined ? "" : `  <span class="place">${escapeHtml(place)}</span>`;
        return `${" ".repeat(indent)}${renderInline(spans)}${where}`;
      });
      return `<pre class="lines">${lines.join("\n")}</pre>`;
    }
    case "table":
      return renderTable(block, draw);
    case "entries":
      return renderEntries(block, draw);
  }
}

function renderTable({ columns, rows, map }: Extract<Block, { kind: "table" }>, draw: DrawList | undefined): string {
  const head = columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join("");
  const drawn = rows.map((cells, row) => {
    const tds = cells.map((cell, index) => {
      if (map !== undefined && index === 0) return `<th scope="row">${renderInline(cell)}</th>`;
      if (cell.length === 0) return "<td></td>";
      return `<td data-column="${escapeHtml(columns[index] ?? "")}"><div>${renderInline(cell)}</div></td>`;
    });
    const html = `<tr class="row">${tds.join("")}</tr>`;
    return { html, shown: html, labels: map?.labels[row] ?? [] };
  });
  const isGrid = map?.as === "grid";
  const open = [`<table${isGrid ? ' class="map"' : ""}><thead><tr>${head}</tr></thead>`, '<tbody class="rows">'];
  const list = renderRows(drawn, draw, [...open, ...drawn.map(({ html }) => html), "</tbody>", "</table>"]);
  return isGrid ? `<div class="wide" tabindex="0" role="region" aria-label="People and teams">${list}</div>` : list;
}

/** A row, what the search looks for in it, and the labels that it is filtered by. */
interface DrawnRow {
  readonly html: string;
  readonly shown: string;
  readonly labels: readonly string[];
}

/** `data-rows` has a line a row: its labels, a tab, and its text for the search. */
function renderRows(rows: readonly DrawnRow[], draw: DrawList | undefined, list: readonly string[]): string {
  if (draw === undefined) return list.join("\n");
  const lines = rows.map(({ labels, shown }) => `${escapeHtml(labels.join("|"))}\t${searchedText(shown)}`);
  return `<div class="list" data-rows="${lines.join("\n")}">${draw(list.join("\n"))}</div>`;
}

/** Folded as the script folds the words that are looked for. */
function searchedText(html: string): string {
  return html
    .replace(/<\/?(?:code|span|strong)[^>]*>/gu, "")
    .replace(/(?:<[^>]*>|\s)+/gu, " ")
    .trim()
    .normalize("NFC")
    .toLowerCase();
}

function renderEntries({ title, notes, entries }: Entries, draw: DrawList | undefined): string {
  const name = draw === undefined ? "inner" : "row";
  const drawn = entries.map((entry) => renderEntry(entry, name));
  const list = renderRows(drawn, draw, [
    `<ul class="${name === "row" ? "rows" : "inside"}">`,
    ...drawn.map(({ html }) => html),
    "</ul>",
  ]);
  const said = notes.map(({ spans }) => `<p class="dim">${renderInline(spans)}</p>`).join("");
  if (title === undefined) return `${said}${list}`;
  return `<details class="group" open>\n<summary><h3>${renderInline(title)}</h3></summary>\n${said}${list}\n</details>`;
}

/** On one line what and where; below it what to do; why, where it is opened. */
function renderEntry(entry: Entry, name: "row" | "inner"): DrawnRow {
  const { mark, ink, about, what, place, labels, notes, details } = entry;
  const sign =
    mark === undefined
      ? ""
      : `<span class="mark${ink === undefined ? "" : ` ${ink}`}" role="img" aria-label="${markNames[mark]}">${mark}</span> `;
  const colon = about.length === 0 || what.length === 0 ? "" : ": ";
  const badges = labels.map((label) => ` <span class="label ${labelInks[label] ?? "dim"}">${escapeHtml(label)}</span>`);
  const where = place === undefined ? "" : ` <span class="place">${escapeHtml(place)}</span>`;
  const line = `${sign}<span class="line">${renderInline(about)}${colon}${renderInline(what)}${badges.join("")}</span>${where}`;
  const below = notes.length === 0 ? "" : `<div class="notes">${renderBlocks(notes, undefined)}</div>`;
  const why = name === "row" && details !== undefined ? renderBlocks(details(), undefined) : "";
  const head = why === "" ? `<div class="head">${line}</div>` : `<details><summary>${line}</summary>${why}</details>`;
  return { html: `<li class="${name}">${head}${below}</li>`, shown: `${line}${below}`, labels: filtersOf(entry) };
}

/** Labels that are not dim. */
const labelInks: Readonly<Partial<Record<string, string>>> = {
  privileged: "alarm",
  error: "alarm",
  task: "alarm",
  failed: "alarm",
  refused: "alarm",
  "unknown outcome": "alarm",
  stale: "change",
  skipped: "change",
  "not started": "change",
  done: "add",
};

function sentences(all: readonly Paragraph[], name: string): string {
  if (all.length === 0) return "";
  return [`<ul class="${name}">`, ...all.map(({ spans }) => `<li>${renderInline(spans)}</li>`), "</ul>"].join("\n");
}

function renderInline(spans: Inline): string {
  return spans.map(renderSpan).join("");
}

/** So many values are shown. */
const maxValues = 20;

/** The one place where a span becomes HTML. */
function renderSpan(span: Span): string {
  if (typeof span === "string") return prose(span);
  if (!("is" in span)) return `<span class="${span.ink}">${prose(span.text)}</span>`;
  switch (span.is) {
    case "words":
      return prose(span.text);
    case "value":
      return `<code${span.ink === undefined ? "" : ` class="${span.ink}"`}>${escapeHtml(span.max === undefined ? span.text : truncateText(span.text, span.max))}</code>`;
    case "link":
      return `<a href="${escapeHtml(span.file)}">${escapeHtml(span.text)}</a>`;
    case "strong":
      return `<strong>${renderInline(span.spans)}</strong>`;
    case "values": {
      const more = span.texts.length - maxValues;
      const codes = span.texts.slice(0, maxValues).map((text) => `<code>${escapeHtml(text)}</code>`);
      return `${codes.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
    }
  }
}
