import { closestMatch } from "../model/address.ts";
import type { Place } from "../model/fact.ts";
import type { Diagnostic } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";

const mebibyte = 1024 * 1024;
/** No larger file is read by the library, in bytes: it takes long, and much memory. */
export const maxFileBytes = 8 * mebibyte;
/** No larger file of a roster is read, in bytes, even in the regular form. */
export const maxRosterFileBytes = 64 * mebibyte;

const maxCharacterErrors = 100;
// What YAML calls printable, except that a carriage return stands only before a line feed.
const unprintable = /[^\t\n\r -~\u0085\u00a0-\ufffd]|\r(?!\n)/g;

/** Bytes as UTF-8 text, free of what has no place in a text file. A byte order mark is dropped. */
export function decodeText(
  file: string,
  bytes: Uint8Array,
  maxBytes = maxFileBytes,
): Result<SourceText, readonly Diagnostic[]> {
  if (bytes.length > maxBytes) return problem([fileTooLarge(file, maxBytes)]);
  const text = decodeUtf8(bytes);
  if (text === undefined) return problem([notUtf8(file, bytes)]);
  const source = new SourceText(file, text);
  const strays = controlCharacters(source);
  return strays.length > 0 ? problem(strays) : success(source);
}

function decodeUtf8(bytes: Uint8Array, options: { readonly stream?: boolean } = {}): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, options);
  } catch {
    return undefined;
  }
}

/** The error about a file that is not parsed, and need not be read, for its size. */
export function fileTooLarge(file: string, maxBytes: number): Diagnostic {
  return {
    code: "too-large",
    severity: "error",
    message: `The file is larger than ${maxBytes} bytes (${maxBytes / mebibyte} MiB), the limit for one file.`,
    hint: splitHint,
    place: { file, line: 1, column: 1 },
  };
}

const splitHint = "Split it: roster reads all files of a directory together.";

/** The error about a large file that has, at the offset, what the library alone can read. */
export function irregularAndLarge(source: SourceText, offset: number): Diagnostic {
  return errorAt(new TextRange(source, offset, offset + 1), {
    code: "too-large",
    message: `A file of more than ${maxFileBytes} bytes (${maxFileBytes / mebibyte} MiB) must be in the usual form. From here on this file is not.`,
    hint: `Write each value in one line, without tabs. Or split the file: roster reads all files of a directory together.`,
  });
}

function notUtf8(file: string, bytes: Uint8Array): Diagnostic {
  const source = new SourceText(file, new TextDecoder("utf-8").decode(bytes));
  const start = decodeUtf8(bytes.subarray(0, validLength(bytes)), { stream: true })?.length ?? 0;
  return errorAt(new TextRange(source, start, start + 1), {
    code: "yaml-encoding",
    message: "The file is not valid UTF-8 from here on.",
    hint: startsLikeUtf16(bytes) ? "It looks like UTF-16: save it as UTF-8." : "Save the file as UTF-8.",
  });
}

/** How many bytes can be read before the first that cannot. */
function validLength(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (decodeUtf8(bytes.subarray(0, middle), { stream: true }) === undefined) high = middle - 1;
    else low = middle;
  }
  return low;
}

function startsLikeUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function controlCharacters(source: SourceText): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const match of source.text.matchAll(unprintable)) {
    if (found.length === maxCharacterErrors) break;
    found.push(errorAt(new TextRange(source, match.index, match.index + 1), controlCharacterDetail(match[0])));
  }
  return found;
}

function controlCharacterDetail(character: string) {
  const code = "yaml-encoding";
  if (character === "\r")
    return { code, message: "A carriage return has no line feed after it.", hint: "Save with LF or CRLF line ends." };
  const point = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return { code, message: `The control character U+${point} is not allowed in YAML.`, hint: "Remove it." };
}

/** The text of one file, which tells places and lines without scanning it again, however long its lines are. */
export class SourceText {
  readonly file: string;
  readonly text: string;
  /** The offset at which each line starts. */
  readonly #starts = [0];

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  /** The place of an offset in the text: in the last line that starts at or before it. */
  placeAt(offset: number): Place {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file: this.file, line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }

