import { documentOf } from "../document/document.ts";
import { truncateText } from "../document/names.ts";
import * as t from "../document/tree.ts";
import type { CommandOutcome, Rendered } from "../outcome.ts";
import { escapeHtml } from "../safe.ts";
import { script, scriptHash, style, styleHash } from "./assets.ts";

/** Loads nothing, and its script only filters, opens and copies what is there without it. */
export function htmlFormat(outcome: CommandOutcome): Rendered {
  return { stdout: renderHtml(documentOf(outcome, "page")) };
}

/** Whatever a value might make of the page: nothing but this style and this script has an effect. */
const ours = `style-src '${styleHash}'; script-src '${scriptHash}'`;
const policy = `default-src 'none'; ${ours}; img-src data:; base-uri 'none'; form-action 'none'`;

export function renderHtml({ heading, summary, about, read, end, sections, next }: t.Document): string {
  const shown = sections.map((section, index) => ({ section, id: `part-${index + 1}` }));
  const links = shown.flatMap(({ section: { title }, id }) =>
    title === undefined ? [] : [`<li><a href="#${id}">${renderInline(title)}</a></li>`],
  );
  const known = sentences([...about, ...end], "facts");
  return `${[
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(t.plainText(heading))}</title>`,
    '<link rel="icon" href="data:,">',
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    "<header>",
    `<h1>${renderInline(heading)}</h1>`,
    sentences(summary, "summary"),
    sentences(read, "read"),
    ...(known === "" ? [] : [`<details class="about"><summary>About this run</summary>${known}</details>`]),
    "</header>",
    ...(links.length === 0 ? [] : ['<nav aria-label="Sections">', "<ul>", ...links, "</ul>", "</nav>"]),
    ...toolbar,
    "<main>",
    ...shown.map(({ section, id }) => renderSection(section, id)),
    ...(next.length === 0 ? [] : [`<section>${renderBlocks(next)}</section>`]),
    "</main>",
    `<script>${script}</script>`,
    "</body>",
    "</html>",
  ].join("\n")}\n`;
}

/** Hidden until the script shows it. */
const toolbar = [
  '<div id="tools" role="search" hidden>',
  '<label for="find">Search</label> <input id="find" type="search" autocomplete="off" spellcheck="false">',
  '<span><label for="only">Show</label> <select id="only"><option value="">everything</option></select></span>',
  '<button type="button" id="expand">Open all</button>',
  '<button type="button" id="collapse">Close all</button>',
  '<output id="count" aria-live="polite"></output>',
  "</div>",
];

const markNames: Readonly<Record<t.Mark, string>> = { "+": "adds", "-": "removes", "~": "changes", "!": "attention" };

function renderSection({ title, is, blocks }: t.Section, id: string): string {
  const inside = renderBlocks(blocks);
  if (title === undefined) return `<section>\n${inside}\n</section>`;
  const head = `<summary><h2 id="${id}-title">${renderInline(title)}</h2></summary>`;
  const details = `<details class="part"${is === "open" ? " open" : ""}>${head}\n${inside}\n</details>`;
  return `<section id="${id}" aria-labelledby="${id}-title">${details}</section>`;
}

function renderBlocks(blocks: readonly t.Block[]): string {
  return blocks.map(renderBlock).join("\n");
}

function renderBlock(block: t.Block): string {
  if (block.kind === "paragraph") return `<p>${renderInline(block.spans)}</p>`;
  if (block.kind === "table") return renderTable(block);
  if (block.kind === "entries") return renderEntries(block);
  if (block.kind === "code")
    return `<pre class="paste"><code>${block.text.split("\n").map(escapeHtml).join("\n")}</code></pre>`;
  const lines = block.lines.map(({ indent, spans, place }) => {
    const where = place === undefined ? "" : `  <span class="place">${escapeHtml(place)}</span>`;
    return `${" ".repeat(indent)}${renderInline(spans)}${where}`;
  });
  return `<pre class="lines">${lines.join("\n")}</pre>`;
}

function renderTable({ columns, rows, map }: Extract<t.Block, { kind: "table" }>): string {
  const head = columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join("");
  const drawn = rows.map((cells, row) => {
    const tds = cells.map((cell, index) => {
      if (map !== undefined && index === 0) return `<th scope="row">${renderInline(cell)}</th>`;
      if (cell.length === 0) return "<td></td>";
      return `<td data-column="${escapeHtml(columns[index] ?? "")}"><div>${renderInline(cell)}</div></td>`;
    });
    return `<tr${rowAttributes(map?.labels[row] ?? [])}>${tds.join("\n")}</tr>`;
  });
  const isGrid = map?.as === "grid";
  // Roles of more teams than fit on paper would be a letter a line.
  const name = columns.length > 12 ? "map many" : "map";
  const open = [`<table${isGrid ? ` class="${name}"` : ""}><thead><tr>${head}</tr></thead>`, "<tbody>"];
  const list = [...open, ...drawn, "</tbody>", "</table>"].join("\n");
  return isGrid ? `<div class="wide" tabindex="0" role="region" aria-label="People and teams">${list}</div>` : list;
}

/** By which the script finds and filters it. */
function rowAttributes(labels: readonly string[]): string {
  return ` class="row" data-labels="${escapeHtml(labels.join("|"))}"`;
}

function renderEntries({ title, notes, entries }: t.Entries): string {
  const list = ['<ul class="rows">', ...entries.map(renderEntry), "</ul>"].join("\n");
  const said = notes.map(({ spans }) => `<p class="dim">${renderInline(spans)}</p>`).join("");
  if (title === undefined) return `${said}${list}`;
  return `<details class="group" open>\n<summary><h3>${renderInline(title)}</h3></summary>\n${said}${list}\n</details>`;
}

function renderEntry(entry: t.Entry): string {
  const { mark, ink = "", about, what, place, labels, details, notes } = entry;
  const sign =
    mark === undefined ? "" : `<span class="mark ${ink}" role="img" aria-label="${markNames[mark]}">${mark}</span> `;
  const colon = about.length === 0 || what.length === 0 ? "" : ": ";
  const badges = labels.map((label) => ` <span class="label ${labelInks[label] ?? "dim"}">${escapeHtml(label)}</span>`);
  const where = place === undefined ? "" : ` <span class="place">${escapeHtml(place)}</span>`;
  const line = `${sign}<span class="line">${renderInline(about)}${colon}${renderInline(what)}${badges.join("")}</span>${where}`;
  const below = notes.length === 0 ? "" : `<div class="notes">${renderBlocks(notes)}</div>`;
  const why = details === undefined ? "" : renderBlocks(details());
  const folded = `<details><summary>${line}</summary><noscript>${why}</noscript></details>`;
  const head = why === "" ? `<div class="head">${line}</div>` : folded;
  const filters = mark === undefined || mark === "!" ? labels : [`${mark} ${markNames[mark]}`, ...labels];
  return `<li${rowAttributes(filters)}>${head}${below}</li>`;
}

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

function sentences(all: readonly t.Paragraph[], name: string): string {
  if (all.length === 0) return "";
  return [`<ul class="${name}">`, ...all.map(({ spans }) => `<li>${renderInline(spans)}</li>`), "</ul>"].join("\n");
}

function renderInline(spans: t.Inline): string {
  return spans.map(renderSpan).join("");
}

/** The one place where a span becomes HTML. */
function renderSpan(span: t.Span): string {
  if (typeof span === "string") return prose(span);
  if (!("is" in span)) return `<span class="${span.ink}">${prose(span.text)}</span>`;
  if (span.is === "words") return prose(span.text);
  if (span.is === "link") return `<a href="${escapeHtml(span.file)}">${escapeHtml(span.text)}</a>`;
  return `<code${span.ink === undefined ? "" : ` class="${span.ink}"`}>${escapeHtml(span.max === undefined ? span.text : truncateText(span.text, span.max))}</code>`;
}

function prose(text: string): string {
  const parts = text.split("`").map(escapeHtml);
  if (parts.length % 2 === 0) return parts.join("`");
  return parts.map((part, index) => (index % 2 === 1 ? `<code>${part}</code>` : part)).join("");
}
