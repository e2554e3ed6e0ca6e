import type { PlanFile } from "../../model/plan-file.ts";
import type { Host } from "../host.ts";
import type { Conclusion } from "../output/conclude.ts";
import { type PlanningFlags, preparedWithoutRoster } from "../planning/prepare.ts";
import { invalidSetting, type Stop, stopFor } from "../stop.ts";
import type { LockPatience } from "../stores/lock-patience.ts";
import { takeLock } from "../stores/take-lock.ts";
import { underLock } from "../stores/under-lock.ts";
import { applyFile } from "./apply-file.ts";
import { refusedFlags } from "./fitting-flags.ts";
import { planFileTrouble } from "./plan-file-trust.ts";
import { readPlanFile, toldOf } from "./read-plan-file.ts";

/** How a person wants a plan file applied. */
export interface FileWishes {
  readonly flags: PlanningFlags;
  readonly host: Host;
  readonly patience: LockPatience;
  readonly sequence?: number;
}

/** Applies a plan file: what could be wrong with it is found before the state is locked, what can be stale after. */
export async function applyPlanFile(
  begun: Conclusion,
  found: { readonly path: string; readonly text: string },
  { flags, host, patience, ...order }: FileWishes,
): Promise<Conclusion> {
  const wrong = refusedFlags(flags) ?? (await planFileTrouble(found.path, host));
  if (wrong !== undefined) return { ...begun, stop: wrong };
  const read = readPlanFile(found);
  if (!read.ok) return { ...begun, stop: read.error };
  const file = read.value;
  const told: Conclusion = { ...begun, ...toldOf(file), planFile: { path: found.path, file, is: "applied" } };
  return preparedWithoutRoster(told, { flags, host }, async (so, { store, ...ready }) => {
    const foreign = ofAnotherService(file, ready.service.address);
    if (foreign !== undefined) return { ...so, stop: foreign };
    const run = host.randomness.identifier();
    const { signal } = ready.halting;
    const locked = await takeLock(store, { run, operation: "apply" }, patience, { host, signal });
    if (!locked.ok) return { ...so, stop: stopFor(locked.error) };
    const session = locked.value;
    return underLock(session, () => applyFile(so, { flags, host, ...ready, ...order, session, run, file }));
  });
}

function ofAnotherService({ plan }: PlanFile, address: string): Stop | undefined {
  if (plan.service === address) return undefined;
  return invalidSetting(
    "plan-of-another-service",
    `The plan is for the service ${plan.service}, and this run is about ${address}.`,
    "Name the service that it was made for with --endpoint or ROSTER_ENDPOINT, or plan again.",
  );
}
