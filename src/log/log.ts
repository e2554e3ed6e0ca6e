import { setImmediate } from "node:timers/promises";
import { parseJson } from "../codec/document.ts";
import type { Validator } from "../codec/generated/log-event.js";
import { decodeState, encodeState, encodeStateDocument } from "../codec/state.ts";
import type { EventOf, LogEvent, WrittenFinding } from "../model/event.ts";
import { decodeSubject, formatSubject } from "../model/fact.ts";
import { isObject, type JsonObject, sha256 } from "../model/json.ts";
import type { ActionId } from "../model/plan.ts";
import { emptyState, type LogHead, type State } from "../model/state.ts";
import { type Clock, isoTime, type Randomness } from "../ports/clock.ts";
import { beginFold, type StateFold } from "./fold.ts";
import type { Lease, LogBase, LoggedEvent, LogSession, LogStore, ReadEvents, RosterLog, RunInfo } from "./port.ts";
import { orGiveBack, orThrow, outcomeOf, type StoreError, stateError } from "./store-error.ts";

export const emptyLog: LogHead = { position: 0, hash: "0".repeat(64) };

interface LogPorts {
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, "identifier">;
}

export function openLog(store: LogStore, ports: LogPorts): RosterLog {
  const { address, times } = store;
  return {
    address,
    times,
    read: () => outcomeOf(async () => (await foldStored(store)).state),
    head: () => outcomeOf(async () => (await foldStored(store)).head),
    readEvents: () => readEvents(store),
    lock: (command, options = {}) =>
      outcomeOf(async () => {
        const lease = await store.lease(command, options);
        const found = await orGiveBack(lease.release, () => foldStored(store));
        return { ...beginSession(lease, found, command, ports), times };
      }),
    holder: () => outcomeOf(() => store.holder()),
    breakLease: (id) => outcomeOf(() => store.breakLease(id)),
    close: () => store.close(),
    kept: store,
  };
}

export async function* readEvents(store: LogStore): AsyncGenerator<ReadEvents> {
  const { lines } = await store.read("start");
  yield* decodeWhole(lines, store.address);
}

