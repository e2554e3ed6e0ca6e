import { Composer, type CST, Lexer, type ParsedNode, Parser } from "yaml";
import {
  anchorError,
  describeParserError,
  directiveError,
  isUnclosed,
  severalDocumentsError,
  tagError,
  tooDeepError,
  tooManyTokensError,
  type YamlDiagnostics,
} from "./diagnostics.ts";

/** Deeper nesting of maps and lists is refused before anything recursive sees it. */
const maxNestingDepth = 100;
/** More than any roster within the byte cap needs. Each token costs memory, and no error can be caught once it is gone. */
const maxTokens = 4_000_000;

const scalarFollows = "\u001f";
const collections = new Set(["block-map", "block-seq", "flow-collection"]);

/**
 * The content of the one document of a text; null where it is empty, or where the log says why it cannot be taken for
 * what it seems to say. Parses without recursion, and stops before what would make composing dangerous.
 */
export function compose(text: string, log: YamlDiagnostics): ParsedNode | null {
  const opened = trackBrackets();
  const tokens = parse(text, opened, log);
  const content = log.isStopped ? null : composeDocument(tokens, opened, log);
  return log.spoilsContent ? null : content;
}

function parse(text: string, opened: BracketTracker, log: YamlDiagnostics): readonly CST.Token[] {
  const parser = new Parser();
  const kept: CST.Token[] = [];
  let count = 0;
  let previous = "";
  for (const lexeme of new Lexer().lex(text)) {
    if (previous !== scalarFollows) {
      noteUnsupported(lexeme, parser.offset, log);
      opened.note(lexeme, parser.offset);
    }
    for (const token of parser.next(lexeme)) keepToken(token, kept, log);
    previous = lexeme;
    count += 1;
    if (count > maxTokens) log.stop(parser.offset, tooManyTokensError);
    if (isTooDeep(parser)) log.stop(parser.offset - lexeme.length, tooDeepError(maxNestingDepth));
    if (log.isStopped) return [];
  }
  for (const token of parser.end()) keepToken(token, kept, log);
  return kept;
}

/** Anchors, aliases, tags and directives change what a text means from afar; none of them is accepted. */
function noteUnsupported(lexeme: string, offset: number, log: YamlDiagnostics): void {
  const end = offset + lexeme.length;
  switch (lexeme[0]) {
    case "&":
      log.add(offset, end, anchorError("anchor"), "harmless");
      break;
    case "*":
      log.add(offset, end, anchorError("alias"), "spoils-content");
      break;
    case "!":
      log.add(offset, end, tagError, "harmless");
      break;
    case "%":
      log.add(offset, end, directiveError, "spoils-content");
      break;
  }
}

function keepToken(token: CST.Token, kept: CST.Token[], log: YamlDiagnostics): void {
  if (token.type === "error") {
    const fault = describeParserError("UNEXPECTED_TOKEN", token.message);
    if (fault !== undefined) log.addSyntax(token.offset, token.offset + token.source.length, fault);
  }
  if (token.type === "document" && kept.length > 0) log.stop(token.offset, severalDocumentsError);
  if (token.type === "document" || (token.type === "doc-end" && kept.length > 0)) kept.push(token);
}

function isTooDeep(parser: Parser): boolean {
  if (parser.stack.length <= maxNestingDepth) return false;
  return parser.stack.filter((token) => collections.has(token.type)).length > maxNestingDepth;
}

function composeDocument(
  tokens: readonly CST.Token[],
  opened: BracketTracker,
  log: YamlDiagnostics,
): ParsedNode | null {
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false });
  // The composer's own handler builds an error with a stack trace for every fault: millions of them exhaust the memory.
  composer["onError"] = (where: ErrorPosition, parserCode: string, detail: string, warning?: boolean) => {
    const fault = warning === true ? undefined : describeParserError(parserCode, detail);
    if (fault === undefined) return;
    const [start, end] = offsetsOf(where);
    const opening = isUnclosed(fault) ? opened.lastUnclosedBefore(end) : undefined;
    if (opening === undefined) log.addSyntax(start, end, fault);
    else log.addSyntax(opening, opening + 1, fault);
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
/** As many as errors are told of one file. */
const maxRemembered = 100;

function trackBrackets(): BracketTracker {
  let open: number[] = [];
  const unclosed: number[] = [];
  const remember = (offset: number) => {
    if (unclosed.length < maxRemembered) unclosed.push(offset);
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
