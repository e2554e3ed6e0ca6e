/** The digest of the script, by which the page allows it: a test says what it has to be. */
export const scriptHash = "sha256-cJByIGaKtvf497mWp0UDHzoBn23XKokbO9dLBkZFPD8=";

/** Filters, opens and copies what the page has. The only markup that it makes is the page's own: the reasons of a row that is opened. */
export const script = `
"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const [tools, find, only, count] = ["tools", "find", "only", "count"].map(at);
  const fold = (text) => text.normalize("NFC").toLowerCase();
  const boxes = all(".group, .part");
  const grid = document.querySelector(".map");
  const rows = all(".row").map((node) => {
    const isOfGrid = grid?.contains(node);
    // Not the reasons, which are folded: they name other people.
    const texts = [...node.children].map((cell) => {
      const shown = (cell.localName === "details" ? cell.firstChild : cell).textContent;
      return fold(isOfGrid && cell.dataset.column ? cell.dataset.column + " " + shown : shown);
    });
    const group = node.closest(".group");
    const text = texts.join(" ") + " " + fold(group?.querySelector("summary").textContent ?? "");
    const keys = node.localName === "tr" ? texts.flatMap((one) => one.split("; ")) : [text];
    const names = new Set([/\\s+/u, /[^\\p{L}\\p{N}]+/u].flatMap((between) => texts[0].split(between)));
    return { node, labels: node.dataset.labels.split("|"), isOfGrid, texts, text, keys, names, boxes: [group, node.closest(".part")] };
  });

  function filter() {
    const words = fold(find.value).split(/\\s+/u).filter((word) => word !== "");
    const has = (text) => words.every((word) => text.includes(word));
    const isFiltered = words.length > 0 || only.value !== "";
    const [full, exact, columns] = [new Set(), new Set(), new Set([0])];
    let shown = 0;
    for (const row of rows) {
      row.isHit = only.value === "" || row.labels.includes(only.value);
      row.isExact = row.isHit && row.keys.some(has);
      if (row.isExact) exact.add(row.boxes[1]);
    }
    for (const row of rows) {
      // "Team 38" is a team, and not p38 in another team. Where one cell has all words, other rows need a name with a whole one.
      const isNear = !exact.has(row.boxes[1]) || row.isExact || words.some((word) => row.names.has(word));
      row.isHit &&= isNear && has(row.text);
      if (!row.isHit) continue;
      shown += 1;
      for (const box of row.boxes) full.add(box);
      const isWhole = !row.isExact || has(row.texts[0]);
      if (row.isOfGrid)
        for (const [index, text] of row.texts.entries()) if (text !== "" && (isWhole || has(text))) columns.add(index);
    }
    // Rows of a group that is hidden as a whole stay as they are: each change costs the browser time.
    for (const { node, isHit, boxes: [group] } of rows)
      if ((group === null || full.has(group)) && node.hidden === isHit) node.hidden = !isHit;
    for (const box of boxes) {
      box.hidden = isFiltered && !full.has(box);
      if (isFiltered && full.has(box) && !box.open) box.open = true;
    }
    for (const { cells } of grid?.rows ?? [])
      for (const [index, cell] of [...cells].entries()) cell.hidden = isFiltered && !columns.has(index);
    const counted = rows.length + (rows.length === 1 ? " row" : " rows");
    count.textContent = isFiltered ? shown + " of " + counted : counted;
    writeAddress();
  }

  /** What is searched for stands in the address, so that a link leads to it. */
  function writeAddress() {
    const asked = new URLSearchParams();
    if (find.value !== "") asked.set("q", find.value);
    if (only.value !== "") asked.set("show", only.value);
    const isCleared = asked.toString() === "";
    if (isCleared && !isSearch()) return;
    try {
      history.replaceState(null, "", isCleared ? location.href.split("#")[0] : "#" + asked);
    } catch {
      // Some browsers allow 100 changes in 30 s. The next search is written again.
    }
  }

  function isSearch() {
    return /^#(?:q|show)=/u.test(location.hash);
  }

  function readAddress() {
    const asked = new URLSearchParams(location.hash.slice(1));
    find.value = asked.get("q") ?? "";
    only.value = asked.get("show") ?? "";
  }

  /** Until it is opened, what is folded in a row is a text: the elements of 10,000 rows take seconds. */
  function unfold(box) {
    for (const reasons of all(":scope > noscript", box)) {
      reasons.outerHTML = reasons.textContent;
      addCopyButtons(box);
    }
  }

  function addCopyButtons(within) {
    for (const paste of all(".paste", within)) {
      const text = paste.querySelector("code").textContent;
      const button = document.createElement("button");
      const say = (word) => {
        button.textContent = word;
        button.ariaLabel = word + " " + text.replace(/\\s+/gu, " ").slice(0, 120);
      };
      button.type = "button";
      say("Copy");
      button.addEventListener("click", async () => {
        getSelection().selectAllChildren(paste.querySelector("code"));
        try {
          await navigator.clipboard.writeText(text);
          say("Copied");
        } catch {
          say("Selected");
        }
      });
      paste.append(button);
    }
  }

  let typing;
  find.addEventListener("input", () => {
    cancelAnimationFrame(typing);
    typing = requestAnimationFrame(filter);
  });
  only.addEventListener("change", filter);
  tools.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    find.value = "";
    only.value = "";
    filter();
  });
  for (const [id, isOpen] of [["expand", true], ["collapse", false]])
    at(id).addEventListener("click", () => all("details").forEach((box) => (box.open = isOpen)));
  addEventListener("hashchange", () => {
    if (!isSearch()) return;
    readAddress();
    filter();
  });

  addEventListener("toggle", ({ target }) => unfold(target), true);
  addEventListener("beforeprint", () => all("details").forEach(unfold));

  addCopyButtons(document);
  if (rows.length > 0) {
    tools.hidden = false;
    for (const label of new Set(rows.flatMap(({ labels }) => labels))) if (label !== "") only.append(new Option(label));
    if (isSearch()) readAddress();
    filter();
  }
})();
`;

