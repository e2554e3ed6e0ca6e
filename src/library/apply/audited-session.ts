import { emptyTrail, encodeAuditLines, missingRecords, trailEnd } from "../../codec/audit.ts";
import { newAuditFold } from "../../log/audit-records.ts";
import { groupCommit } from "../../log/session.ts";
import type { AuditedRunEnd, AuditedRunStart, AuditRecord } from "../../model/audit.ts";
import type { RunEvent } from "../../model/event.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { AuditHead } from "../../model/state.ts";
import { type Clock, type Digest, isoTime } from "../../ports/clock.ts";
import type { AuditTrail, StateSession, UnfinishedRuns } from "../../ports/state-store.ts";

/** Where records are written, and how. */
export interface AuditPlace {
  readonly trail: AuditTrail;
  readonly digest: Digest;
}

/** What a trail says of a run besides what the run does. */
export interface AuditedRun
  extends AuditPlace,
    Pick<
      AuditedRunStart,
      "run" | "command" | "actor" | "commit" | "pipeline" | "changeRequest" | "approvers" | "allowed" | "reason"
    > {
  readonly clock: Clock;
}

/**
 * A locked state whose run is kept in an audit trail. Its first records are durable before its first call, and all of them before its
 * end; what a run that died has not written, the next one writes from the journal. Nothing is written where nothing changed. Once the
 * trail cannot be written no call may follow, as with the state itself.
 */
export async function auditedSession(session: StateSession, run: AuditedRun): Promise<Result<AuditedSession, Failure>> {
  const end = await writeMissingRecords(session, run);
  return end.ok ? success(withAuditWriter(session, newAuditWriter(run, session, end.value))) : end;
}

/** Writes what a run that died has left unwritten. Says where the trail ends. */
export async function writeMissingRecords(
  { state, unfinished }: Pick<StateSession, "state" | "unfinished">,
  place: AuditPlace,
): Promise<Result<AuditHead, Failure>> {
  const end = await findTrailEnd(place, state.audit);
  const died = unfinished === undefined ? undefined : recordsOfLastRun(unfinished);
  if (!end.ok || died === undefined) return end;
  const lines = await place.trail.read();
  if (!lines.ok) return lines;
  const missing = missingRecords(died.run, died.records, lines.value);
  return missing.length === 0 ? end : appendRecords(place, missing, end.value);
}

/**
 * What the last run has recorded since it began its plan: before, it writes each record before it goes on. As in that run itself, the state
 * is the one that it found.
 */
function recordsOfLastRun({ found, events }: UnfinishedRuns) {
  const from = events.findLastIndex(({ type }) => type === "run-started");
  const begun = events[from];
  if (begun?.type !== "run-started") return undefined;
  const recordsOf = newAuditFold(begun.run, found);
  const records = events.map(recordsOf);
  return { run: begun.run, records: records.slice(from).flat() };
}

/** A locked state whose run has its first record before its first call. */
export interface AuditedSession extends StateSession {
  /** Writes the first record of the run, or says why no call may follow. */
  begin(): Promise<Failure | undefined>;
}

/** The audit trail cannot be written. Thrown where a state that cannot be written is. */
export class AuditLostError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

function withAuditWriter(session: StateSession, writer: AuditWriter): AuditedSession {
  // Events without records do not overtake those whose records are still being written.
  let before = Promise.resolve();
  return {
    ...session,
    begin: () => writer.begin(),
    async append(events) {
      const writing = writer.record(events);
      if (writing !== "later") {
        before = before.then(() => writing);
        await before;
      }
      await session.append(events);
      if (writer.lost !== undefined) throw new AuditLostError(writer.lost);
    },
    async close(rewrite) {
      const ended = await writer.end(rewrite === undefined ? "kept" : "replaced");
      if (!ended.ok) {
        // The next run writes from the journal what this one could not.
        await session.abandon();
        return ended;
      }
      const audit = ended.value;
      if (audit === undefined) return session.close(rewrite);
      return session.close((state) => ({ ...(rewrite?.(state) ?? state), audit }));
    },
  };
}

interface AuditWriter {
  /** Writes the first record, unless it is there. */
  begin(): Promise<Failure | undefined>;
  /** Until the run has begun, the records of events are durable, or lost, when it resolves. Then many are written at once, later. */
  record(events: readonly RunEvent[]): Promise<void> | "later";
  /** Why the trail cannot be written: then nothing is written any more. */
  readonly lost: Failure | undefined;
  /** Writes the last record of the run, and says where the trail ends; undefined where the run wrote nothing. */
  end(state: "kept" | "replaced"): Promise<Result<AuditHead | undefined, Failure>>;
}

