import type { PlanFile } from "../../model/saved-files.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/conclude.ts";
import { type PlanningFlags, withSessionWithoutRoster } from "../planning/prepare.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../stop.ts";
import type { LockWaitOptions } from "../stores/lock-patience.ts";
import { takeLock } from "../stores/take-lock.ts";
import { underLock } from "../stores/under-lock.ts";
import { applyFile } from "./apply-file.ts";
import { refusedFlags } from "./fitting-flags.ts";
import { checkPlanFileTrust } from "./plan-file-trust.ts";
import { readPlanFile, summaryOf } from "./read-plan-file.ts";

/** How a person wants a plan file applied. */
export interface ApplyFileOptions {
  readonly flags: PlanningFlags;
  readonly host: Host;
  readonly patience: LockWaitOptions;
  readonly sequence?: number;
}

/** Applies a plan file: what could be wrong with it is found before the state is locked, what can be stale after. */
export async function applyPlanFile(
  begun: CommandResult,
  found: { readonly path: string; readonly text: string },
  { flags, host, patience, ...order }: ApplyFileOptions,
): Promise<CommandResult> {
  const wrong = refusedFlags(flags) ?? (await checkPlanFileTrust(found.path, host));
  if (wrong !== undefined) return { ...begun, stop: wrong };
  const read = readPlanFile(found);
  if (!read.ok) return { ...begun, stop: read.error };
  const file = read.value;
  const told: CommandResult = { ...begun, ...summaryOf(file), planFile: { path: found.path, file, is: "applied" } };
  return withSessionWithoutRoster(told, { flags, host }, async (so, { store, ...ready }) => {
    const foreign = ofAnotherService(file, ready.service.address);
    if (foreign !== undefined) return { ...so, stop: foreign };
    const run = host.randomness.identifier();
    const { signal } = ready.halting;
    const locked = await takeLock(store, { run, operation: "apply" }, patience, { host, signal });
    if (!locked.ok) return { ...so, stop: errorFromFailure(locked.error) };
    const session = locked.value;
    return underLock(session, () => applyFile(so, { flags, host, ...ready, ...order, session, run, file }));
  });
}

function ofAnotherService({ plan }: PlanFile, address: string): CommandError | undefined {
  if (plan.service === address) return undefined;
  return invalidSetting(
    "plan-of-another-service",
    `The plan is for the service ${plan.service}, and this run is about ${address}.`,
    "Name the service that it was made for with --endpoint or ROSTER_ENDPOINT, or plan again.",
  );
}
