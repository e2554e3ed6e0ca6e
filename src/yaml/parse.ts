import { Composer, type CST, Lexer, type ParsedNode, Parser } from "yaml";
import {
  anchorError,
  DiagnosticsCollector,
  describeParserError,
  directiveError,
  isUnclosed,
  lineIndentedTooDeep,
  mayBeIndentation,
  misalignedLine,
  type SyntaxDetail,
  severalDocumentsError,
  tagError,
  tooDeepError,
  tooManyTokensError,
} from "./diagnostics.ts";
import { type SourceText, TextRange } from "./source-text.ts";

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
export function compose(source: SourceText): ComposedDocument {
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

/** Anchors, aliases, tags and directives change what a text means from afar; none of them is accepted. */
function noteUnsupported(lexeme: string, offset: number, errors: SyntaxErrors): void {
  const end = offset + lexeme.length;
  switch (lexeme[0]) {
    case "&":
      errors.add(offset, end, anchorError("anchor"), "harmless");
      break;
    case "*":
      errors.add(offset, end, anchorError("alias"), "spoils-content");
      break;
    case "!":
      errors.add(offset, end, tagError, "harmless");
      break;
    case "%":
      errors.add(offset, end, directiveError, "spoils-content");
      break;
  }
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
    const [start, end] = offsetsOf(where);
    const opening = isUnclosed(fault) ? opened.lastUnclosedBefore(end) : undefined;
    if (opening === undefined) errors.addSyntax(start, end, fault);
    else errors.addSyntax(opening, opening + 1, fault);
  };
  let content: ParsedNode | null = null;
  for (const document of composer.compose(tokens)) content = document.contents;
  return content;
}

type ErrorPosition = number | readonly number[] | { readonly offset: number; readonly source?: string };

function offsetsOf(where: ErrorPosition): [start: number, end: number] {
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
