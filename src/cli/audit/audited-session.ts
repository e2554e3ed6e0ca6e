import { emptyTrail, encodeAuditLines, trailEnd } from "../../codec/audit.ts";
import { type KeyedHash, pseudonymize } from "../../codec/pseudonymize.ts";
import { rewriteAuditRecord } from "../../codec/rewrite-addresses.ts";
import { newAuditFold } from "../../journal/audit-records.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { AuditedRunEnd, AuditedRunStart, AuditRecord } from "../../model/audit.ts";
import type { RunEvent } from "../../model/event.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { AuditHead } from "../../model/state.ts";
import type { AuditTrail } from "../../ports/audit-trail.ts";
import { type Clock, type Digest, isoTime } from "../../ports/clock.ts";
import type { StateSession } from "../../ports/state-store.ts";
import { groupCommit } from "../../state/session.ts";

/** What a trail says of a run besides what the run does. */
export interface AuditedRun
  extends Pick<AuditedRunStart, "run" | "command" | "actor" | "commit" | "pipeline" | "allowed" | "approvals"> {
  readonly trail: AuditTrail;
  /** With what addresses are hashed; absent where they are written as they are. */
  readonly hash?: KeyedHash | undefined;
  readonly clock: Clock;
  readonly digest: Digest;
}

/**
 * A locked state whose run is kept in an audit trail. What a call came to is durable in the trail before it is durable in the
 * state; nothing is written where nothing changed. Once the trail cannot be written no call may follow, as with the state itself.
 */
export async function auditedSession(session: StateSession, run: AuditedRun): Promise<Result<AuditedSession, Failure>> {
  const end = await findTrailEnd(run, session.state.audit);
  return end.ok ? success(withAuditWriter(session, newAuditWriter(run, session.state, end.value))) : end;
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
  return {
    ...session,
    begin: () => writer.begin(),
    async append(events) {
      const unwritten = await writer.record(events);
      await session.append(events);
      if (unwritten !== undefined) throw new AuditLostError(unwritten);
    },
    async close(rewrite) {
      const ended = await writer.end(rewrite === undefined ? "kept" : "replaced");
      if (!ended.ok) {
        const closed = await session.close();
        return closed.ok ? problem(ended.error) : closed;
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
  /** Durable when it resolves, or why not: then nothing is written any more. */
  record(events: readonly RunEvent[]): Promise<Failure | undefined>;
  /** Writes the last record of the run, and says where the trail ends; undefined where the run wrote nothing. */
  end(state: "kept" | "replaced"): Promise<Result<AuditHead | undefined, Failure>>;
}

function newAuditWriter(run: AuditedRun, state: StateSession["state"], before: AuditHead): AuditWriter {
  const recordsOf = newAuditFold(run.run, state);
  let plan: AuditedRunEnd["plan"] = "none";
  let end = before;
  let lost: Failure | undefined;
  const hasWritten = () => end !== before;

  const commit = groupCommit(async (batches: readonly (readonly AuditRecord[])[]) => {
    // Records that follow lost ones would hide that something is missing.
    if (lost !== undefined) return;
    const first = hasWritten() ? [] : [startOf(run, state.lineage)];
    const written = await appendRecords(run, [...first, ...batches.flat()], end);
    if (written.ok) end = written.value;
    else lost = written.error;
  });

  async function write(records: readonly AuditRecord[]): Promise<Failure | undefined> {
    if (lost === undefined && records.length > 0) await commit(records);
    return lost;
  }

  return {
    async begin() {
      if (lost === undefined && !hasWritten()) await commit([]);
      return lost;
    },
    record(events) {
      for (const event of events) {
        if (event.type === "run-started") plan = "aborted";
        if (event.type === "run-finished") plan = event.ended;
      }
      return write(events.flatMap((event) => recordsOf(event)));
    },
    async end(is) {
      if (!hasWritten() && lost === undefined && is === "kept") return success(undefined);
      const own = { at: isoTime(run.clock), run: run.run };
      const changed: readonly AuditRecord[] = is === "replaced" ? [{ kind: "state-changed", ...own }] : [];
      const unwritten = await write([...changed, { kind: "run-ended", ...own, plan }]);
      return unwritten === undefined ? success(end) : problem(unwritten);
    },
  };
}

function startOf({ clock, ...run }: AuditedRun, lineage: string): AuditRecord {
  const { command, actor, commit, pipeline, allowed, approvals } = run;
  const who = { command, actor, commit, pipeline, state: lineage, allowed, approvals };
  return { kind: "run-started", at: isoTime(clock), run: run.run, ...who };
}

async function appendRecords(
  { trail, digest, hash }: AuditedRun,
  records: readonly AuditRecord[],
  after: AuditHead,
): Promise<Result<AuditHead, Failure>> {
  const written = hash === undefined ? records : records.map((record) => withHashedAddresses(record, hash));
  const { lines, end } = encodeAuditLines(written, after, digest);
  const appended = await trail.append(lines, after.records);
  return appended.ok ? success(end) : appended;
}

/** Texts of a record may name its person, whatever the address looks like. */
function withHashedAddresses(record: AuditRecord, hash: KeyedHash): AuditRecord {
  return rewriteAuditRecord(record, pseudonymize(hash, peopleOf(record)));
}

function peopleOf(record: AuditRecord): readonly FoldedAddress[] {
  switch (record.kind) {
    case "call":
    case "key-learned":
      return record.person === undefined ? [] : [record.person];
    case "break-glass":
      return record.gives.flatMap(({ person }) => person ?? []);
    default:
      return [];
  }
}

/**
 * Where the records of a run begin. A trail without a line goes on where the state says that it ended: what came before may have been
 * put away elsewhere. A trail that is shorter, or ends otherwise, than the state remembers is never continued.
 */
async function findTrailEnd(
  { trail, digest }: AuditedRun,
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
    code: "audit",
    message: `the audit trail at ${address} was changed: ${why}`,
    request: address,
    hint: "keep it, check it with `roster audit verify`, and begin a new one at another place with --audit URL",
  };
}
