import type { JournalEntry, JournalStarted, RunEvent, WrittenFinding } from "../model/event.ts";
import type { Finding } from "../model/finding.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { decodeSubject, formatSubject } from "../model/subject.ts";
import type { Validator } from "./generated/journal-line.js";

/** The version of the format that this program writes, and the newest that it reads. */
const journalVersion = 2;

/** Which version of which state the events of a journal come after. */
export type JournalStart = Pick<JournalStarted, "lineage" | "serial">;

export function encodeJournalStart({ lineage, serial }: JournalStart): string {
  return encodeEntry({ type: "journal-started", version: journalVersion, lineage, serial });
}

/** One line with its checksum and its line feed. */
export function encodeJournalLine(event: RunEvent): string {
  return encodeEntry(event.type === "found" ? { ...event, finding: writtenFinding(event.finding) } : event);
}

function writtenFinding(finding: Finding): WrittenFinding {
  const restsOn = finding.restsOn.map((basis) => ({ ...basis, about: formatSubject(basis.about) }));
  return { ...finding, subject: formatSubject(finding.subject), restsOn };
}

function encodeEntry(entry: object): string {
  const text = JSON.stringify(entry);
  return `{"sum":"${crc32(text)}","entry":${text}}\n`;
}

/** A journal read back. */
export interface Journal {
  /** Absent where the journal was cut short before its first line was whole. */
  readonly start?: JournalStart;
  readonly events: readonly RunEvent[];
  /** The number of a last line that was cut short: a run died while it wrote it. */
  readonly torn?: number;
}

/**
 * Reads a journal back. A last line without its line feed was never durable, and is dropped and reported; any
 * other broken line is a failure that names it, since what it held may be a call that was made.
 */
export async function decodeJournal(text: string, file: string): Promise<Result<Journal, Failure>> {
  const whole = text.lastIndexOf("\n") + 1;
  const lines = text.slice(0, whole).split("\n").slice(0, -1);
  const torn = whole < text.length ? { torn: lines.length + 1 } : {};
  const [first, ...rest] = lines;
  if (first === undefined) return success({ events: [], ...torn });
  // Only a run that died leaves a journal: no other run pays for loading what checks it.
  const { validJournalLine } = await import("./generated/journal-line.js");
  const start = decodeStart(first, validJournalLine);
  if (!start.ok) return problem(journalFailure(file, 1, start.error));
  const events: RunEvent[] = [];
  for (const [index, line] of rest.entries()) {
    const entry = decodeEntry(line, validJournalLine);
    if (!entry.ok) return problem(journalFailure(file, index + 2, entry.error));
    if (entry.value.type === "journal-started")
      return problem(journalFailure(file, index + 2, "starts a journal anew"));
    events.push(entry.value);
  }
  return success({ start: start.value, events, ...torn });
}

type FoundEvent = Extract<RunEvent, { readonly type: "found" }>;

/** As it stands in the line. */
type WrittenEntry =
  | Exclude<JournalEntry, FoundEvent>
  | (Omit<FoundEvent, "finding"> & { readonly finding: WrittenFinding });

function decodeStart(line: string, isValid: Validator): Result<JournalStart, string> {
  const entry = decodeEntry(line, isValid);
  if (!entry.ok) return entry;
  if (entry.value.type !== "journal-started") return problem("does not name the state of the journal");
  const { lineage, serial } = entry.value;
  return success({ lineage, serial });
}

const linePattern = /^\{"sum":"([0-9a-f]{8})","entry":(\{.*\})\}$/s;

function decodeEntry(line: string, isValid: Validator): Result<JournalEntry, string> {
  const [, sum, text] = linePattern.exec(line) ?? [];
  if (sum === undefined || text === undefined) return problem("is not a line of a journal");
  if (crc32(text) !== sum) return problem("has a wrong checksum");
  const entry = parseJson(text);
  if (entry === undefined) return problem("is not JSON");
  if (!isValid(entry)) return problem(otherVersionOr(entry, "has an event that this version of roster does not know"));
  return success(withFinding(entry as WrittenEntry));
}

function withFinding(entry: WrittenEntry): JournalEntry {
  if (entry.type !== "found") return entry;
  const { finding } = entry;
  const restsOn = finding.restsOn.map((basis) => ({ ...basis, about: decodeSubject(basis.about) }));
  return { ...entry, finding: { ...finding, subject: decodeSubject(finding.subject), restsOn } };
}

function otherVersionOr(entry: object, otherwise: string): string {
  const version = "version" in entry && typeof entry.version === "number" ? entry.version : journalVersion;
  if (version < journalVersion) return "was written by an older version of roster";
  return version > journalVersion ? "was written by a newer version of roster" : otherwise;
}

function parseJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function journalFailure(file: string, line: number, what: string): Failure {
  return {
    code: "state",
    message: `line ${line} of the journal ${what}`,
    request: `${file}:${line}`,
    hint: "Keep the file: it records which calls were made. Restore it from a copy, or use the version of roster that wrote it",
  };
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

const encoder = new TextEncoder();

/** The CRC-32 of a text in UTF-8, as eight hexadecimal digits: finds torn and damaged lines, not forged ones. @internal */
export function crc32(text: string): string {
  let value = 0xffffffff;
  for (const byte of encoder.encode(text)) value = (value >>> 8) ^ (crcTable[(value ^ byte) & 0xff] ?? 0);
  return ((value ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}
