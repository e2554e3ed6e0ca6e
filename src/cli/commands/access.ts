import { errorFromFailure, invalidSetting } from "../../library/error.ts";
import { foldUntil } from "../../log/log.ts";
import { isDate } from "../../model/roster.ts";
import { rolesByKey } from "../../plan/roles-by-key.ts";
import { type AccessFormat, formatAccess } from "../../report/access/access-formats.ts";
import {
  type AccessGap,
  type AccessSelection,
  reviewAccess,
  reviewRecordedAccess,
} from "../../report/access/access-review.ts";
import { formatPlanAccess } from "../../report/access/plan-access.ts";
import { type Host, textStyleOf } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { ofAnotherService } from "../plan-file/apply-plan-file.ts";
import { readSavedPlan } from "../plan-file/read-plan-file.ts";
import { planWithoutLock } from "../planning/plan-without-lock.ts";
import { readOnly } from "../selection.ts";
import { type CommandCall, type PlanningFlags, runCommand } from "../session.ts";
import { beforePrune } from "../stores/head.ts";
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
  const { session, planned } = made.value;
  const { snapshot, state } = planned;
  const { roster } = session.loaded;
  const { privilegedRoles } = session.policy;
  const review = reviewAccess({ roster, snapshot, state, privilegedRoles }, selection);
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
  const { store, policy } = session.value;
  const read = await foldUntil(store, until);
  if (!read.ok) return { ...base, stop: errorFromFailure(read.error) };
  const { state, from, pruned } = read.value;
  if (from === undefined) return { ...base, stop: noRecords };
  const lost = beforePrune("--as-of", until, pruned);
  if (lost !== undefined) return { ...base, stop: lost };
  const calls = state.open.length;
  const gaps: readonly AccessGap[] = [
    ...(pruned === undefined && Date.parse(from) > until ? [{ of: "earlier", than: from } as const] : []),
    ...(calls === 0 ? [] : [{ of: "unknown", calls } as const]),
  ];
  const { privilegedRoles } = policy;
  const review = reviewRecordedAccess(state, new Date(until).toISOString(), { privilegedRoles, selection, gaps });
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
    const keys = rolesByKey(planned, plan);
    return { ...base, ownWords: { text: formatPlanAccess(plan, planned.snapshot, session.loaded.roster, keys) } };
  });
  return finish(result, output, host);
}

const wholeJsonOnly = invalidSetting(
  "bad-flag-value",
  "--plan prints all access, as JSON.",
  "Pass `--plan FILE --format json`, without a selection.",
);

const noRecords = invalidSetting(
  "missing-setting",
  "--as-of needs a log, but the log has no events.",
  "Name its place with --state, or leave --as-of out to read the service.",
);
