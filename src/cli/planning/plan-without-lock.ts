import { basisOf, type PlanningInput, plan } from "../../library/plan.ts";
import type { Roster } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import type { Flags } from "../flags.ts";
import type { Host } from "../host.ts";
import { reportActiveRun } from "../log.ts";
import { openPlanning } from "../open.ts";
import type { Command } from "../run-command.ts";
import { type PlanMade, planFromSnapshot } from "./plan-from-snapshot.ts";

interface PlanRequest {
  readonly paths: readonly string[];
  readonly flags: Flags;
  /** What is left of standard input for the roster. */
  readonly stdin?: Host["stdin"] | undefined;
  /** Plans with this snapshot file; the service and the log are not read. */
  readonly from?: string | undefined;
  /** Whether all users of the service are read. Without it `--unmanaged` decides. */
  readonly everyone?: (roster: Roster, state: State) => PlanningInput["everyone"];
}

/** Makes a plan from the service or from a snapshot, without a lock and without writing anything. Guards may refuse the plan. */
export async function planWithoutLock(command: Command, request: PlanRequest): Promise<PlanMade> {
  const { paths, flags, stdin, from, everyone } = request;
  if (from !== undefined) return planFromSnapshot(command, { paths, flags, stdin, from });
  const { loaded, policy, observer, log, options } = await openPlanning(command, paths, flags, stdin);
  await reportActiveRun(log, command.host);
  const planned = basisOf(await plan({ ...options, everyone }));
  return { loaded, policy, observer, planned };
}
