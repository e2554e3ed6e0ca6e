import { parseJson } from "../codec/document.ts";
import type { Validator } from "../codec/generated/log-event.js";
import { decodeState, encodeStateDocument } from "../codec/state.ts";
import type { LogEvent, WrittenFinding } from "../model/event.ts";
import { decodeSubject, formatSubject } from "../model/fact.ts";
import { isObject, type JsonObject, sha256 } from "../model/json.ts";
import type { LogHead } from "../model/state.ts";
import type { LogBase, LoggedEvent, LogStore, ReadEvents } from "./port.ts";
import { orThrow, type StoreError, stateError } from "./store-error.ts";

export const logVersion = 3;
export const emptyLog: LogHead = { position: 0, hash: "0".repeat(64) };

/** Events behind the end of a log as whole lines, and where the log ends then. Each line carries the hash of the one before. */
export function encodeLines(events: readonly LogEvent[], end: LogHead) {
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
  return { ...event, finding: { kind, code, fingerprint, subject: formatSubject(subject), message, suggestedYaml } };
}

function readBack(event: WrittenEvent): LogEvent {
  if (event.type !== "found") return event;
  const { finding } = event;
  return { ...event, finding: { ...finding, subject: decodeSubject(finding.subject), because: [], restsOn: [] } };
}

export async function* readEvents(store: LogStore): AsyncGenerator<ReadEvents> {
  yield* decodeWhole((await store.read("start")).lines, store.address);
}

/** A pruned log must name what it begins with. */
export async function* decodeWhole(lines: AsyncIterable<string>, address: string): AsyncGenerator<ReadEvents> {
  let unnamed: LogBase | undefined;
  for await (const read of decodeLines(lines, emptyLog, address)) {
    yield read;
    unnamed = read.base ?? unnamed;
    for (const { event } of read.events)
      if (event.type === "pruned" && event.digest === unnamed?.digest) unnamed = undefined;
  }
  if (unnamed !== undefined)
    throw damaged(address, unnamed.head.position, "is a checkpoint that no event of the log names");
}

/**
 * Reads whole lines that stand behind `before`. A line that does not follow from the one before it throws the position: what it held may be
 * a call that was made. A base may stand behind lines of which a prune that broke off has not made an end.
 */
export async function* decodeLines(
  lines: AsyncIterable<string>,
  before: LogHead,
  address: string,
): AsyncGenerator<ReadEvents> {
  let head = before;
  for await (const part of lines) {
    let texts = part.slice(0, -1).split("\n");
    const base = await decodeBase(texts[0] ?? "", address);
    if (base !== undefined) {
      head = base.head;
      texts = texts.slice(1);
      yield { base, events: [], head };
    }
    const isKnown = texts.every((text) => endPattern.test(text));
    const isValid = isKnown ? undefined : (await import("../codec/generated/log-event.js")).validLogEvent;
    const read = decodeEvents(texts, head, address, isValid);
    yield read;
    head = read.head;
  }
}

/** `isValid`: undefined where the lines are known to be valid. */
function decodeEvents(lines: readonly string[], before: LogHead, address: string, isValid: Validator | undefined) {
  const events: LoggedEvent[] = [];
  let { position, hash } = before;
  const wrong = (what: string, at = position) => damaged(address, at, what);
  for (const line of lines) {
    position += 1;
    const [, found, previous, rest] = linePattern.exec(line) ?? [];
    if (rest === undefined) throw wrong("cannot be read");
    if (Number(found) !== position) throw wrong(`is missing: event ${found} stands in its place`);
    if (previous !== hash) throw wrong("was changed after it was written", position - 1);
    const event = parseJson(`{${rest}`);
    if (!isObject(event)) throw wrong("is not JSON");
    if (isValid?.(event) === false)
      throw wrong(otherVersionOr(event, "has a form that this version of roster does not know"));
    hash = sha256(line);
    events.push({ position, hash, event: readBack(event as WrittenEvent) });
  }
  return { events, head: { position, hash } };
}

const linePattern = /^\{"position":(\d{1,15}),"previous":"([0-9a-f]{64})",(.*)$/su;

/** How a command ends, as a rule all that stands behind a checkpoint. To judge other lines, much code is loaded. */
const endPattern =
  /^\{"position":\d+,"previous":"\w+","type":"(?:command-ended","at":"\d{4}-\d{2}-\d{2}T[0-9:.]+Z","plan":"(?:completed|stopped|interrupted|aborted|none)"|checkpoint-taken","at":"\d{4}-\d{2}-\d{2}T[0-9:.]+Z","head":\{"position":[1-9]\d{0,14},"hash":"[0-9a-f]{64}"\},"digest":"[0-9a-f]{64}")\}$/u;

function otherVersionOr({ version = logVersion }: JsonObject, otherwise: string): string {
  if (typeof version !== "number") return otherwise;
  if (version < logVersion) return "was written by an older version of roster";
  return version > logVersion ? "was written by a newer version of roster" : otherwise;
}

/** `what` follows the words "event N of the log". */
export function damaged(address: string, position: number, what: string): StoreError {
  const hint =
    "Do not delete the log: it records which calls were made. Restore it from a backup. If a newer version of roster wrote it, use that version";
  return stateError(address, `event ${position} of the log ${what}`, hint);
}

/** The line with which a pruned log begins. */
export function encodeBase({ state, head, before }: Omit<LogBase, "digest">): string {
  return JSON.stringify({ ...head, before, state: encodeStateDocument(state) });
}

const basePattern =
  /^\{"position":(\d{1,15}),"hash":"([0-9a-f]{64})","before":"([0-9T:.Z-]{1,40})","state":(\{.*\})\}$/su;

/** Undefined for a line that is none. */
async function decodeBase(line: string, address: string): Promise<LogBase | undefined> {
  const [, position, hash, before, text] = basePattern.exec(line) ?? [];
  if (hash === undefined || before === undefined || text === undefined) return undefined;
  const { validState } = await import("../codec/generated/state.js");
  const state = orThrow(decodeState(text, address, validState));
  return { state, head: { position: Number(position), hash }, before, digest: sha256(line) };
}

/** Where a log ends, and the hash of its line at a position; undefined where it has none there. */
export async function findEnd(log: AsyncIterable<ReadEvents>, position = 0) {
  let end = emptyLog;
  let base: LogBase | undefined;
  let hash = position === 0 ? end.hash : undefined;
  for await (const { base: begun, events, head } of log) {
    base = begun ?? base;
    hash ??= events[position - end.position - 1]?.hash;
    end = head;
    if (end.position === position) hash = end.hash;
  }
  return { head: end, hash, base };
}

/** The position with which a line, or a checkpoint, begins. */
export function positionOf(text: string): number {
  return Number(/^\{"position":(\d{1,15}),/u.exec(text)?.[1]);
}
