import type { Policy } from "../../model/policy.ts";
import type { Roster } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import { errorFromFailure } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { readProgress } from "../progress/progress-observer.ts";
import { type CommandSession, type PlanningFlags, withSession } from "../session.ts";
import type { WantedSnapshot } from "../snapshot-file/snapshot-flags.ts";
import { reportActiveRun } from "../stores/lock.ts";
import type { LoadedRoster } from "./load-roster.ts";
import { type Planned, type PlanningInput, planFor } from "./pipeline.ts";

export interface PlanRequest {
  readonly paths: readonly string[];
  readonly flags: PlanningFlags;
  readonly host: Host;
  /** Plans with this snapshot, and meets neither the service nor the state. */
  readonly snapshot?: WantedSnapshot | undefined;
  /** Addresses that are asked about: a snapshot in which they are hashed tells of them all the same. */
  readonly about?: readonly string[];
  /** Whether everybody is read of a service; where it is not said, if `--unmanaged` wants it. */
  readonly everyone?: (roster: Roster, state: State) => PlanningInput["everyone"];
}

/** What a plan was made of. */
export interface PlanSources {
  readonly loaded: LoadedRoster;
  readonly policy: Policy;
  /** As it was read. */
  readonly state: State;
}

/** What a plan was made of, and with what. */
export interface PlanSession
  extends PlanSources,
    Pick<CommandSession, "settings" | "halting" | "onlooker" | "readTimes"> {
  readonly host: Host;
  readonly everyone: PlanningInput["everyone"];
  /** The public part of the key in use. */
  readonly keyInUse?: string | undefined;
}

/** What becomes of a plan. It may be one that guards refuse. */
export type PlanHandler = (so: CommandResult, planned: Planned, means: PlanSession) => Promise<CommandResult>;

/** Makes a plan, of the service or of a snapshot, without a lock and without writing anything, and hands over to `work`. */
export async function withPlan(
  begun: CommandResult,
  { snapshot, ...asked }: PlanRequest,
  work: PlanHandler,
): Promise<CommandResult> {
  if (snapshot !== undefined) {
    const { planFromSnapshot } = await import("../snapshot-file/plan-from-snapshot.ts");
    return planFromSnapshot(begun, { ...asked, wanted: snapshot }, work);
  }
  const { flags, host } = asked;
  return withSession(begun, asked, async (so, ready) => {
    const { loaded, store, service, policy, settings, halting, onlooker } = ready;
    const { keyPrefix: keyInUse } = service;
    const state = await store.read();
    if (!state.ok) return { ...so, stop: errorFromFailure(state.error) };
    await reportActiveRun(store, host);
    const { roster } = loaded;
    const wanted = flags.unmanaged === true ? "always" : asked.everyone?.(roster, state.value);
    const everyone = wanted ?? "when-needed";
    const question = { roster, state: state.value, policy, everyone } as const;
    const ports = { service, clock: host.clock, progress: readProgress(onlooker), parallelism: settings.parallelism };
    const planned = await planFor(question, { ...ports, signal: halting.signal });
    if (!planned.ok) return { ...so, stop: planned.error };
    return work(so, planned.value, { ...ready, host, state: state.value, everyone, keyInUse });
  });
}
