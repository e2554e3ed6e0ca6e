import { byCodeUnit } from "../model/collections.ts";

const picture = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u{FE0F})?`;
const hidden = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]`;

let emojiOrHidden: RegExp | undefined;

/** What runners of pipelines obey: `##[…]`, `##vso[…]` and the like anywhere in a line, and `::name::` at its start, or where it may be broken. */
const commandsOfRunners = /#(?=#[a-z]*\[)|(?<=^|\s):(?=:[a-z])/giu;
const commandsInJson = /#(?=#[a-z]*\[)/giu;

/**
 * Makes a text from outside safe to show: controls, line breaks, bidirectional and invisible characters, lone
 * surrogates and the beginnings of a pipeline's own commands become visible escapes such as `\u{1b}`. Doing it twice changes nothing.
 */
export function safe(text: string): string {
  if (/^[ -"$-9;-~]*$/.test(text)) return text;
  const harmless = text.replace(commandsOfRunners, visibleEscape);
  if (/^[ -~]*$/.test(harmless)) return harmless;
  // A joined emoji keeps its joiners.
  emojiOrHidden ??= new RegExp(String.raw`${picture}(?:\u{200D}${picture})*|(${hidden})`, "gu");
  return harmless.replace(emojiOrHidden, (match: string, unsafe: string | undefined) =>
    unsafe === undefined ? match : visibleEscape(unsafe),
  );
}

/** Escapes, in a JSON text, whatever a terminal or a pipeline would obey, hide or reorder. The JSON means the same. */
export function safeJson(json: string): string {
  const harmless = json.replace(commandsInJson, jsonEscape);
  if (/^[\n -~]*$/.test(harmless)) return harmless;
  return harmless.replace(/[\u{7F}-\u{9F}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gu, (character) =>
    character.split("").map(jsonEscape).join(""),
  );
}

export function jsonDocument(value: unknown): string {
  return `${safeJson(JSON.stringify(value, null, 2))}\n`;
}

/** One line of JSON with its line feed, which a terminal shows as it is and no runner of pipelines obeys. */
export function jsonLine(value: unknown): string {
  return `${safeJson(JSON.stringify(value))}\n`;
}

export function visibleEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function jsonEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const wide =
  /[\u{1100}-\u{115F}\u{2E80}-\u{303E}\u{3041}-\u{A4CF}\u{A960}-\u{A97F}\u{AC00}-\u{D7A3}\u{F900}-\u{FAFF}\u{FE30}-\u{FE6F}\u{FF00}-\u{FF60}\u{FFE0}-\u{FFE6}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;

const joiner = "\u{200D}";

/** How many columns of a terminal a safe text takes: wide characters count as two, combining ones as none. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  let before = "";
  for (const character of text) {
    const isNarrow = before === joiner || /[\p{Mn}\p{Me}\p{Cf}\p{Emoji_Modifier}]/u.test(character);
    columns += isNarrow ? 0 : wide.test(character) ? 2 : 1;
    before = character;
  }
  return columns;
}

/** A table as other programs read it: fields with commas between them, lines that end with CR and LF. */
export function csvTable<Column extends string>(
  columns: readonly Column[],
  rows: readonly { readonly [Name in Column]?: CellValue }[],
): string {
  const cells = rows.map((row) => columns.map((column): CellValue => row[column]));
  return [columns, ...cells].map((line) => `${line.map(csvCell).join(",")}\r\n`).join("");
}

type CellValue = string | number | boolean | readonly string[] | undefined;

/** A spreadsheet takes what begins so for a formula: a quote before it makes it a text. */
const formula = /^[=+\-@\t\r]/u;

function csvCell(value: CellValue): string {
  const written = typeof value === "object" ? [...value].sort(byCodeUnit).join(" ") : String(value ?? "");
  const text = safe(written);
  const harmless = formula.test(written) ? `'${text}` : text;
  return /[",\r\n]/u.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
