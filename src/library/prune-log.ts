import type { LogCut } from "../log/port.ts";
import { cutAt, findCut } from "../log/prune.ts";
import { outcomeOf } from "../log/store-error.ts";
import { isoTime } from "../ports/clock.ts";
import { invalidSetting, orThrow } from "./error.ts";
import { durably, type LockedLog } from "./log.ts";

/** Where events go before they are pruned. */
export interface EventExport {
  /** The name by which errors speak of it. */
  readonly name: string;
  /** Resolves when all that `cut` writes is durable: only then the log is pruned. What `cut` throws, it throws. */
  save(cut: (write: (part: string) => Promise<void>) => Promise<LogCut>): Promise<LogCut>;
}

/** Moves the events of all commands that ended before a time (ISO 8601) to an export. Throws where there are none. */
export async function pruneLog(lock: LockedLog, before: string, { name, save }: EventExport): Promise<LogCut> {
  const { store, address, clock } = lock.log;
  const head = await findCut(store, before);
  if (head === undefined) {
    const message = `The log at ${address} has nothing to prune: no command in it ended before ${before}.`;
    throw invalidSetting("nothing-to-change", message, "Prune later, or name a later time.");
  }
  const cut = await save(async (write) =>
    orThrow(await outcomeOf(() => cutAt(store, head, before, isoTime(clock), write))),
  );
  await durably(lock.prune(cut), `the events are in ${name}, and may still be in the log`);
  return cut;
}
