import type { Diagnostic } from "../model/result.ts";
import { type DiagnosticDetail, errorAt, rangeBetween, type SourceRange, type SourceText } from "./source-text.ts";

const maxDiagnostics = 100;

/** What a text's parsing has found wrong so far. Keeps the first hundred faults and counts the rest. */
export interface YamlDiagnostics {
  /** A fault of the grammar: one of them in a line is told, since the others mostly follow from it. */
  addSyntax(start: number, end: number, fault: DiagnosticDetail): void;
  /** A fault with a meaning of its own. */
  add(start: number, end: number, fault: DiagnosticDetail, effect: "harmless" | "spoils-content"): void;
  /** The same, at a node. */
  addAt(spot: SourceRange, fault: DiagnosticDetail): void;
  /** A fault after which nothing more is parsed; it alone is told. */
  stop(offset: number, fault: DiagnosticDetail): void;
  readonly isStopped: boolean;
  /** True where the document cannot be taken for what it seems to say. */
  readonly spoilsContent: boolean;
  /** In the order of the text. */
  diagnostics(): readonly Diagnostic[];
}

export function yamlDiagnostics(source: SourceText): YamlDiagnostics {
  const entries: Diagnostic[] = [];
  const faultyLines = new Set<number>();
  let untold = 0;
  let spoilt = false;
  let stopped: Diagnostic | undefined;
  const addAt = (spot: SourceRange, fault: DiagnosticDetail) => {
    if (entries.length >= maxDiagnostics) untold += 1;
    else entries.push(errorAt(spot, fault));
  };
  return {
    addSyntax(start, end, fault) {
      spoilt = true;
      const { line } = source.placeAt(start);
      if (faultyLines.has(line)) return;
      faultyLines.add(line);
      addAt(rangeBetween(source, start, end), fault);
    },
    add(start, end, fault, effect) {
      if (effect === "spoils-content") spoilt = true;
      addAt(rangeBetween(source, start, end), fault);
    },
    addAt,
    stop(offset, fault) {
      stopped ??= errorAt(rangeBetween(source, offset, offset + 1), fault);
    },
    get isStopped() {
      return stopped !== undefined;
    },
    get spoilsContent() {
      return spoilt || stopped !== undefined;
    },
    diagnostics() {
      if (stopped !== undefined) return [stopped];
      const told = entries.toSorted(byPlace);
      return untold === 0 ? told : [...told, moreErrors(source.file, untold)];
    },
  };
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.place === undefined || b.place === undefined) return 0;
  return a.place.line - b.place.line || a.place.column - b.place.column;
}

