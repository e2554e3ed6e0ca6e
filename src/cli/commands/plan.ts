import { type Conclusion, conclude } from "../conclude.ts";
import type { Host } from "../host.ts";
import { readProgress } from "../onlooker.ts";
import { type Planned, planFor } from "../pipeline.ts";
import type { PlanGround } from "../plan-file/make-plan-file.ts";
import { type OutFlags, readOut } from "../plan-file/out-flags.ts";
import { savePlan } from "../plan-file/save-plan.ts";
import { type PlanningFlags, prepared } from "../prepare.ts";
import { tellRunUnderWay } from "../run-under-way.ts";
import { selectedPart } from "../selectors.ts";
import { stopFor } from "../stop.ts";
import { shownAs, unseenView } from "../view-flag.ts";

export interface PlanFlags extends PlanningFlags, OutFlags {
  readonly detailedExitcode?: boolean;
}

/** Shows what `apply` would do, and saves it where a file is named. Takes no lock and writes nothing else. */
export async function plan(paths: readonly string[], flags: PlanFlags, host: Host): Promise<number> {
  const tells = flags.detailedExitcode === true ? "what-remains" : "success-only";
  const begun = { command: "plan", tells, diagnostics: [] } as const;
  const unseen = unseenView(flags, { asks: "nobody" });
  if (unseen !== undefined) return conclude({ ...begun, stop: unseen }, flags, host);
  const saving = await readOut(flags, host);
  if (!saving.ok) return conclude({ ...begun, stop: saving.error }, flags, host);
  const out = saving.value;
  const finish: Finish = async (so, planned, ground) =>
    out === undefined ? so : savePlan(so, planned, { ...ground, out, host });
  return conclude(await compare(begun, { paths, flags, host }, finish), flags, host);
}

type Finish = (so: Conclusion, planned: Planned, ground: PlanGround) => Promise<Conclusion>;

async function compare(
  begun: Conclusion,
  asked: { readonly paths: readonly string[]; readonly flags: PlanningFlags; readonly host: Host },
  finish: Finish,
): Promise<Conclusion> {
  const { flags, host } = asked;
  return prepared(begun, asked, async (so, ready) => {
    const { loaded, store, service, policy, settings, halting, onlooker } = ready;
    const state = await store.read();
    if (!state.ok) return { ...so, stop: stopFor(state.error) };
    await tellRunUnderWay(store, host);
    const everyone = flags.unmanaged === true ? "always" : "when-needed";
    const question = { roster: loaded.roster, state: state.value, policy, everyone } as const;
    const ports = { service, clock: host.clock, progress: readProgress(onlooker), parallelism: settings.parallelism };
    const planned = await planFor(question, { ...ports, signal: halting.signal });
    if (!planned.ok) return { ...so, stop: planned.error };
    const { plan: made, reading, refusal } = planned.value;
    onlooker.planned(made);
    const told = {
      ...so,
      plan: made,
      reading,
      ...shownAs(flags, policy),
      ...selectedPart(policy),
      ...(refusal === undefined ? {} : { stop: refusal }),
    };
    return finish(told, planned.value, { loaded, policy, state: state.value });
  });
}