/** The digest of the style, by which the page allows it: a test says what it has to be. */
export const styleHash = "sha256-aIolYmk/+15ckVe6HAVWUygsCtj2NPvsUbAeY1Y6nec=";

/** Colour never says anything alone: marks, labels and signs say the same. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #fff; --panel: #f6f7f9; --ink: #1b1f24; --dim: #57606a; --rule: #d0d7de; --link: #0550ae;
  --add: #116329; --remove: #a40e26; --change: #7d4e00; --alarm: #a40e26; --alarm-paper: #ffebe9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0d1117; --panel: #161b22; --ink: #e6edf3; --dim: #9aa4af; --rule: #30363d; --link: #79c0ff;
    --add: #56d364; --remove: #ff938a; --change: #e3b341; --alarm: #ff938a; --alarm-paper: #3d1418;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0 auto; padding: 1.25rem clamp(0.75rem, 3vw, 2.5rem) 4rem; max-width: 100rem;
  background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1, h2, h3 { margin: 0; line-height: 1.3; }
h1 { font-size: 1.6em; }
h2 { font-size: 1.2em; }
h3 { font-size: 1em; }
h2, h3 { display: inline; }
code, pre, .lines { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.875em; }
a { color: var(--link); }
ul { padding-left: 1.25rem; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
summary { cursor: pointer; }
button, input, select {
  font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--dim); border-radius: 0.375rem; padding: 0.25rem 0.6rem;
}
button { cursor: pointer; }

.summary, .read { padding: 0; list-style: none; font-size: 1.05em; }
.about, .read { color: var(--dim); }
.about ul, .read { margin: 0.25rem 0; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0; list-style: none; }
#tools {
  position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem;
  background: var(--paper); border-bottom: 1px solid var(--rule); padding: 0.5rem 0;
}
#find { flex: 1 1 14rem; min-width: 0; max-width: 40rem; }
#tools span { white-space: nowrap; }
#count { margin-left: auto; color: var(--dim); }

section { margin-top: 1.25rem; scroll-margin-top: 4rem; }
.part > summary { padding: 0.4rem 0; border-bottom: 2px solid var(--rule); }
.group { margin: 0.75rem 0; border: 1px solid var(--rule); border-radius: 0.5rem; overflow: clip; }
.group > summary { background: var(--panel); padding: 0.45rem 0.75rem; }
.rows { margin: 0; padding: 0; list-style: none; }
/* Only the groups and rows in view are laid out. */
.group { content-visibility: auto; contain-intrinsic-size: auto 20rem; }
.row { content-visibility: auto; contain-intrinsic-size: auto 2.1rem; }
li.row { border-top: 1px solid var(--rule); }
li.row > .head { padding: 0.3rem 0.75rem 0.3rem 1.85rem; }
.head, li.row > details > summary { display: flex; gap: 0.6rem; align-items: baseline; padding: 0.3rem 0.75rem; }
li.row > details > summary::-webkit-details-marker { display: none; }
li.row > details > summary::before { content: "\\25B8"; color: var(--dim); }
li.row > details[open] > summary::before { content: "\\25BE"; }
.line { flex: 1; }
.mark { font-family: ui-monospace, monospace; font-weight: 700; }
.place { color: var(--dim); font-family: ui-monospace, monospace; font-size: 0.875em; }
.label { border: 1px solid; border-radius: 1rem; padding: 0 0.5em; font-size: 0.8em; white-space: nowrap; }
.add { color: var(--add); }
.remove { color: var(--remove); }
.change { color: var(--change); }
.alarm { color: var(--alarm); font-weight: 600; }
.label.alarm { background: var(--alarm-paper); }
.dim { color: var(--dim); }
.strong { font-weight: 600; }

