import type { VerifiedTrail } from "../../codec/audit.ts";
import { errorFromFailure, invalidSetting, type RosterError } from "../../library/error.ts";
import { foldAddress } from "../../model/address.ts";
import { type Result, success } from "../../model/result.ts";
import type { AuditHead } from "../../model/state.ts";
import { type AuditExportFormat, type AuditSelection, exportAudit, selectRuns } from "../../report/audit.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { runCommand } from "../session.ts";
import { readAuditTrail } from "../stores/open-store.ts";
import { readTime } from "../time-limits.ts";

interface TrailFlags extends OutputFlags {
  readonly audit?: string;
  readonly state?: string;
}

interface SelectionFlags {
  readonly since?: string;
  readonly person?: string;
  readonly team?: string;
}

const auditResult: CommandResult = { command: "audit", tells: "success-only", diagnostics: [] };

/** Checks the chain of the whole trail, and that it goes as far as the state remembers. */
export function auditVerify(flags: TrailFlags, host: Host): Promise<number> {
  return withTrail(flags, host, ({ address, records, end, known }) => {
    const [first] = records;
    const span = first === undefined ? {} : { first: first.number, last: end.records };
    const remembered = known === undefined ? {} : { remembered: known.records };
    return { ...auditResult, audit: { did: "verify", address, ...span, hash: end.hash, ...remembered } };
  });
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

function readSelection({ since, person, team }: SelectionFlags, { clock }: Host): Result<AuditSelection, RosterError> {
  const from = since === undefined ? success(undefined) : readTime("--since", since, clock.now());
  if (!from.ok) return from;
  return success({
    ...(from.value === undefined ? {} : { since: from.value }),
    ...(person === undefined ? {} : { person: foldAddress(person) }),
    ...(team === undefined ? {} : { team }),
  });
}

interface TrailContent extends VerifiedTrail {
  readonly address: string;
  /** Where the state says that the trail was at least. */
  readonly known: AuditHead | undefined;
}

async function withTrail(
  { person, ...flags }: TrailFlags & SelectionFlags,
  host: Host,
  show: (content: TrailContent) => CommandResult,
): Promise<number> {
  const result = await runCommand(async (open) => {
    const session = await open({ command: "audit", flags, host, needs: ["store"], movedState: "allowed" });
    if (!session.ok) return { ...auditResult, ...session.error };
    const state = await session.value.store.read();
    if (!state.ok) return { ...auditResult, stop: errorFromFailure(state.error) };
    const trail = await readAuditTrail(session.value, state.value, person === undefined ? [] : [person]);
    if (!trail.ok) return { ...auditResult, stop: trail.error };
    if (trail.value === "none") return { ...auditResult, stop: noTrail };
    return show({ ...trail.value, known: state.value.audit });
  });
  return finish(result, flags, host);
}

const noTrail = invalidSetting(
  "missing-audit-address",
  "The settings say that no audit trail is kept.",
  "Pass --audit URL with the place of a trail.",
);
