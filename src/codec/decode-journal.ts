import type { RunEvent } from "../model/event.ts";
import type { Reason } from "../model/fact.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { decodeSubject } from "../model/subject.ts";
import { crc32, type JournalStart, journalVersion, type WrittenFinding } from "./encode-journal.ts";
import { validJournalLine } from "./generated/journal-line.js";

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
export function decodeJournal(text: string, file: string): Result<Journal, Failure> {
  const whole = text.lastIndexOf("\n") + 1;
  const lines = text.slice(0, whole).split("\n").slice(0, -1);
  const torn = whole < text.length ? { torn: lines.length + 1 } : {};
  const [first, ...rest] = lines;
  if (first === undefined) return success({ events: [], ...torn });
  const start = decodeStart(first);
  if (!start.ok) return problem(journalFailure(file, 1, start.error));
  const events: RunEvent[] = [];
  for (const [index, line] of rest.entries()) {
    const entry = decodeEntry(line);
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

type JournalEntry = RunEvent | ({ readonly type: "journal-started"; readonly version: number } & JournalStart);

function decodeStart(line: string): Result<JournalStart, string> {
  const entry = decodeEntry(line);
  if (!entry.ok) return entry;
  if (entry.value.type !== "journal-started") return problem("does not say which state the journal continues");
  const { lineage, serial } = entry.value;
  return success({ lineage, serial });
}

const linePattern = /^\{"sum":"([0-9a-f]{8})","entry":(\{.*\})\}$/s;

function decodeEntry(line: string): Result<JournalEntry, string> {
  const [, sum, text] = linePattern.exec(line) ?? [];
  if (sum === undefined || text === undefined) return problem("is not a line of a journal");
  if (crc32(text) !== sum) return problem("does not agree with its checksum");
  const entry = parseJson(text);
  if (entry === undefined) return problem("does not hold JSON");
  if (!validJournalLine(entry)) return problem(newerOr(entry, "holds an event that this roster does not know"));
  return success(withFinding(entry as WrittenEntry));
}

/** Journals of earlier versions do not say what stands at the places of a finding. */
function withFinding(entry: WrittenEntry): JournalEntry {
  if (entry.type !== "found") return entry;
  const { finding } = entry;
  const because = finding.because.map((reason): Reason => ({ ...reason, as: reason.as ?? "unnamed" }));
  const restsOn = finding.restsOn.map((basis) => ({ ...basis, about: decodeSubject(basis.about) }));
  return { ...entry, finding: { ...finding, subject: decodeSubject(finding.subject), because, restsOn } };
}

function newerOr(entry: object, otherwise: string): string {
  const isNewer = "version" in entry && typeof entry.version === "number" && entry.version > journalVersion;
  return isNewer ? "was written by a newer roster, which is needed to read it" : otherwise;
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
    hint: "keep it: it tells which calls were made; restore it from a copy, or use the version of roster that wrote it",
  };
}
