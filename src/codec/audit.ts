import { type FoldedAddress, foldAddress } from "../model/address.ts";
import type {
  AuditActor,
  AuditedCall,
  AuditedKey,
  AuditedPlan,
  AuditedRunEnd,
  AuditedRunStart,
  AuditedStateChange,
  AuditedTeam,
  AuditRecord,
} from "../model/audit.ts";
import type { AllowanceReason } from "../model/policy.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { AuditHead } from "../model/state.ts";
import { type Digest, parseDocument } from "./document.ts";
import type { Validator } from "./generated/audit-record.js";
import { type Codec, fields, plain, roles, variants } from "./mapping.ts";
import { ownershipFields } from "./plan.ts";

const folded: Codec<FoldedAddress> = { encode: plain.encode, decode: (written) => foldAddress(String(written)) };

const team = fields<AuditedTeam>({ name: plain, account: plain, identifier: plain });

/** A record without its place in the chain. */
const auditFields = variants<AuditRecord, "kind">("kind", {
  "run-started": fields<AuditedRunStart>({
    kind: plain,
    at: plain,
    run: plain,
    command: plain,
    actor: fields<AuditActor>({ name: plain, source: plain }),
    commit: plain,
    pipeline: plain,
    state: plain,
    allowed: plain,
    reason: fields<AllowanceReason>({ text: plain, source: plain }),
    changeRequest: plain,
    approvers: plain,
  }),
  plan: fields<AuditedPlan>({ kind: plain, at: plain, run: plain, plan: plain, service: plain, actions: plain }),
  call: fields<AuditedCall>({
    kind: plain,
    at: plain,
    run: plain,
    action: plain,
    call: plain,
    outcome: plain,
    person: folded,
    team,
    prefix: plain,
    rolesBefore: roles,
    rolesAfter: roles,
    announcedAt: plain,
    announcedBy: plain,
    why: plain,
    ownership: ownershipFields,
  }),
  "key-learned": fields<AuditedKey>({ kind: plain, at: plain, run: plain, person: folded, prefix: plain, team }),
  "state-changed": fields<AuditedStateChange>({ kind: plain, at: plain, run: plain }),
  "run-ended": fields<AuditedRunEnd>({ kind: plain, at: plain, run: plain, plan: plain }),
});

/** A record and its place in the trail. */
export interface NumberedRecord {
  /** Counted from 1. */
  readonly number: number;
  /** The hash of the line before it; sixty-four zeros before the first. */
  readonly previous: string;
  readonly record: AuditRecord;
}

const hashBeforeFirst = "0".repeat(64);

/** Where a trail begins: nothing is in it yet. */
export const emptyTrail: AuditHead = { records: 0, hash: hashBeforeFirst };

/** How the line of every record begins. */
export const recordBeginning = '{"record":';

/** Writes records behind the end of a trail, a line each, and says where the trail ends then. */
export function encodeAuditLines(
  records: readonly AuditRecord[],
  end: AuditHead,
  digest: Digest,
): { readonly lines: readonly string[]; readonly end: AuditHead } {
  const lines: string[] = [];
  let last = end;
  for (const record of records) {
    const place = { record: last.records + 1, previous: last.hash };
    const line = JSON.stringify({ ...place, ...auditFields.encode(record) });
    lines.push(line);
    last = { records: place.record, hash: digest(line) };
  }
  return { lines, end: last };
}

/** Those of a run's records that a trail does not hold; none where it holds nothing of the run, whose trail is elsewhere then. */
export function missingRecords(
  run: string,
  records: readonly AuditRecord[],
  lines: readonly string[],
): readonly AuditRecord[] {
  const first = lines.findIndex((line) => line.includes(`,"run":${JSON.stringify(run)}`));
  if (first < 0) return [];
  const there = new Set(lines.slice(first).map(contentOf));
  return records.filter((record) => !there.has(contentOf(JSON.stringify(auditFields.encode(record)))));
}

