import type { DiagnosticsCollector } from "../../yaml/diagnostics.ts";
import { type SourceText, TextRange } from "../../yaml/source-text.ts";
import type { RosterDiagnosticCode } from "../diagnostics.ts";

/** What is wrong with a feed: its form as a table, its columns, or what it says of a person. */
export type FeedDiagnostics = DiagnosticsCollector<RosterDiagnosticCode | "bad-feed" | "feed-columns">;

/** One field of a record, as it reads without its quotes. */
export interface CsvCell {
  readonly text: string;
  /** Where it stands in the file, quotes included. */
  readonly start: number;
  readonly end: number;
}

/** More columns than any list of people has. */
const maxColumns = 200;

const separators = [",", ";", "\t"] as const;

/**
 * The records of a text, one by one, as RFC 4180 has them: quotes around fields, doubled quotes and line breaks in them, LF or CRLF.
 * The first record decides between comma, semicolon and tab. Empty lines are no records. Ends after the first fault, which it logs.
 */
export function* readCsv(source: SourceText, log: FeedDiagnostics): Generator<readonly CsvCell[]> {
  const separator = separatorOf(source.text);
  let at = 0;
  while (at < source.text.length) {
    const record = readRecord(source, at, separator);
    if ("fault" in record) {
      log.error(new TextRange(source, record.at, record.at + 1), "bad-feed", record.fault, record.hint);
      return;
    }
    at = record.end;
    if (!isEmptyLine(record.cells)) yield record.cells;
  }
}

interface CsvFault {
  readonly at: number;
  readonly fault: string;
  readonly hint: string;
}

interface CsvRecord {
  readonly cells: readonly CsvCell[];
  /** Where the next record begins. */
  readonly end: number;
}

function readRecord({ text }: SourceText, start: number, separator: string): CsvRecord | CsvFault {
  const cells: CsvCell[] = [];
  for (let at = start; ; ) {
    const cell = text[at] === '"' ? readQuoted(text, at) : readBare(text, at, separator);
    if ("fault" in cell) return cell;
    cells.push(cell);
    if (cells.length > maxColumns) return { at: cell.start, ...tooManyColumns };
    const next = text[cell.end];
    if (next === separator) at = cell.end + 1;
    else if (next === undefined || next === "\n") return { cells, end: cell.end + 1 };
    else if (text.startsWith("\r\n", cell.end)) return { cells, end: cell.end + 2 };
    else return { at: cell.end, ...textAfterQuote };
  }
}

function readQuoted(text: string, start: number): CsvCell | CsvFault {
  for (let at = start + 1; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0) return { at: start, ...openQuote };
    if (text[at + 1] === '"') continue;
    return { text: text.slice(start + 1, at).replaceAll('""', '"'), start, end: at + 1 };
  }
}

function readBare(text: string, start: number, separator: string): CsvCell | CsvFault {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== "\n") {
    if (text[end] === '"') return { at: end, ...quoteInside };
    end += 1;
  }
  if (text[end] !== separator && text[end - 1] === "\r" && end > start) end -= 1;
  return { text: text.slice(start, end), start, end };
}

function isEmptyLine([first, ...others]: readonly CsvCell[]): boolean {
  return others.length === 0 && first?.start === first?.end;
}

const maxHeaderLength = 10_000;

/** What stands most often in the first record outside of quotes. */
function separatorOf(text: string): string {
  const header = /^(?:"[^"]*"|[^"\n])*/u.exec(text.slice(0, maxHeaderLength))?.[0].replace(/"[^"]*"/gu, "") ?? "";
  const count = (separator: string) => header.split(separator).length;
  return separators.reduce<string>((best, one) => (count(one) > count(best) ? one : best), ",");
}

const tooManyColumns = {
  fault: `This record has more than ${maxColumns} fields, the limit.`,
  hint: "Export fewer columns.",
};
const openQuote = { fault: "This quote is never closed.", hint: 'Write a quote inside a field twice: `""`.' };
const quoteInside = {
  fault: "A field without quotes contains a quote.",
  hint: 'Put the whole field in quotes, and write the inner quote twice: `""`.',
};
const textAfterQuote = {
  fault: "Text follows the closing quote of a field.",
  hint: 'Write a quote inside a field twice: `""`.',
};
