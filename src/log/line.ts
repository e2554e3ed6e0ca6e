import type { Validator } from "../codec/generated/log-event.js";
import type { LogEvent, WrittenFinding } from "../model/event.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { sha256 } from "../model/sha256.ts";
import type { LogHead } from "../model/state.ts";
import { decodeSubject, formatSubject } from "../model/subject.ts";
import type { LoggedEvent, LogLines, ReadEvents } from "../ports/log.ts";

/** The version of the format that this program writes, and the newest that it reads. */
export const logVersion = 3;

/** Where a log begins: nothing is in it yet. */
export const emptyLog: LogHead = { position: 0, hash: "0".repeat(64) };

/** Events behind the end of a log as whole lines, and where the log ends then. Each line carries the hash of the one before. */
export function encodeLines(
  events: readonly LogEvent[],
  end: LogHead,
): { readonly lines: string; readonly head: LogHead } {
  let { position, hash } = end;
  let lines = "";
  for (const event of events) {
    position += 1;
    const line = JSON.stringify({ position, previous: hash, ...written(event) });
    lines += `${line}\n`;
    hash = sha256(line);
  }
  return { lines, head: { position, hash } };
}

type Found = Extract<LogEvent, { readonly type: "found" }>;
/** What a finding is about stands in a line as text. */
type WrittenEvent = Exclude<LogEvent, Found> | (Omit<Found, "finding"> & { readonly finding: WrittenFinding });

function written(event: LogEvent): WrittenEvent {
  if (event.type !== "found") return event;
  const { finding } = event;
  const restsOn = finding.restsOn.map((basis) => ({ ...basis, about: formatSubject(basis.about) }));
  return { ...event, finding: { ...finding, subject: formatSubject(finding.subject), restsOn } };
}

function readBack(event: WrittenEvent): LogEvent {
  if (event.type !== "found") return event;
  const { finding } = event;
  const restsOn = finding.restsOn.map((basis) => ({ ...basis, about: decodeSubject(basis.about) }));
  return { ...event, finding: { ...finding, subject: decodeSubject(finding.subject), restsOn } };
}

/**
 * Reads whole lines that stand behind `before`. A line that does not follow from the one before it is a failure that names the position:
 * what it held may be a call that was made.
 */
export async function* decodeLines(
  lines: LogLines,
  before: LogHead,
  address: string,
): AsyncGenerator<Result<ReadEvents, Failure>> {
  let head = before;
  for await (const part of lines) {
    const { validLogEvent } = await import("../codec/generated/log-event.js");
    const read = part.ok ? decodePart(part.value, head, validLogEvent) : part;
    if (!read.ok) return yield "code" in read.error ? problem(read.error) : problem(damaged(address, ...read.error));
    head = read.value.head;
    yield read;
  }
}

function decodePart(lines: string, before: LogHead, isValid: Validator): Result<ReadEvents, LineProblem> {
  const events: LoggedEvent[] = [];
  let { position, hash } = before;
  for (const line of lines.slice(0, -1).split("\n")) {
    position += 1;
    const read = decodeLine(line, { position, hash }, isValid);
    if (!read.ok) return read;
    hash = sha256(line);
    events.push({ position, hash, event: read.value });
  }
  return success({ events, head: { position, hash } });
}

/** At which position, and what is wrong there. */
type LineProblem = readonly [position: number, what: string];

const linePattern = /^\{"position":(\d{1,15}),"previous":"([0-9a-f]{64})",(.*)$/su;

function decodeLine(line: string, expected: LogHead, isValid: Validator): Result<LogEvent, LineProblem> {
  const wrong = (what: string, at = expected.position) => problem([at, what] as const);
  const [, position, previous, rest] = linePattern.exec(line) ?? [];
  if (rest === undefined) return wrong("is not a line of a log");
  if (Number(position) !== expected.position) return wrong(`is missing: position ${position} stands in its place`);
  if (previous !== expected.hash) return wrong("was changed after it was written", expected.position - 1);
  const event = parseObject(`{${rest}`);
  if (event === undefined) return wrong("is not JSON");
  if (!isValid(event)) return wrong(otherVersionOr(event, "has an event that this version of roster does not know"));
  return success(readBack(event as WrittenEvent));
}

function otherVersionOr(event: object, otherwise: string): string {
  const version = "version" in event && typeof event.version === "number" ? event.version : logVersion;
  if (version < logVersion) return "was written by an older version of roster";
  return version > logVersion ? "was written by a newer version of roster" : otherwise;
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `what` follows the words "position N of the log". */
export function damaged(address: string, position: number, what: string): Failure {
  return {
    code: "state",
    message: `position ${position} of the log ${what}`,
    request: address,
    hint: "Keep the log: it records which calls were made. Restore it from a copy, or use the version of roster that wrote it",
  };
}
