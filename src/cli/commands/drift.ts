import type { DriftClass } from "../../model/drift.ts";
import { type DriftFlags, readHealClasses } from "../drift/drift-flags.ts";
import { healUnderLock } from "../drift/heal-under-lock.ts";
import { checkDrift } from "../drift/look.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/conclude.ts";
import { type CommandSession, withSession } from "../planning/prepare.ts";
import { readDeadline } from "../running/halting.ts";
import { errorFromFailure } from "../stop.ts";
import { type LockWaitOptions, readLockOptions } from "../stores/lock-patience.ts";
import { takeLock } from "../stores/take-lock.ts";
import { underLock } from "../stores/under-lock.ts";
import { readWebhook } from "../webhook/read-webhook.ts";
import { notifyWebhook } from "../webhook/tell-webhook.ts";

/**
 * Reads everyone and says in what the service and the roster differ, why and since when. Locks the state only to remember
 * what it saw, and only where it can; with classes to heal it is an apply of just these.
 */
export async function drift(paths: readonly string[], flags: DriftFlags, host: Host): Promise<number> {
  const webhook = await readWebhook(flags, host);
  if (!webhook.ok) return finish({ ...begun, stop: webhook.error }, flags, host);
  const began = host.clock.now();
  const conclusion = await driftResult(paths, flags, host);
  const exitCode = await finish(conclusion, flags, host);
  const limit = readDeadline(flags, host);
  const isOver = limit.ok && limit.value !== undefined && host.clock.now() - began >= limit.value;
  const attempts = isOver ? "one" : "several";
  if (webhook.value !== undefined)
    await notifyWebhook(webhook.value, { conclusion, exitCode }, { flags, host, attempts });
  return exitCode;
}

const begun: CommandResult = { command: "drift", tells: "what-remains", diagnostics: [] };

async function driftResult(paths: readonly string[], flags: DriftFlags, host: Host): Promise<CommandResult> {
  const patience = readLockOptions(flags, host);
  if (!patience.ok) return { ...begun, stop: patience.error };
  const classes = readHealClasses(flags);
  if (!classes.ok) return { ...begun, stop: classes.error };
  const everyone = { ...flags, unmanaged: true };
  return withSession(begun, { paths, flags: everyone, host }, async (so, ready) => {
    const work = { flags: everyone, host, patience: patience.value };
    return classes.value === undefined
      ? checkDrift(so, { ...ready, ...work })
      : heal(so, ready, { ...work, classes: classes.value });
  });
}

async function heal(
  so: CommandResult,
  { store, ...ready }: CommandSession,
  { flags, host, patience, classes }: HealSession,
): Promise<CommandResult> {
  const run = host.randomness.identifier();
  const { signal } = ready.halting;
  const locked = await takeLock(store, { run, operation: "drift --heal" }, patience, { host, signal });
  if (!locked.ok) return { ...so, stop: errorFromFailure(locked.error) };
  const session = locked.value;
  return underLock(session, () => healUnderLock(so, { flags, host, ...ready, session, run }, classes));
}

interface HealSession {
  readonly flags: DriftFlags;
  readonly host: Host;
  readonly patience: LockWaitOptions;
  readonly classes: ReadonlySet<DriftClass>;
}
