import type { VerifiedTrail } from "../../codec/audit.ts";
import { errorFromFailure, invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { type Diagnostic, type Result, success } from "../../model/result.ts";
import type { AuditHead } from "../../model/state.ts";
import { type AuditExportFormat, type AuditSelection, exportAudit, selectRuns } from "../../report/audit.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { readOnly } from "../selection.ts";
import { runCommand } from "../session.ts";
import { readAuditTrail } from "../stores/open-store.ts";
import { readTime } from "../time-limits.ts";

interface TrailFlags extends OutputFlags {
  readonly state?: string;
}

interface SelectionFlags {
  readonly since?: string;
  readonly only?: readonly string[];
}

const auditResult: CommandResult = { command: "audit", tells: "success-only", diagnostics: [] };

/** Checks the chain of the whole trail, that it goes as far as the state remembers, and that it begins where it should. */
export function auditVerify({ from, ...flags }: TrailFlags & { readonly from?: string }, host: Host): Promise<number> {
  const wanted = from === undefined ? undefined : Number(from);
  if (wanted !== undefined && (!Number.isSafeInteger(wanted) || wanted < 1))
    return finish({ ...auditResult, stop: notARecord }, flags, host);
  return withTrail(flags, host, ({ address, records, end, known }) => {
    const [first] = records;
    if (wanted !== undefined && (first === undefined || first.number > wanted))
      return { ...auditResult, stop: beginsLater(wanted, first?.number) };
    const span = first === undefined ? {} : { first: first.number, last: end.records };
    const remembered = known === undefined ? {} : { remembered: known.records };
    const diagnostics =
      wanted === undefined && first !== undefined && first.number > 1 ? [cutWarning(first.number)] : [];
    return { ...auditResult, diagnostics, audit: { did: "verify", address, ...span, hash: end.hash, ...remembered } };
  });
}

const notARecord = invalidSetting(
  "bad-flag-value",
  "--from is not the number of a record.",
  "Write a whole number from 1 on, like --from 1.",
);

function beginsLater(wanted: number, first: number | undefined): RosterError {
  const begins = first === undefined ? "has no records" : `begins with record ${first}`;
  const hint = "find out who removed the records, or restore them from a copy";
  return stopError("failed", "state", `record ${wanted} of the audit trail is missing: the trail ${begins}`, hint);
}

function cutWarning(first: number): Diagnostic {
  return {
    code: "audit-begins-later",
    severity: "warning",
    message: `The trail begins with record ${first}. Records 1 to ${first - 1} are not there.`,
    hint: `If you moved them away, check the rest with \`roster audit verify --from ${first}\`.`,
  };
}

/** Shows what runs changed, run by run. */
export function auditShow(flags: TrailFlags & SelectionFlags, host: Host): Promise<number> {
  const selection = readSelection(flags, host);
  if (!selection.ok) return finish({ ...auditResult, stop: selection.error }, flags, host);
  return withTrail(flags, host, ({ address, records }) => ({
    ...auditResult,
    audit: { did: "show", address, runs: selectRuns(records, selection.value) },
  }));
}

export interface ExportFlags extends Omit<TrailFlags, "format">, SelectionFlags {
  readonly format: AuditExportFormat;
}

/** Prints what runs changed, a row for each change, for other programs. */
export function auditExport({ format, ...flags }: ExportFlags, host: Host): Promise<number> {
  const output: TrailFlags & SelectionFlags = { ...flags, format: "text" };
  const selection = readSelection(flags, host);
  if (!selection.ok) return finish({ ...auditResult, stop: selection.error }, output, host);
  return withTrail(output, host, ({ records }) => ({
    ...auditResult,
    ownWords: { text: exportAudit(selectRuns(records, selection.value), format) },
  }));
}

function readSelection({ since, only = [] }: SelectionFlags, { clock }: Host): Result<AuditSelection, RosterError> {
  const from = since === undefined ? success(undefined) : readTime("--since", since, clock.now());
  if (!from.ok) return from;
  const selected = readOnly(only, ["user", "team"]);
  if (!selected.ok) return selected;
  return success({ ...selected.value, ...(from.value === undefined ? {} : { since: from.value }) });
}

interface TrailContent extends VerifiedTrail {
  readonly address: string;
  /** Where the state says that the trail was at least. */
  readonly known: AuditHead | undefined;
}

async function withTrail(
  flags: TrailFlags,
  host: Host,
  show: (content: TrailContent) => CommandResult,
): Promise<number> {
  const result = await runCommand(async (open) => {
    const session = await open({ command: "audit", flags, host, needs: ["store"], movedState: "allowed" });
    if (!session.ok) return { ...auditResult, ...session.error };
    const state = await session.value.store.read();
    if (!state.ok) return { ...auditResult, stop: errorFromFailure(state.error) };
    const trail = await readAuditTrail(session.value, state.value);
    if (!trail.ok) return { ...auditResult, stop: trail.error };
    if (trail.value === "none") return { ...auditResult, stop: noTrail };
    return show({ ...trail.value, known: state.value.audit });
  });
  return finish(result, flags, host);
}

const noTrail = invalidSetting(
  "missing-setting",
  "The settings say that no audit trail is kept.",
  "Name the place of a trail in ROSTER_AUDIT.",
);
