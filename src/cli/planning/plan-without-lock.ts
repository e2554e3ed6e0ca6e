import { problem, type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import { errorFromFailure } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { type CommandCall, type PlanningFlags, planningParts, readPorts, type Session } from "../session.ts";
import type { WantedSnapshot } from "../snapshot-file/snapshot-flags.ts";
import { reportActiveRun } from "../stores/lock.ts";
import { rosterSummary } from "./load-roster.ts";
import { type Planned, type PlanningInput, planFor } from "./pipeline.ts";

export interface PlanRequest extends CommandCall<PlanningFlags> {
  readonly paths: readonly string[];
  /** What is left of standard input for the roster. */
  readonly stdin?: Host["stdin"];
  /** Plans with this snapshot; the service and the state are not read. */
  readonly snapshot?: WantedSnapshot | undefined;
  /** Addresses that are asked about: a snapshot that hashes addresses answers about them too. */
  readonly about?: readonly string[];
  /** Whether all users of the service are read. Without it `--unmanaged` decides. */
  readonly everyone?: (roster: Roster, state: State) => PlanningInput["everyone"];
}

/** A plan, the session that made it, and what the command knows so far. */
export interface PlanMade {
  readonly result: CommandResult;
  readonly session: Session<"policy" | "observer" | "loaded">;
  readonly planned: Planned;
  /** As it was read. */
  readonly state: State;
  readonly everyone: PlanningInput["everyone"];
  /** The public part of the key in use. */
  readonly keyInUse?: string | undefined;
}

/** Makes a plan from the service or from a snapshot, without a lock and without writing anything. Guards may refuse the plan. */
export async function planWithoutLock(
  base: CommandResult,
  { snapshot, everyone: chosen, ...request }: PlanRequest,
): Promise<Result<PlanMade, CommandResult>> {
  if (snapshot !== undefined) {
    const { planFromSnapshot } = await import("../snapshot-file/plan-from-snapshot.ts");
    return planFromSnapshot(base, { ...request, wanted: snapshot });
  }
  const opened = await request.open({ ...request, command: base.command, needs: planningParts });
  if (!opened.ok) return problem({ ...base, ...opened.error });
  const session = opened.value;
  const { loaded, policy, store, service, host } = session;
  const result = { ...base, ...rosterSummary(loaded) };
  const state = await store.read();
  if (!state.ok) return problem({ ...result, stop: errorFromFailure(state.error) });
  await reportActiveRun(store, host);
  const { roster } = loaded;
  const wanted = request.flags.unmanaged === true ? "always" : chosen?.(roster, state.value);
  const everyone = wanted ?? "when-needed";
  const planned = await planFor({ roster, state: state.value, policy, everyone }, readPorts(session));
  if (!planned.ok) return problem({ ...result, stop: planned.error });
  const { keyPrefix: keyInUse } = service;
  return success({ result, session, planned: planned.value, state: state.value, everyone, keyInUse });
}
