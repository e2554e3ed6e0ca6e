import {
  Composer,
  type CST,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node as LibraryNode,
  type ParsedNode,
  Parser,
  Scalar,
  type YAMLMap,
} from "yaml";
import type { Diagnostic } from "../model/failure.ts";
import {
  type DiagnosticDetail,
  DiagnosticsCollector,
  decodeText,
  errorAt,
  ListNode,
  type MapEntry,
  MapNode,
  type Node,
  plainScalarType,
  ScalarNode,
  type SourceText,
  TextRange,
  type YamlDocument,
} from "./source-text.ts";

/** Reads the one YAML document of a file, whatever its bytes are: a located tree, or located errors, never an exception. */
export function readGeneral(file: string, bytes: Uint8Array): YamlDocument {
  const decoded = decodeText(file, bytes);
  if (!decoded.ok) return { diagnostics: decoded.error };
  const source = decoded.value;
  const { content, isSpoilt, log } = compose(source);
  const conflicts = isSpoilt ? mergeConflicts(source) : [];
  if (conflicts.length > 0) return { diagnostics: conflicts };
  const node = content === null ? undefined : buildNode(content, { source, log });
  if (node?.kind === "map") return { tree: node, diagnostics: log.diagnostics() };
  if (node !== undefined && !isEmptyNode(node)) reportNotAMap(node, log);
  return { diagnostics: log.diagnostics() };
}

function isEmptyNode(node: Node): boolean {
  return node.kind === "scalar" && node.type === "null" && node.text === "";
}

function reportNotAMap(node: Node, log: DiagnosticsCollector): void {
  const found = node.kind === "list" ? "list" : "single value";
  const message = `The file contains a ${found}; it must be a map of keys and values.`;
  log.error(node, "yaml-syntax", message, "Start the file with `version: 1`.");
}

interface TreeContext {
  readonly source: SourceText;
  readonly log: DiagnosticsCollector;
}

function offsetsOf({ range }: LibraryNode): readonly [start: number, end: number] {
  const [start, end] = range ?? [0, 0];
  return [start, end];
}

/** The located tree of a composed document; logs what its keys have wrong. Recursive: the depth is bounded before. */
function buildNode(part: unknown, context: TreeContext): Node {
  const { source } = context;
  if (isMap(part)) return new MapNode(source, ...offsetsOf(part), buildEntries(part, context));
  if (!isSeq(part)) return buildScalar(isScalar(part) ? part : new Scalar(""), source);
  const items = part.items.map((item) => buildNode(item, context));
  return new ListNode(source, ...offsetsOf(part), items);
}

function buildScalar(scalar: Scalar, source: SourceText): ScalarNode {
  const text = typeof scalar.value === "string" ? scalar.value : "";
  const isPlain = scalar.type === undefined || scalar.type === Scalar.PLAIN;
  return new ScalarNode(source, ...offsetsOf(scalar), text, isPlain ? plainScalarType(text) : "string");
}

function buildEntries(map: YAMLMap<unknown, unknown>, context: TreeContext): readonly MapEntry[] {
  const byText = new Map<string, MapEntry>();
  for (const pair of map.items) {
    const key = buildNode(pair.key, context);
    const value = buildNode(pair.value, context);
    if (!isName(key, context)) continue;
    const first = byText.get(key.text);
    if (first === undefined) byText.set(key.text, { key, value });
    else reportDuplicateKey(key, first.key, context.log);
  }
  return [...byText.values()];
}

function isName(key: Node, { log }: TreeContext): key is ScalarNode {
  if (key.kind !== "scalar") {
    const message = `This key is a ${key.kind}; a key must be a plain name.`;
    log.error(key, "yaml-syntax", message, "Quote a key that begins with a bracket or a brace.");
    return false;
  }
  if (key.type !== "string") {
    const message =
      key.text === "" ? "A key is empty." : `YAML reads the key ${key.text} as a ${key.type}; a key must be a text.`;
    const hint = key.text === "" ? "Write a name before the colon." : `Quote it: "${key.text}".`;
    log.error(key, "yaml-syntax", message, hint);
    return false;
  }
  if (key.text === "<<") log.error(key, "yaml-not-supported", "Merge keys are not allowed.", sharingHint);
  return key.text !== "<<";
}

