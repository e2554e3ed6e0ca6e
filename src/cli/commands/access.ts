import { accessAround, accessAt, accessWithLog } from "../../library/access.ts";
import { invalidSetting } from "../../library/error.ts";
import { checkPlanService } from "../../library/plan.ts";
import { readShownPlan } from "../../library/saved-plan.ts";
import { isDate } from "../../model/roster.ts";
import { type AccessFormat, formatAccess, formatPlanAccess } from "../../report/access/access-formats.ts";
import type { AccessMap } from "../../report/access/access-map.ts";
import { type Flags, readSelection, readTime, type SomeFlags } from "../flags.ts";
import { textStyleOf } from "../host.ts";
import { openLog } from "../log.ts";
import { readPolicy } from "../open.ts";
import { findPlan } from "../plan-file.ts";
import { planWithoutLock } from "../planning.ts";
import type { Command } from "../run-command.ts";
import { readSettings } from "../settings/settings.ts";

export async function access(
  command: Command,
  paths: readonly string[],
  { format, include, ...given }: SomeFlags & { readonly format: AccessFormat },
): Promise<void> {
  const { host } = command;
  const flags: Flags = { ...given, format: "text" };
  const { asOf } = flags;
  const tell = (text: string, map?: AccessMap) =>
    command.tell({ diagnostics: [], access: map, ownWords: { text, json: text } });
  const { saved, others, stdin } = await findPlan(paths, host, "roster");
  const everyone = () => "always" as const;
  if (saved !== undefined) {
    if (format !== "json" || asOf !== undefined || include !== undefined) {
      const hint = "Run `roster access FILE --format json`, without a selection.";
      throw invalidSetting("bad-flag-value", "A saved plan prints all access, as JSON.", hint);
    }
    const { plan } = await readShownPlan(saved);
    const { planned } = await planWithoutLock(command, { paths: others, flags, stdin, everyone });
    checkPlanService(plan, planned.snapshot.service);
    return tell(formatPlanAccess(plan, accessAround(plan, planned)));
  }
  const selection = readSelection(include, ["user", "team", "role"]);
  const recorded = async (written: string) => {
    // A day counts to its end.
    const time = readTime("--as-of", isDate(written) ? `${written}T23:59:59.999Z` : written, host.clock.now());
    const settings = await readSettings(flags, host);
    const { privilegedRoles } = readPolicy(flags, settings, host);
    const log = command.closing(await openLog(settings, host, "allowed"));
    return accessAt({ name: "--as-of", time }, log, privilegedRoles, selection);
  };
  const shown = async () => {
    const { planned, log } = await planWithoutLock(command, { paths, flags, stdin, everyone });
    return accessWithLog(planned, log, selection);
  };
  const map = await (asOf === undefined ? shown() : recorded(asOf));
  tell(formatAccess(map, format, textStyleOf(host.stdout)), map);
}
