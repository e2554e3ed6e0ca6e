import { CsvError, parse } from "csv-parse/sync";
import {
  type FoldedAddress,
  foldAddress,
  looksLikeAddress,
  maxAddressLength,
  maxNameLength,
} from "../../model/address.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { isDate } from "../../model/roster.ts";
import { decodeText } from "../../yaml/source-text.ts";
import { textProblem } from "../decode-text.ts";

/** What a feed can say of a person, under the names that a roster has for it. */
export const feedFields = ["email", "firstName", "lastName", "title", "externalIdentifier", "until"] as const;

export type FeedField = (typeof feedFields)[number];

/** The headers of the columns that have a field, where the settings name them. */
export type FeedColumns = Readonly<Partial<Record<FeedField, string>>>;

/** One record of a feed. What its columns leave empty, or have not got, is absent. */
export interface FeedPerson {
  readonly address: FoldedAddress;
  readonly fields: ReadonlyMap<FeedField, string>;
}

/** Keeps what is wrong with a feed. No error shows a line of it: its other columns are nobody's business. */
type Report = (line: number, code: string, message: string, hint?: string) => void;

/** The people of a CSV file in its order, or the first hundred things that are wrong with it. */
export function readFeed(
  file: string,
  bytes: Uint8Array,
  columns: FeedColumns,
): Result<readonly FeedPerson[], readonly Diagnostic[]> {
  const faults: Diagnostic[] = [];
  const report: Report = (line, code, message, hint = "Correct it in the export.") =>
    void faults.push({ code, severity: "error", message, hint, place: { file, line, column: 1 } });
  const decoded = decodeText(file, bytes);
  if (!decoded.ok)
    return problem(decoded.diagnostics.map(({ excerpt: _, ...rest }) => ({ ...rest, code: "bad-feed" })));
  const records = readRecords(decoded.source.text, report);
  const people = records === undefined ? [] : readPeople(records, columns, report);
  return faults.length > 0 ? problem(faults.slice(0, 100)) : success(people);
}

interface CsvRecord {
  readonly record: readonly string[];
  /** The line in which it ends. */
  readonly info: { readonly lines: number };
}

/** Comma, semicolon or tab: what stands most often in the first line outside of quotes. */
function delimiterOf(text: string): string {
  const [header = ""] = text
    .slice(0, 10_000)
    .replace(/"[^"]*"/gu, "")
    .split("\n", 1);
  const count = (delimiter: string) => header.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

function readRecords(text: string, report: Report): readonly CsvRecord[] | undefined {
  const options = {
    delimiter: delimiterOf(text),
    record_delimiter: ["\r\n", "\n"],
    skip_empty_lines: true,
    info: true,
  };
  try {
    return parse(text, options) as unknown as readonly CsvRecord[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines } = error as CsvError & { readonly lines?: number };
    // The message of the parser may quote the line.
    const message = csvFaults[error.code] ?? "This is not CSV.";
    report(
      lines ?? 1,
      "bad-feed",
      message,
      'Put fields that contain separators or quotes in quotes; write an inner quote twice: `""`.',
    );
    return undefined;
  }
}

const csvFaults: Readonly<Record<string, string>> = {
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: "This record has another number of fields than the header.",
  CSV_QUOTE_NOT_CLOSED: "A quote is never closed.",
  INVALID_OPENING_QUOTE: "A field without quotes contains a quote.",
  CSV_INVALID_CLOSING_QUOTE: "Text follows the closing quote of a field.",
};

function readPeople(
  [header, ...records]: readonly CsvRecord[],
  columns: FeedColumns,
  report: Report,
): readonly FeedPerson[] {
  if (header === undefined) {
    report(1, "feed-columns", "The file has no header line.", "Export it with column names.");
    return [];
  }
  const indices = findColumns(header.record, columns, report);
  if (!requiredFields.every((field) => indices.has(field))) return [];
  const people = new Map<FoldedAddress, FeedPerson>();
  for (const { record, info } of records) {
    const fields = new Map<FeedField, string>();
    for (const [field, index] of indices) {
      const text = textOf(record[index]);
      if (text === "" && !requiredFields.includes(field)) continue;
      checkField(field, text, (code, message, hint) => report(info.lines, code, message, hint));
      fields.set(field, text);
    }
    const email = fields.get("email") ?? "";
    const address = foldAddress(email);
    if (people.has(address)) report(info.lines, "duplicate-user", `\`${email}\` is in the feed twice.`);
    people.set(address, { address, fields });
  }
  return [...people.values()];
}

const requiredFields: readonly FeedField[] = ["email", "firstName", "lastName"];

/** Headers that mean a field where the settings name none, written in lower case without what stands between words. */
const usualHeaders: Readonly<Record<FeedField, readonly string[]>> = {
  email: ["email", "workemail", "emailaddress", "workemailaddress", "businessemail", "mail"],
  firstName: ["firstname", "givenname", "preferredfirstname", "forename"],
  lastName: ["lastname", "surname", "familyname"],
  title: ["jobtitle", "title", "position"],
  externalIdentifier: ["externalidentifier", "externalid", "employeeid", "employeenumber", "personnelnumber"],
  until: ["until"],
};

function findColumns(header: readonly string[], columns: FeedColumns, report: Report): ReadonlyMap<FeedField, number> {
  const names = header.map((name) => name.trim());
  const plain = names.map((name) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ""));
  const found = new Map<FeedField, number>();
  for (const field of feedFields) {
    const named = columns[field];
    const wanted = named ?? usualHeaders[field].find((one) => plain.includes(one));
    const all = named === undefined ? plain : names;
    const [index, second] = all.flatMap((one, at) => (one === wanted ? [at] : []));
    if (second !== undefined) {
      const message = `Two columns have the header \`${names[second]}\`, so \`${field}\` has no single column.`;
      report(1, "feed-columns", message, "Rename one of them in the export.");
    } else if (index !== undefined) found.set(field, index);
    else if (named !== undefined) {
      const message = `The settings take \`${field}\` from the column \`${named}\`, but this file has no such column.`;
      report(1, "feed-columns", message, `Correct \`feed.columns.${field}\` in the settings.`);
    } else if (requiredFields.includes(field)) {
      const message = `No column is known to have the \`${field}\` of a person.`;
      report(1, "feed-columns", message, `Name it in the settings: \`feed: { columns: { ${field}: HEADER } }\`.`);
    }
  }
  return found;
}

/** In characters; a text without an entry may be as long as any. */
const longest: Readonly<Partial<Record<FeedField, number>>> = {
  email: maxAddressLength,
  firstName: maxNameLength,
  lastName: maxNameLength,
};

function checkField(
  field: FeedField,
  text: string,
  report: (code: string, message: string, hint?: string) => void,
): void {
  const wrong = textProblem(text, longest[field]);
  if (wrong !== undefined) report("bad-text", `\`${field}\` ${wrong}.`);
  else if (field === "email" && !looksLikeAddress(text)) {
    report("bad-address", `\`${text}\` is not an e-mail address.`);
  } else if (field === "until" && !isDate(text)) {
    report("bad-date", `\`until\` is not a date: \`${text}\`.`, "Export dates like `2027-01-31`.");
  }
}

/** Without outer spaces, and without the quote that programs put before what a spreadsheet would take for a formula. */
function textOf(cell = ""): string {
  const text = cell.trim();
  return /^'[=+\-@]/u.test(text) ? text.slice(1) : text;
}
