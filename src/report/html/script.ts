/** The digest of the script, by which the page allows it: a test says what it has to be. */
export const scriptHash = "sha256-VPA/fPUo3byKNZHld4dxQyb7BsIiucoc1rzTy9uyCPM=";

/** Filters, folds and copies. It writes texts and properties only, never markup. */
export const script = `
"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const [tools, find, only, count] = ["tools", "find", "only", "count"].map(at);
  const fold = (text) => text.normalize("NFC").toLowerCase();
  const groups = all(".group").map((box) => ({ box, name: box.querySelector("summary").textContent, hits: 0 }));
  const parts = all(".part").map((box) => ({ box, hits: 0 }));
  let rows;

  /** Read once, before the first search. */
  function readRows() {
    const byBox = new Map([...groups, ...parts].map((one) => [one.box, one]));
    return all(".row").map((row) => {
      const group = byBox.get(row.closest(".group"));
      const part = byBox.get(row.closest(".part"));
      const line = row.matches("li") ? row.querySelector("summary") : row;
      const text = fold((group ? group.name : "") + " " + line.textContent);
      return { row, boxes: [group, part].filter(Boolean), text, is: row.dataset.is.split("|") };
    });
  }

  function filter() {
    rows ??= readRows();
    const words = fold(find.value).split(/\\s+/u).filter((word) => word !== "");
    const isFiltered = words.length > 0 || only.value !== "";
    let shown = 0;
    for (const box of [...groups, ...parts]) box.hits = 0;
    for (const { row, boxes, text, is } of rows) {
      const isHit = (only.value === "" || is.includes(only.value)) && words.every((word) => text.includes(word));
      if (row.hidden === isHit) row.hidden = !isHit;
      if (!isHit) continue;
      shown += 1;
      for (const box of boxes) box.hits += 1;
    }
    for (const { box, hits } of [...groups, ...parts]) {
      box.hidden = isFiltered && hits === 0;
      if (isFiltered && hits > 0) box.open = true;
    }
    count.textContent = isFiltered ? shown + " of " + rows.length + " rows" : rows.length + " rows";
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
