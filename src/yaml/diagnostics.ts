import { closestMatch } from "../model/address.ts";
import type { Place } from "../model/fact.ts";
import type { Diagnostic } from "../model/result.ts";
import { type DiagnosticDetail, errorAt, type SourceRange, type SourceText } from "./source-text.ts";

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

  /** "Did you mean …", where a name is near. Only for the first few unknown names: each costs a look at every candidate. */
  didYouMean(name: string, candidates: Iterable<string>): string | undefined {
    this.#suggestions += 1;
    const near = this.#suggestions > maxSuggestions ? undefined : closestMatch(name, candidates);
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

export interface SyntaxDetail extends DiagnosticDetail {
  /** What most of the errors after it follow from. */
  readonly is?: "indentation" | "tab";
}

/** What a tag, an anchor, an alias or a directive causes further on; each of these is reported as itself. */
const reportedElsewhere = new Set([
  "ALIAS_PROPS",
  "BAD_ALIAS",
  "BAD_COLLECTION_TYPE",
  "BAD_DIRECTIVE",
  "BAD_PROP_ORDER",
  "MULTIPLE_ANCHORS",
  "MULTIPLE_TAGS",
  "TAG_RESOLVE_FAILED",
]);

const unclosedQuote = syntaxError("A quote is not closed.", "Add the closing quote, or remove the opening one.");
const unclosedBracket = syntaxError("A bracket or brace is not closed.", "Close it, and indent the lines inside.");

const secondKey = syntaxError(
  "A second key or list starts where a value is expected.",
  "Put it on its own line, or quote a value that contains a colon.",
);

/** True for a fault that a line causes which is indented too deep. */
export function mayBeIndentation(fault: SyntaxDetail): boolean {
  return fault === secondKey || fault.is === "indentation";
}

/** True for a fault that is best shown where something opens. */
export function isUnclosed(fault: DiagnosticDetail): boolean {
  return fault === unclosedQuote || fault === unclosedBracket;
}

const byDetail: readonly (readonly [RegExp, SyntaxDetail])[] = [
  [/closing/, unclosedQuote],
  [/^Implicit map keys/, syntaxError("A key has no colon after it.", "Write `key: value`.")],
  [/^Missing space after :/, syntaxError("The colon has no space after it.", "Write `key: value`.")],
  [/^Missing , /, syntaxError("A comma is missing between two entries.", "Put a comma between them.")],
  [
    /^Comments must/,
    syntaxError("A comment needs a space before its #.", "Add a space, or quote a value that contains a #."),
  ],
  [/^Sequence item without/, indentationError("A line of this list does not begin with a dash.")],
  [/ end with /, unclosedBracket],
  [
    /^A block sequence may not/,
    indentationError("Wrong indentation: this list item is not aligned with the lines around it."),
  ],
  [
    /^Unexpected map-value-ind/,
    indentationError("Wrong indentation: this key is not aligned with the map or list before it."),
  ],
  [/^Block collection cannot start/, syntaxError("Only a comment may follow `---` on its line.")],
  [
    /^Block scalar header/,
    syntaxError("Nothing may follow `|` or `>` on its line.", "Start the text on the next line."),
  ],
  [/^Unexpected (?:, |empty item)/, syntaxError("A comma has nothing before it.", "Remove the comma.")],
  [/^Unexpected flow-(?:map|seq)-end/, syntaxError("A bracket or brace is closed but was not opened.", "Remove it.")],
  [
    /^Unexpected block-seq-ind/,
    syntaxError("A list starts on the line of its key.", "Start each item on a line of its own."),
  ],
  [/^Unexpected scalar at node end/, syntaxError("There is text after the end of a value.", "Quote the whole value.")],
];

const byCode = new Map<string, SyntaxDetail>([
  ["BAD_INDENT", indentationError("Wrong indentation: this line is not aligned with the lines around it.")],
  [
    "TAB_AS_INDENT",
    {
      ...syntaxError(
        "This line is indented with a tab; YAML allows only spaces.",
        "Replace every tab at the start of a line by spaces.",
      ),
      is: "tab",
    },
  ],
  [
    "BAD_DQ_ESCAPE",
    syntaxError(
      "This escape sequence is not valid in double quotes.",
      "Write a backslash twice, or use single quotes.",
    ),
  ],
  ["BAD_SCALAR_START", syntaxError("A value cannot start with this character.", "Put the value in quotes.")],
  ["BLOCK_AS_IMPLICIT_KEY", secondKey],
  ["BLOCK_IN_FLOW", syntaxError("Inside brackets or braces, maps and lists need brackets or braces too.")],
  ["KEY_OVER_1024_CHARS", syntaxError("A key is longer than 1024 characters.")],
  [
    "MULTILINE_IMPLICIT_KEY",
    syntaxError(
      "This is not a key, or the key has a line break.",
      "Write `key: value`, and align the keys of one map.",
    ),
  ],
]);

/** Our words for a fault that the parser found; nothing where the fault is reported as something else. */
export function describeParserError(parserCode: string, detail: string): SyntaxDetail | undefined {
  if (reportedElsewhere.has(parserCode)) return undefined;
  const particular = byDetail.find(([pattern]) => pattern.test(detail));
  return particular?.[1] ?? byCode.get(parserCode) ?? unknownSyntaxError;
}

const unknownSyntaxError = syntaxError(
  "This is not valid YAML.",
  "Look for a missing quote, colon or space on this line or before it.",
);

export const tagError = notSupported("YAML tags are not allowed.", "Remove it. To make a value a text, quote it.");

export const directiveError = notSupported(
  "YAML directives are not allowed: every file is read as YAML 1.2.",
  "Remove the line.",
);

export const severalDocumentsError = notSupported(
  "A second document starts here; a file has one document.",
  "Move it to its own file.",
);

export const tooManyTokensError: DiagnosticDetail = {
  code: "too-large",
  message: "The file has too many parts.",
  hint: "Split it into several files.",
};

export function tooDeepError(limit: number): DiagnosticDetail {
  const message = `Maps and lists are nested more than ${limit} levels deep.`;
  return syntaxError(message, "Look for a repeated bracket, brace or dash.");
}

export const sharingHint = "Write the value out. Use `groups` to share people and `roleSets` to share roles.";

export function anchorError(what: "anchor" | "alias"): DiagnosticDetail {
  return notSupported(`${what === "anchor" ? "Anchors" : "Aliases"} are not allowed.`, sharingHint);
}

function notSupported(message: string, hint: string): DiagnosticDetail {
  return { code: "yaml-not-supported", message, hint };
}

function syntaxError(message: string, hint?: string): DiagnosticDetail {
  return { code: "yaml-syntax", message, hint };
}

/** An indentation at which a line could continue a map or a list that is open before it. */
interface OpenLevel {
  readonly column: number;
  readonly isItem: boolean;
}

/** No open level is searched further up: the message is only a help. */
const maxLinesBefore = 1000;

function indentationError(message: string): SyntaxDetail {
  return { ...syntaxError(message, "Start all entries of one map or list in the same column."), is: "indentation" };
}

/** The error of a line that is not aligned with the lines before it, with both numbers; nothing where no number differs. */
export function misalignedLine(source: SourceText, line: number): SyntaxDetail | undefined {
  const text = source.lineAt(line);
  const column = indentationOf(text);
  const alike = openLevels(source, line).filter(({ isItem }) => isItem === startsItem(text));
  const [nearest] = alike.toSorted((a, b) => Math.abs(a.column - column) - Math.abs(b.column - column));
  if (nearest === undefined || nearest.column === column) return undefined;
  const spaces = `${column} ${column === 1 ? "space" : "spaces"}`;
  return indentationError(`Wrong indentation: this line has ${spaces}, its neighbours have ${nearest.column}.`);
}

/** The next line that is indented deeper than the key of this line, which has a value already; nothing where there is none. */
export function lineIndentedTooDeep(source: SourceText, line: number): number | undefined {
  const next = line + 1;
  const text = source.lineAt(next);
  if (text.trim() === "") return undefined;
  return indentationOf(text) > keyColumn(source.lineAt(line)) ? next : undefined;
}

/** From the line before upwards: each line that is indented less than those below it opens a level; an item opens two. */
function openLevels(source: SourceText, line: number): readonly OpenLevel[] {
  const levels: OpenLevel[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (let above = line - 1; above >= Math.max(1, line - maxLinesBefore) && least > 0; above -= 1) {
    const text = source.lineAt(above);
    if (text.trim() === "" || text.trimStart().startsWith("#")) continue;
    const column = indentationOf(text);
    if (startsItem(text)) {
      if (keyColumn(text) < least) levels.push({ column: keyColumn(text), isItem: false });
      if (column < least) levels.push({ column, isItem: true });
    } else if (column < least) {
      levels.push({ column, isItem: false });
    }
    least = Math.min(least, column);
  }
  return levels;
}

function startsItem(text: string): boolean {
  return /^ *-(?: |$)/u.test(text);
}

function indentationOf(text: string): number {
  return text.length - text.trimStart().length;
}

function keyColumn(text: string): number {
  return /^ *(?:- +)*/u.exec(text)?.[0].length ?? 0;
}
