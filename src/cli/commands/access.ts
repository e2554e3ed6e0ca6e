import { invalidSetting } from "../../library/error.ts";
import { countUnknownCalls, replayAccess } from "../../log/audit-access.ts";
import type { AuditRecord } from "../../model/audit.ts";
import { success } from "../../model/result.ts";
import { isDate } from "../../model/roster.ts";
import { rolesByKey } from "../../plan/roles-by-key.ts";
import { type AccessFormat, formatAccess } from "../../report/access/access-formats.ts";
import {
  type AccessGap,
  type AccessSelection,
  reviewAccess,
  reviewAuditedAccess,
} from "../../report/access/access-review.ts";
import { formatPlanAccess } from "../../report/access/plan-access.ts";
import { type Host, textStyleOf } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { ofAnotherService } from "../plan-file/apply-plan-file.ts";
import { readSavedPlan } from "../plan-file/read-plan-file.ts";
import { planWithoutLock } from "../planning/plan-without-lock.ts";
import { readOnly } from "../selection.ts";
import { type CommandCall, type PlanningFlags, runCommand } from "../session.ts";
import { readAudit } from "../stores/open-store.ts";
import { readTime } from "../time-limits.ts";
import { readSaved } from "./show.ts";

export interface AccessFlags extends Omit<PlanningFlags, "format"> {
  readonly format: AccessFormat;
  readonly asOf?: string;
  readonly only?: readonly string[];
  readonly plan?: string;
}

const base: CommandResult = { command: "access", tells: "success-only", diagnostics: [] };

/** Lists who holds which role on which key: now, as the service shows it, or at a time in the past, by the log. */
export async function access(paths: readonly string[], { format, ...flags }: AccessFlags, host: Host): Promise<number> {
  const output = { ...flags, format: "text" } as const;
  if (flags.plan !== undefined) return accessAround(flags.plan, paths, { ...flags, plan: flags.plan, format }, host);
  const selection = readOnly(flags.only ?? [], ["user", "team", "role"]);
  if (!selection.ok) return finish({ ...base, stop: selection.error }, output, host);
  const result = await runCommand((open) => {
    const call = { flags: output, host, open };
    return flags.asOf === undefined
      ? accessNow(paths, call, { ...selection.value, format })
      : accessAt(flags.asOf, call, { ...selection.value, format });
  });
  return finish(result, output, host);
}

interface AccessRequest extends AccessSelection {
  readonly format: AccessFormat;
}

async function accessNow(
  paths: readonly string[],
  call: CommandCall<PlanningFlags>,
  { format, ...selection }: AccessRequest,
): Promise<CommandResult> {
  const made = await planWithoutLock(base, { ...call, paths, everyone: () => "always" });
  if (!made.ok) return made.error;
  const { session, planned, result, store } = made.value;
  const records = store === undefined ? success([]) : await readAudit(store);
  if (!records.ok) return { ...result, stop: records.error };
  const { snapshot } = planned;
  const { roster } = session.loaded;
  const { privilegedRoles } = session.policy;
  const audited = replayAccess(records.value.map(({ record }) => record));
  const review = reviewAccess({ roster, snapshot, state: planned.state, privilegedRoles, audited }, selection);
  return { ...base, ownWords: { text: formatAccess(review, format, textStyleOf(call.host.stdout)) } };
}

async function accessAt(
  asOf: string,
  { flags, host, open }: CommandCall<PlanningFlags>,
  { format, ...selection }: AccessRequest,
): Promise<CommandResult> {
  // A day counts to its end.
  const time = readTime("--as-of", isDate(asOf) ? `${asOf}T23:59:59.999Z` : asOf, host.clock.now());
  if (!time.ok) return { ...base, stop: time.error };
  const until = time.value;
  const session = await open({ command: "access", flags, host, needs: ["store", "policy"], movedState: "allowed" });
  if (!session.ok) return { ...base, ...session.error };
  const read = await readAudit(session.value.store);
  if (!read.ok) return { ...base, stop: read.error };
  const records = read.value.map(({ record }) => record);
  if (records.length === 0) return { ...base, stop: noRecords };
  const audited = replayAccess(records, until).values();
  const { privilegedRoles } = session.value.policy;
  const at = new Date(until).toISOString();
  const gaps = gapsOf(records, until);
  const review = reviewAuditedAccess(audited, at, { privilegedRoles, selection, gaps });
  return { ...base, ownWords: { text: formatAccess(review, format, textStyleOf(host.stdout)) } };
}

/** Prints each key with its roles before and after a saved plan, for programs that judge it. */
async function accessAround(
  file: string,
  paths: readonly string[],
  { format, asOf, only, ...flags }: AccessFlags,
  host: Host,
): Promise<number> {
  const output = { ...flags, format: "text" } as const;
  if (format !== "json" || asOf !== undefined || only !== undefined)
    return finish({ ...base, stop: wholeJsonOnly }, output, host);
  const text = await readSaved(file, host);
  if (!text.ok) return finish({ ...base, stop: text.error }, output, host);
  const read = await readSavedPlan({ path: file, text: text.value });
  if (!read.ok) return finish({ ...base, stop: read.error }, output, host);
  const { plan } = read.value;
  const result = await runCommand(async (open): Promise<CommandResult> => {
    const made = await planWithoutLock(base, { paths, flags: output, host, open, everyone: () => "always" });
    if (!made.ok) return made.error;
    const { planned, session } = made.value;
    const foreign = ofAnotherService(plan, planned.snapshot.service);
    if (foreign !== undefined) return { ...base, stop: foreign };
    const keys = rolesByKey(planned, plan.actions);
    return { ...base, ownWords: { text: formatPlanAccess(plan, planned.snapshot, session.loaded.roster, keys) } };
  });
  return finish(result, output, host);
}

const wholeJsonOnly = invalidSetting(
  "bad-flag-value",
  "--plan prints all access, as JSON.",
  "Pass `--plan FILE --format json`, without a selection.",
);

/** What a log does not say of the access at a time. */
function gapsOf(records: readonly AuditRecord[], until: number): readonly AccessGap[] {
  const [first] = records;
  const calls = countUnknownCalls(records, until);
  return [
    ...(first !== undefined && Date.parse(first.at) > until ? [{ of: "earlier", than: first.at } as const] : []),
    ...(calls === 0 ? [] : [{ of: "unknown", calls } as const]),
  ];
}

const noRecords = invalidSetting(
  "missing-setting",
  "--as-of needs a log, but the log has no events.",
  "Name its place with --state, or leave --as-of out to read the service.",
);
