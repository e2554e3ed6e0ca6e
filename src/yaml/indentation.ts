import type { DiagnosticDetail, SourceText } from "./source-text.ts";

/** An indentation at which a line could continue a map or a list that is open before it. */
interface OpenLevel {
  readonly column: number;
  readonly isItem: boolean;
}

const hint = "Start all entries of one map or list in the same column.";
/** No open level is searched further up: the message is only a help. */
const maxLinesBefore = 1000;

export function indentationError(message: string): DiagnosticDetail {
  return { code: "yaml-indentation", message, hint };
}

/** The error of a line that is not aligned with the lines before it, with both numbers; nothing where no number differs. */
export function misalignedLine(source: SourceText, line: number): DiagnosticDetail | undefined {
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
