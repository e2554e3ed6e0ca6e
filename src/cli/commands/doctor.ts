import { errorFromFailure, orThrow } from "../../library/error.ts";
import { examineService } from "../../library/examine.ts";
import { checkService } from "../../library/plan.ts";
import { privilegedRolesOf } from "../../library/policy.ts";
import { definedFields } from "../../model/collections.ts";
import { type DoctorObservations, diagnose, readFailures } from "../../report/doctor/diagnose.ts";
import type { Flags } from "../flags.ts";
import { openLog } from "../log.ts";
import { connectService, keySource } from "../open.ts";
import type { Command } from "../run-command.ts";
import { pullRequestOf } from "../run-context.ts";
import { accountIdentifiers, readSettings, shownSettings } from "../settings/settings.ts";

/** Shows the settings, and says what the answers of a service mean for a plan. Only reads; needs no roster and no state. */
export async function doctor({ closing, host, tell }: Command, flags: Flags): Promise<void> {
  const shown = await shownSettings(flags, host);
  tell({ examination: { settings: shown, checks: [] } });
  const settings = await readSettings(flags, host);
  const service = closing(await connectService(settings, host, flags));
  const { address, way } = service;
  const examined = await examineService(service, accountIdentifiers(settings), host.interruption.signal);
  // A log that cannot be read says nothing of the service.
  const log = await openLog(settings, host).catch(() => undefined);
  const read = await log?.store.read().finally(() => log.close());
  const state = read?.ok === true ? read.value : undefined;
  const isOurs = state !== undefined && (state.service ?? address) === address;
  const writes = isOurs ? definedFields({ learned: state.writes, set: settings.consistency }) : undefined;
  const seen: DoctorObservations = {
    ...examined,
    settings: shown,
    way: definedFields({ proxy: way.proxy?.shown, authorities: settings.network.ca?.value }),
    node: process.version,
    key: {
      ...examined.key,
      from: keySource(settings, host).name,
      privilegedRoles: privilegedRolesOf(settings.guards),
    },
    ...definedFields({ pullRequest: pullRequestOf(host), writes }),
  };
  tell({ examination: diagnose(seen) });
  const [failure] = readFailures(seen);
  if (failure !== undefined) throw errorFromFailure(failure);
  if (log !== undefined && read !== undefined) checkService(orThrow(read), service, log);
}
