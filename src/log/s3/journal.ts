import { createHash } from "node:crypto";
import { decodeJournal, type JournalStart } from "../../codec/journal.ts";
import type { RunEvent } from "../../model/event.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { retry } from "../../network/retry-loop.ts";
import { objectBehind, type S3Key, type S3Place } from "./address.ts";
import type { S3Session } from "./objects.ts";

/** The events that came after one version of a state: objects of whole lines, numbered from 1, each written once and never freed. */
export interface StoredJournal {
  readonly events: readonly RunEvent[];
  /** The first number of which there is no object. */
  readonly next: number;
}

/** Where a batch of lines is. Another state at the same address has other names: what is left of the former one is never read. */
export function batchAt({ state }: S3Place, { lineage, serial }: JournalStart, number: number): S3Key {
  const name = createHash("sha256").update(lineage).digest("hex").slice(0, 12);
  return objectBehind(state, `.journal/${name}-${serial}-${String(number).padStart(8, "0")}`);
}

export async function readJournal(parts: S3Session, start: JournalStart): Promise<Result<StoredJournal, Failure>> {
  const batches: string[] = [];
  const read = await readBatches(parts, start, batches);
  return read.ok ? decodeBatches(parts.place, start, batches) : read;
}

/** What a run writes that takes the lock over, so that its former holder finds the next number taken. */
const fence = "\n";

/** The same, after which a former holder of the lock can append nothing any more. */
export async function fenceJournal(parts: S3Session, start: JournalStart): Promise<Result<StoredJournal, Failure>> {
  const { objects, place } = parts;
  const batches: string[] = [];
  const fenced = await untilUnchanged(parts, journalOf(place), async () => {
    const read = await readBatches(parts, start, batches);
    if (!read.ok) return read;
    const written = await objects.write(batchAt(place, start, batches.length + 1), fence, "nothing");
    return written.ok ? success(written.value === "changed" ? "changed" : "fenced") : written;
  });
  return fenced.ok ? decodeBatches(place, start, [...batches, fence]) : fenced;
}

/** A run that lost its lock notices it within a second of writing on and on: until then it may win every race. */
const patience = 15_000;
const pause = 100;

/** Tries a write again as long as another run was faster. */
export async function untilUnchanged<T>(
  { clock, randomness }: S3Session,
  shown: string,
  write: () => Promise<Result<T | "changed", Failure>>,
): Promise<Result<T, Failure>> {
  const written = await retry(write, {
    clock,
    pauseAfter: (tried) => (tried.ok && tried.value === "changed" ? pause * (0.5 + randomness.fraction()) : undefined),
    isStillWanted: ({ elapsed }) => elapsed < patience,
  });
  if (!written.ok) return written;
  return written.value === "changed" ? problem(stillWritten(shown)) : success(written.value);
}

function stillWritten(shown: string): Failure {
  return {
    code: "state",
    message: `the state could not be written at ${shown}: another program keeps writing it`,
    request: shown,
    hint: "end the run that writes it, and run again",
  };
}

const mostReadsAtOnce = 16;

/** Adds to the batches those that come after them. */
async function readBatches(
  { objects, place }: S3Session,
  start: JournalStart,
  batches: string[],
): Promise<Result<void, Failure>> {
  for (let count = 1; ; count = Math.min(mostReadsAtOnce, count * 2)) {
    const from = batches.length + 1;
    const numbers = Array.from({ length: count }, (_, index) => from + index);
    const read = await Promise.all(numbers.map((number) => objects.read(batchAt(place, start, number))));
    for (const batch of read) {
      if (!batch.ok) return batch;
      // What comes after it was written meanwhile.
      if (batch.value === "missing") return success(undefined);
      batches.push(batch.value.text);
    }
  }
}

async function decodeBatches(
  place: S3Place,
  { lineage, serial }: JournalStart,
  batches: readonly string[],
): Promise<Result<StoredJournal, Failure>> {
  const shown = journalOf(place);
  const journal = await decodeJournal(batches.filter((batch) => batch !== fence).join(""), shown);
  if (!journal.ok) return journal;
  const { start, events, torn } = journal.value;
  if (torn !== undefined) return problem(damaged(shown, "does not end with a whole line"));
  if (start !== undefined && (start.lineage !== lineage || start.serial !== serial))
    return problem(damaged(shown, "belongs to another state"));
  return success({ events, next: batches.length + 1 });
}

function journalOf({ state }: S3Place): string {
  return `${state.shown}.journal`;
}

function damaged(shown: string, what: string): Failure {
  return {
    code: "state",
    message: `the journal ${what}: another program changed it`,
    request: shown,
    hint: "restore an earlier version of its objects",
  };
}
