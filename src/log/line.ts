import type { Validator } from "../codec/generated/log-event.js";
import { decodeStateDocument, encodeStateDocument } from "../codec/state.ts";
import { definedFields } from "../model/collections.ts";
import type { LogEvent, WrittenFinding } from "../model/event.ts";
import { decodeSubject, formatSubject } from "../model/fact.ts";
import { type Failure, problem, type Result, success } from "../model/failure.ts";
import { sha256 } from "../model/json.ts";
import type { LogHead } from "../model/state.ts";
import type { LogBase, LoggedEvent, LogLines, ReadEvents } from "../ports/log.ts";

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
  const { kind, code, fingerprint, subject, message, suggestedYaml } = event.finding;
  const finding = {
    kind,
    code,
    fingerprint,
    subject: formatSubject(subject),
    message,
    ...definedFields({ suggestedYaml }),
  };
  return { ...event, finding };
}

function readBack(event: WrittenEvent): LogEvent {
  if (event.type !== "found") return event;
  const { finding } = event;
  return { ...event, finding: { ...finding, subject: decodeSubject(finding.subject), because: [], restsOn: [] } };
}

/** The line with which a pruned log begins. */
export function encodeBase({ state, head, before }: Omit<LogBase, "digest">): string {
  return JSON.stringify({ ...head, before, state: encodeStateDocument(state) });
}

const basePattern =
  /^\{"position":(\d{1,15}),"hash":"([0-9a-f]{64})","before":"([0-9T:.Z-]{1,40})","state":(\{.*\})\}$/su;

/** Undefined for a line that is none. */
function decodeBase(line: string, address: string): Result<LogBase | undefined, Failure> {
  const [, position, hash, before, text] = basePattern.exec(line) ?? [];
  if (hash === undefined || before === undefined || text === undefined) return success(undefined);
  const state = decodeStateDocument(parseObject(text), address);
  if (!state.ok) return state;
  return success({ state: state.value, head: { position: Number(position), hash }, before, digest: sha256(line) });
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
    if (!part.ok) return yield part;
    let texts = part.value.slice(0, -1).split("\n");
    const base = decodeBase(texts[0] ?? "", address);
    if (!base.ok) return yield base;
    if (base.value !== undefined) {
      head = base.value.head;
      texts = texts.slice(1);
      yield success({ base: base.value, events: [], head });
    }
    const isKnown = texts.every((text) => endPattern.test(text));
    const isValid = isKnown ? undefined : (await import("../codec/generated/log-event.js")).validLogEvent;
    const read = decodeEvents(texts, head, isValid);
    if (!read.ok) return yield problem(damaged(address, ...read.error));
    head = read.value.head;
    yield read;
  }
}

function decodeEvents(
  lines: readonly string[],
  before: LogHead,
  isValid: Validator | undefined,
): Result<ReadEvents, LineProblem> {
  const events: LoggedEvent[] = [];
  let { position, hash } = before;
  for (const line of lines) {
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

/** How a command ends, as a rule all that stands behind a checkpoint. To judge other lines, much code is loaded. */
const endPattern =
  /^\{"position":\d+,"previous":"\w+","type":"(?:command-ended","at":"\d{4}-\d{2}-\d{2}T[0-9:.]+Z","plan":"(?:completed|stopped|interrupted|aborted|none)"|checkpoint-taken","at":"\d{4}-\d{2}-\d{2}T[0-9:.]+Z","head":\{"position":[1-9]\d{0,14},"hash":"[0-9a-f]{64}"\},"digest":"[0-9a-f]{64}")\}$/u;

/** `isValid`: undefined where the line is known to be valid. */
function decodeLine(line: string, expected: LogHead, isValid: Validator | undefined): Result<LogEvent, LineProblem> {
  const wrong = (what: string, at = expected.position) => problem([at, what] as const);
  const [, position, previous, rest] = linePattern.exec(line) ?? [];
  if (rest === undefined) return wrong("is not a line of a log");
  if (Number(position) !== expected.position) return wrong(`is missing: position ${position} stands in its place`);
  if (previous !== expected.hash) return wrong("was changed after it was written", expected.position - 1);
  const event = parseObject(`{${rest}`);
  if (event === undefined) return wrong("is not JSON");
  if (isValid?.(event) === false)
    return wrong(otherVersionOr(event, "has an event that this version of roster does not know"));
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
