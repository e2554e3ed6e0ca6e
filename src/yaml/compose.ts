import { Composer, type CST, Lexer, type ParsedNode, Parser } from "yaml";
import type { YamlDiagnostics } from "./fault-log.ts";
import { type BracketTracker, trackBrackets } from "./openings.ts";
import {
  anchorError,
  describeParserError,
  directiveError,
  isUnclosed,
  severalDocumentsError,
  tagError,
  tooDeepError,
  tooManyTokensError,
} from "./wording.ts";

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
