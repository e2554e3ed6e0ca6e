import { truncateList } from "../../codes/message.ts";
import type { AuditedCall, AuditedRunStart, AuditRecord, PlacedRecord } from "../../log/audit-records.ts";
import { foldAddress } from "../../model/address.ts";
import { formatHead, stateFlag } from "../../model/state.ts";
import { foldName } from "../../model/team.ts";
import { formatRoles } from "../../model/values.ts";
import type { AuditVerified } from "../json/document-format.ts";
import { csvTable, jsonLine } from "../safe.ts";
import { ownershipAside, present } from "./names.ts";
import { type Content, code, entry, inked, part, phrase, type Section, sentence } from "./tree.ts";

export type AuditReport =
  | AuditVerified
  | { readonly did: "show"; readonly address: string; readonly runs: readonly AuditedRunEntries[] };

export interface AuditedRunEntries {
  readonly run: string;
  readonly start?: AuditedRunStart;
  readonly plan?: string;
  /** Absent where the run did not end in order. */
  readonly ended?: Extract<AuditRecord, { readonly kind: "run-ended" }>["plan"];
  readonly entries: readonly { readonly position: number; readonly entry: AuditEntry }[];
}

type AuditEntry = Exclude<AuditRecord, { readonly kind: "run-started" | "plan" | "run-ended" }>;

export interface AuditSelection {
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly until?: number;
  readonly run?: string;
  readonly person?: string | undefined;
  readonly team?: string | undefined;
}

/** Runs of which nothing is selected, or that only noted what they saw, are left out. Nothing is kept of what is not selected. */
export async function selectRuns(records: AsyncIterable<PlacedRecord>, selection: AuditSelection) {
  const runs = new Map<string, RunDraft>();
  const isWhole = Object.values(selection).every((value) => value === undefined);
  const isWanted = ({ entries, plan }: RunDraft) => entries.length > 0 || (isWhole && plan !== undefined);
  let last: RunDraft | undefined;
  for await (const { position, record } of records) {
    if (last?.run !== record.run) {
      if (last !== undefined && !isWanted(last)) runs.delete(last.run);
      last = runs.get(record.run) ?? { run: record.run, entries: [] };
      runs.set(record.run, last);
    }
    if (record.kind === "run-started") last.start = record;
    else if (record.kind === "plan") last.plan = record.plan;
    else if (record.kind === "run-ended") last.ended = record.plan;
    else if (isSelected(record, selection)) last.entries.push({ position, entry: record });
  }
  return [...runs.values()].filter(isWanted);
}

type RunDraft = { -readonly [Name in keyof AuditedRunEntries]: AuditedRunEntries[Name] } & {
  readonly entries: AuditedRunEntries["entries"][number][];
};

function isSelected(entry: AuditEntry, { since, until, run, person, team }: AuditSelection): boolean {
  if (since !== undefined && Date.parse(entry.at) < since) return false;
  if (until !== undefined && Date.parse(entry.at) > until) return false;
  if (run !== undefined && entry.run !== run) return false;
  if (person === undefined && team === undefined) return true;
  if (!("person" in entry)) return false;
  if (person !== undefined && entry.person !== foldAddress(person)) return false;
  return team === undefined || (entry.team !== undefined && foldName(entry.team.name) === foldName(team));
}

export function auditContent(report: AuditReport): Content {
  if (report.did === "verify") return verifiedContent(report);
  if (report.runs.length === 0) return { summary: [sentence(`No matching changes in ${report.address}.`)] };
  return { sections: report.runs.map(runSection) };
}