function reportDuplicateKey(key: ScalarNode, first: ScalarNode, log: DiagnosticsCollector): void {
  const message = `The key ${first.text} is twice in one map; first in line ${first.place.line}.`;
  log.error(key, "duplicate", message, "Remove one, or merge their values.");
}

const maxConflicts = 100;

/** Where a merge has left both sides in a text, at the first line of each conflict; all else that is wrong with it follows from that. */
function mergeConflicts(source: SourceText): readonly Diagnostic[] {
  const lastEnd = source.text.lastIndexOf("\n>>>>>>> ");
  const begun = [...source.text.slice(0, lastEnd + 1).matchAll(/^<{7} [^\r\n]*/gmu)].slice(0, maxConflicts);
  return begun.map((found) =>
    errorAt(new TextRange(source, found.index, found.index + found[0].length), conflictDetail),
  );
}

const conflictDetail: DiagnosticDetail = {
  code: "yaml-syntax",
  message: "This file has a git merge conflict.",
  hint: "Resolve the conflict: keep the lines you want, and remove the marker lines of git.",
};

/** Deeper nesting of maps and lists is refused before anything recursive sees it. */
const maxNestingDepth = 100;
/** More than any roster within the byte cap needs. Each token costs memory, and no error can be caught once it is gone. */
const maxTokens = 4_000_000;

const maxErrors = 100;

const scalarFollows = "\u001f";
const collections = new Set(["block-map", "block-seq", "flow-collection"]);

interface ComposedDocument {
  /** Null where the document is empty, and where it cannot be taken for what it seems to say; then an error says why. */
  readonly content: ParsedNode | null;
  /** True where the document cannot be taken for what it seems to say. */
  readonly isSpoilt: boolean;
  /** What was found wrong. The decoders add to it. */
  readonly log: DiagnosticsCollector;
}

/** The content of the one document of a text. Parses without recursion, and stops before what would make composing dangerous. */
function compose(source: SourceText): ComposedDocument {
  const opened = new BracketTracker();
  const errors = new SyntaxErrors(source);
  const tokens = parse(source.text, opened, errors);
  const content = errors.isStopped ? null : composeDocument(tokens, opened, errors);
  errors.reportSyntax();
  const { isSpoilt, log } = errors;
  return { content: isSpoilt ? null : content, isSpoilt, log };
}

class SyntaxErrors {
  readonly #source: SourceText;
  readonly #faults = new Map<number, SyntaxFault>();
  log: DiagnosticsCollector;
  isSpoilt = false;
  isStopped = false;

  constructor(source: SourceText) {
    this.#source = source;
    this.log = new DiagnosticsCollector(source.file, maxErrors);
  }

