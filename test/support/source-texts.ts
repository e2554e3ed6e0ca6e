/** A string or template literal of a source file. What a template fills in is one word: `X`. */
export interface SourceText {
  readonly line: number;
  readonly text: string;
}

/** What was read up to a place: literals, with those inside of what a template fills in. */
interface Passage {
  readonly texts: readonly SourceText[];
  readonly end: number;
}

const comment = /\/\/.*|\/\*[\s\S]*?\*\//uy;
const quoted = /(["'])(?:\\[\s\S]|(?!\1)[^\\\n])*\1?/uy;
const pattern = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/uy;

/** The string and template literals of a source text. Comments and regular expressions are no literals. */
export function textsIn(source: string): readonly SourceText[] {
  return readCode(source, 0).texts;
}

/** Reads until the brace that ends what a template fills in, or until the end. */
function readCode(source: string, start: number): Passage {
  const texts: SourceText[] = [];
  let depth = 0;
  let at = start;
  while (at < source.length && depth >= 0) {
    const passage = readPassage(source, at);
    texts.push(...passage.texts);
    if (passage.end === at + 1) depth += braceAt(source, at);
    at = passage.end;
  }
  return { texts, end: at };
}

function braceAt(source: string, at: number): number {
  if (source[at] === "{") return 1;
  return source[at] === "}" ? -1 : 0;
}

/** A comment, a regular expression or a literal; else one character. */
function readPassage(source: string, at: number): Passage {
  const character = source[at] ?? "";
  if (character === "/") {
    const length = lengthAt(comment, source, at) || (mayBePattern(source, at) ? lengthAt(pattern, source, at) : 0);
    return { texts: [], end: at + Math.max(length, 1) };
  }
  if (character === '"' || character === "'") {
    const length = lengthAt(quoted, source, at);
    return { texts: [sourceText(source, at, source.slice(at + 1, at + length - 1))], end: at + length };
  }
  return character === "`" ? readTemplate(source, at) : { texts: [], end: at + 1 };
}

function readTemplate(source: string, start: number): Passage {
  const inner: SourceText[] = [];
  let text = "";
  let at = start + 1;
  while (at < source.length && source[at] !== "`") {
    if (source.startsWith("${", at)) {
      const filled = readCode(source, at + 2);
      inner.push(...filled.texts);
      text += "X";
      at = filled.end;
    } else {
      const length = source[at] === "\\" ? 2 : 1;
      text += source.slice(at, at + length);
      at += length;
    }
  }
  return { texts: [sourceText(source, start, text), ...inner], end: at + 1 };
}

/** A slash begins a regular expression where no value can stand before it. */
function mayBePattern(source: string, at: number): boolean {
  return /(?:^|[(,=:[!&|?{};+>]|\breturn)\s*$/u.test(source.slice(Math.max(0, at - 40), at));
}

function lengthAt(shape: RegExp, source: string, at: number): number {
  shape.lastIndex = at;
  return shape.exec(source)?.[0].length ?? 0;
}

function sourceText(source: string, at: number, written: string): SourceText {
  const text = written.replace(/\\(.)/gu, (_, character: string) => (character === "n" ? "\n" : character));
  return { line: source.slice(0, at).split("\n").length, text };
}