function moreErrors(file: string, untold: number): Diagnostic {
  return {
    code: "yaml-more-errors",
    severity: "error",
    message: `${file} has ${untold} more errors like these.`,
    hint: "Mend the first ones: the others often follow from them.",
  };
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

const unclosedQuote = syntaxError(
  "A quotation mark is never closed.",
  "Close the quotes, or remove the one that opens.",
);
const unclosedBracket = syntaxError("A bracket or brace is never closed.", "Close it, and indent what stands between.");

/** True for a fault that is best shown where something opens. */
export function isUnclosed(fault: DiagnosticDetail): boolean {
  return fault === unclosedQuote || fault === unclosedBracket;
}

const byDetail: readonly (readonly [RegExp, DiagnosticDetail])[] = [
  [/closing/, unclosedQuote],
  [/^Implicit map keys/, syntaxError("A key has no colon after it.", "Write `key: value`.")],
  [/^Missing space after :/, syntaxError("The colon has no space after it.", "Write `key: value`.")],
  [/^Missing , /, syntaxError("A comma is missing between two entries.", "Separate them by a comma.")],
  [
    /^Comments must/,
    syntaxError("A comment needs a space before its #.", "Add a space, or quote a value that holds a #."),
  ],
  [/^Sequence item without/, indentationError("A line of this list does not begin with a dash.")],
  [/ end with /, unclosedBracket],
  [/^A block sequence may not/, indentationError("A list item does not fit the indentation of the lines around it.")],
  [/^Unexpected map-value-ind/, indentationError("A key does not belong to the map or list that has begun before it.")],
  [/^Block collection cannot start/, syntaxError("Nothing but a comment may follow --- in its line.")],
  [/^Block scalar header/, syntaxError("Nothing may follow | or > in its line.", "Start the text in the next line.")],
  [/^Unexpected (?:, |empty item)/, syntaxError("A comma has nothing before it.", "Remove the comma.")],
  [
    /^Unexpected flow-(?:map|seq)-end/,
    syntaxError("A bracket or brace is closed that was never opened.", "Remove it."),
  ],
  [
    /^Unexpected block-seq-ind/,
    syntaxError("A list starts in the line of its key.", "Start each item on a line of its own."),
  ],
  [
    /^Unexpected scalar at node end/,
    syntaxError("Text follows a value that has already ended.", "Quote the whole value."),
  ],
];

const byCode = new Map<string, DiagnosticDetail>([
  ["BAD_INDENT", indentationError("The indentation does not fit the lines around it.")],
  [
    "TAB_AS_INDENT",
    { code: "yaml-tab", message: "A tab is used as indentation; YAML knows only spaces there.", hint: "Use spaces." },
  ],
  [
    "BAD_DQ_ESCAPE",
    syntaxError("There is no such escape sequence in double quotes.", "Write a backslash twice, or use single quotes."),
  ],
  ["BAD_SCALAR_START", syntaxError("A value cannot start with this character.", "Put the value in quotes.")],
  [
    "BLOCK_AS_IMPLICIT_KEY",
    syntaxError(
      "A second key or list starts where only a value can stand.",
      "Give it a line of its own, or quote a value that holds a colon.",
    ),
  ],
  ["BLOCK_IN_FLOW", syntaxError("Within brackets or braces, maps and lists need brackets or braces too.")],
  ["KEY_OVER_1024_CHARS", syntaxError("A key is longer than 1024 characters.")],
  [
    "MULTILINE_IMPLICIT_KEY",
    syntaxError(
      "What should be a key goes over several lines, or is none.",
      "Write `key: value`, and align the keys of one map.",
    ),
  ],
]);

/** Our words for a fault that the parser found; nothing where the fault is reported as something else. */
export function describeParserError(parserCode: string, detail: string): DiagnosticDetail | undefined {
  if (reportedElsewhere.has(parserCode)) return undefined;
  const particular = byDetail.find(([pattern]) => pattern.test(detail));
  return particular?.[1] ?? byCode.get(parserCode) ?? unknownSyntaxError;
}

const unknownSyntaxError = syntaxError(
  "This is not valid YAML.",
  "Look for a missing quote, colon or space in this line or before it.",
);

export const tagError: DiagnosticDetail = {
  code: "yaml-tag",
  message: "Tags are not accepted.",
  hint: "Remove it; to make a value a string, put it in quotes.",
};

export const directiveError: DiagnosticDetail = {
  code: "yaml-directive",
  message: "Directives are not accepted: every file is read as YAML 1.2.",
  hint: "Remove the line.",
};

export const severalDocumentsError: DiagnosticDetail = {
  code: "yaml-several-documents",
  message: "A second document starts here; a file holds one.",
  hint: "Give it a file of its own.",
};

export const tooManyTokensError: DiagnosticDetail = {
  code: "yaml-too-large",
  message: "The file holds too many parts to be read as one.",
  hint: "Split it into several files.",
};

export function tooDeepError(limit: number): DiagnosticDetail {
  return {
    code: "yaml-too-deep",
    message: `Maps and lists are nested more than ${limit} levels deep.`,
    hint: "Look for a bracket, brace or dash that is repeated by mistake.",
  };
}

const sharingHint = "Write it out; in a roster, `groups` share people and `roleSets` share roles.";

export function anchorError(what: "anchor" | "alias"): DiagnosticDetail {
  return {
    code: `yaml-${what}`,
    message: `${what === "anchor" ? "Anchors" : "Aliases"} are not accepted.`,
    hint: sharingHint,
  };
}

export const mergeKeyError: DiagnosticDetail = {
  code: "yaml-merge-key",
  message: "Merge keys are not accepted.",
  hint: sharingHint,
};

function syntaxError(message: string, hint?: string): DiagnosticDetail {
  return { code: "yaml-syntax", message, ...(hint === undefined ? {} : { hint }) };
}

function indentationError(message: string): DiagnosticDetail {
  const hint = "Entries of one map or list start in the same column.";
  return { code: "yaml-indentation", message, hint };
}