  /** An error of the grammar. One is reported for a line, and none after wrong indentation: the others mostly follow from it. */
  addSyntax(start: number, end: number, error: SyntaxDetail): void {
    this.isSpoilt = true;
    const { line } = this.#source.placeAt(start);
    if (!this.#faults.has(line)) this.#faults.set(line, { start, end, error });
  }

  reportSyntax(): void {
    if (this.isStopped) return;
    const found = [...this.#faults].map(([line, fault]) => withIndentation(this.#source, line, fault));
    const badLines = found.filter(({ error }) => error.is !== undefined).map(({ line }) => line);
    const last = badLines.reduce((least, line) => Math.min(least, line), Number.POSITIVE_INFINITY);
    for (const { line, start, end, error } of found) if (line <= last) this.#report(start, end, error);
  }

  /** An error with a meaning of its own. */
  add(start: number, end: number, error: SyntaxDetail, effect: "harmless" | "spoils-content"): void {
    if (effect === "spoils-content") this.isSpoilt = true;
    this.#report(start, end, error);
  }

  /** An error after which nothing more is parsed; it alone is reported. */
  stop(offset: number, error: SyntaxDetail): void {
    if (this.isStopped) return;
    this.log = new DiagnosticsCollector(this.#source.file, maxErrors);
    this.isSpoilt = true;
    this.isStopped = true;
    this.#report(offset, offset + 1, error);
  }

  #report(start: number, end: number, { code, message, hint }: SyntaxDetail): void {
    this.log.error(new TextRange(this.#source, start, end), code, message, hint);
  }
}

interface SyntaxFault {
  readonly start: number;
  readonly end: number;
  readonly error: SyntaxDetail;
}

/** The error with the numbers of spaces, at the line that is not aligned, where that is what is wrong. */
function withIndentation(
  source: SourceText,
  line: number,
  fault: SyntaxFault,
): SyntaxFault & { readonly line: number } {
  if (!mayBeIndentation(fault.error)) return { line, ...fault };
  const isOwn = fault.error.is === "indentation";
  const at = isOwn ? line : lineIndentedTooDeep(source, line);
  const error = at === undefined ? undefined : misalignedLine(source, at);
  if (at === undefined || error === undefined) return { line, ...fault };
  const start = isOwn ? fault.start : source.lineEnd(line) + 1;
  return { line: at, start, end: isOwn ? fault.end : start + 1, error };
}

function parse(text: string, opened: BracketTracker, errors: SyntaxErrors): readonly CST.Token[] {
  const parser = new Parser();
  const kept: CST.Token[] = [];
  let count = 0;
  let previous = "";
  for (const lexeme of new Lexer().lex(text)) {
    if (previous !== scalarFollows) {
      noteUnsupported(lexeme, parser.offset, errors);
      opened.note(lexeme, parser.offset);
    }
    for (const token of parser.next(lexeme)) keepToken(token, kept, errors);
    previous = lexeme;
    count += 1;
    if (count > maxTokens) errors.stop(parser.offset, tooManyTokensError);
    if (isTooDeep(parser)) errors.stop(parser.offset - lexeme.length, tooDeepError(maxNestingDepth));
    if (errors.isStopped) return [];
  }
  for (const token of parser.end()) keepToken(token, kept, errors);
  return kept;
}

function noteUnsupported(lexeme: string, offset: number, errors: SyntaxErrors): void {
  const found = unsupported.get(lexeme[0] ?? "");
  if (found !== undefined) errors.add(offset, offset + lexeme.length, ...found);
}

function keepToken(token: CST.Token, kept: CST.Token[], errors: SyntaxErrors): void {
  if (token.type === "error") {
    const fault = describeParserError("UNEXPECTED_TOKEN", token.message);
    if (fault !== undefined) errors.addSyntax(token.offset, token.offset + token.source.length, fault);
  }
  if (token.type === "document" && kept.length > 0) errors.stop(token.offset, severalDocumentsError);
  if (token.type === "document" || (token.type === "doc-end" && kept.length > 0)) kept.push(token);
}

function isTooDeep(parser: Parser): boolean {
  if (parser.stack.length <= maxNestingDepth) return false;
  return parser.stack.filter((token) => collections.has(token.type)).length > maxNestingDepth;
}

function composeDocument(
  tokens: readonly CST.Token[],
  opened: BracketTracker,
  errors: SyntaxErrors,
): ParsedNode | null {
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false });
  // The composer's own handler builds an error with a stack trace for every fault: millions of them exhaust the memory.
  composer["onError"] = (where: ErrorPosition, parserCode: string, detail: string, warning?: boolean) => {
    const fault = warning === true ? undefined : describeParserError(parserCode, detail);
    if (fault === undefined) return;
    const [start, end] = errorOffsets(where);
    const opening = isUnclosed(fault) ? opened.lastUnclosedBefore(end) : undefined;
    if (opening === undefined) errors.addSyntax(start, end, fault);
    else errors.addSyntax(opening, opening + 1, fault);
  };
  let content: ParsedNode | null = null;
  for (const document of composer.compose(tokens)) content = document.contents;
  return content;
}

type ErrorPosition = number | readonly number[] | { readonly offset: number; readonly source?: string };

function errorOffsets(where: ErrorPosition): [start: number, end: number] {
  if (typeof where === "number") return [where, where + 1];
  if ("offset" in where) return [where.offset, where.offset + (where.source?.length ?? 1)];
  const [start = 0, end = start + 1] = where;
  return [start, end];
}

const flowBroken = "\u0018";

/** Remembers where brackets, braces and quotes open, so that one that is never closed is shown where it opens. */
class BracketTracker {
  #open: number[] = [];
  readonly #unclosed: number[] = [];

  /** One lexeme of the text, in order. Not for the texts of scalars that are not quoted. */
  note(lexeme: string, offset: number): void {
    if (lexeme === "[" || lexeme === "{") this.#open.push(offset);
    else if (lexeme === "]" || lexeme === "}") this.#open.pop();
    else if (lexeme === flowBroken) {
      for (const one of this.#open) this.#remember(one);
      this.#open = [];
    } else if (isUnclosedQuote(lexeme)) this.#remember(offset);
  }

  #remember(offset: number): void {
    if (this.#unclosed.length < maxErrors) this.#unclosed.push(offset);
  }

  /** The last thing before this offset that opens and is never closed. */
  lastUnclosedBefore(offset: number): number | undefined {
    const isBefore = (start: number) => start < offset;
    return this.#open.findLast(isBefore) ?? this.#unclosed.findLast(isBefore);
  }
}

function isUnclosedQuote(lexeme: string): boolean {
  const quote = lexeme[0];
  if (quote !== '"' && quote !== "'") return false;
  return lexeme.length === 1 || lexeme.at(-1) !== quote;
}

interface SyntaxDetail extends DiagnosticDetail {
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
const unclosedBracket = syntaxError("A bracket or brace is not closed.", "Add the missing `]` or `}`.");

const secondKey = syntaxError(
  "A second key or list starts where a value is expected.",
  "Put it on its own line, or quote a value that contains a colon.",
);

/** True for a fault that a line causes which is indented too deep. */
function mayBeIndentation(fault: SyntaxDetail): boolean {
  return fault === secondKey || fault.is === "indentation";
}

/** True for a fault that is best shown where something opens. */
function isUnclosed(fault: DiagnosticDetail): boolean {
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
function describeParserError(parserCode: string, detail: string): SyntaxDetail | undefined {
  if (reportedElsewhere.has(parserCode)) return undefined;
  const particular = byDetail.find(([pattern]) => pattern.test(detail));
  return particular?.[1] ?? byCode.get(parserCode) ?? unknownSyntaxError;
}

const unknownSyntaxError = syntaxError(
  "This is not valid YAML.",
  "Look for a missing quote, colon or space on this line or before it.",
);

const severalDocumentsError = notSupported(
  "A second document starts here; a file has one document.",
  "Move it to its own file.",
);

const tooManyTokensError: DiagnosticDetail = {
  code: "too-large",
  message: "The file has too many parts.",
  hint: "Split it into several files.",
};

function tooDeepError(limit: number): DiagnosticDetail {
  const message = `Maps and lists are nested more than ${limit} levels deep.`;
  return syntaxError(message, "Look for a repeated bracket, brace or dash.");
}

const sharingHint = "Write the value out. Use `groups` to share people and `roleSets` to share roles.";

/** Anchors, aliases, tags and directives change what a text means from afar; none of them is accepted. */
const unsupported = new Map<string, readonly [SyntaxDetail, "harmless" | "spoils-content"]>([
  ["&", [notSupported("Anchors are not allowed.", sharingHint), "harmless"]],
  ["*", [notSupported("Aliases are not allowed.", sharingHint), "spoils-content"]],
  ["!", [notSupported("YAML tags are not allowed.", "Remove it. To make a value a text, quote it."), "harmless"]],
  [
    "%",
    [
      notSupported("YAML directives are not allowed: every file is read as YAML 1.2.", "Remove the line."),
      "spoils-content",
    ],
  ],
]);

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
function misalignedLine(source: SourceText, line: number): SyntaxDetail | undefined {
  const text = source.lineAt(line);
  const column = indentationOf(text);
  const alike = openLevels(source, line).filter(({ isItem }) => isItem === startsItem(text));
  const [nearest] = alike.toSorted((a, b) => Math.abs(a.column - column) - Math.abs(b.column - column));
  if (nearest === undefined || nearest.column === column) return undefined;
  const spaces = `${column} ${column === 1 ? "space" : "spaces"}`;
  return indentationError(`Wrong indentation: this line has ${spaces}, its neighbours have ${nearest.column}.`);
}

/** The next line that is indented deeper than the key of this line, which has a value already; nothing where there is none. */
function lineIndentedTooDeep(source: SourceText, line: number): number | undefined {
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
