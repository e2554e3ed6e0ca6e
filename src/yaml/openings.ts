/** Remembers where brackets, braces and quotes open, so that one that is never closed is shown where it opens. */
export interface BracketTracker {
  /** One lexeme of the text, in order. Not for the texts of scalars that are not quoted. */
  note(lexeme: string, offset: number): void;
  /** The last thing before this offset that opens and is never closed. */
  lastUnclosedBefore(offset: number): number | undefined;
}

const flowBroken = "\u0018";
/** As many as errors are told of one file. */
const maxRemembered = 100;

export function trackBrackets(): BracketTracker {
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