table { width: 100%; margin: 0.5rem 0; }
table, thead, tbody { display: block; }
tr { display: flex; gap: 0 1rem; padding: 0.4rem 0.25rem; border-bottom: 1px solid var(--rule); }
th { text-align: left; color: var(--dim); font-weight: 600; }
td, th { flex: 1; padding: 0; min-width: 0; }
.wide { overflow: auto; max-height: 80vh; }
.map { display: table; width: auto; margin: 0; border-collapse: collapse; }
.map thead { display: table-header-group; position: sticky; top: 0; z-index: 1; background: var(--paper); }
.map tbody { display: table-row-group; }
.map tr { display: table-row; }
.map td, .map th {
  display: table-cell; min-width: 7rem; max-width: 16rem; padding: 0.25rem 0.5rem; overflow-wrap: break-word; vertical-align: top;
  border-bottom: 1px solid var(--rule);
}
.map th:first-child { position: sticky; left: 0; color: var(--ink); background: var(--paper); }

.lines { margin: 0; padding: 0.5rem 0.75rem; background: var(--panel); border-radius: 0.375rem; white-space: pre-wrap; }
.lines code, pre code { font-size: 1em; }
.paste {
  display: flex; gap: 1rem; align-items: start; justify-content: space-between; margin: 0.5rem 0; padding: 0.5rem 0.75rem;
  background: var(--panel); border-radius: 0.375rem; white-space: pre-wrap;
}
.paste code { user-select: all; }
.notes { padding: 0 0.75rem 0.4rem 2.5rem; }
.notes p { margin: 0.15rem 0; }

@media (max-width: 44rem) {
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tbody tr, .map, .map tbody, .map tr, .map th { display: block; }
  .map thead { position: absolute; }
  .map th, .map td { border: 0; padding: 0; max-width: none; }
  td:empty { display: none; }
  td, .map td { display: grid; grid-template-columns: 5.25rem minmax(0, 1fr); gap: 0.5rem; }
  td::before { content: attr(data-column); color: var(--dim); font-size: 0.875em; }
  li.row > details > summary { flex-wrap: wrap; }
  li.row .line { flex-basis: 70%; }
  li.row .place { margin-left: 2.4rem; }
  #tools { position: static; }
  #count { margin-left: 0; }
}
@media print {
  @page { margin: 12mm; }
  body { max-width: none; padding: 0; font-size: 8pt; line-height: 1.25; }
  section, .group { margin-top: 0.5rem; }
  nav, #tools, .paste button { display: none; }
  .wide { overflow: visible; max-height: none; }
  .map { font-size: 7pt; }
  .map td, .map th { min-width: 0; overflow-wrap: anywhere; }
  .many thead, .many td:empty { display: none; }
  .many, .many tbody, .many tr, .many th { display: block; }
  .many tbody { columns: 2; }
  .many td { display: grid; grid-template-columns: 9rem minmax(0, 1fr); border: 0; padding: 0 0.5rem; max-width: none; }
  .many td::before { content: attr(data-column); color: var(--dim); }
  .lines, .paste { padding: 0.2rem 0.5rem; margin: 0; font-size: 6.5pt; line-height: 1.2; }
  .lines { columns: 2; column-gap: 1rem; }
  li.row > details > summary, .head { padding: 0 0.5rem; }
  tr { padding: 0.1rem 0.25rem; }
  summary, tbody tr { break-inside: avoid; }
  summary { break-after: avoid; }
  details::details-content { content-visibility: visible; display: block; }
}
`;
