import { Composer, type CST, Lexer, type ParsedNode, Parser } from "yaml";
import type { FaultLog } from "./fault-log.ts";
import { type Openings, openings } from "./openings.ts";
import {
  anchorFault,
  directiveFault,
  documentsFault,
  faultFor,
  isAboutClosing,
  tagFault,
  tokensFault,
  tooDeep,
} from "./wording.ts";

/** Deeper nesting of maps and lists is refused before anything recursive sees it. */
const deepestNesting = 100;
/** More than any roster within the byte cap needs. Each token costs memory, and no error can be caught once it is gone. */
const mostTokens = 4_000_000;

const scalarFollows = "\u001f";
const collections = new Set(["block-map", "block-seq", "flow-collection"]);

/**
 * The content of the one document of a text; null where it is empty, or where the log says why it cannot be taken for
 * what it seems to say. Parses without recursion, and stops before what would make composing dangerous.
 */
export function compose(text: string, log: FaultLog): ParsedNode | null {
  const opened = openings();
  const tokens = parse(text, opened, log);
  const content = log.isStopped ? null : composeTokens(tokens, opened, log);
  return log.spoilsContent ? null : content;
}

function parse(text: string, opened: Openings, log: FaultLog): readonly CST.Token[] {
  const parser = new Parser();
  const kept: CST.Token[] = [];
  let count = 0;
  let previous = "";
  for (const lexeme of new Lexer().lex(text)) {
    if (previous !== scalarFollows) {
      noteUnsupported(lexeme, parser.offset, log);
      opened.note(lexeme, parser.offset);
    }
    for (const token of parser.next(lexeme)) keep(token, kept, log);
    previous = lexeme;
    count += 1;
    if (count > mostTokens) log.stop(parser.offset, tokensFault);
    if (isTooDeep(parser)) log.stop(parser.offset - lexeme.length, tooDeep(deepestNesting));
    if (log.isStopped) return [];
  }
  for (const token of parser.end()) keep(token, kept, log);
  return kept;
}

/** Anchors, aliases, tags and directives change what a text means from afar; none of them is accepted. */
function noteUnsupported(lexeme: string, offset: number, log: FaultLog): void {
  const end = offset + lexeme.length;
  switch (lexeme[0]) {
    case "&":
      log.add(offset, end, anchorFault("anchor"), "harmless");
      break;
    case "*":
      log.add(offset, end, anchorFault("alias"), "spoils-content");
      break;
    case "!":
      log.add(offset, end, tagFault, "harmless");
      break;
    case "%":
      log.add(offset, end, directiveFault, "spoils-content");
      break;
  }
}

function keep(token: CST.Token, kept: CST.Token[], log: FaultLog): void {
  if (token.type === "error") {
    const fault = faultFor("UNEXPECTED_TOKEN", token.message);
    if (fault !== undefined) log.addSyntax(token.offset, token.offset + token.source.length, fault);
  }
  if (token.type === "document" && kept.length > 0) log.stop(token.offset, documentsFault);
  if (token.type === "document" || (token.type === "doc-end" && kept.length > 0)) kept.push(token);
}

function isTooDeep(parser: Parser): boolean {
  if (parser.stack.length <= deepestNesting) return false;
  return parser.stack.filter((token) => collections.has(token.type)).length > deepestNesting;
}

function composeTokens(tokens: readonly CST.Token[], opened: Openings, log: FaultLog): ParsedNode | null {
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false });
  // The composer's own handler builds an error with a stack trace for every fault: millions of them exhaust the memory.
  composer["onError"] = (where: Whereabouts, parserCode: string, detail: string, warning?: boolean) => {
    const fault = warning === true ? undefined : faultFor(parserCode, detail);
    if (fault === undefined) return;
    const [start, end] = offsetsOf(where);
    const opening = isAboutClosing(fault) ? opened.lastUnclosedBefore(end) : undefined;
    if (opening === undefined) log.addSyntax(start, end, fault);
    else log.addSyntax(opening, opening + 1, fault);
  };
  let content: ParsedNode | null = null;
  for (const document of composer.compose(tokens)) content = document.contents;
  return content;
}

type Whereabouts = number | readonly number[] | { readonly offset: number; readonly source?: string };

function offsetsOf(where: Whereabouts): [start: number, end: number] {
  if (typeof where === "number") return [where, where + 1];
  if ("offset" in where) return [where.offset, where.offset + (where.source?.length ?? 1)];
  const [start = 0, end = start + 1] = where;
  return [start, end];
}
