import type { NumberedRecord } from "../codec/audit.ts";
import type { FoldedAddress } from "../model/address.ts";
import type { AuditedCall, AuditedRunEnd, AuditedRunStart, AuditRecord } from "../model/audit.ts";
import { formatRoles } from "../model/role-set.ts";
import { foldName } from "../model/team.ts";
import { heading, joinSections, type Line, prose, row } from "./document/blocks.ts";
import { formatCount, ownershipAside } from "./phrases.ts";
import { csvTable, jsonDocument, jsonLine } from "./safe.ts";

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

export function auditRows(runs: readonly AuditedRunEntries[]): readonly AuditRow[] {
  return runs
    .flatMap((run) => run.entries.map(({ number, entry }) => rowOf(run, number, entry)))
    .sort((a, b) => a.record - b.record);
}

/** One entry with what is known of its run: what other programs get. Names are stable. */
type AuditRow = Readonly<ReturnType<typeof rowOf>>;

function rowOf({ run, start, plan }: AuditedRunEntries, record: number, entry: AuditEntry) {
  const call = entry.kind === "call" ? entry : undefined;
  const { person, prefix, team } = entry.kind === "call" || entry.kind === "key-learned" ? entry : noSubject;
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
    why: call?.why,
    owner: call?.ownership?.owner,
    note: call?.ownership?.note,
  };
}

const noSubject: Pick<AuditedCall, "person" | "prefix" | "team"> = {};

/** Every row has all of them. */
const columns = Object.keys(rowOf({ run: "", entries: [] }, 0, { kind: "state-changed", at: "", run: "" }));

/** The formats in which other programs get a trail. */
export type AuditExportFormat = "csv" | "json" | "ndjson";

export function exportAudit(runs: readonly AuditedRunEntries[], format: AuditExportFormat): string {
  const rows = auditRows(runs);
  switch (format) {
    case "csv":
      return csvTable(columns, rows);
    case "json":
      return jsonDocument(rows);
    case "ndjson":
      return rows.map(jsonLine).join("");
  }
}

/** What a subcommand of `roster audit` found, for people. */
export function auditLines(report: AuditReport): readonly Line[] {
  return report.did === "verify" ? verifiedLines(report) : shownLines(report);
}

function verifiedLines({ address, first, last, hash, remembered }: AuditVerified): readonly Line[] {
  if (first === undefined || last === undefined)
    return [heading(`Audit trail ${address}`), prose(0, "The trail has no records yet.")];
  const count = last - first + 1;
  const known =
    remembered === undefined
      ? "The state remembers no record: the end of the trail is not protected."
      : `The state remembers record ${remembered}, and it is unchanged.`;
  return [
    heading(`Audit trail ${address}`),
    prose(0, `${formatCount(count, "record")}, ${first} to ${last}: no record was changed, removed or added.`),
    prose(0, known),
    prose(0, `The last record has the hash ${hash}.`),
  ];
}

function shownLines({ address, runs }: AuditShown): readonly Line[] {
  if (runs.length === 0) return [prose(0, `No matching records in ${address}.`)];
  return joinSections(runs.map(runSection));
}

function runSection({ run, start, plan, ended, entries }: AuditedRunEntries): readonly Line[] {
  const who = start === undefined ? "" : `, ${start.command} by ${start.actor.name} (${start.actor.source})`;
  const details = [
    ...(start?.commit === undefined ? [] : [`commit ${start.commit}`]),
    ...(start?.pipeline === undefined ? [] : [start.pipeline]),
    ...(plan === undefined ? [] : [`plan ${plan}`]),
    ...(start === undefined ? [] : start.allowed.map((word) => `allowed ${word}`)),
    ...(start?.reason === undefined ? [] : [`reason (${start.reason.source}): ${start.reason.text}`]),
    ...(start?.changeRequest === undefined ? [] : [`change request ${start.changeRequest}`]),
    ...(start?.approvers ?? []).map((name) => `approved by ${name}`),
    ...(ended === undefined || ended === "none" || ended === "completed" ? [] : [`the plan was ${endings[ended]}`]),
    ...(ended === undefined ? ["the run has no end"] : []),
  ];
  return [
    heading(`${start?.at ?? "Run"}${who}`),
    prose(2, `run ${run}`, "dim"),
    ...details.map((detail) => prose(2, detail, "dim")),
    ...entries.map(({ entry }) => row(2, [{ ink: inkOf(entry), text: entryText(entry) }])),
  ];
}

const endings = { stopped: "stopped", interrupted: "interrupted", aborted: "not finished" } as const;

function inkOf(entry: AuditEntry): "dim" | "alarm" | "strong" {
  if (entry.kind !== "call") return "dim";
  return entry.outcome === "done" ? "strong" : "alarm";
}

function entryText(entry: AuditEntry): string {
  switch (entry.kind) {
    case "state-changed":
      return "replaced the state";
    case "key-learned":
      return `learned the key ${entry.prefix} of ${entry.person}${entry.team === undefined ? "" : ` in ${entry.team.name}`}`;
    case "call":
      return callText(entry);
  }
}

function callText(record: AuditedCall): string {
  const { call, outcome, person, team, prefix, rolesBefore, rolesAfter, why, ownership } = record;
  const whose = person ?? "an unknown user";
  const key = prefix === undefined ? "" : `, key ${prefix}`;
  const before = rolesBefore === undefined ? "" : `${formatRoles(rolesBefore)} → `;
  const roles = rolesAfter === undefined ? "" : `: ${before}${formatRoles(rolesAfter)}`;
  const what = {
    "create-user": `${verbs[outcome].create} ${whose}${team === undefined ? "" : ` and team ${team.name}`}`,
    "add-member": `${verbs[outcome].add} ${whose} to ${team?.name ?? "a team"}`,
    "replace-roles": `${verbs[outcome].replace} the roles of ${whose}${team === undefined ? "" : ` in ${team.name}`}`,
  }[call];
  return `${what}${key}${roles}${why === undefined ? "" : `: ${why}`}${ownershipAside(ownership)}`;
}

const verbs = {
  done: { create: "created", add: "added", replace: "replaced" },
  failed: { create: "failed to create", add: "failed to add", replace: "failed to replace" },
  "there-before": { create: "found", add: "found", replace: "found" },
  unknown: { create: "perhaps created", add: "perhaps added", replace: "perhaps replaced" },
} as const;
