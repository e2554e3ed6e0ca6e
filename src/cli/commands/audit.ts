import { readAudit, verifyChain } from "../../library/audit.ts";
import { definedFields } from "../../model/collections.ts";
import { type AuditRowFormat, exportAudit, selectRuns } from "../../report/document/audit.ts";
import { type Flags, readSelection, readTime, type SomeFlags } from "../flags.ts";
import { configuredLog, readExpectedHead } from "../log.ts";
import type { Command } from "../run-command.ts";

export async function audit(
  command: Command,
  { format, ...flags }: SomeFlags & { readonly format: "text" | "json" | AuditRowFormat },
): Promise<void> {
  const log = await configuredLog(command, flags, "allowed");
  const now = command.host.clock.now();
  const since = flags.since === undefined ? undefined : readTime("--since", flags.since, now);
  const until = flags.asOf === undefined ? undefined : readTime("--as-of", flags.asOf, now);
  const selection = { ...readSelection(flags.include, ["user", "team", "run"]), ...definedFields({ since, until }) };
  const asked = until === undefined ? undefined : { name: "--as-of", time: until };
  const runs = await selectRuns(readAudit(log, asked), selection);
  const isRows = format === "csv" || format === "ndjson";
  if (isRows) command.tell({ ownWords: { text: exportAudit(runs, format) } });
  else command.tell({ audit: { did: "show", address: log.address, runs } });
}

export async function auditVerify(command: Command, flags: Flags): Promise<void> {
  const log = await configuredLog(command, flags, "allowed");
  const verified = await verifyChain(log, readExpectedHead(flags));
  command.tell({ audit: { did: "verify", address: log.address, ...verified } });
}
