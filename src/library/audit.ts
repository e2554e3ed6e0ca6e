import { auditRecords, emptyAudit, type PlacedRecord } from "../log/audit-records.ts";
import { verifyLog } from "../log/checkpoint.ts";
import { definedFields } from "../model/collections.ts";
import type { LogHead } from "../model/state.ts";
import { rosterError, stopError } from "./error.ts";
import { type AskedTime, checkHead, checkPruned, type Log } from "./log.ts";
import { checkOptions, is, type OptionChecks } from "./options.ts";
import { planChecks } from "./plan.ts";

export interface AuditOptions {
  readonly log: Log;
  /** ISO 8601 with an offset. Runs that started later are left out. Absent: all runs. */
  readonly until?: string | undefined;
}

/**
 * What runs did, by the log: one record for each person of a call, with the position of its event. The log is read while the records
 * are. The loop throws where the log was changed, perhaps after some records, and where all events up to `until` were pruned.
 */
export function audit(options: AuditOptions): AsyncIterable<PlacedRecord> {
  checkOptions("audit", { log: planChecks.log, until: is.time } satisfies OptionChecks<AuditOptions>, options);
  const { log, until } = options;
  return readAudit(log, until === undefined ? undefined : { name: "`until`", time: Date.parse(until) });
}

/** The same up to a time that has another name. A log that was changed is never shown as if it were whole. */
export async function* readAudit({ store, secrets }: Log, until?: AskedTime): AsyncGenerator<PlacedRecord, void> {
  const draft = emptyAudit();
  let isLater = false;
  try {
    for await (const read of store.readEvents()) {
      if (until !== undefined) checkPruned(until, read.base?.before);
      for (const placed of auditRecords(read, draft)) {
        const { kind, at } = placed.record;
        if (kind === "run-started") isLater = until !== undefined && Date.parse(at) > until.time;
        if (!isLater) yield secrets.redactAll(placed);
      }
    }
  } catch (error) {
    throw rosterError(error).without(secrets);
  }
}

/** Checks the chain of the whole log, that the last checkpoint is what the events add up to, and that the log contains a head. */
export async function verifyChain({ store }: Log, known: LogHead | undefined) {
  await checkHead(known, store, "failed");
  const { base, ...rest } = await verifyLog(store);
  // A log that is not there proves nothing.
  if (rest.head.position === 0)
    throw stopError("failed", "state", `there is no log at ${store.address}`, "name the place of the log");
  return { ...rest, ...definedFields({ known, pruned: base && { ...base.head, before: base.before } }) };
}
