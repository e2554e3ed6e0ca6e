import { Composer, type CST, Lexer, type ParsedNode, Parser } from "yaml";
import {
  anchorError,
  collectDiagnostics,
  type DiagnosticsCollector,
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

/** As many errors are reported of one file. */
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
  const opened = trackBrackets();
  const errors = collectSyntaxErrors(source);
  const tokens = parse(source.text, opened, errors);
  const content = errors.isStopped ? null : composeDocument(tokens, opened, errors);
  errors.reportSyntax();
  const { isSpoilt, log } = errors;
  return { content: isSpoilt ? null : content, isSpoilt, log };
}

/** The errors of a text that is being parsed. */
interface SyntaxErrors {
  /** An error of the grammar. One is reported for a line, and none after wrong indentation: the others mostly follow from it. */
  addSyntax(start: number, end: number, error: SyntaxDetail): void;
  /** Reports the errors of the grammar, once all of them are known. */
  reportSyntax(): void;
  /** An error with a meaning of its own. */
  add(start: number, end: number, error: SyntaxDetail, effect: "harmless" | "spoils-content"): void;
  /** An error after which nothing more is parsed; it alone is reported. */
  stop(offset: number, error: SyntaxDetail): void;
  readonly isStopped: boolean;
  readonly isSpoilt: boolean;
  readonly log: DiagnosticsCollector;
}

function collectSyntaxErrors(source: SourceText): SyntaxErrors {
  const emptyLog = () => collectDiagnostics({ subject: source.file, limit: maxErrors });
  const faultyLines = new Map<number, SyntaxFault>();
  let log = emptyLog();
  let isSpoilt = false;
  let isStopped = false;
  const report = (start: number, end: number, { code, message, hint }: SyntaxDetail) =>
    log.error(new TextRange(source, start, end), code, message, hint);
  return {
    addSyntax(start, end, error) {
      isSpoilt = true;
      const { line } = source.placeAt(start);
      if (!faultyLines.has(line)) faultyLines.set(line, { start, end, error });
    },
    reportSyntax() {
      if (isStopped) return;
      const found = [...faultyLines].map(([line, fault]) => withIndentation(source, line, fault));
      const badLines = found.filter(({ error }) => error.is !== undefined).map(({ line }) => line);
      const last = badLines.reduce((least, line) => Math.min(least, line), Number.POSITIVE_INFINITY);
      for (const { line, start, end, error } of found) if (line <= last) report(start, end, error);
    },
    add(start, end, error, effect) {
      if (effect === "spoils-content") isSpoilt = true;
      report(start, end, error);
    },
    stop(offset, error) {
      if (isStopped) return;
      log = emptyLog();
      isSpoilt = true;
      isStopped = true;
      report(offset, offset + 1, error);
    },
    get isStopped() {
      return isStopped;
    },
    get isSpoilt() {
      return isSpoilt;
    },
    get log() {
      return log;
    },
  };
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

/** Remembers where brackets, braces and quotes open, so that one that is never closed is shown where it opens. */
interface BracketTracker {
  /** One lexeme of the text, in order. Not for the texts of scalars that are not quoted. */
  note(lexeme: string, offset: number): void;
  /** The last thing before this offset that opens and is never closed. */
  lastUnclosedBefore(offset: number): number | undefined;
}

const flowBroken = "\u0018";

function trackBrackets(): BracketTracker {
  let open: number[] = [];
  const unclosed: number[] = [];
  const remember = (offset: number) => {
    if (unclosed.length < maxErrors) unclosed.push(offset);
  };
  return {
    note(lexeme, offset) {
      if (lexeme === "[" || lexeme === "{") open.push(offset);
      else if (lexeme === "]" || lexeme === "}") open.pop();
      else if (lexeme === flowBroken) {
        open.forEach(remember);
        open = [];
      } else if (isUnclosedQuote(lexeme)) remember(offset);
    },
    lastUnclosedBefore(offset) {
      const isBefore = (start: number) => start < offset;
      return open.findLast(isBefore) ?? unclosed.findLast(isBefore);
    },
  };
}

function isUnclosedQuote(lexeme: string): boolean {
  const quote = lexeme[0];
  if (quote !== '"' && quote !== "'") return false;
  return lexeme.length === 1 || lexeme.at(-1) !== quote;
}
