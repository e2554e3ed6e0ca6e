import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { AuditTrail } from "../../ports/state-store.ts";
import { auditFailure, grownTrail, whyNotBehind } from "../audit-failure.ts";
import { objectBehind, type S3Key, type S3Place } from "./address.ts";
import type { S3Ports } from "./objects.ts";
import { type S3Credentials, type S3Objects, s3Exchange, s3Objects, type WriteCondition } from "./objects.ts";

/** `http`: of the origin of `place`. Closed with the trail. */
interface S3TrailOptions extends S3Ports {
  readonly place: S3Place;
  /** How the names of the trail's objects go on after that of `place.state`: next to a state, or below the name. */
  readonly suffix: ".audit/" | "/";
  readonly credentials: S3Credentials;
}

/** Keeps an audit trail in objects of whole lines, which are numbered from 1. Only the last one is ever replaced. */
export function s3AuditTrail({ place, suffix, credentials, http, clock, randomness }: S3TrailOptions): AuditTrail {
  const account = { region: place.region, credentials, content: "audit trail" } as const;
  const parts: TrailObjects = {
    objects: s3Objects(s3Exchange({ http, clock, randomness }, account)),
    at: (number) => objectBehind(place.state, `${suffix}${String(number).padStart(8, "0")}.jsonl`),
  };
  let end: TrailEnd | undefined;
  return {
    address: `${place.state.shown}${suffix}`,
    async last() {
      const found = await findEnd(parts);
      if (!found.ok) return found;
      end = found.value;
      return success(lastLineOf(end.text));
    },
    async append(lines, after) {
      const found = end === undefined ? await findEnd(parts) : success(end);
      if (!found.ok) return found;
      const added = await addLines(parts, found.value, { lines, after });
      // What is there after a failure is for the next try to find out.
      end = added.ok ? added.value : undefined;
      return added.ok ? success(undefined) : added;
    },
    read: () => readEveryLine(parts),
    close: () => http.close(),
  };
}

interface TrailObjects {
  readonly objects: S3Objects;
  readonly at: (number: number) => S3Key;
}

/** The last object of a trail: where there is none, the first one, which is still to be written. */
interface TrailEnd {
  readonly number: number;
  readonly text: string;
  /** What the next write of this object replaces. */
  readonly over: WriteCondition;
}

/** Finds the last object with some twenty reads at most: doubles the number until one is missing, and halves what is between. */
async function findEnd({ objects, at }: TrailObjects): Promise<Result<TrailEnd, Failure>> {
  let end: TrailEnd = { number: 0, text: "", over: "nothing" };
  let missing: number | undefined;
  while (missing === undefined || missing - end.number > 1) {
    const number = missing === undefined ? Math.max(1, end.number * 2) : Math.floor((end.number + missing) / 2);
    const read = await objects.read(at(number));
    if (!read.ok) return read;
    if (read.value === "missing") missing = number;
    else end = { number, text: read.value.text, over: { etag: read.value.etag } };
  }
  if (end.number === 0) return success({ ...end, number: 1 });
  return end.text.endsWith("\n") ? success(end) : problem(damaged(at(end.number)));
}

/** Bytes from which an object gets no more lines. */
const fullObject = 256 * 1024;

/**
 * Adds lines to the last object, or begins the next where it is full. Whether it is full depends on nothing but the object: two
 * runs that add lines at once write the same object, and the condition lets only one of them.
 */
async function addLines(
  { objects, at }: TrailObjects,
  before: TrailEnd,
  { lines, after }: { readonly lines: readonly string[]; readonly after: number },
): Promise<Result<TrailEnd, Failure>> {
  const stop = whyNotBehind(lastLineOf(before.text), after, at(before.number).shown);
  if (stop !== undefined) return problem(stop);
  let end = before;
  let added = 0;
  while (added < lines.length) {
    if (Buffer.byteLength(end.text) >= fullObject) end = { number: end.number + 1, text: "", over: "nothing" };
    const count = countThatFit(lines, added, fullObject - Buffer.byteLength(end.text));
    const more = lines.slice(added, added + count).map((line) => `${line}\n`);
    const text = `${end.text}${more.join("")}`;
    const written = await objects.write(at(end.number), text, end.over);
    if (!written.ok) return written;
    if (written.value === "changed") return problem(grownTrail(at(end.number).shown));
    end = { number: end.number, text, over: { etag: written.value.etag } };
    added += count;
  }
  return success(end);
}

/** How many lines fill the rest of an object. The last one of them may be larger than the rest. */
function countThatFit(lines: readonly string[], from: number, bytes: number): number {
  let count = 0;
  for (let left = bytes; left > 0 && from + count < lines.length; count += 1)
    left -= Buffer.byteLength(lines[from + count] ?? "") + 1;
  return count;
}

async function readEveryLine({ objects, at }: TrailObjects): Promise<Result<readonly string[], Failure>> {
  const lines: string[] = [];
  for (let number = 1; ; number += 1) {
    const read = await objects.read(at(number));
    if (!read.ok) return read;
    if (read.value === "missing") return success(lines);
    for (const line of linesOf(read.value.text)) lines.push(line);
  }
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").slice(0, -1);
}

function lastLineOf(text: string): string | undefined {
  return linesOf(text).at(-1);
}

function damaged({ shown }: S3Key): Failure {
  return auditFailure({
    at: shown,
    doing: "read",
    why: "the object does not end with a whole line: another program changed it",
    hint: "restore an earlier version of the object",
  });
}
