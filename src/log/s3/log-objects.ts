import { retry } from "../../http/retry-loop.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { StoredLog } from "../../ports/log.ts";
import { batchAt, type S3Key, type S3Place } from "./address.ts";
import { objectFailure } from "./failure.ts";
import type { S3Session, WriteCondition } from "./objects.ts";

/** Where a log ends. */
export interface LogEnd {
  /** The number of the last batch. */
  readonly batches: number;
  /** What the next checkpoint replaces. */
  readonly checkpointOver: WriteCondition;
}

/** Reads the lines behind the checkpoint, or all. The checkpoint is read first: what comes after it is never taken away again. */
export async function readLog(
  parts: S3Session,
  from: "checkpoint" | "start",
): Promise<Result<{ readonly stored: StoredLog; readonly end: LogEnd }, Failure>> {
  const { objects, place } = parts;
  const found = await readCheckpoint(parts);
  if (!found.ok) return found;
  const { over: checkpointOver, batches: least, text: checkpoint } = found.value;
  const before = from === "start" ? 0 : least;
  const read = await readBatches(parts, before);
  if (!read.ok) return read;
  const batches = before + read.value.length;
  if (batches < least) return problem(cutOff(place, batches + 1));
  if (batches > 0 && read.value.length === 0) {
    const last = await objects.read(batchAt(place, batches));
    if (!last.ok) return last;
    if (last.value === "missing") return problem(cutOff(place, batches));
  }
  const lines = linesOf(read.value.filter((batch) => batch !== fence).join(""));
  const stored = from === "start" ? { lines } : { checkpoint, lines };
  return success({ stored, end: { batches, checkpointOver } });
}

async function* linesOf(text: string): AsyncGenerator<Result<string, Failure>> {
  if (text !== "") yield success(text);
}

interface StoredCheckpoint {
  readonly over: WriteCondition;
  /** The number of the last batch that is in it. */
  readonly batches: number;
  readonly text?: string;
}

/** A damaged one is none: the log is read from its start then. */
async function readCheckpoint({ objects, place }: S3Session): Promise<Result<StoredCheckpoint, Failure>> {
  const read = await objects.read(place.checkpoint);
  if (!read.ok) return read;
  if (read.value === "missing") return success({ over: "nothing", batches: 0 });
  const { text, etag } = read.value;
  const [header, batches] = /^\{"batches":(\d{1,15})\}\n/u.exec(text) ?? [];
  const over = { etag };
  return success(
    header === undefined ? { over, batches: 0 } : { over, batches: Number(batches), text: text.slice(header.length) },
  );
}

export function checkpointContent(batches: number, text: string): string {
  return `{"batches":${batches}}\n${text}`;
}

const mostReadsAtOnce = 16;
/** Whole lines. Some servers have a page for every address: read as batches, these would never end. */
const batchPattern = /^(\{.*\})?\n$/su;

/** The batches behind a number. A run that ended in order leaves one behind its checkpoint. */
async function readBatches({ objects, place }: S3Session, after: number): Promise<Result<readonly string[], Failure>> {
  const batches: string[] = [];
  for (let count = 2; ; count = Math.min(mostReadsAtOnce, count * 2)) {
    const from = after + batches.length + 1;
    const numbers = Array.from({ length: count }, (_, index) => from + index);
    const read = await Promise.all(numbers.map((number) => objects.read(batchAt(place, number))));
    for (const batch of read) {
      if (!batch.ok) return batch;
      // What comes after it was written meanwhile.
      if (batch.value === "missing") return success(batches);
      const { text } = batch.value;
      if (!batchPattern.test(text)) return problem(noBatch(batchAt(place, after + batches.length + 1)));
      batches.push(text);
    }
  }
}

function noBatch(object: S3Key): Failure {
  return objectFailure(
    { object, doing: "read" },
    {
      why: "the object does not hold whole lines of a log",
      hint: "check the endpoint of the s3: address. If another program changed the object, restore its earlier version",
    },
  );
}

function cutOff(place: S3Place, number: number): Failure {
  return {
    code: "state",
    message: "a part of the log is missing: its checkpoint knows of more",
    request: batchAt(place, number).shown,
    hint: "restore the missing objects. Without them, name an empty place with --state and run `roster state rebuild`",
  };
}

/** What a command writes that takes the lock over, so that its former holder finds the next number taken. */
const fence = "\n";
/** A command that lost its lock notices it within a second of writing on and on: until then it may win every race. */
const patience = 15_000;
const pause = 100;

/** Lets a former holder of the lock add nothing any more. What it added before that is there for the next read. */
export async function fenceLog(parts: S3Session): Promise<Result<void, Failure>> {
  const { objects, place, clock, randomness } = parts;
  const found = await readLog(parts, "checkpoint");
  if (!found.ok) return found;
  let { batches } = found.value.end;

  async function fenceOnce(): Promise<Result<"changed" | "fenced", Failure>> {
    const added = await readBatches(parts, batches);
    if (!added.ok) return added;
    batches += added.value.length;
    const written = await objects.write(batchAt(place, batches + 1), fence, "nothing");
    return written.ok ? success(written.value === "changed" ? "changed" : "fenced") : written;
  }

  const fenced = await retry(fenceOnce, {
    clock,
    pauseAfter: (tried) => (tried.ok && tried.value === "changed" ? pause * (0.5 + randomness.fraction()) : undefined),
    isStillWanted: ({ elapsed }) => elapsed < patience,
  });
  if (!fenced.ok) return fenced;
  return fenced.value === "changed" ? problem(stillWritten(place)) : success(undefined);
}

function stillWritten({ log }: S3Place): Failure {
  return {
    code: "state",
    message: `the log could not be written at ${log.shown}: another program keeps writing it`,
    request: log.shown,
    hint: "end the run that writes it, and run again",
  };
}
