import {
  type FoldedAddress,
  foldAddress,
  looksLikeAddress,
  maxAddressLength,
  maxNameLength,
} from "../../model/address.ts";
import { formatPlace } from "../../model/fact.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { isDate } from "../../model/roster.ts";
import { collectDiagnostics, type DiagnosticsCollector } from "../../yaml/diagnostics.ts";
import { decodeText, type SourceRange, type SourceText, TextRange } from "../../yaml/source-text.ts";
import { textProblem } from "../decode-text.ts";
import type { RosterDiagnosticCode } from "../diagnostics.ts";

/** What a feed can say of a person, under the names that a roster has for it. */
export const feedFields = ["email", "firstName", "lastName", "title", "externalIdentifier", "until"] as const;

export type FeedField = (typeof feedFields)[number];

/** The headers of the columns that have a field, where the settings name them. */
export type FeedColumns = Readonly<Partial<Record<FeedField, string>>>;

/** One record of a feed. What its columns leave empty, or have not got, is absent. */
export interface FeedPerson extends Readonly<Partial<Record<Exclude<FeedField, RequiredField>, string>>> {
  readonly address: FoldedAddress;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** Where the address stands. */
  readonly at: SourceRange;
}

type RequiredField = (typeof requiredFields)[number];

const requiredFields = ["email", "firstName", "lastName"] as const;

/** The people of a CSV file in its order, or everything that is wrong with it. */
export function readFeed(
  file: string,
  bytes: Uint8Array,
  columns: FeedColumns,
): Result<readonly FeedPerson[], readonly Diagnostic[]> {
  const decoded = decodeText(file, bytes);
  if (!decoded.ok) return problem(decoded.diagnostics.map(unreadableText).map(withoutLine));
  const { source } = decoded;
  const log: FeedDiagnostics = collectDiagnostics({ subject: file, limit: 100 });
  const people = readPeople(source, columns, log);
  return log.count > 0 ? problem(log.diagnostics([file]).map(withoutLine)) : success(people);
}

/** No error shows a line of a feed: its other columns are nobody's business. */
export function withoutLine({ excerpt: _, ...rest }: Diagnostic): Diagnostic {
  return rest;
}

/** A feed is text as YAML is: the same bytes have no place in it. */
function unreadableText({ code, message, hint: _, ...rest }: Diagnostic): Diagnostic {
  const isEncoding = code === "yaml-encoding";
  return {
    ...rest,
    code: "bad-feed",
    message: isEncoding ? message : "A control character is not allowed here.",
    hint: isEncoding ? "Export the file as UTF-8." : "Remove it, and end lines with LF or CRLF.",
  };
}

function readPeople(source: SourceText, columns: FeedColumns, log: FeedDiagnostics): readonly FeedPerson[] {
  const people = new Map<FoldedAddress, FeedPerson>();
  let header: FeedHeader | undefined;
  for (const cells of readCsv(source, log)) {
    header ??= readHeader(cells, { source, columns, log });
    if (header === undefined) return [];
    if (header.cells === cells) continue;
    const person = readPerson(cells, header, { source, log });
    const first = person && people.get(person.address);
    if (person === undefined) continue;
    if (first === undefined) people.set(person.address, person);
    else {
      const message = `\`${person.email}\` is in the feed twice; first at ${formatPlace(first.at.place)}.`;
      log.error(person.at, "duplicate-user", message, "Correct the export.");
    }
  }
  if (header === undefined && log.count === 0) reportNoHeader(source, log);
  return [...people.values()];
}

function reportNoHeader(source: SourceText, log: FeedDiagnostics): void {
  log.error(
    new TextRange(source, 0, 0),
    "feed-columns",
    "The file has no header line.",
    "Export it with column names.",
  );
}

interface FeedHeader {
  readonly cells: readonly CsvCell[];
  /** The index of each field's column. */
  readonly columns: ReadonlyMap<FeedField, number>;
}

/** Headers that mean a field where the settings name none, written in lower case without what stands between words. */
const usualHeaders: Readonly<Record<FeedField, readonly string[]>> = {
  email: ["email", "workemail", "emailaddress", "workemailaddress", "businessemail", "mail"],
  firstName: ["firstname", "givenname", "preferredfirstname", "forename"],
  lastName: ["lastname", "surname", "familyname"],
  title: ["jobtitle", "title", "position"],
  externalIdentifier: ["externalidentifier", "externalid", "employeeid", "employeenumber", "personnelnumber"],
  until: ["until"],
};