/** What a line says, whatever its place in the trail, and whichever run wrote it down. */
function contentOf(line: string): string {
  return line
    .replace(/^\{"record":\d+,"previous":"[0-9a-f]*",/u, "{")
    .replace(/,"run":"[^"]*"/u, "")
    .replace(/,"announced_by":"[^"]*"/u, "");
}

/** Where a trail ends whose last line this is. */
export function trailEnd(lastLine: string, digest: Digest): Result<AuditHead, string> {
  const number = lastRecordNumber(lastLine);
  return number.ok ? success({ records: number.value, hash: digest(lastLine) }) : number;
}

/** The number of the record in the last line of a trail. */
export function lastRecordNumber(lastLine: string): Result<number, string> {
  const document = parseDocument(lastLine);
  const number = document.ok ? document.value["record"] : undefined;
  return Number.isSafeInteger(number)
    ? success(Number(number))
    : problem("its last line is not a record of an audit trail");
}

/** A trail whose records follow one another without a gap. */
export interface VerifiedTrail {
  readonly records: readonly NumberedRecord[];
  readonly end: AuditHead;
}

/** The first record that does not follow from the one before it, and why. */
export interface BrokenTrail {
  readonly record: number;
  readonly why: string;
}

/**
 * Checks that no record of a trail was changed, taken out or put in. A trail may begin with a later record than the first, where
 * older ones are kept elsewhere. `known`: where the state says that the trail was at least.
 */
export async function verifyTrail(
  lines: readonly string[],
  known: AuditHead | undefined,
  digest: Digest,
): Promise<Result<VerifiedTrail, BrokenTrail>> {
  // Only the commands that read a trail pay for loading what checks it.
  const { validAuditRecord } = await import("./generated/audit-record.js");
  const records: NumberedRecord[] = [];
  let end: AuditHead | undefined;
  for (const line of lines) {
    const decoded = decodeAuditLine(line, validAuditRecord);
    if (!decoded.ok) return problem({ record: (end?.records ?? 0) + 1, why: decoded.error });
    const { number } = decoded.value;
    const broken = brokenLink(decoded.value, end);
    if (broken !== undefined) return problem(broken);
    end = { records: number, hash: digest(line) };
    if (known?.records === number && known.hash !== end.hash)
      return problem({ record: number, why: "differs from the one that the state remembers" });
    records.push(decoded.value);
  }
  const last = end ?? emptyTrail;
  return known === undefined || last.records >= known.records
    ? success({ records, end: last })
    : problem(cutTrail(last, known));
}

/** Why a record does not stand behind the end of those before it. */
function brokenLink({ number, previous }: NumberedRecord, end: AuditHead | undefined): BrokenTrail | undefined {
  const before = end ?? (number === 1 ? emptyTrail : undefined);
  if (before === undefined) return undefined;
  const expected = before.records + 1;
  if (number !== expected) return { record: expected, why: `is missing: record ${number} stands in its place` };
  if (previous === before.hash) return undefined;
  if (number === 1) return { record: 1, why: "follows another record, although it is the first" };
  return { record: before.records, why: "was changed after it was written" };
}

function cutTrail({ records }: AuditHead, known: AuditHead): BrokenTrail {
  const is = records === 0 ? "the trail is empty" : `the trail ends with record ${records}`;
  return { record: known.records, why: `is missing: the state remembers it, but ${is}` };
}

/** Reads a line of a trail, without its line feed. The problem follows the words "record N". */
function decodeAuditLine(line: string, isValid: Validator): Result<NumberedRecord, string> {
  const document = parseDocument(line);
  if (!document.ok) return problem(`cannot be read: ${document.error}`);
  if (!isValid(document.value)) return problem("is not a record that this version of roster knows");
  const { record: number, previous } = document.value;
  return success({ number: Number(number), previous: String(previous), record: auditFields.decode(document.value) });
}
