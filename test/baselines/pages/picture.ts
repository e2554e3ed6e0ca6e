/** Colours of a terminal with a dark background. */
const colours: Readonly<Record<string, string>> = {
  "31": "#ff7b72",
  "32": "#7ee787",
  "33": "#e3b341",
  "34": "#79c0ff",
  "35": "#d2a8ff",
  "36": "#76e3ea",
};

const plain = "#c9d1d9";
const width = { character: 7.8, margin: 16 };
const lineHeight = 18;

interface Style {
  readonly colour: string;
  readonly bold: boolean;
  readonly dim: boolean;
  /** Dark on a bright row, as a bar of a screen. */
  readonly inverse: boolean;
}

const initial: Style = { colour: plain, bold: false, dim: false, inverse: false };
const dark = "#0d1117";

/** A picture of lines in a terminal, with their colours. */
export function picture(title: string, text: string): string {
  const lines = text.trimEnd().split("\n");
  const columns = Math.max(...lines.map((line) => withoutColours(line).length));
  const size = {
    width: Math.ceil(columns * width.character) + 2 * width.margin,
    height: lines.length * lineHeight + 2 * width.margin,
  };
  let style = initial;
  const rows = lines.map((line, index) => {
    const drawn = drawLine(line, style);
    style = drawn.style;
    const y = width.margin + (index + 1) * lineHeight - 5;
    const bar = drawn.isBar ? `<rect x="0" y="${y - 13}" width="100%" height="${lineHeight}" fill="${plain}"/>\n` : "";
    return `${bar}<text x="${width.margin}" y="${y}" xml:space="preserve">${drawn.text}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="${plain}">
<title>${title}</title>
<rect width="100%" height="100%" rx="8" fill="${dark}"/>
${rows.join("\n")}
</svg>
`;
}

const escapes = "\u001b\\[([\\d;]*)m";

function withoutColours(line: string): string {
  return line.replace(new RegExp(escapes, "gu"), "");
}

interface DrawnLine {
  readonly text: string;
  readonly style: Style;
  readonly isBar: boolean;
}

function drawLine(line: string, begin: Style): DrawnLine {
  let style = begin;
  let isBar = false;
  const pieces = line.split(new RegExp(escapes, "u")).map((piece, index) => {
    if (index % 2 === 0) return drawPiece(piece, style);
    for (const sign of piece.split(";")) style = styleAfter(style, sign);
    isBar ||= style.inverse;
    return "";
  });
  return { text: pieces.join(""), style, isBar };
}

function drawPiece(text: string, style: Style): string {
  if (text === "") return "";
  const { bold, dim, inverse } = style;
  const colour = inverse ? dark : style.colour;
  const escaped = text.replace(/&/gu, "&amp;").replace(/</gu, "&lt;");
  const attributes = `${colour === plain ? "" : ` fill="${colour}"`}${bold ? ' font-weight="bold"' : ""}${dim ? ' opacity="0.65"' : ""}`;
  return attributes === "" ? escaped : `<tspan${attributes}>${escaped}</tspan>`;
}

function styleAfter(style: Style, sign: string): Style {
  if (sign === "1") return { ...style, bold: true };
  if (sign === "2") return { ...style, dim: true };
  if (sign === "22") return { ...style, bold: false, dim: false };
  if (sign === "7" || sign === "27") return { ...style, inverse: sign === "7" };
  if (sign === "" || sign === "0") return initial;
  return { ...style, colour: colours[sign] ?? plain };
}
