import { invalidSetting, orThrow } from "../../library/error.ts";
import { foldWhere } from "../../log/checkpoint.ts";
import { isDate } from "../../model/roster.ts";
import { rolesByKey } from "../../plan/roles-by-key.ts";
import { type AccessFormat, formatAccess, formatPlanAccess } from "../../report/access/access-formats.ts";
import { type AccessGap, mapRecordedAccess } from "../../report/access/access-map.ts";
import type { Flags } from "../flags.ts";
import { type Host, textStyleOf } from "../host.ts";
import { checkPruned, openLog } from "../log.ts";
import { readPolicy } from "../open.ts";
import { checkPlanService, readSavedText } from "../plan-file/plan-file.ts";
import { readSavedPlan } from "../plan-file/read-plan-file.ts";
import { accessMapOf, headOf } from "../planning/access-map-of.ts";
import { type PlanMade, planWithoutLock } from "../planning/plan-without-lock.ts";
import { type Command, type FinishedCommand, runCommand } from "../run-command.ts";
import { type ListSelection, readOnly } from "../selection.ts";
import { readSettings } from "../settings/settings.ts";
import { readTime } from "../time-limits.ts";

export interface AccessFlags extends Omit<Flags, "format"> {
  readonly format: AccessFormat;
  readonly plan?: string;
}

export function access(paths: readonly string[], flags: AccessFlags, host: Host): Promise<FinishedCommand> {
  const { asOf, plan } = flags;
  return runCommand("access", { ...flags, format: "text" }, host, async (command) => {
    if (plan !== undefined) return accessAround(command, plan, paths, flags);
    const selection = readOnly(flags.only, ["user", "team", "role"]);
    if (asOf === undefined) await accessNow(command, paths, flags, selection);
    else await accessAt(command, asOf, flags, selection);
  });
}

function readEverybody(command: Command, paths: readonly string[], flags: AccessFlags): Promise<PlanMade> {
  return planWithoutLock(command, { paths, flags: { ...flags, format: "text" }, everyone: () => "always" });
}

async function accessNow(
  command: Command,
  paths: readonly string[],
  flags: AccessFlags,
  selection: ListSelection,
): Promise<void> {
  const made = await readEverybody(command, paths, flags);
  const map = accessMapOf(made, selection);
  const head = await headOf(made.log);
  const text = formatAccess({ ...map, head }, flags.format, textStyleOf(command.host.stdout));
  command.tell({ diagnostics: [], ownWords: { text } });
}

async function accessAt(command: Command, asOf: string, flags: AccessFlags, selection: ListSelection): Promise<void> {
  const { host } = command;
  // A day counts to its end.
  const until = readTime("--as-of", isDate(asOf) ? `${asOf}T23:59:59.999Z` : asOf, host.clock.now());
  const settings = await readSettings(flags, host);
  const { privilegedRoles } = readPolicy({ ...flags, format: "text" }, settings, host);
  const log = command.closing(await openLog(settings, host, "allowed"));
  const { state, from, pruned } = orThrow(await foldWhere(log.store, ({ event }) => Date.parse(event.at) <= until));
  if (from === undefined)
    throw invalidSetting(
      "missing-setting",
      "--as-of needs a log, but the log has no events.",
      "Name its place with --state, or leave --as-of out to read the service.",
    );
  checkPruned("--as-of", until, pruned);
  const calls = state.open.length;
  const gaps: readonly AccessGap[] = [
    ...(pruned === undefined && Date.parse(from) > until ? [{ of: "earlier", than: from } as const] : []),
    ...(calls === 0 ? [] : [{ of: "unknown", calls } as const]),
  ];
  const head = await headOf(log);
  const map = mapRecordedAccess(state, { asOf: new Date(until).toISOString(), gaps, head }, privilegedRoles, selection);
  command.tell({ ownWords: { text: formatAccess(map, flags.format, textStyleOf(host.stdout)) } });
}

async function accessAround(
  command: Command,
  file: string,
  paths: readonly string[],
  flags: AccessFlags,
): Promise<void> {
  if (flags.format !== "json" || flags.asOf !== undefined || flags.only !== undefined)
    throw invalidSetting(
      "bad-flag-value",
      "--plan prints all access, as JSON.",
      "Pass `--plan FILE --format json`, without a selection.",
    );
  const { plan } = await readSavedPlan(await readSavedText(file, command.host));
  const { planned, loaded } = await readEverybody(command, paths, flags);
  checkPlanService(plan, planned.snapshot.service);
  const keys = rolesByKey(planned, plan);
  const text = formatPlanAccess(plan, planned.snapshot, loaded.roster, keys);
  command.tell({ diagnostics: [], ownWords: { text } });
}
