import { type Conclusion, conclude, type FormatName } from "../conclude.ts";
import type { Host } from "../host.ts";
import { planFor } from "../pipeline.ts";
import { type PlanningFlags, prepared } from "../prepare.ts";
import { readProgress } from "../progress-lines.ts";
import { tellRunUnderWay } from "../run-under-way.ts";
import { stopFor } from "../stop.ts";

export interface PlanFlags extends PlanningFlags {
  readonly format: FormatName;
  readonly detailedExitcode?: boolean;
}

/** Shows what `apply` would do. Takes no lock and writes nothing. */
export async function plan(paths: readonly string[], flags: PlanFlags, host: Host): Promise<number> {
  const tells = flags.detailedExitcode === true ? "what-remains" : "success-only";
  return conclude(await compare("plan", tells, paths, flags, host), flags.format, host);
}

/** Reads everyone and says in what the service and the roster differ. Takes no lock and writes nothing. */
export async function drift(paths: readonly string[], flags: PlanFlags, host: Host): Promise<number> {
  const everyone = { ...flags, unmanaged: true };
  return conclude(await compare("drift", "what-remains", paths, everyone, host), flags.format, host);
}

async function compare(
  command: "plan" | "drift",
  tells: Conclusion["tells"],
  paths: readonly string[],
  flags: PlanFlags,
  host: Host,
): Promise<Conclusion> {
  return prepared({ command, tells, diagnostics: [] }, { paths, flags, host }, async (so, ready) => {
    const { loaded, store, service, policy, settings, halting } = ready;
    const state = await store.read();
    if (!state.ok) return { ...so, stop: stopFor(state.error) };
    await tellRunUnderWay(store, host);
    const everyone = flags.unmanaged === true ? "always" : "when-needed";
    const question = { roster: loaded.roster, state: state.value, policy, everyone } as const;
    const ports = { service, clock: host.clock, progress: readProgress(host), parallelism: settings.parallelism };
    const planned = await planFor(question, { ...ports, signal: halting.signal });
    if (!planned.ok) return { ...so, stop: planned.error };
    const { plan: made, reading, refusal } = planned.value;
    return { ...so, plan: made, reading, ...(refusal === undefined ? {} : { stop: refusal }) };
  });
}
