import type { EmailKey } from "../model/address.ts";
import type { AuditedCall, AuditedRunEnd, AuditedRunStart, AuditRecord, PlacedRecord } from "../model/audit.ts";
import { formatRoles } from "../model/role-set.ts";
import { formatHead, type LogHead } from "../model/state.ts";
import { foldName } from "../model/team.ts";
import { heading, joinSections, type Line, prose, row } from "./document/blocks.ts";
import { formatCount, ownershipAside } from "./phrases.ts";
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

/** The runs of a log, in the order of their first records, with what is selected of them. Runs of which nothing is, or that only noted what they saw, are left out. */
export function selectRuns(records: readonly PlacedRecord[], selection: AuditSelection): readonly AuditedRunEntries[] {
  const runs = new Map<string, RunDraft>();
  for (const { position, record } of records) {
    const run = runs.get(record.run) ?? { run: record.run, entries: [] };
    runs.set(record.run, run);
    addRecord(run, position, record, selection);
  }
  return [...runs.values()].filter(
    ({ entries, plan }) => entries.length > 0 || (isWhole(selection) && plan !== undefined),
  );
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
  if (entry.kind !== "call" && entry.kind !== "key-learned") return false;
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
  const { person, prefix, team } = entry.kind === "call" || entry.kind === "key-learned" ? entry : noSubject;
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
    owner: call?.ownership?.owner,
    note: call?.ownership?.note,
  };
}

const noSubject: Pick<AuditedCall, "person" | "prefix" | "team"> = {};

/** Every row has all of them. */
const columns = Object.keys(rowOf({ run: "", entries: [] }, 0, { kind: "moved-to", at: "", run: "", to: "" }));

/** The formats of a row for each change. */
export type AuditRowFormat = "csv" | "ndjson";

export function exportAudit(runs: readonly AuditedRunEntries[], format: AuditRowFormat): string {
  const rows = auditRows(runs);
  switch (format) {
    case "csv":
      return csvTable(columns, rows);
    case "ndjson":
      return rows.map(jsonLine).join("");
  }
}

/** What a subcommand of `roster audit` found, for people. */
export function auditLines(report: AuditReport): readonly Line[] {
  return report.did === "verify" ? verifiedLines(report) : shownLines(report);
}

function verifiedLines({ address, head, checkpoint, known, pruned }: AuditVerified): readonly Line[] {
  const { position, hash } = head;
  if (position === 0) return [heading(`Log ${address}`), prose(0, "The log has no events yet.")];
  return [
    heading(`Log ${address}`),
    prose(
      0,
      `${formatCount(position - (pruned?.position ?? 0), "event")}: none was changed, removed or added in between.`,
    ),
    ...(pruned === undefined ? [] : prunedLines(pruned)),
    ...(known === undefined ? [] : [prose(0, `It goes on from the head ${formatHead(known)}.`)]),
    ...(checkpoint === undefined
      ? []
      : [prose(0, `The checkpoint of position ${checkpoint} is what the events add up to.`)]),
    prose(
      0,
      `The head is ${formatHead({ position, hash })}. Keep it elsewhere: \`audit verify --expect-head\` proves later that nothing was cut off.`,
    ),
  ];
}

function prunedLines({ before, ...head }: NonNullable<AuditVerified["pruned"]>): readonly Line[] {
  return [
    prose(
      0,
      `It was pruned: the events up to position ${head.position}, from before ${before}, are in an export. To check it, run:`,
    ),
    row(2, [`roster audit verify --state file:EXPORT --expect-head ${formatHead(head)}`]),
  ];
}

function shownLines({ address, runs }: AuditShown): readonly Line[] {
  if (runs.length === 0) return [prose(0, `No matching changes in ${address}.`)];
  return joinSections(runs.map(runSection));
}

function runSection({ run, start, plan, ended, entries }: AuditedRunEntries): readonly Line[] {
  const by = start?.actor === undefined ? "" : ` by ${start.actor.name} (${start.actor.source})`;
  const who = start === undefined ? "" : `, ${start.command}${by}`;
  const details = [
    ...(start?.commit === undefined ? [] : [`commit ${start.commit}`]),
    ...(start?.pipeline === undefined ? [] : [start.pipeline]),
    ...(plan === undefined ? [] : [`plan ${plan}`]),
    ...(start?.allowed ?? []).map((word) => `allowed ${word}`),
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
    case "moved-to":
      return `moved the log to ${entry.to}`;
    case "pruned":
      return `pruned the events before ${entry.to}`;
    case "endpoint-changed":
      return `recorded that the service has the address ${entry.to}`;
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
