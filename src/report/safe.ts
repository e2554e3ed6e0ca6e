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

function visibleEscape(character: string): string {
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

/**
 * The one place where a value enters Markdown. A value becomes a code span, or prose in which each word that could be more than
 * a word does: so that nothing of it links, mentions, refers, formats, breaks a table or is HTML, on any forge.
 */
export function code(text: string, limit = maxValueLength): string {
  const shown = cut(safe(cut(text, limit)).replace(/[`|]/gu, visibleEscape), limit);
  const isVisible = shown.trim() !== "" && shown.trim() === shown;
  return `\`${isVisible ? shown : JSON.stringify(shown)}\``;
}

/** Plain words stay, everything else becomes code spans. Long ones are cut. */
export function prose(text: string, limit = maxProseLength): string {
  return mergeTokens(tokensOf(cut(text.replace(/\s+/gu, " ").trim(), limit)));
}

/** Nothing in it is interpreted. */
export function fenced(lines: readonly string[], { language }: { readonly language: string }): string {
  const [maxLines, maxLineLength] = language === "diff" ? [200, 240] : [40, language === "shell" ? 8000 : 200];
  const shown = lines.slice(0, maxLines).map((line) => safe(cut(line, maxLineLength)));
  const more = lines.length - shown.length;
  if (more > 0) shown.push(`… and ${more} more lines`);
  const runs = shown.flatMap((line) => [...line.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(Math.max(2, ...runs) + 1);
  return [`${fence}${language}`, ...shown, fence].map((line) => line.trimEnd()).join("\n");
}

/** By it a comment on a pull request is found again. */
export function marker(command: string, title: string | undefined): string {
  const name = (title ?? "").replace(/[^\p{L}\p{N}._]+/gu, "-").replace(/^-|-$/gu, "");
  return `<!-- roster:${command}${name === "" ? "" : ` ${cut(name, maxNameLength)}`} -->`;
}

const maxValueLength = 160;
const maxProseLength = 1200;
const maxNameLength = 60;

interface Token {
  readonly is: "words" | "code";
  readonly text: string;
}

/** What stands between backticks is code already. */
function tokensOf(text: string): readonly Token[] {
  const isPaired = text.split("`").length % 2 === 1;
  const parts = (isPaired ? text : text.replaceAll("`", visibleEscape("`"))).split("`");
  return parts.flatMap((part, index): readonly Token[] => {
    if (index % 2 === 1) return part === "" ? [] : [{ is: "code", text: part }];
    return part.split(" ").flatMap((word, at) => [...(at === 0 ? [] : [space]), ...wordTokens(word)]);
  });
}

const space: Token = { is: "words", text: " " };

function wordTokens(word: string): readonly Token[] {
  if (word === "") return [];
  const [, before = "", core = "", after = ""] = /^([("“]*)(.*?)((?:['’]s)?[)"”.,:;?]*)$/u.exec(word) ?? [];
  if (core === "") return [{ is: /^[()"“”.,:;?]+$/u.test(word) ? "words" : "code", text: word }];
  const couldNumberAList = /^\d+$/u.test(core) && /^[.)]/u.test(after);
  const inside: Token = { is: isPlain(core) && !couldNumberAList ? "words" : "code", text: core };
  const around = (text: string): readonly Token[] => (text === "" ? [] : [{ is: "words", text }]);
  return [...around(before), inside, ...around(after)];
}

/** Letters, or a short number: neither a role nor a key nor a file, neither a commit nor an issue. */
function isPlain(core: string): boolean {
  if (core === "–" || core === "—" || core === "…") return true;
  if (/^\d{1,6}(?:–\d{1,6}|%)?$/u.test(core)) return true;
  if (/\p{Ll}\p{Lu}|^\p{Lu}{5,}$/u.test(core)) return false;
  if (!/^[\p{L}\p{M}]+(?:[-'’][\p{L}\p{M}]+)*$/u.test(core)) return false;
  return safe(core) === core && !/^[a-f]{7,}$/iu.test(core);
}

/** Adjacent code spans become one, except after an address. */
function mergeTokens(tokens: readonly Token[]): string {
  const merged: Token[] = [];
  for (const token of tokens) {
    const last = merged.at(-1);
    const before = merged.at(-2);
    const isAfterAddress = before !== undefined && /^[^\s@]+@[^\s@]+$/u.test(before.text);
    if (token.is === "code" && last?.is === "code")
      merged.splice(-1, 1, { is: "code", text: `${last.text}${token.text}` });
    else if (token.is === "code" && last === space && before?.is === "code" && !isAfterAddress)
      merged.splice(-2, 2, { is: "code", text: `${before.text} ${token.text}` });
    else merged.push(token);
  }
  return merged.map(({ is, text }) => (is === "code" ? code(text, maxProseLength) : text)).join("");
}

/** Whole characters, with a mark where something is left out. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = /[\uD800-\uDBFF]$/u.test(text.slice(0, limit)) ? limit - 1 : limit;
  return `${text.slice(0, end)}…`;
}
