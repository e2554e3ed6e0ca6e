import { restoreHint } from "../../codec/state.ts";
import { stopwatch } from "../../ports/clock.ts";
import type { StoredLog } from "../port.ts";
import { orThrow, outcomeOf, StoreError, stateError } from "../store-error.ts";
import { batchAt, type S3Place } from "./address.ts";
import { ObjectError, objectFailure } from "./failure.ts";
import type { S3Session, WriteCondition } from "./objects.ts";

export interface LogEnd {
  /** The number of the last batch. */
  readonly batches: number;
  /** What the next checkpoint replaces. */
  readonly checkpointOver: WriteCondition;
  /** The number of the first batch: what stands before it was pruned. */
  readonly first: number;
}

/**
 * Reads the lines behind the checkpoint, or all. The checkpoint is read first: what comes after it is never taken away again. `ended` hears
 * where the log ends, once all was read.
 */
export async function readLog(
  session: S3Session,
  from: "checkpoint" | "start",
  ended: (end: LogEnd) => void,
): Promise<StoredLog> {
  const { checkpointOver, batches: least, first, text: checkpoint } = await readCheckpoint(session);
  const { place, objects } = session;
  const before = from === "start" ? first - 1 : least;

  async function* lines(): AsyncGenerator<string> {
    let batches = before;
    for await (const batch of readBatches(session, before)) {
      batches += 1;
      if (batch !== fence) yield batch;
    }
    if (batches < least) throw cutOff(place, batches + 1);
    if (batches > 0 && batches === before && (await objects.read(batchAt(place, batches))) === "missing")
      throw cutOff(place, batches);
    ended({ batches, checkpointOver, first });
  }

  return { checkpoint: from === "start" ? undefined : checkpoint, lines: lines() };
}

/** With the end of the log that is in it. One that is damaged, or cannot be had, is none: the log is read from its start then. */
async function readCheckpoint({ objects, place }: S3Session): Promise<LogEnd & { readonly text?: string }> {
  try {
    const read = await objects.read(place.checkpoint);
    if (read === "missing") return { checkpointOver: "nothing", batches: 0, first: 1 };
    const { text, etag } = read;
    const checkpointOver = { etag };
    const [header, batches, first = 1] = /^\{"batches":(\d{1,15})(?:,"first":(\d{1,15}))?\}\n/u.exec(text) ?? [];
    if (header === undefined) return { checkpointOver, batches: 0, first: 1 };
    return { checkpointOver, batches: Number(batches), first: Number(first), text: text.slice(header.length) };
  } catch (error) {
    if (!(error instanceof ObjectError) || !error.isAnswer) throw error;
    return { checkpointOver: "anything", batches: 0, first: 1 };
  }
}

export function checkpointContent({ batches, first }: Omit<LogEnd, "checkpointOver">, text: string): string {
  return `${JSON.stringify({ batches, first: first === 1 ? undefined : first })}\n${text}`;
}

const mostReadsAtOnce = 16;
/** Whole lines. Some servers have a page for every address: read as batches, these would never end. */
const batchPattern = /^(\{.*\})?\n$/su;

/** The batches behind a number. A run that ended in order leaves one behind its checkpoint. */
async function* readBatches({ objects, place }: S3Session, after: number): AsyncGenerator<string> {
  let number = after;
  for (let count = 2; ; count = Math.min(mostReadsAtOnce, count * 2)) {
    const keys = Array.from({ length: count }, (_, index) => batchAt(place, number + 1 + index));
    const read = await Promise.all(keys.map((key) => outcomeOf(() => objects.read(key))));
    for (const found of read) {
      const batch = orThrow(found);
      // What comes after it was written meanwhile.
      if (batch === "missing") return;
      number += 1;
      if (batchPattern.test(batch.text)) yield batch.text;
      else {
        const why = "the object does not hold whole lines of a log";
        const hint =
          "check the endpoint of the s3: address. If another program changed the object, restore its earlier version";
        throw new StoreError(objectFailure({ object: batchAt(place, number), doing: "read" }, why, hint));
      }
    }
  }
}

function cutOff(place: S3Place, number: number): StoreError {
  return stateError(
    batchAt(place, number).shown,
    "objects of the log are missing: its checkpoint was written for a longer log",
    restoreHint,
  );
}

/** What a command writes that takes the lock over, so that its former holder finds the next number taken. What is pruned is this, too. */
export const fence = "\n";
/** A command that lost its lock notices it within a second of writing on and on: until then it may win every race. */
const patience = 15_000;
const pause = 100;

/** Lets a former holder of the lock add nothing any more. What it added before that is there for the next read. */
export async function fenceLog(session: S3Session): Promise<void> {
  const { objects, place, clock, randomness } = session;
  let last = 0;
  const { lines } = await readLog(session, "checkpoint", ({ batches }) => {
    last = batches;
  });
  for await (const _ of lines);
  const elapsed = stopwatch(clock);
  do {
    for await (const _ of readBatches(session, last)) last += 1;
    if ((await objects.write(batchAt(place, last + 1), fence, "nothing")) !== "changed") return;
    await clock.wait(pause * (0.5 + randomness.fraction()));
  } while (elapsed() < patience);
  const { shown } = place.log;
  const message = `the log could not be written at ${shown}: another program keeps writing it`;
  throw stateError(shown, message, "end the run that writes it, and run again");
}
