/** The digest of the script, by which the page allows it: a test says what it has to be. */
export const scriptHash = "sha256-xM96QZ/308/pOVF4kV1Z0Fvd5qNEFUCPkwh1Wzec3R0=";

/** Filters, folds and copies. It writes texts and properties only, never markup. */
export const script = `
"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const [tools, find, only, count] = ["tools", "find", "only", "count"].map(at);
  const fold = (text) => text.normalize("NFC").toLowerCase();
  const main = document.querySelector("main");
  const groups = all(".group").map((box) => ({ box, name: box.querySelector("summary").textContent, rows: [], hits: 0 }));
  const parts = all(".part").map((box) => ({ box, name: "", rows: [], hits: 0 }));
  let rows;

  /** Read once, before the first search. Each row belongs to its group, else to its part. */
  function readRows() {
    const byBox = new Map([...groups, ...parts].map((one) => [one.box, one]));
    return all(".row").map((row) => {
      const group = byBox.get(row.closest(".group"));
      const part = byBox.get(row.closest(".part"));
      const line = row.matches("li") ? row.querySelector("summary") : row;
      const text = fold((group ? group.name : "") + " " + line.textContent);
      const one = { row, boxes: [group, part].filter(Boolean), text, is: row.dataset.is.split("|"), isHit: true };
      one.boxes[0]?.rows.push(one);
      return one;
    });
  }

  function filter() {
    rows ??= readRows();
    const words = fold(find.value).split(/\\s+/u).filter((word) => word !== "");
    const isFiltered = words.length > 0 || only.value !== "";
    let shown = 0;
    for (const box of [...groups, ...parts]) box.hits = 0;
    for (const one of rows) {
      one.isHit = (only.value === "" || one.is.includes(only.value)) && words.every((word) => one.text.includes(word));
      if (!one.isHit) continue;
      shown += 1;
      for (const box of one.boxes) box.hits += 1;
    }
    count.textContent = isFiltered ? shown + " of " + rows.length + " rows" : rows.length + " rows";
    show([...changes(isFiltered)]);
  }

  /** What has to change, part by part. The rows of a hidden group stay as they are. */
  function* changes(isFiltered) {
    for (const { box, rows, hits } of [...parts, ...groups]) {
      const isHidden = isFiltered && hits === 0;
      if (box.hidden !== isHidden) yield { element: box, isHidden, weight: 1 + rows.length };
      if (isFiltered && hits > 0 && !box.open) box.open = true;
      if (isHidden && box.matches(".group")) continue;
      for (const { row, isHit } of rows) if (row.hidden === isHit) yield { element: row, isHidden: !isHit, weight: 1 };
    }
  }

  /** To hide costs little. What is shown again is drawn in slices, a frame each: a few rows at once, then more and more. */
  const [firstSlice, largestSlice] = [100, 1600];
  let drawing;
  let left = [];
  function show(all) {
    cancelAnimationFrame(drawing);
    left = [];
    for (const change of all) {
      if (change.isHidden) change.element.hidden = true;
      else left.push(change);
    }
    drawSlice(firstSlice);
  }

  function drawSlice(most) {
    let drawn = 0;
    let next = 0;
    for (; next < left.length && drawn < most; next += 1) {
      left[next].element.hidden = false;
      drawn += left[next].weight;
    }
    left = left.slice(next);
    main.ariaBusy = String(left.length > 0);
    if (left.length > 0) drawing = requestAnimationFrame(() => drawSlice(Math.min(most * 2, largestSlice)));
  }

  function openAll(open) {
    for (const box of all("details")) if (box.open !== open) box.open = open;
  }

  function clear() {
    find.value = "";
    only.value = "";
    filter();
  }

  function copyButton(paste) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      getSelection().selectAllChildren(paste.querySelector("code"));
      try {
        await navigator.clipboard.writeText(paste.querySelector("code").textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Selected";
      }
    });
    paste.append(button);
  }

  let waiting;
  find.addEventListener("input", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(filter);
  });
  only.addEventListener("change", filter);
  at("expand").addEventListener("click", () => openAll(true));
  at("collapse").addEventListener("click", () => openAll(false));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return clear();
    if (event.target.matches("input, select, textarea")) return;
    if (event.key === "/") {
      event.preventDefault();
      find.focus();
    }
    if (event.key === "e") openAll(true);
    if (event.key === "c") openAll(false);
  });

  let closed = [];
  addEventListener("beforeprint", () => {
    drawSlice(Infinity);
    closed = all("details:not([open])");
    for (const box of closed) box.open = true;
  });
  addEventListener("afterprint", () => {
    for (const box of closed) box.open = false;
  });

  all(".paste").forEach(copyButton);
  if (document.querySelector(".row") !== null) {
    tools.hidden = false;
    filter();
  }
})();
`;