function verifiedContent({ address, head, checkpoint, known, pruned }: AuditVerified): Content {
  const heading = phrase`Log at ${address}`;
  const texts = present(
    `The events ${(pruned?.position ?? 0) + 1} to ${head.position} are whole: none was changed, removed or inserted.`,
    known && `It contains the head ${formatHead(known)}.`,
    checkpoint !== undefined && `The checkpoint was written at event ${checkpoint}. It agrees with the events.`,
    `Head of the log: ${formatHead(head)}. Save the head on another machine.`,
    `To prove later that no event at the end is missing, run \`roster audit verify ${stateFlag(address)} --expect-head ${formatHead(head)}\`.`,
  );
  const summary = texts.map((text) => sentence(text));
  if (pruned === undefined) return { heading, summary };
  const gone = `The log was pruned. The events 1 to ${pruned.position}, from before ${pruned.before}, are in the export of that prune. To check it, write its path in place of EXPORT:`;
  const check = `roster audit verify --state file:EXPORT --expect-head ${formatHead(pruned)}`;
  return { heading, summary, next: [sentence(gone), code("shell", check)] };
}

const endings = { stopped: "stopped", interrupted: "interrupted", aborted: "not finished" } as const;

function runSection({ run, start, plan, ended, entries }: AuditedRunEntries): Section {
  const by = start?.actor === undefined ? "" : ` by ${start.actor.name} (${start.actor.source})`;
  const who = start === undefined ? "" : `, ${start.command}${by}`;
  // What was allowed and needed has a line of its own.
  const used = new Set(entries.map((one) => (one.entry.kind === "allowance-used" ? one.entry.code : undefined)));
  const { commit, pipeline, allowed = [], reason, changeRequest, approvers = [] } = start ?? {};
  const details = present(
    `run ${run}`,
    commit && `commit ${commit}`,
    pipeline,
    plan && `plan ${plan}`,
    ...allowed.map((name) => !used.has(name) && `allowed ${name}`),
    reason && `reason (${reason.source}): ${reason.text}`,
    changeRequest && `change request ${changeRequest}`,
    ...approvers.map((name) => `approved by ${name}`),
    ended === undefined && "the run has no end",
    ended !== undefined && ended !== "none" && ended !== "completed" && `the plan was ${endings[ended]}`,
  );
  const notes = details.map((detail) => sentence(detail, "dim"));
  const shown = entries.map(({ entry: one }) => {
    const ink = one.kind !== "call" ? "dim" : one.outcome === "done" ? "strong" : "alarm";
    return entry([inked(ink, entryText(one))]);
  });
  return part([`${start?.at ?? "Run"}${who}`], [{ kind: "entries", as: "tasks", notes, entries: shown }]);
}

function entryText(entry: AuditEntry): string {
  if (entry.kind === "call") return callText(entry);
  if (entry.kind === "allowance-used") return `allowed ${entry.code}, which covers: ${truncateList(entry.covers, 10)}`;
  if (entry.kind === "key-learned")
    return `learned the key ${entry.prefix} of ${entry.person}${entry.team === undefined ? "" : ` in ${entry.team.name}`}`;
  return {
    "moved-to": `moved the log to ${entry.to}`,
    pruned: `pruned the events before ${entry.to}`,
    "endpoint-changed": `recorded that the service has the address ${entry.to}`,
  }[entry.kind];
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
  done: { create: "created", add: "invited", replace: "changed" },
  failed: { create: "failed to create", add: "failed to invite", replace: "failed to change" },
  "there-before": { create: "found", add: "found", replace: "found" },
  unknown: { create: "perhaps created", add: "perhaps invited", replace: "perhaps changed" },
} as const;

export function auditRows(runs: readonly AuditedRunEntries[]) {
  const rows = runs.flatMap((run) => run.entries.map(({ position, entry }) => rowOf(run, position, entry)));
  return rows.sort((a, b) => a.position - b.position);
}

/** What other programs get; names are stable. */
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

export type AuditRowFormat = "csv" | "ndjson";

export function exportAudit(runs: readonly AuditedRunEntries[], format: AuditRowFormat): string {
  const rows = auditRows(runs);
  if (format === "ndjson") return rows.map(jsonLine).join("");
  const cells = rows.map((row) => ({ ...row, covers: row.covers?.join("; ") }));
  return csvTable(columns, cells);
}
