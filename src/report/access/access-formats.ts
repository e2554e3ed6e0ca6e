import type { EmailKey } from "../../model/address.ts";
import { isDeleted } from "../../model/key.ts";
import type { KeyRoles, Plan } from "../../model/plan.ts";
import { usersByAddress } from "../../model/roster.ts";
import { formatHead } from "../../model/state.ts";
import type { CellLine } from "../document/access.ts";
import { accessDocument, accessFacts, accessNotes, cellLines, legend, personLines } from "../document/access.ts";
import { formatCoverage } from "../document/drift.ts";
import { plain, plainText } from "../document/tree.ts";
import { renderHtml } from "../html/html.ts";
import { renderMarkdownDocument } from "../markdown/markdown.ts";
import type { TerminalStyle } from "../outcome.ts";
import { csvTable, displayWidth, escapeHtml, jsonDocument, safe } from "../safe.ts";
import { renderDocument } from "../text/text.ts";
import { type AccessInput, type AccessMap, accessColumns, isHeld } from "./access-map.ts";

export type AccessFormat = "text" | "html" | "svg" | "csv" | "json" | "markdown";

export function formatAccess(map: AccessMap, format: AccessFormat, style: TerminalStyle = { paint: plain }): string {
  switch (format) {
    case "text":
      return renderDocument(accessDocument(map), style);
    case "html":
      return renderHtml(accessDocument(map, "page"));
    case "csv":
      return csvTable(accessColumns, [
        ...map.rows.map((row) => ({ ...row, held: isHeld(row) })),
        ...accessFacts(map).map((about) => ({ about })),
      ]);
    case "json": {
      const { asOf: as_of, from, coverage, head, rows, users, ended = [] } = map;
      return jsonDocument({
        as_of,
        from,
        coverage: coverage && formatCoverage(coverage),
        head: head && formatHead(head),
        notes: accessNotes(map),
        users: users?.map(({ person, status }) => ({ person, status })),
        access: rows.filter(isHeld),
        not_held: rows.filter((row) => !isHeld(row)),
        ended_changes: ended.map(
          ({ change: { person, key, ...change }, since: first_seen, endedAt: ended_at, ...how }) => {
            return { ...change, person: person?.email, prefix: key?.prefix, first_seen, ended_at, ...how };
          },
        ),
      });
    }
    case "markdown":
      return renderMarkdownDocument(accessDocument(map, "comment"));
    case "svg":
      return accessSvg(map);
  }
}

/** Every person and key with their roles before and after a plan, and what was not read: a guard of one's own judges it. */
export function formatPlanAccess(
  plan: Plan,
  { roster, snapshot, keys }: Required<Pick<AccessInput, "roster" | "snapshot" | "keys">>,
): string {
  const people = usersByAddress(roster);
  /** A former address is the same person. */
  const nameOf = (address: EmailKey | undefined) =>
    address === undefined ? null : (people.get(address)?.address ?? address);
  const rolesIn = (roles: KeyRoles["before"]) => (roles === "no-key" ? [] : roles === "unknown" ? null : roles);
  const access = keys.map(({ address, prefix = null, team = null, status = null, before, after }) => {
    return { person: nameOf(address), status, prefix, team, before: rolesIn(before), after: rolesIn(after) };
  });
  const unread = [
    ...(snapshot.everyone.read === "complete" ? [] : [{ what: "users", person: null, prefix: null }]),
    ...snapshot.users
      .filter((user) => user.keys === undefined && !isDeleted(user))
      .map(({ address }) => ({ what: "keys", person: nameOf(address), prefix: null })),
    ...access.flatMap(({ person, prefix, before }) => (before === null ? [{ what: "roles", person, prefix }] : [])),
  ];
  return jsonDocument({ format_version: "1.0", plan_id: plan.id, as_of: snapshot.readAt, access, unread });
}

const [lineHeight, charWidth, gap] = [18, 7.8, 16];

const style = `
text { font: 13px ui-monospace, monospace; fill: #1f2328; white-space: pre; }
rect, path { fill: #fff; stroke: #d0d7de; } .strong, .alarm { font-weight: bold; } .dim { fill: #59636e; }
.alarm, .remove { fill: #b31d28; } .change { fill: #8a4600; } .add { fill: #116329; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } rect, path { fill: #0d1117; stroke: #3d444d; } .dim { fill: #9198a1; }
.alarm, .remove { fill: #ff7b72; } .change { fill: #e3a04f; } .add { fill: #56d364; } }`;

/** Loads nothing and needs no script. */
function accessSvg(map: AccessMap): string {
  const { columns, people } = map;
  const [title = "", ...facts] = accessFacts(map);
  const nothing = people.length === 0 ? ["No access found."] : [];
  const notes = [plainText(legend), ...facts, ...nothing].map((text) => ({ text, ink: "dim" }) as const);
  const top: readonly CellLine[] = [{ text: title, ink: "strong" }, ...notes];
  const heads = ["person", ...columns.map(({ name }) => name)];
  const table: readonly (readonly (readonly CellLine[])[])[] = [
    heads.map((text) => [{ text, ink: "strong" }]),
    ...people.map((person) => [personLines(person), ...person.cells.map(cellLines)]),
  ];
  const widths = heads.map((_, column) => widest(table.flatMap((cells) => cells[column] ?? [])) + gap);
  const lefts = widths.map((_, column) => gap + widths.slice(0, column).reduce((sum, width) => sum + width, 0));
  const right = gap + widths.reduce((sum, width) => sum + width, 0);
  const drawn = top.map((one, index) => draw(one, gap, (index + 1) * lineHeight));
  const rules: string[] = [];
  let y = (top.length + 1) * lineHeight;
  for (const cells of people.length === 0 ? [] : table) {
    const height = Math.max(...cells.map((lines) => lines.length)) * lineHeight;
    for (const [column, lines] of cells.entries())
      for (const [index, one] of lines.entries()) drawn.push(draw(one, lefts[column] ?? gap, y + index * lineHeight));
    y += height;
    rules.push(`M${gap},${y - 12}H${right}`);
    y += 6;
  }
  const width = Math.ceil(Math.max(right, gap + widest(top)) + gap);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Access map" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}">`,
    `<style>${style}</style>`,
    `<rect width="${width}" height="${y}"/>`,
    `<path d="${rules.join("")}"/>`,
    ...drawn,
    "</svg>",
  ].join("\n")}\n`;
}

function widest(lines: readonly CellLine[]): number {
  return lines.reduce((width, { text }) => Math.max(width, displayWidth(safe(text)) * charWidth), 0);
}

function draw({ text, ink }: CellLine, x: number, y: number): string {
  return `<text x="${x}" y="${y}"${ink === undefined ? "" : ` class="${ink}"`}>${escapeHtml(text)}</text>`;
}
