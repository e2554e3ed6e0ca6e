import { plainScalarType } from "./source-text.ts";

const maxLineWidth = 120;

/** The text of a document: comments at its head, then the entries of a map, an empty line around those that are long. */
export function writeYaml(head: readonly string[], document: YamlMap): string {
  const lines = head.flatMap((text) => commentLines(text, maxLineWidth));
  let isAfterLong = false;
  for (const part of document.entries) {
    const own = isComment(part) ? commentLines(part.text, maxLineWidth) : entryLines(part, maxLineWidth);
    const isLong = own.length > 1 || isComment(part);
    if ((isLong || isAfterLong) && part !== document.entries[0]) lines.push("");
    lines.push(...own);
    isAfterLong = isLong;
  }
  return `${lines.join("\n")}\n`;
}

function entryLines({ key, value }: YamlEntry, room: number): readonly string[] {
  const before = `${key}: `;
  const short = writeOnOneLine(value);
  if (short !== undefined && before.length + short.length <= room) return [before + short];
  const [first = "", ...rest] = linesOf(value, room - 2);
  if (typeof value !== "object" || isEmpty(value)) return [before + first, ...indentLines(rest)];
  return [`${key}:`, ...indentLines([first, ...rest])];
}

function linesOf(part: YamlValue, room: number): readonly string[] {
  if (typeof part !== "object") return [scalar(part)];
  const lines = part.kind === "list" ? listLines(part, room) : mapLines(part, room);
  return isEmpty(part) ? [part.kind === "list" ? "[]" : "{}", ...lines] : lines;
}

function isEmpty(part: YamlList | YamlMap): boolean {
  return part.kind === "list" ? part.items.every(isComment) : part.entries.every(isComment);
}

function mapLines({ entries }: YamlMap, room: number): readonly string[] {
  return entries.flatMap((part) => (isComment(part) ? commentLines(part.text, room) : entryLines(part, room)));
}

function listLines({ items, spaced }: YamlList, room: number): readonly string[] {
  const lines: string[] = [];
  for (const item of items) {
    const own = isComment(item) ? commentLines(item.text, room) : itemLines(item, room);
    if (spaced === true && own.length > 1 && lines.length > 0) lines.push("");
    lines.push(...own);
  }
  return lines;
}

function itemLines(item: YamlValue, room: number): readonly string[] {
  const short = writeOnOneLine(item);
  const fits = short !== undefined && short.length + 2 <= room;
  const [first = "", ...rest] = fits ? [short] : linesOf(item, room - 2);
  return [`- ${first}`, ...indentLines(rest)];
}

/** The part within one line; nothing where it has to take several. */
function writeOnOneLine(part: YamlValue): string | undefined {
  if (typeof part !== "object") return scalar(part);
  if (part.layout === "block") return undefined;
  const inner: readonly (YamlValue | YamlEntry | YamlComment)[] = part.kind === "list" ? part.items : part.entries;
  const parts = inner.map((one) => {
    if (typeof one !== "object" || one.kind === "list" || one.kind === "map") return writeOnOneLine(one);
    const value = one.kind === "comment" ? undefined : writeOnOneLine(one.value);
    return value === undefined || one.kind === "comment" ? undefined : `${one.key}: ${value}`;
  });
  if (!parts.every((text) => text !== undefined)) return undefined;
  if (part.kind === "list") return `[${parts.join(", ")}]`;
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

function scalar(value: string | number | boolean): string {
  return typeof value === "string" ? writeScalar(value) : String(value);
}

function indentLines(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line === "" ? line : `  ${line}`));
}

/** One comment line for each line of the text, and more where it is long. */
function commentLines(text: string, room: number): readonly string[] {
  return text
    .split("\n")
    .flatMap((line) => wrapText(escapeHidden(line), room - 2).map((part) => `# ${part}`.trimEnd()));
}

function wrapText(text: string, room: number): readonly string[] {
  const indent = /^ */u.exec(text)?.[0] ?? "";
  const lines: string[] = [];
  let line = indent;
  for (const word of text.slice(indent.length).split(" ")) {
    const isFirst = line === indent || line === `${indent}  `;
    if (!isFirst && line.length + 1 + word.length > room) {
      lines.push(line);
      line = `${indent}  ${word}`;
    } else line += isFirst ? word : ` ${word}`;
  }
  return [...lines, line];
}

/** What a YAML text is to hold, in the order in which it is to stand there. */
export type YamlValue = string | number | boolean | YamlList | YamlMap;

/** `line`: within brackets in one line where there is room, else as `block`: each item on lines of its own. */
type YamlLayout = "line" | "block";

export interface YamlList {
  readonly kind: "list";
  readonly layout: YamlLayout;
  readonly items: readonly (YamlValue | YamlComment)[];
  /** An empty line before each item that takes several lines. */
  readonly spaced?: true;
}

export interface YamlMap {
  readonly kind: "map";
  readonly layout: YamlLayout;
  readonly entries: readonly (YamlEntry | YamlComment)[];
}

export interface YamlEntry {
  readonly kind: "entry";
  /** A name of the format, which needs no quotes. */
  readonly key: string;
  readonly value: YamlValue;
}

/** Lines for people. Whatever stands in them, they stay comments. */
export interface YamlComment {
  readonly kind: "comment";
  readonly text: string;
}

function isComment(part: YamlValue | YamlEntry | YamlComment): part is YamlComment {
  return typeof part === "object" && part.kind === "comment";
}

export function comment(text: string): YamlComment {
  return { kind: "comment", text };
}

export function entry(key: string, value: YamlValue): YamlEntry {
  return { kind: "entry", key, value };
}

/** Letters, digits and what means nothing to YAML within a word, wherever the word stands. */
function isPlain(text: string): boolean {
  return /^[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_@.+\-/'()& ]*[\p{L}\p{M}\p{N}_@.+\-/'()&])?$/u.test(text);
}

/** What readers of YAML 1.1 would take for a boolean, a number, a date or a time. */
const ambiguousPattern =
  /^(?:y|n|yes|no|on|off)$|^[-+]?[\d][\d_,.:eE+-]*$|^[-+]?0[box][\da-f_]+$|^\d{4}-\d\d?-\d\d?(?:[Tt ].*)?$/iu;

/** A text as YAML 1.2 and 1.1 both read it back: bare where that is safe, else in double quotes. */
export function writeScalar(text: string): string {
  const isSafe = isPlain(text) && plainScalarType(text) === "string" && !ambiguousPattern.test(text);
  return isSafe ? text : `"${escapeHidden(text.replace(/["\\]/gu, "\\$&"))}"`;
}

/** What nobody sees, what a terminal obeys, and what has no place in a text file. */
function escapeHidden(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Cn}\p{Co}]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  const point = character.codePointAt(0) ?? 0;
  const digits = point.toString(16);
  if (point <= 0xff) return `\\x${digits.padStart(2, "0")}`;
  return point <= 0xffff ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}
