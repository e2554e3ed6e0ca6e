import type { NumberedRecord } from "../../codec/audit.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { AuditedCall, AuditedRunEnd, AuditedRunStart, AuditRecord } from "../../model/audit.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import { foldName } from "../../model/team.ts";
import { safeJson } from "../safe.ts";
import { csvTable } from "../text/csv.ts";

/** What a subcommand of `roster audit` found. */
export type AuditReport = AuditVerified | AuditShown;

export interface AuditVerified {
  readonly did: "verify";
  readonly address: string;
  /** The numbers of the first and the last record; absent of an empty trail. */
  readonly first?: number;
  readonly last?: number;
  /** The hash of the last record. */
  readonly hash: string;
  /** The last record that the state remembers; absent where it remembers none. */
  readonly remembered?: number;
}

export interface AuditShown {
  readonly did: "show";
  readonly address: string;
  readonly runs: readonly AuditedRunEntries[];
}

/** What one run did, as far as it was asked for. */
export interface AuditedRunEntries {
  readonly run: string;
  /** Absent where its first record is kept elsewhere. */
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
  readonly number: number;
  readonly entry: AuditEntry;
}

/** Which records are asked for. */
export interface AuditSelection {
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly person?: FoldedAddress;
  /** The name of a team. */
  readonly team?: string;
}

/** The runs of a trail, in the order of their first records, with what is selected of them. Runs of which nothing is are left out. */
export function selectRuns(
  records: readonly NumberedRecord[],
  selection: AuditSelection,
): readonly AuditedRunEntries[] {
  const runs = new Map<string, RunDraft>();
  for (const { number, record } of records) {
    const run = runs.get(record.run) ?? { run: record.run, entries: [] };
    runs.set(record.run, run);
    addRecord(run, number, record, selection);
  }
  return [...runs.values()].filter(({ entries }) => isWhole(selection) || entries.length > 0);
}

type RunDraft = { -readonly [Name in keyof Omit<AuditedRunEntries, "entries">]: AuditedRunEntries[Name] } & {
  readonly entries: NumberedEntry[];
};

function addRecord(run: RunDraft, number: number, record: AuditRecord, selection: AuditSelection): void {
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
      if (isSelected(record, selection)) run.entries.push({ number, entry: record });
  }
}

function isWhole({ since, person, team }: AuditSelection): boolean {
  return since === undefined && person === undefined && team === undefined;
}

function isSelected(entry: AuditEntry, { since, person, team }: AuditSelection): boolean {
  if (since !== undefined && Date.parse(entry.at) < since) return false;
  if (person === undefined && team === undefined) return true;
  if (entry.kind === "state-changed") return false;
  if (person !== undefined && entry.person !== person) return false;
  return team === undefined || (entry.team !== undefined && foldName(entry.team.name) === foldName(team));
}

/** One entry with what is known of its run: what other programs get. Names are stable. */
export interface AuditRow {
  readonly record: number;
  readonly at: string;
  readonly run: string;
  readonly command: string | undefined;
  readonly actor: string | undefined;
  readonly actor_source: string | undefined;
  readonly commit: string | undefined;
  readonly pipeline: string | undefined;
  readonly plan: string | undefined;
  readonly allowed: readonly string[] | undefined;
  /** A kind of call, or what else the record is. */
  readonly did: AuditedCall["call"] | Exclude<AuditEntry["kind"], "call">;
  readonly outcome: AuditedCall["outcome"] | undefined;
  readonly person: string | undefined;
  readonly team: string | undefined;
  readonly team_identifier: string | undefined;
  readonly account: string | undefined;
  readonly prefix: string | undefined;
  readonly roles_before: readonly string[] | undefined;
  readonly roles_after: readonly string[] | undefined;
  readonly announced_at: string | undefined;
  readonly announced_by: string | undefined;
  readonly why: string | undefined;
}

const columns = [
  "record",
  "at",
  "run",
  "command",
  "actor",
  "actor_source",
  "commit",
  "pipeline",
  "plan",
  "allowed",
  "did",
  "outcome",
  "person",
  "team",
  "team_identifier",
  "account",
  "prefix",
  "roles_before",
  "roles_after",
  "announced_at",
  "announced_by",
  "why",
] as const satisfies readonly (keyof AuditRow)[];

export function auditRows(runs: readonly AuditedRunEntries[]): readonly AuditRow[] {
  return runs
    .flatMap((run) => run.entries.map(({ number, entry }) => rowOf(run, number, entry)))
    .sort((a, b) => a.record - b.record);
}

function rowOf({ run, start, plan }: AuditedRunEntries, record: number, entry: AuditEntry): AuditRow {
  const call = entry.kind === "call" ? entry : undefined;
  const { person, prefix, team } = entry.kind === "state-changed" ? noSubject : entry;
  return {
    record,
    at: entry.at,
    run,
    command: start?.command,
    actor: start?.actor.name,
    actor_source: start?.actor.source,
    commit: start?.commit,
    pipeline: start?.pipeline,
    plan,
    allowed: start?.allowed,
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
    why: call?.why,
  };
}

const noSubject: Pick<AuditedCall, "person" | "prefix" | "team"> = {};

/** The formats in which other programs get a trail. */
export type AuditExportFormat = "csv" | "json" | "ndjson";

export function exportAudit(runs: readonly AuditedRunEntries[], format: AuditExportFormat): string {
  const rows = auditRows(runs);
  switch (format) {
    case "csv":
      return csvTable([columns, ...rows.map((row) => columns.map((column) => cellText(row[column])))]);
    case "json":
      return `${safeJson(JSON.stringify(rows, undefined, 2))}\n`;
    case "ndjson":
      return rows.map((row) => `${safeJson(JSON.stringify(row))}\n`).join("");
  }
}

function cellText(value: AuditRow[keyof AuditRow]): string {
  if (value === undefined) return "";
  return typeof value === "object" ? [...value].sort(byCodeUnit).join(" ") : String(value);
}
