import type { AuditedCall, AuditedRunEnd, AuditedRunStart, AuditRecord, PlacedRecord } from "../log/audit.ts";
import type { EmailKey } from "../model/address.ts";
import type { LogHead } from "../model/state.ts";
import { foldName } from "../model/team.ts";
import { csvTable, jsonLine } from "./safe.ts";

/** What a subcommand of `roster audit` found. */
export type AuditReport = AuditVerified | AuditShown;

export interface AuditVerified {
  readonly did: "verify";
  readonly address: string;
  readonly head: LogHead;
  /** The checkpoint that was folded again and is the same; absent where none was looked at. */
  readonly checkpoint?: number;
  /** The earlier head that was named and is still in the log. */
  readonly known?: LogHead;
  /** Where it was pruned: the time before which all events went, and the last of them. */
  readonly pruned?: LogHead & { readonly before: string };
}

export interface AuditShown {
  readonly did: "show";
  readonly address: string;
  readonly runs: readonly AuditedRunEntries[];
}

/** What one run did, as far as it was asked for. */
export interface AuditedRunEntries {
  readonly run: string;
  readonly start?: AuditedRunStart;
  /** The plan that it applied. */
  readonly plan?: string;
  /** Absent where the run did not end in order. */
  readonly ended?: AuditedRunEnd["plan"];
  readonly entries: readonly NumberedEntry[];
}

/** A record that says what changed. */
export type AuditEntry = Exclude<AuditRecord, { readonly kind: "run-started" | "plan" | "run-ended" }>;

export interface NumberedEntry {
  readonly position: number;
  readonly entry: AuditEntry;
}

/** Which records are asked for. */
export interface AuditSelection {
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly until?: number;
  readonly run?: string;
  readonly person?: EmailKey;
  /** The name of a team. */
  readonly team?: string;
}

/**
 * The runs of a log, in the order of their first records, with what is selected of them. Runs of which nothing is, or that only noted what
 * they saw, are left out. Nothing is kept of what is not selected.
 */
export async function selectRuns(
  records: AsyncIterable<PlacedRecord>,
  selection: AuditSelection,
): Promise<readonly AuditedRunEntries[]> {
  const runs = new Map<string, RunDraft>();
  const isWanted = ({ entries, plan }: RunDraft) => entries.length > 0 || (isWhole(selection) && plan !== undefined);
  let last: RunDraft | undefined;
  for await (const { position, record } of records) {
    if (last?.run !== record.run) {
      if (last !== undefined && !isWanted(last)) runs.delete(last.run);
      last = runs.get(record.run) ?? { run: record.run, entries: [] };
      runs.set(record.run, last);
    }
    addRecord(last, position, record, selection);
  }
  return [...runs.values()].filter(isWanted);
}

type RunDraft = { -readonly [Name in keyof Omit<AuditedRunEntries, "entries">]: AuditedRunEntries[Name] } & {
  readonly entries: NumberedEntry[];
};

function addRecord(run: RunDraft, position: number, record: AuditRecord, selection: AuditSelection): void {
  switch (record.kind) {
    case "run-started":
      run.start = record;
      break;
    case "plan":
      run.plan = record.plan;
      break;
    case "run-ended":
      run.ended = record.plan;
      break;
    default:
      if (isSelected(record, selection)) run.entries.push({ position, entry: record });
  }
}

function isWhole(selection: AuditSelection): boolean {
  return Object.values(selection).every((value) => value === undefined);
}

function isSelected(entry: AuditEntry, { since, until, run, person, team }: AuditSelection): boolean {
  if (since !== undefined && Date.parse(entry.at) < since) return false;
  if (until !== undefined && Date.parse(entry.at) > until) return false;
  if (run !== undefined && entry.run !== run) return false;
  if (person === undefined && team === undefined) return true;
  if (!("person" in entry)) return false;
  if (person !== undefined && entry.person !== person) return false;
  return team === undefined || (entry.team !== undefined && foldName(entry.team.name) === foldName(team));
}

export function auditRows(runs: readonly AuditedRunEntries[]): readonly AuditRow[] {
  return runs
    .flatMap((run) => run.entries.map(({ position, entry }) => rowOf(run, position, entry)))
    .sort((a, b) => a.position - b.position);
}

/** One entry with what is known of its run: what other programs get. Names are stable. */
type AuditRow = Readonly<ReturnType<typeof rowOf>>;

function rowOf({ run, start, plan }: AuditedRunEntries, position: number, entry: AuditEntry) {
  const call = entry.kind === "call" ? entry : undefined;
  const allowance = entry.kind === "allowance-used" ? entry : undefined;
  const { person, prefix, team }: Partial<AuditedCall> = { ...entry, kind: "call" };
  return {
    position,
    at: entry.at,
    run,
    command: start?.command,
    actor: start?.actor?.name,
    actor_source: start?.actor?.source,
    commit: start?.commit,
    pipeline: start?.pipeline,
    plan,
    allowed: start?.allowed,
    reason: start?.reason?.text,
    reason_source: start?.reason?.source,
    change_request: start?.changeRequest,
    approvers: start?.approvers,
    // A kind of call, or what else the record is.
    did: entry.kind === "call" ? entry.call : entry.kind,
    outcome: call?.outcome,
    person,
    team: team?.name,
    team_identifier: team?.identifier,
    account: team?.account,
    prefix,
    roles_before: call?.rolesBefore,
    roles_after: call?.rolesAfter,
    announced_at: call?.announcedAt,
    announced_by: call?.announcedBy,
    to: "to" in entry ? entry.to : undefined,
    why: call?.why,
    code: allowance?.code,
    covers: allowance?.covers,
    owner: call?.ownership?.owner,
    note: call?.ownership?.note,
  };
}

/** Every row has all of them. */
const columns = Object.keys(rowOf({ run: "", entries: [] }, 0, { kind: "moved-to", at: "", run: "", to: "" }));

/** The formats of a row for each change. */
export type AuditRowFormat = "csv" | "ndjson";

export function exportAudit(runs: readonly AuditedRunEntries[], format: AuditRowFormat): string {
  const rows = auditRows(runs);
  switch (format) {
    case "csv":
      return csvTable(
        columns,
        rows.map((row) => ({ ...row, covers: row.covers?.join("; ") })),
      );
    case "ndjson":
      return rows.map(jsonLine).join("");
  }
}
