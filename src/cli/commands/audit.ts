import { checkHead } from "../../library/log.ts";
import { verifyLog } from "../../log/log.ts";
import { definedFields } from "../../model/collections.ts";
import { type AuditRowFormat, exportAudit, selectRuns } from "../../report/document/audit.ts";
import { type Flags, readOnly, readTime, type SomeFlags } from "../flags.ts";
import { configuredLog, readAudit, readExpectedHead } from "../log.ts";
import type { Command } from "../run-command.ts";

export async function audit(
  command: Command,
  { format, ...flags }: SomeFlags & { readonly format: "text" | "json" | AuditRowFormat },
): Promise<void> {
  const log = await configuredLog(command, flags, "allowed");
  const now = command.host.clock.now();
  const since = flags.since === undefined ? undefined : readTime("--since", flags.since, now);
  const until = flags.asOf === undefined ? undefined : readTime("--as-of", flags.asOf, now);
  const selection = { ...readOnly(flags.only, ["user", "team", "run"]), ...definedFields({ since, until }) };
  const runs = await selectRuns(readAudit(log, until), selection);
  const isRows = format === "csv" || format === "ndjson";
  if (isRows) command.tell({ ownWords: { text: exportAudit(runs, format) } });
  else command.tell({ audit: { did: "show", address: log.address, runs } });
}

/** Checks the chain of the whole log, that the last checkpoint is what the events add up to, and that the log contains a head. */
export async function auditVerify(command: Command, flags: Flags): Promise<void> {
  const { store, address } = await configuredLog(command, flags, "allowed");
  const known = readExpectedHead(flags);
  await checkHead(known, store, "failed");
  const { base, ...rest } = await verifyLog(store);
  const pruned = base && { ...base.head, before: base.before };
  command.tell({ audit: { did: "verify", address, ...rest, ...definedFields({ known, pruned }) } });
}