  /** A line, counted from 1, without its line break. */
  lineAt(line: number): string {
    return this.text.slice(this.#starts[line - 1] ?? this.text.length, this.lineEnd(line));
  }

  /** The offset at which a line, counted from 1, ends. */
  lineEnd(line: number): number {
    const next = this.#starts[line];
    if (next === undefined) return this.text.length;
    return this.text[next - 2] === "\r" ? next - 2 : next - 1;
  }
}

/** Where something stands, and how many columns of its first line it covers: at least one. */
export interface SourceRange {
  readonly source: SourceText;
  readonly place: Place;
  readonly length: number;
}

/** From one offset to another, cut at the end of its first line. Line and column are computed when they are first read. */
export class TextRange implements SourceRange {
  readonly source: SourceText;
  readonly #start: number;
  readonly #end: number;
  #place: Place | undefined;

  constructor(source: SourceText, start: number, end: number) {
    this.source = source;
    this.#start = start;
    this.#end = end;
  }

  get place(): Place {
    this.#place ??= this.source.placeAt(this.#start);
    return this.#place;
  }

  get length(): number {
    const end = Math.min(this.#end, this.source.lineEnd(this.place.line));
    return Math.max(1, end - this.#start);
  }
}

export type DiagnosticDetail = Pick<Diagnostic, "code" | "message" | "hint">;

/** A longer line is not shown beside an error. */
const maxExcerptLength = 1000;

/** An error with its place, its line and its length. */
export function errorAt(range: SourceRange, fault: DiagnosticDetail): Diagnostic {
  const line = range.source.lineAt(range.place.line);
  return {
    code: fault.code,
    severity: "error",
    message: fault.message,
    ...(fault.hint === undefined ? {} : { hint: fault.hint }),
    place: range.place,
    ...(line.length > maxExcerptLength ? {} : { excerpt: { line, length: range.length } }),
  };
}

const nulls = new Set(["", "~", "null", "Null", "NULL"]);
const booleans = new Set(["true", "True", "TRUE", "false", "False", "FALSE"]);
const number = /^(?:[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+)$/;
const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;

/** With any other letter than these, nothing but a text begins. */
const beginsText = /^[A-EG-MO-SU-Za-eg-mo-su-z]/;

/** What YAML 1.2 makes of a scalar. Everything quoted is a string; so are `yes`, `no`, `on`, `off` and dates. */
type ScalarType = "string" | "number" | "boolean" | "null";

/** What the core schema of YAML 1.2 makes of a scalar that is not quoted. */
export function plainScalarType(text: string): ScalarType {
  if (beginsText.test(text)) return "string";
  if (nulls.has(text)) return "null";
  if (booleans.has(text)) return "boolean";
  return number.test(text) || notFinite.test(text) ? "number" : "string";
}

/** A located part of a YAML document. User-chosen names are only ever the text of a key, never a property of an object. */
export type Node = ScalarNode | ListNode | MapNode;

export class ScalarNode extends TextRange {
  readonly kind = "scalar";
  readonly type: ScalarType;
  /** The value of a string; anything else as it is written, so that `012` and big numbers lose nothing. */
  readonly text: string;

  constructor(source: SourceText, start: number, end: number, text: string, type: ScalarType) {
    super(source, start, end);
    this.text = text;
    this.type = type;
  }
}

export class ListNode extends TextRange {
  readonly kind = "list";
  readonly items: readonly Node[];

  constructor(source: SourceText, start: number, end: number, items: readonly Node[]) {
    super(source, start, end);
    this.items = items;
  }
}

export class MapNode extends TextRange {
  readonly kind = "map";
  /** In the order of the file; no two keys have one text. */
  readonly entries: readonly MapEntry[];

  constructor(source: SourceText, start: number, end: number, entries: readonly MapEntry[]) {
    super(source, start, end);
    this.entries = entries;
  }
}

export interface MapEntry {
  readonly key: ScalarNode;
  readonly value: Node;
}

export interface YamlDocument {
  /** Absent for an empty file, and where the file cannot be taken for what it seems to say; then a diagnostic says why. */
  readonly tree?: MapNode;
  /** Every fault that was found, in the order of the file. All of them are errors. */
  readonly diagnostics: readonly Diagnostic[];
}

const maxSuggestions = 50;

/** Collects what is wrong with one file, or with all files of a roster. Keeps the first errors and warnings each, and counts the rest. */
export class DiagnosticsCollector<Code extends string = string> {
  readonly #subject: string;
  readonly #limit: number;
  readonly #keeps: (code: string) => boolean;
  readonly #kept: Diagnostic[] = [];
  readonly #secretLines = new Set<string>();
  readonly #found = { error: 0, warning: 0 };
  #count = 0;
  #suggestions = 0;

  /**
   * `subject`: what the errors are about, such as `The roster`: that of a sentence about those that are not kept. `limit`: how many errors, and
   * how many warnings, are kept. `keeps`: which of them are kept and counted among those that are not shown.
   */
  constructor(subject: string, limit = 1000, keeps: (code: string) => boolean = () => true) {
    this.#subject = subject;
    this.#limit = limit;
    this.#keeps = keeps;
  }

  error(at: SourceRange, code: Code, message: string, hint?: string): void {
    this.#count += 1;
    this.#keep(at, "error", code, { message, hint });
  }

  /** Something to correct that makes nothing invalid. */
  warning(at: SourceRange, code: Code, message: string, hint: string): void {
    this.#keep(at, "warning", code, { message, hint });
  }

  /** An error about a line that holds a secret: no error shows that line. */
  errorAboutSecret(at: SourceRange, code: Code, message: string, hint: string): void {
    this.#secretLines.add(lineOf(at.place));
    this.error(at, code, message, hint);
  }

  #keep(at: SourceRange, severity: Diagnostic["severity"], code: Code, detail: Omit<DiagnosticDetail, "code">): void {
    if (!this.#keeps(code)) return;
    this.#found[severity] += 1;
    if (this.#found[severity] <= this.#limit) this.#kept.push({ ...errorAt(at, { code, ...detail }), severity });
  }

  /** Only for the first few unknown names: each costs a look at every candidate. */
  closest(name: string, candidates: Iterable<string>): string | undefined {
    this.#suggestions += 1;
    return this.#suggestions > maxSuggestions ? undefined : closestMatch(name, candidates);
  }

  didYouMean(name: string, candidates: Iterable<string>): string | undefined {
    const near = this.closest(name, candidates);
    return near === undefined ? undefined : `Did you mean \`${near}\`?`;
  }

  /** How many errors there are, those included that are not kept. */
  get count(): number {
    return this.#count;
  }

  /** In the order of the files, then of the places in them. */
  diagnostics(files: readonly string[] = []): readonly Diagnostic[] {
    const rank = new Map(files.map((file, index) => [file, index]));
    const shown = this.#kept.map((one) => withoutSecret(one, this.#secretLines));
    return [...shown.sort((a, b) => byPlace(rank, a, b)), ...this.#notShown("error"), ...this.#notShown("warning")];
  }

  #notShown(severity: Diagnostic["severity"]): readonly Diagnostic[] {
    const more = this.#found[severity] - this.#limit;
    if (more <= 0) return [];
    const message = `${this.#subject} has ${more} more ${more === 1 ? severity : `${severity}s`}.`;
    return [{ code: "more-errors", severity, message, hint: "Fix the first ones, then run it again." }];
  }
}

function lineOf({ file, line }: Place): string {
  return `${file}:${line}`;
}

function withoutSecret(diagnostic: Diagnostic, secretLines: ReadonlySet<string>): Diagnostic {
  if (diagnostic.place === undefined || !secretLines.has(lineOf(diagnostic.place))) return diagnostic;
  const { excerpt: _, ...rest } = diagnostic;
  return rest;
}

function byPlace(rank: ReadonlyMap<string, number>, { place: a }: Diagnostic, { place: b }: Diagnostic): number {
  if (a === undefined || b === undefined) return 0;
  return (rank.get(a.file) ?? 0) - (rank.get(b.file) ?? 0) || a.line - b.line || a.column - b.column;
}
