import { CsvError, parse } from "csv-parse/sync";
import { invalidInput } from "../../library/error.ts";
import { type EmailKey, maxAddressLength, maxNameLength } from "../../model/address.ts";
import type { Diagnostic } from "../../model/failure.ts";
import { isDate } from "../../model/roster.ts";
import { looksLikeAddress, textProblem } from "../../roster/decode.ts";
import { decodeText } from "../../yaml/source-text.ts";
import { readInput } from "../files.ts";
import type { Host } from "../host.ts";
import { feedFields } from "../settings/setting-table.ts";
import type { Settings } from "../settings/settings.ts";
import { addressOf, type Entry } from "./generated-file.ts";

type FeedField = (typeof feedFields)[number];

const requiredFields: readonly FeedField[] = ["email", "firstName", "lastName"];

const longest: Partial<Record<FeedField, number>> = {
  email: maxAddressLength,
  firstName: maxNameLength,
  lastName: maxNameLength,
};

/** The people of a CSV file. */
export async function readPeople(file: string, settings: Settings, host: Host): Promise<readonly Entry[]> {
  const faults: Diagnostic[] = [];
  // No error shows a line of the feed: its other columns are nobody's business.
  const report: Report = (line, code, message, hint = "Correct it in the export.") =>
    void faults.push({ code, severity: "error", message, hint, place: { file, line, column: 1 } });
  const bytes = await readInput(file, { what: "feed", hint: "Name a CSV file with --from." }, host);
  const decoded = decodeText(file, bytes);
  if (!decoded.ok) throw invalidInput(decoded.error.map(({ excerpt: _, ...rest }) => ({ ...rest, code: "bad-feed" })));
  const [header, ...records] = readRecords(decoded.value.text, report);
  const columns = header && findColumns(header.record, settings.file?.feed?.columns ?? {}, report);
  const people = new Map<EmailKey, Entry>();
  for (const { record, info } of faults.length > 0 ? [] : records) {
    const cells = (columns ?? []).map(({ field, index }) => [field, record[index] ?? ""] as const);
    const said = cells.filter(([field, text]) => text !== "" || requiredFields.includes(field));
    for (const [field, text] of said) {
      const [wrong, hint] = fieldFault(field, text) ?? [];
      if (wrong !== undefined) report(info.lines, "bad-value", wrong, hint);
    }
    const person: Entry = Object.fromEntries(said);
    const address = addressOf(person);
    if (people.has(address)) report(info.lines, "duplicate", `\`${person.email}\` is in the CSV file twice.`);
    people.set(address, person);
  }
  if (faults.length > 0) throw invalidInput(faults.slice(0, 100));
  return [...people.values()];
}

function fieldFault(field: FeedField, text: string): readonly [message: string, hint?: string] | undefined {
  const wrong = textProblem(text, longest[field]);
  if (wrong !== undefined) return [`\`${field}\` ${wrong}.`];
  if (field === "email" && !looksLikeAddress(text)) return [`\`${text}\` is not an e-mail address.`];
  if (field !== "until" || isDate(text)) return undefined;
  return [`\`until\` is not a date: \`${text}\`.`, "Export dates like `2027-01-31`."];
}

type Report = (line: number, code: string, message: string, hint?: string) => void;

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

function readRecords(text: string, report: Report): readonly CsvRecord[] {
  const [header = ""] = text.replace(/"[^"]*"/gu, "").split("\n", 1);
  const count = (delimiter: string) => header.split(delimiter).length;
  const options = {
    delimiter: [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best)),
    record_delimiter: ["\r\n", "\n"],
    skip_empty_lines: true,
    info: true,
    // Without the quote that programs put before what a spreadsheet would take for a formula.
    cast: (cell: string) => cell.trim().replace(/^'(?=[=+\-@])/u, ""),
  };
  try {
    const records = parse(text, options) as unknown as readonly CsvRecord[];
    if (records.length === 0) report(1, "bad-feed", "The file has no header line.", "Export it with column names.");
    return records;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines = 1 } = error as CsvError & { readonly lines?: number };
    const hint = 'Put fields that contain separators or quotes in quotes; write an inner quote twice: `""`.';
    // The message of the parser may quote the line.
    report(lines, "bad-feed", `This is not CSV: ${error.code}.`, hint);
    return [];
  }
}

/** Headers that mean a field where the settings name none, in lower case and without what stands between words. */
const usualHeaders: Readonly<Record<FeedField, readonly string[]>> = {
  email: ["email", "workemail", "emailaddress", "workemailaddress", "businessemail", "mail"],
  firstName: ["firstname", "givenname", "preferredfirstname", "forename"],
  lastName: ["lastname", "surname", "familyname"],
  title: ["jobtitle", "title", "position"],
  externalIdentifier: ["externalidentifier", "externalid", "employeeid", "employeenumber", "personnelnumber"],
  until: ["until"],
};

function findColumns(names: readonly string[], columns: Partial<Record<FeedField, string>>, report: Report) {
  const plain = names.map((name) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ""));
  return feedFields.flatMap((field) => {
    const named = columns[field];
    const all = named === undefined ? plain : names;
    const wanted = named ?? usualHeaders[field].find((one) => plain.includes(one));
    const indices = all.flatMap((name, index) => (name === wanted ? [index] : []));
    const isNeeded = named !== undefined || requiredFields.includes(field);
    if (indices.length > 1 || (indices.length === 0 && isNeeded)) {
      const message = `${indices.length === 0 ? "No column" : "More than one column"} ${named === undefined ? "is known to have" : `is called \`${named}\`, which has`} the \`${field}\` of a person.`;
      report(1, "bad-feed", message, `Name one in the settings: \`feed: { columns: { ${field}: HEADER } }\`.`);
    }
    return indices.slice(0, 1).map((index) => ({ field, index }));
  });
}