/** So many records are written at once, or those of so many milliseconds. */
const maxUnwritten = { records: 200, age: 1000 } as const;

function newAuditWriter(run: AuditedRun, { state }: StateSession, before: AuditHead): AuditWriter {
  const { clock } = run;
  const recordsOf = newAuditFold(run.run, state);
  let plan: AuditedRunEnd["plan"] = "none";
  let end = before;
  let lost: Failure | undefined;
  let hasBegun = false;
  let unwritten: AuditRecord[] = [];
  let oldest = 0;
  const hasWritten = () => end !== before;

  const commit = groupCommit(async (batches: readonly (readonly AuditRecord[])[]) => {
    // Records that follow lost ones would hide that something is missing.
    if (lost !== undefined) return;
    const first = hasWritten() ? [] : [startOf(run, state.lineage)];
    const records = [...first, ...batches.flat()];
    if (records.length === 0) return;
    const written = await appendRecords(run, records, end);
    if (written.ok) end = written.value;
    else lost = written.error;
  });

  async function writeAll(): Promise<void> {
    const records = unwritten;
    unwritten = [];
    if (lost === undefined && records.length > 0) await commit(records);
  }

  function add(records: readonly AuditRecord[]): void {
    if (unwritten.length === 0) oldest = clock.monotonic();
    for (const record of records) unwritten.push(record);
  }

  return {
    get lost() {
      return lost;
    },
    async begin() {
      hasBegun = true;
      if (lost === undefined && !hasWritten()) await commit(unwritten.splice(0));
      return lost;
    },
    record(events) {
      for (const event of events) {
        if (event.type === "run-started") plan = "aborted";
        if (event.type === "run-finished") plan = event.ended;
        add(recordsOf(event));
      }
      if (!hasBegun) return writeAll();
      const isDue = unwritten.length >= maxUnwritten.records || clock.monotonic() - oldest >= maxUnwritten.age;
      // A defect is thrown by the next write.
      if (isDue) writeAll().catch(() => undefined);
      return "later";
    },
    async end(is) {
      if (!hasWritten() && lost === undefined && is === "kept" && unwritten.length === 0) return success(undefined);
      const own = { at: isoTime(clock), run: run.run };
      if (is === "replaced") add([{ kind: "state-changed", ...own }]);
      add([{ kind: "run-ended", ...own, plan }]);
      await writeAll();
      return lost === undefined ? success(end) : problem(lost);
    },
  };
}

function startOf({ clock, ...run }: AuditedRun, lineage: string): AuditRecord {
  const { command, actor, commit, pipeline, changeRequest, approvers, allowed, reason } = run;
  const who = { command, actor, commit, pipeline, changeRequest, approvers, state: lineage, allowed, reason };
  return { kind: "run-started", at: isoTime(clock), run: run.run, ...who };
}

async function appendRecords(
  { trail, digest }: AuditPlace,
  records: readonly AuditRecord[],
  after: AuditHead,
): Promise<Result<AuditHead, Failure>> {
  const { lines, end } = encodeAuditLines(records, after, digest);
  const appended = await trail.append(lines, after.records);
  return appended.ok ? success(end) : appended;
}

/**
 * Where the records of a run begin. A trail without a line goes on where the state says that it ended: what came before may have been
 * put away elsewhere. A trail that is shorter, or ends otherwise, than the state remembers is never continued.
 */
async function findTrailEnd(
  { trail, digest }: AuditPlace,
  known: AuditHead | undefined,
): Promise<Result<AuditHead, Failure>> {
  const last = await trail.last();
  if (!last.ok) return last;
  if (last.value === undefined) return success(known ?? emptyTrail);
  const end = trailEnd(last.value, digest);
  if (!end.ok) return problem(brokenTrail(trail, end.error));
  if (known === undefined || end.value.records > known.records) return end;
  if (end.value.records < known.records)
    return problem(
      brokenTrail(trail, `it ends with record ${end.value.records}, and the state remembers record ${known.records}`),
    );
  return end.value.hash === known.hash
    ? end
    : problem(brokenTrail(trail, `its record ${known.records} differs from the one that the state remembers`));
}

function brokenTrail({ address }: AuditTrail, why: string): Failure {
  return {
    code: "state",
    message: `the audit trail at ${address} was changed: ${why}`,
    request: address,
    hint: "keep it, check it with `roster audit verify`, and begin a new one at another place with ROSTER_AUDIT=URL",
  };
}