/** The digest of the style, by which the page allows it: a test says what it has to be. */
export const styleHash = "sha256-iFwsBfA6S9ygCkW4snXmFGyCrui38Dsd7nE4aDVXVeY=";

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
h1 { font-size: 1.6rem; }
h2 { font-size: 1.2rem; }
h3 { font-size: 1rem; }
h2, h3 { display: inline; }
code, pre, kbd, .lines { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.875em; }
a { color: var(--link); }
ul { padding-left: 1.25rem; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
summary { cursor: pointer; }
button, input, select {
  font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--dim); border-radius: 0.375rem; padding: 0.25rem 0.6rem;
}
button { cursor: pointer; }
kbd { border: 1px solid var(--rule); border-radius: 0.25rem; padding: 0 0.3em; color: var(--dim); }

.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: 0.5rem; padding: 0; list-style: none; }
.facts li { background: var(--panel); border-left: 3px solid var(--rule); padding: 0.4rem 0.75rem; }
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
.group > ul { margin: 0; padding: 0; list-style: none; }
.many .chunk { content-visibility: auto; contain-intrinsic-size: auto 20rem; }
li.row { border-top: 1px solid var(--rule); }
li.row > details > summary { display: flex; gap: 0.6rem; align-items: baseline; padding: 0.3rem 0.75rem; }
li.row > details > summary::-webkit-details-marker { display: none; }
li.row > details > summary::before { content: "\\25B8"; color: var(--dim); }
li.row > details[open] > summary::before { content: "\\25BE"; }
.line { flex: 1; }
.mark { font-family: ui-monospace, monospace; font-weight: 700; }
.place { color: var(--dim); font-family: ui-monospace, monospace; font-size: 0.875em; }
.label { border: 1px solid; border-radius: 1rem; padding: 0 0.5em; font-size: 0.8em; white-space: nowrap; }
.adds, .add { color: var(--add); }
.removes, .remove { color: var(--remove); }
.changes, .change { color: var(--change); }
.alarm { color: var(--alarm); font-weight: 600; }
.label.alarm { background: var(--alarm-paper); }
.dim { color: var(--dim); }
.strong { font-weight: 600; }

table { width: 100%; margin: 0.5rem 0; }
table, thead, tbody { display: block; }
tr { display: flex; gap: 0 1rem; padding: 0.4rem 0.25rem; border-bottom: 1px solid var(--rule); }
th { text-align: left; color: var(--dim); font-weight: 600; }
td, th { flex: 1; padding: 0; min-width: 0; }
.widest-1 tr > :nth-child(1), .widest-2 tr > :nth-child(2), .widest-3 tr > :nth-child(3), .widest-4 tr > :nth-child(4) { flex: 3; }
.why > summary { color: var(--link); width: fit-content; }

.lines { margin: 0; padding: 0.5rem 0.75rem; background: var(--panel); border-radius: 0.375rem; white-space: pre-wrap; }
.lines code, pre code { font-size: 1em; }
.paste {
  display: flex; gap: 1rem; align-items: start; justify-content: space-between; margin: 0.5rem 0; padding: 0.5rem 0.75rem;
  background: var(--panel); border-radius: 0.375rem; white-space: pre-wrap;
}
.paste code { user-select: all; }
.item { margin: 0.5rem 0; }

@media (max-width: 44rem) {
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tbody tr { display: block; }
  td { display: grid; grid-template-columns: 5.25rem minmax(0, 1fr); gap: 0.5rem; }
  td::before { content: attr(data-column); color: var(--dim); font-size: 0.875em; }
  li.row > details > summary { flex-wrap: wrap; }
  li.row .line { flex-basis: 70%; }
  li.row .place { margin-left: 2.4rem; }
  .facts { gap: 0.25rem; }
  .facts li { padding: 0.15rem 0.75rem; }
  #tools { position: static; }
  #count { margin-left: 0; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, #tools, .paste button { display: none; }
  .many .chunk { content-visibility: visible; }
  li.row, tbody tr { break-inside: avoid; }
  details::details-content { content-visibility: visible; display: block; }
}
`;
