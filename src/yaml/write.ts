import { plainScalarType } from "./source-text.ts";

const maxLineWidth = 120;

/** What a YAML text is to hold. The names of a map are of the format, and need no quotes; a value that is undefined is left out. */
export type YamlValue = string | number | boolean | YamlItems | YamlBlock | YamlComment;

/** Within brackets in one line where there is room, else each on lines of its own. */
type YamlItems = readonly YamlValue[] | YamlMap;

export interface YamlMap {
  readonly [name: string]: YamlValue | undefined;
}

/** Items that take lines of their own; where they are spaced, with an empty line before each that takes several. */
export class YamlBlock {
  readonly items: YamlItems;
  readonly layout: "spaced" | "dense";

  constructor(items: YamlItems, layout: "spaced" | "dense" = "dense") {
    this.items = items;
    this.layout = layout;
  }
}

/** Lines for people in the place of an item, or of a name with its value. Whatever stands in them, they stay comments. */
export class YamlComment {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = readonly [name: string | undefined, value: YamlValue];

/** The text of a document: comments at its head, then the entries of a map, an empty line around those that are long. */
export function writeYaml(head: readonly string[], document: YamlMap): string {
  const lines = head.flatMap((text) => commentLines(text, maxLineWidth));
  let isAfterLong = false;
  for (const [at, part] of partsOf(document).entries()) {
    const own = partLines(part, maxLineWidth);
    const isLong = own.length > 1 || part[1] instanceof YamlComment;
    if ((isLong || isAfterLong) && at > 0) lines.push("");
    lines.push(...own);
    isAfterLong = isLong;
  }
  return `${lines.join("\n")}\n`;
}

function partsOf(items: YamlItems): readonly Part[] {
  if (isList(items)) return items.map((value) => [undefined, value]);
  return Object.entries(items).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function isList(items: YamlItems): items is readonly YamlValue[] {
  return Array.isArray(items);
}

function partLines([name, value]: Part, room: number): readonly string[] {
  if (value instanceof YamlComment) return commentLines(value.text, room);
  const before = name === undefined ? "- " : `${name}: `;
  const short = writeOnOneLine(value);
  if (short !== undefined && before.length + short.length <= room) return [before + short];
  if (typeof value !== "object") return [before + scalar(value)];
  const { items, layout } = value instanceof YamlBlock ? value : new YamlBlock(value);
  const parts = partsOf(items);
  const lines: string[] = [];
  for (const part of parts) {
    const own = partLines(part, room - 2);
    if (layout === "spaced" && own.length > 1 && lines.length > 0) lines.push("");
    lines.push(...own);
  }
  const isEmpty = parts.every(([, one]) => one instanceof YamlComment);
  if (isEmpty) return [before + (isList(items) ? "[]" : "{}"), ...indentLines(lines)];
  if (name !== undefined) return [`${name}:`, ...indentLines(lines)];
  const [first = "", ...rest] = lines;
  return [before + first, ...indentLines(rest)];
}

/** The part within one line; nothing where it has to take several. */
function writeOnOneLine(value: YamlValue): string | undefined {
  if (typeof value !== "object") return scalar(value);
  if (value instanceof YamlBlock || value instanceof YamlComment) return undefined;
  const parts = partsOf(value).map(([name, one]) => {
    const text = writeOnOneLine(one);
    return name === undefined || text === undefined ? text : `${name}: ${text}`;
  });
  if (!parts.every((text) => text !== undefined)) return undefined;
  if (isList(value)) return `[${parts.join(", ")}]`;
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
