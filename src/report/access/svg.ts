import { accessNotes } from "../document/access.ts";
import { escapeHtml } from "../html/safe-html.ts";
import { displayWidth } from "../safe.ts";
import { accessMap, type MapCell, type MapRole } from "./access-map.ts";
import type { AccessReview } from "./access-review.ts";

interface Line {
  readonly text: string;
  readonly name: string;
}

const [lineHeight, charWidth, gap] = [18, 7.8, 16];

const style = `
text { font: 13px ui-monospace, monospace; fill: #1f2328; white-space: pre; }
rect, line { fill: #fff; stroke: #d0d7de; } .head { font-weight: bold; } .dim { fill: #59636e; }
.alarm { fill: #b31d28; font-weight: bold; } .extra { fill: #8a4600; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } rect, line { fill: #0d1117; stroke: #3d444d; } .dim { fill: #9198a1; }
.alarm { fill: #ff7b72; } .extra { fill: #e3a04f; } }`;

/** The access map as a picture: it loads nothing and needs no script. */
export function accessSvg(review: AccessReview): string {
  const { columns, rows } = accessMap(review);
  const source = review.from === "service" ? "read from the service" : "by the log";
  const top: readonly Line[] = [
    { text: `Access, ${source} at ${review.asOf}`, name: "head" },
    { text: "! privileged · * not in the roster · unread: the source does not show it", name: "dim" },
    ...accessNotes(review).map((text) => ({ text, name: "dim" })),
    ...(rows.length === 0 ? [{ text: "Nothing matches.", name: "dim" }] : []),
  ];
  const table: readonly (readonly (readonly Line[])[])[] = [
    ["person", ...columns].map((text) => [{ text, name: "head" }]),
    ...rows.map(({ person, status, cells }) => [
      [{ text: person, name: "" }, ...(status === undefined ? [] : [{ text: status, name: "dim" }])],
      ...cells.map(linesOf),
    ]),
  ];
  const widths = ["person", ...columns].map((_, column) => widest(table.flatMap((cells) => cells[column] ?? [])) + gap);
  const lefts = widths.map((_, column) => gap + widths.slice(0, column).reduce((sum, width) => sum + width, 0));
  const right = gap + widths.reduce((sum, width) => sum + width, 0);
  const drawn = top.map((line, index) => draw(line, gap, (index + 1) * lineHeight));
  let y = (top.length + 1) * lineHeight;
  for (const cells of rows.length === 0 ? [] : table) {
    const height = Math.max(...cells.map((lines) => lines.length)) * lineHeight;
    for (const [column, lines] of cells.entries())
      for (const [index, line] of lines.entries()) drawn.push(draw(line, lefts[column] ?? gap, y + index * lineHeight));
    y += height;
    drawn.push(`<line x1="${gap}" x2="${right}" y1="${y - 12}" y2="${y - 12}"/>`);
    y += 6;
  }
  const width = Math.ceil(Math.max(right, gap + widest(top)) + gap);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Access map" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}">`,
    `<style>${style}</style>`,
    `<rect width="${width}" height="${y}"/>`,
    ...drawn,
    "</svg>",
  ].join("\n")}\n`;
}

function linesOf(cell: MapCell | "unread" | undefined): readonly Line[] {
  if (cell === undefined) return [];
  if (cell === "unread") return [{ text: "unread", name: "extra" }];
  const lines = [...cell.roles.map(roleLine), ...(cell.unread ? [{ text: "unread", name: "extra" }] : [])];
  return lines.length === 0 ? [{ text: "no roles", name: "dim" }] : lines;
}

function roleLine({ role, privileged, extra, until }: MapRole): Line {
  const text = `${privileged ? "! " : ""}${extra ? "* " : ""}${role}${until === undefined ? "" : ` until ${until}`}`;
  return { text, name: privileged ? "alarm" : extra ? "extra" : "" };
}

function widest(lines: readonly Line[]): number {
  return lines.reduce((width, { text }) => Math.max(width, displayWidth(text) * charWidth), 0);
}

function draw({ text, name }: Line, x: number, y: number): string {
  return `<text x="${x}" y="${y}"${name === "" ? "" : ` class="${name}"`}>${escapeHtml(text)}</text>`;
}
