import { invalidSetting } from "../../library/error.ts";
import { foldWhere } from "../../log/log.ts";
import { isDate } from "../../model/roster.ts";
import { endedChanges } from "../../plan/drift/ended-changes.ts";
import { rolesByKey } from "../../plan/roles-by-key.ts";
import { type AccessFormat, formatAccess, formatPlanAccess } from "../../report/access/access-formats.ts";
import {
  type AccessGap,
  type AccessMap,
  type AccessSelection,
  mapRecordedAccess,
} from "../../report/access/access-map.ts";
import { type Flags, readOnly, readTime, type SomeFlags } from "../flags.ts";
import { textStyleOf } from "../host.ts";
import { checkPruned, headOf, openLog } from "../log.ts";
import { readPolicy } from "../open.ts";
import { checkPlanService, readSavedPlan, readSavedText } from "../plan-file.ts";
import { accessMapOf, planWithoutLock } from "../planning.ts";
import type { Command } from "../run-command.ts";
import { readSettings } from "../settings/settings.ts";

export async function access(
  command: Command,
  paths: readonly string[],
  { format, plan: file, ...given }: SomeFlags & { readonly format: AccessFormat; readonly plan?: string },
): Promise<void> {
  const flags: Flags = { ...given, format: "text" };
  const { asOf, only } = flags;
  const planEverybody = () => planWithoutLock(command, { paths, flags, everyone: () => "always" });
  const tellMap = (map: AccessMap) =>
    command.tell({
      diagnostics: [],
      access: map,
      ownWords: { text: formatAccess(map, format, textStyleOf(command.host.stdout)) },
    });
  if (file === undefined) {
    const selection = readOnly(only, ["user", "team", "role"]);
    if (asOf !== undefined) return tellMap(await recordedAccess(command, asOf, flags, selection));
    const made = await planEverybody();
    const map = accessMapOf(made.planned, selection);
    if (made.log === undefined) return tellMap(map);
    const ended = await endedChanges(made.log.store.readEvents(), selection);
    return tellMap({ ...map, head: await headOf(made.log), ended });
  }
  if (format !== "json" || asOf !== undefined || only !== undefined) {
    const hint = "Pass `--plan FILE --format json`, without a selection.";
    throw invalidSetting("bad-flag-value", "--plan prints all access, as JSON.", hint);
  }
  const { plan } = await readSavedPlan(await readSavedText(file, command.host));
  const { planned, loaded } = await planEverybody();
  checkPlanService(plan, planned.snapshot.service);
  const text = formatPlanAccess(plan, planned.snapshot, loaded.roster, rolesByKey(planned, plan));
  command.tell({ diagnostics: [], ownWords: { text } });
}

async function recordedAccess(
  { closing, host }: Command,
  asOf: string,
  flags: Flags,
  selection: AccessSelection,
): Promise<AccessMap> {
  // A day counts to its end.
  const until = readTime("--as-of", isDate(asOf) ? `${asOf}T23:59:59.999Z` : asOf, host.clock.now());
  const settings = await readSettings(flags, host);
  const { privilegedRoles } = readPolicy(flags, settings, host);
  const log = closing(await openLog(settings, host, "allowed"));
  const { state, from, pruned } = await foldWhere(log.store.readEvents(), ({ event }) => Date.parse(event.at) <= until);
  if (from === undefined) {
    const hint = "If the log is in another place, name it with --state. To read the service, leave --as-of out.";
    throw invalidSetting("missing-setting", "--as-of needs a log, but the log has no events.", hint);
  }
  checkPruned("--as-of", until, pruned);
  const calls = state.open.length;
  const gaps: readonly AccessGap[] = [
    ...(pruned === undefined && Date.parse(from) > until ? [{ of: "earlier", than: from } as const] : []),
    ...(calls === 0 ? [] : [{ of: "unknown", calls } as const]),
  ];
  const ended = await endedChanges(log.store.readEvents(), selection, until);
  const about = { asOf: new Date(until).toISOString(), gaps, head: await headOf(log), ended };
  return mapRecordedAccess(state, about, privilegedRoles, selection);
}
