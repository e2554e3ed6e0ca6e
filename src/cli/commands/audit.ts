import { orThrow } from "../../library/error.ts";
import { checkHead } from "../../library/lock.ts";
import { verifyLog } from "../../log/checkpoint.ts";
import { definedFields } from "../../model/collections.ts";
import { type AuditRowFormat, exportAudit, selectRuns } from "../../report/document/audit.ts";
import { type Flags, readOnly, readTime } from "../flags.ts";
import type { Host } from "../host.ts";
import { lookAtLog, readAudit, readExpectedHead } from "../log.ts";
import type { FinishedCommand } from "../run-command.ts";

export interface AuditFlags extends Omit<Flags, "format"> {
  readonly format: "text" | "json" | AuditRowFormat;
}

export function audit({ format, ...flags }: AuditFlags, host: Host): Promise<FinishedCommand> {
  const output: Flags = { ...flags, format: format === "json" ? "json" : "text" };
  return lookAtLog("audit", output, host, async (log, command) => {
    const now = host.clock.now();
    const since = flags.since === undefined ? undefined : readTime("--since", flags.since, now);
    const until = flags.asOf === undefined ? undefined : readTime("--as-of", flags.asOf, now);
    const selection = { ...readOnly(flags.only, ["user", "team", "run"]), ...definedFields({ since, until }) };
    const runs = await selectRuns(readAudit(log, until), selection);
    const isRows = format === "csv" || format === "ndjson";
    if (isRows) command.tell({ ownWords: { text: exportAudit(runs, format) } });
    else command.tell({ audit: { did: "show", address: log.address, runs } });
  });
}

/** Checks the chain of the whole log, that the last checkpoint is what the events add up to, and that the log goes on from a head. */
export function auditVerify(flags: Flags, host: Host): Promise<FinishedCommand> {
  return lookAtLog("audit", flags, host, async ({ store, address }, command) => {
    const known = readExpectedHead(flags);
    await checkHead(known, store, "failed");
    const { base, ...rest } = orThrow(await verifyLog(store));
    const pruned = base && { ...base.head, before: base.before };
    command.tell({ audit: { did: "verify", address, ...rest, ...definedFields({ known, pruned }) } });
  });
}