function readHeader(
  cells: readonly CsvCell[],
  {
    source,
    columns,
    log,
  }: { readonly source: SourceText; readonly columns: FeedColumns; readonly log: FeedDiagnostics },
): FeedHeader | undefined {
  const names = cells.map(({ text }) => text.trim());
  const found = new Map<FeedField, number>();
  const at = new TextRange(source, cells[0]?.start ?? 0, cells.at(-1)?.end ?? 0);
  const before = log.count;
  for (const field of feedFields) {
    const [index, second] = columnsOf(field, names, columns);
    if (second !== undefined) {
      const message = `Two columns have the header \`${names[second]}\`, so \`${field}\` has no single column.`;
      log.error(rangeOf(cells[second], source), "feed-columns", message, "Rename one of them in the export.");
    } else if (index !== undefined) found.set(field, index);
    else reportNoColumn(field, names, { named: columns[field], at, log });
  }
  return log.count > before ? undefined : { cells, columns: found };
}

function reportNoColumn(
  field: FeedField,
  names: readonly string[],
  { named, at, log }: { readonly named: string | undefined; readonly at: SourceRange; readonly log: FeedDiagnostics },
): void {
  if (named !== undefined) {
    const message = `The settings take \`${field}\` from the column \`${named}\`, but this file has no such column.`;
    const hint = log.didYouMean(named, names) ?? `Correct \`feed.columns.${field}\` in the settings.`;
    log.error(at, "feed-columns", message, hint);
  } else if (isRequired(field)) {
    const hint = `Name it in the settings: \`feed: { columns: { ${field}: HEADER } }\`.`;
    log.error(at, "feed-columns", `No column is known to have the \`${field}\` of a person.`, hint);
  }
}

function isRequired(field: FeedField): boolean {
  return requiredFields.some((one) => one === field);
}

function columnsOf(field: FeedField, names: readonly string[], columns: FeedColumns): readonly number[] {
  const named = columns[field];
  return named === undefined ? usualColumn(field, names) : indicesOf(named, names);
}

function usualColumn(field: FeedField, names: readonly string[]): readonly number[] {
  const plain = names.map((name) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ""));
  const known = usualHeaders[field].find((one) => plain.includes(one));
  return known === undefined ? [] : indicesOf(known, plain);
}

function indicesOf(name: string, names: readonly string[]): readonly number[] {
  return names.flatMap((one, index) => (one === name ? [index] : []));
}

function readPerson(
  cells: readonly CsvCell[],
  header: FeedHeader,
  { source, log }: { readonly source: SourceText; readonly log: FeedDiagnostics },
): FeedPerson | undefined {
  const count = header.cells.length;
  if (cells.length !== count) {
    const message = `This record has ${cells.length} fields, but the header has ${count}.`;
    log.error(rangeOf(cells[0], source), "bad-feed", message, "Put fields that contain separators in quotes.");
    return undefined;
  }
  const before = log.count;
  const texts = new Map<FeedField, string>();
  for (const [field, index] of header.columns) {
    const cell = cells[index];
    const text = textOf(cell);
    if (text === "" && !isRequired(field)) continue;
    checkField(field, text, rangeOf(cell, source), log);
    texts.set(field, text);
  }
  const email = texts.get("email") ?? "";
  const at = rangeOf(cells[header.columns.get("email") ?? 0], source);
  if (log.count > before) return undefined;
  return { ...Object.fromEntries(texts), ...requiredTexts(texts), address: foldAddress(email), at };
}

function requiredTexts(texts: ReadonlyMap<FeedField, string>): Record<RequiredField, string> {
  const text = (field: RequiredField) => texts.get(field) ?? "";
  return { email: text("email"), firstName: text("firstName"), lastName: text("lastName") };
}

/** In characters; a text without an entry may be as long as any. */
const longest: Readonly<Partial<Record<FeedField, number>>> = {
  email: maxAddressLength,
  firstName: maxNameLength,
  lastName: maxNameLength,
};

function checkField(field: FeedField, text: string, at: SourceRange, log: FeedDiagnostics): void {
  const wrong = textProblem(text, longest[field]);
  if (wrong !== undefined) log.error(at, "bad-text", `\`${field}\` ${wrong}.`, "Correct it in the export.");
  else if (field === "email" && !looksLikeAddress(text)) {
    log.error(at, "bad-address", `\`${text}\` is not an e-mail address.`, "Correct it in the export.");
  } else if (field === "until" && !isDate(text)) {
    log.error(at, "bad-date", `\`until\` is not a date: \`${text}\`.`, "Export dates like `2027-01-31`.");
  }
}

/** Without outer spaces, and without the quote that programs put before what a spreadsheet would take for a formula. */
function textOf(cell: CsvCell | undefined): string {
  const text = (cell?.text ?? "").trim();
  return /^'[=+\-@]/u.test(text) ? text.slice(1) : text;
}

function rangeOf(cell: CsvCell | undefined, source: SourceText): SourceRange {
  return new TextRange(source, cell?.start ?? 0, cell?.end ?? 0);
}

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
function* readCsv(source: SourceText, log: FeedDiagnostics): Generator<readonly CsvCell[]> {
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