/** A pruned log must name what it begins with. */
async function* decodeWhole(lines: AsyncIterable<string>, address: string): AsyncGenerator<ReadEvents> {
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

/** What the events of a log add up to: from its checkpoint on where an event behind it has its digest, else from the start. */
async function foldStored(store: LogStore): Promise<Checkpoint> {
  const { address } = store;
  const { checkpoint, lines } = await store.read("checkpoint");
  if (checkpoint === undefined) return foldWhere(decodeWhole(lines, address));
  const source = copySource(checkpoint);
  if (source !== undefined) {
    const hint = `finish it with \`roster state copy ${address} --state ${source}\`, or go on with ${source}`;
    throw stateError(address, `the log at ${address} is an unfinished copy of ${source}`, hint);
  }
  const { validState } = await import("../codec/generated/state.js");
  const known = decodeCheckpoint(checkpoint, validState);
  if (known !== undefined) {
    let wasTaken = false;
    const watched = ({ event }: LoggedEvent) => {
      wasTaken ||=
        event.type === "checkpoint-taken" && event.digest === known.digest && event.head.hash === known.head.hash;
      return true;
    };
    const behind = await outcomeOf(() => foldWhere(decodeLines(lines, known.head, address), watched, known));
    if (behind.ok && wasTaken) return behind.value;
  }
  return foldWhere(readEvents(store));
}

/** A leased log. Nothing is written where nothing is appended. */
function beginSession(
  lease: Lease,
  found: Checkpoint,
  { operation: command, ...info }: RunInfo,
  { clock, randomness }: LogPorts,
): LogSession {
  const isNew = found.head.position === 0;
  const state = isNew ? { ...found.state, lineage: randomness.identifier() } : found.state;
  /** What everything so far adds up to; undefined until something is appended. */
  let fold: StateFold | undefined;
  let { head } = found;
  let durable = head;
  let plan: EventOf<"command-ended">["plan"] = "none";
  let last: Promise<void> = Promise.resolve();
  /** Actions whose calls may have left, and of which nothing was heard since. */
  const underWay = new Set<ActionId>();
  let allReturned: () => void = () => undefined;

  const commit = groupCommit(
    (texts: readonly string[]) => lease.append(texts.join("")),
    async () => {
      if (underWay.size > 0) {
        const returned = new Promise<void>((resolve) => {
          allReturned = resolve;
        });
        await Promise.race([returned, clock.wait(returnsWithin)]);
      }
      await setImmediate();
    },
  );

  function openingEvents(): readonly LogEvent[] {
    if (fold !== undefined) return [];
    const { lineage } = state;
    const begun: LogEvent = { type: "log-started", at: info.at, version: logVersion, lineage };
    return [...(isNew ? [begun] : []), { type: "command-started", command, ...info }];
  }

  function write(events: readonly LogEvent[]): Promise<void> {
    const encoded = encodeLines(events, head);
    head = encoded.head;
    last = commit(encoded.lines).then(() => {
      durable = encoded.head;
      for (const event of events) if (event.type === "intended") underWay.add(event.action);
    });
    return last;
  }

  /** Nothing is added after a prune that failed. */
  let pruning: Promise<void> | undefined;

  async function append(events: readonly LogEvent[]): Promise<void> {
    if (events.length === 0) return;
    if (pruning !== undefined) await pruning;
    const all = [...openingEvents(), ...events];
    fold ??= beginFold(state);
    for (const event of all) {
      fold.add(event);
      if ("action" in event) underWay.delete(event.action);
      if (event.type === "run-started") plan = "aborted";
      if (event.type === "run-finished") plan = event.ended;
    }
    if (underWay.size === 0) allReturned();
    await write(all);
  }

  /** A checkpoint that cannot be written costs the next command some time, and nothing else. */
  async function end({ state: folded }: StateFold): Promise<State> {
    await last;
    const after = { ...folded(), serial: head.position };
    const { text, digest } = encodeCheckpoint({ state: after, head });
    const at = isoTime(clock);
    const kept = await outcomeOf(() => lease.checkpoint(text));
    const taken: LogEvent = { type: "checkpoint-taken", at, head, digest };
    await write([{ type: "command-ended", at, plan }, ...(kept.ok ? [taken] : [])]);
    return { ...after, serial: head.position };
  }

  return {
    state,
    now: () => fold?.state() ?? state,
    head: () => durable,
    append,
    async prune({ event, base, state: left }) {
      await append([event]);
      pruning = lease.replaceBefore(base.head.position, encodeBase(base));
      last = pruning;
      await pruning;
      fold = beginFold(left);
      fold.add(event);
    },
    async close() {
      try {
        return await outcomeOf(async () => (fold === undefined ? state : end(fold)));
      } finally {
        await lease.release();
      }
    },
  };
}

/** Milliseconds within which, one after the other, the calls that left together come back. */
const returnsWithin = 1;

/**
 * Parts that come while others are written, and until `more` has brought none, are written together, in their order, and share one
 * sync. Once a write has failed, every later one fails with the same error: what was written in part must not be continued.
 */
export function groupCommit<Part>(
  write: (parts: readonly Part[]) => Promise<void>,
  more: () => Promise<void> = setImmediate,
): (part: Part) => Promise<void> {
  let waiting: Part[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  async function writeWaiting(): Promise<void> {
    for (let gathered = 0; waiting.length > gathered; ) {
      gathered = waiting.length;
      await more();
    }
    const batch = waiting;
    waiting = [];
    next = undefined;
    await write(batch);
  }

  return (part) => {
    waiting.push(part);
    if (next === undefined) {
      next = last.then(writeWaiting);
      last = next;
    }
    return next;
  };
}

export const logVersion = 3;

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
function damaged(address: string, position: number, what: string): StoreError {
  const hint =
    "Do not delete the log: it records which calls were made. Restore it from a backup. If a newer version of roster wrote it, use that version";
  return stateError(address, `event ${position} of the log ${what}`, hint);
}

/** The fold of a log up to a position. A cache: the log alone says what is so. */
export interface Checkpoint {
  readonly state: State;
  readonly head: LogHead;
}

/** The head and the digest on a line of their own, then the state. */
export function encodeCheckpoint({ state, head }: Checkpoint): { readonly text: string; readonly digest: string } {
  const body = encodeState(state);
  const digest = sha256(body);
  return { text: `${JSON.stringify({ ...head, digest })}\n${body}`, digest };
}

/**
 * Undefined for what is damaged, or was written by another version: then the log is read from its start. `digest`: as the text says it. Only
 * an event of the log says whether a holder of the log has written it.
 */
export function decodeCheckpoint(text: string, isValid: Validator) {
  const end = text.indexOf("\n");
  const [, position, hash, digest] =
    /^\{"position":(\d{1,15}),"hash":"([0-9a-f]{64})","digest":"([0-9a-f]{64})"\}$/u.exec(text.slice(0, end)) ?? [];
  const body = text.slice(end + 1);
  if (position === undefined || hash === undefined || digest === undefined || sha256(body) !== digest) return undefined;
  const state = decodeState(body, "", isValid);
  return state.ok ? { state: state.value, head: { position: Number(position), hash }, digest } : undefined;
}

/** What stands in the place of a checkpoint until a log is copied: nobody takes a part of it for the whole. */
export function encodeCopyMark(source: string, copy: "unfinished" | "finished"): string {
  return JSON.stringify({ position: 0, ...(copy === "unfinished" ? { copying: source } : { copied: source }) });
}

/** From where a log is being copied, where it is not finished. */
export function copySource(text: string): string | undefined {
  const [, source] = /^\{"position":0,"copying":("[^\n]*")\}$/u.exec(text) ?? [];
  return source === undefined ? undefined : String(JSON.parse(source));
}

/**
 * Reads a log to its end, and folds the events up to its last checkpoint again: it must be what they add up to. `checkpoint`: its position.
 * `base`: where the log was pruned, the last of the events that went.
 */
export async function verifyLog(log: ReadableLog) {
  let end = emptyLog;
  let base: LogBase | undefined;
  let taken: (EventOf<"checkpoint-taken"> & { readonly position: number }) | undefined;
  for await (const read of log.readEvents()) {
    base = read.base ?? base;
    for (const { position, event } of read.events) {
      if (event.type === "checkpoint-taken") taken = { ...event, position };
      // An earlier checkpoint has people whom the pruned log does not have any more.
      if (event.type === "pruned" && event.digest === base?.digest) taken = undefined;
    }
    end = read.head;
  }
  if (taken === undefined) return { head: end, base, checkpoint: undefined };
  const { head, digest } = taken;
  let isThere = false;
  const { state } = await foldWhere(log.readEvents(), ({ position, hash }) => {
    isThere ||= position === head.position && hash === head.hash;
    return position <= head.position;
  });
  if (isThere && encodeCheckpoint({ state, head }).digest === digest)
    return { head: end, base, checkpoint: head.position };
  throw damaged(log.address, taken.position, "names another state than the events add up to");
}

export type ReadableLog = Pick<RosterLog, "address" | "readEvents">;

const nothing: Checkpoint = { state: emptyState(""), head: emptyLog };

/**
 * What the events that count add up to, and where the log ends, whichever events count. `from` and `to`: the times of its first and last event, if it has one.
 * `pruned`: the time before which it was pruned. The clocks of machines differ: where times say which events count, one that counts may
 * stand behind one that does not.
 */
export async function foldWhere(
  log: AsyncIterable<ReadEvents>,
  counts: (event: LoggedEvent) => boolean = () => true,
  checkpoint = nothing,
) {
  let fold = beginFold(checkpoint.state);
  let end = checkpoint.head;
  let { serial } = checkpoint.state;
  let from: string | undefined;
  let to: string | undefined;
  let pruned: string | undefined;
  for await (const { base, events, head } of log) {
    if (base !== undefined) {
      fold = beginFold(base.state);
      serial = base.head.position;
      pruned = base.before;
    }
    from ??= events[0]?.event.at;
    to = events.at(-1)?.event.at ?? to;
    for (const logged of events) {
      if (!counts(logged)) continue;
      fold.add(logged.event);
      serial = logged.position;
    }
    end = head;
  }
  return { state: { ...fold.state(), serial }, head: end, from, to, pruned };
}
