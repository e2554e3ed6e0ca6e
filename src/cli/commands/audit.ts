import { errorFromFailure, type RosterError } from "../../library/error.ts";
import { verifyLog } from "../../log/checkpoint.ts";
import { type Result, success } from "../../model/result.ts";
import { definedFields } from "../../model/role-set.ts";
import type { RosterLog } from "../../ports/log.ts";
import { type AuditRowFormat, type AuditSelection, exportAudit, selectRuns } from "../../report/audit.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { readOnly } from "../selection.ts";
import { runCommand } from "../session.ts";
import { type HeadFlags, headMissing, readExpectedHead } from "../stores/head.ts";
import { readAudit } from "../stores/open-store.ts";
import { readTime } from "../time-limits.ts";

interface LogFlags extends OutputFlags {
  readonly state?: string;
}

export interface AuditFlags extends Omit<LogFlags, "format"> {
  readonly format: "text" | "json" | AuditRowFormat;
  readonly since?: string;
  readonly asOf?: string;
  readonly only?: readonly string[];
}

const auditResult: CommandResult = { command: "audit", tells: "success-only", diagnostics: [] };

/** Shows what runs changed, run by run; in the formats for other programs a row for each change. */
export function audit({ format, ...flags }: AuditFlags, host: Host): Promise<number> {
  const output: LogFlags = { ...flags, format: format === "json" ? "json" : "text" };
  const selection = readSelection(flags, host);
  if (!selection.ok) return finish({ ...auditResult, stop: selection.error }, output, host);
  return withLog(output, host, async (store) => {
    const records = await readAudit(store, selection.value.until);
    if (!records.ok) return { ...auditResult, stop: records.error };
    const runs = selectRuns(records.value, selection.value);
    if (format === "csv" || format === "ndjson")
      return { ...auditResult, ownWords: { text: exportAudit(runs, format) } };
    return { ...auditResult, audit: { did: "show", address: store.address, runs } };
  });
}

function readSelection(
  { since, asOf, only = [] }: Omit<AuditFlags, "format">,
  { clock }: Host,
): Result<AuditSelection, RosterError> {
  const from = since === undefined ? success(undefined) : readTime("--since", since, clock.now());
  if (!from.ok) return from;
  const to = asOf === undefined ? success(undefined) : readTime("--as-of", asOf, clock.now());
  if (!to.ok) return to;
  const selected = readOnly(only, ["user", "team", "run"]);
  if (!selected.ok) return selected;
  const times = { since: from.value, until: to.value };
  return success({ ...selected.value, ...definedFields(times) });
}

interface VerifyFlags extends LogFlags, HeadFlags {}

/** Checks the chain of the whole log, that the last checkpoint is what the events add up to, and that the log goes on from a head. */
export function auditVerify(flags: VerifyFlags, host: Host): Promise<number> {
  const known = readExpectedHead(flags);
  if (!known.ok) return finish({ ...auditResult, stop: known.error }, flags, host);
  return withLog(flags, host, async (store) => {
    const cut = await headMissing(known.value, store, "failed");
    if (cut !== undefined) return { ...auditResult, stop: cut };
    const verified = await verifyLog(store);
    if (!verified.ok) return { ...auditResult, stop: errorFromFailure(verified.error) };
    const { base, ...rest } = verified.value;
    const pruned = base && { ...base.head, before: base.before };
    const found = { ...rest, ...definedFields({ known: known.value, pruned }) };
    return { ...auditResult, audit: { did: "verify", address: store.address, ...found } };
  });
}

async function withLog(
  flags: LogFlags,
  host: Host,
  look: (store: RosterLog) => Promise<CommandResult>,
): Promise<number> {
  const result = await runCommand(async (open) => {
    const session = await open({ command: "audit", flags, host, needs: ["store"], movedState: "allowed" });
    return session.ok ? look(session.value.store) : { ...auditResult, ...session.error };
  });
  return finish(result, flags, host);
}
