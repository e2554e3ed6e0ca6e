import type { DriftClass } from "../../model/drift.ts";
import { type DriftFlags, readClasses } from "../drift/drift-flags.ts";
import { healUnderLock } from "../drift/heal-under-lock.ts";
import { look } from "../drift/look.ts";
import type { Host } from "../host.ts";
import { type Conclusion, conclude } from "../output/conclude.ts";
import { type Prepared, prepared } from "../planning/prepare.ts";
import { readDeadline } from "../running/halting.ts";
import { stopFor } from "../stop.ts";
import { type LockPatience, readLockPatience } from "../stores/lock-patience.ts";
import { takeLock } from "../stores/take-lock.ts";
import { underLock } from "../stores/under-lock.ts";
import { readWebhook } from "../webhook/read-webhook.ts";
import { tellWebhook } from "../webhook/tell-webhook.ts";

/**
 * Reads everyone and says in what the service and the roster differ, why and since when. Locks the state only to remember
 * what it saw, and only where it can; with classes to heal it is an apply of just these.
 */
export async function drift(paths: readonly string[], flags: DriftFlags, host: Host): Promise<number> {
  const webhook = await readWebhook(flags, host);
  if (!webhook.ok) return conclude({ ...begun, stop: webhook.error }, flags, host);
  const began = host.clock.now();
  const conclusion = await conclusionOf(paths, flags, host);
  const exitCode = await conclude(conclusion, flags, host);
  const limit = readDeadline(flags, host);
  const isOver = limit.ok && limit.value !== undefined && host.clock.now() - began >= limit.value;
  const attempts = isOver ? "one" : "several";
  if (webhook.value !== undefined)
    await tellWebhook(webhook.value, { conclusion, exitCode }, { flags, host, attempts });
  return exitCode;
}

const begun: Conclusion = { command: "drift", tells: "what-remains", diagnostics: [] };

async function conclusionOf(paths: readonly string[], flags: DriftFlags, host: Host): Promise<Conclusion> {
  const patience = readLockPatience(flags, host);
  if (!patience.ok) return { ...begun, stop: patience.error };
  const classes = readClasses(flags);
  if (!classes.ok) return { ...begun, stop: classes.error };
  const everyone = { ...flags, unmanaged: true };
  return prepared(begun, { paths, flags: everyone, host }, async (so, ready) => {
    const work = { flags: everyone, host, patience: patience.value };
    return classes.value === undefined
      ? look(so, { ...ready, ...work })
      : heal(so, ready, { ...work, classes: classes.value });
  });
}

async function heal(
  so: Conclusion,
  { store, ...ready }: Prepared,
  { flags, host, patience, classes }: HealWork,
): Promise<Conclusion> {
  const run = host.randomness.identifier();
  const { signal } = ready.halting;
  const locked = await takeLock(store, { run, operation: "drift --heal" }, patience, { host, signal });
  if (!locked.ok) return { ...so, stop: stopFor(locked.error) };
  const session = locked.value;
  return underLock(session, () => healUnderLock(so, { flags, host, ...ready, session, run }, classes));
}

interface HealWork {
  readonly flags: DriftFlags;
  readonly host: Host;
  readonly patience: LockPatience;
  readonly classes: ReadonlySet<DriftClass>;
}
