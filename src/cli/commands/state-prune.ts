import { dirname, resolve } from "node:path";
import { localFiles, syncDirectory, systemErrorCode } from "../../files/file-system.ts";
import { invalidSetting, orThrow, type RosterError, stopError } from "../../library/error.ts";
import { durably, type Log } from "../../library/log.ts";
import type { LogCut } from "../../log/port.ts";
import { cutAt, findCut } from "../../log/prune.ts";
import { outcomeOf } from "../../log/store-error.ts";
import type { Failure } from "../../model/failure.ts";
import type { Result } from "../../model/result.ts";
import type { LogHead } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import { type Flags, readTime } from "../flags.ts";
import type { Host } from "../host.ts";
import { configuredLog, withLock } from "../log.ts";
import type { Command } from "../run-command.ts";
import { leadsOutOfCheckout } from "../trust.ts";

export async function statePrune(
  command: Command,
  flags: Flags & { readonly before: string; readonly export: string },
): Promise<void> {
  const now = command.host.clock.now();
  const time = readTime("--before", flags.before, now);
  if (time > now) {
    const message = `--before ${flags.before} is in the future.`;
    throw invalidSetting("bad-flag-value", message, "Name a time that has passed.");
  }
  const before = new Date(time).toISOString();
  const log = await configuredLog(command, flags);
  const { address } = log;
  await withLock(command, log, "state prune", flags, async (lock) => {
    const head = await findCut(log.store, before);
    if (head === undefined) {
      const message = `The log at ${address} has nothing to prune: no command in it ended before ${before}.`;
      throw invalidSetting("nothing-to-change", message, "Prune later, or name a later time.");
    }
    const path = resolve(command.host.cwd, flags.export);
    const cut = await exportTo(path, log, head, before, command.host);
    const { event, forgotten } = cut;
    await durably(lock.prune(cut), `the events are in ${flags.export}, and may still be in the log`);
    const range = { first: event.from, head: event.head, forgotten };
    command.tell({ state: { did: "prune", address, before, export: path, ...range } });
  });
}

/** Writes the events to a new file, durably. What could not be written whole is taken away. */
async function exportTo(path: string, { store }: Log, head: LogHead, before: string, host: Host): Promise<LogCut> {
  if (await leadsOutOfCheckout(path, host)) throw unwritable(path, "a symbolic link leads out of the checkout");
  let cut: Result<LogCut, Failure> | undefined;
  try {
    const file = await localFiles.open(path, "create");
    try {
      cut = await outcomeOf(() => cutAt(store, head, before, isoTime(host.clock), (text) => file.write(text)));
      await file.sync();
    } finally {
      await file.close();
      if (cut?.ok !== true) await localFiles.remove(path);
    }
    await syncDirectory(localFiles, dirname(path));
  } catch (error) {
    throw unwritable(path, systemErrorCode(error));
  }
  return orThrow(cut);
}

function unwritable(path: string, why: string): RosterError {
  const hint = "nothing was pruned; name a file that does not exist yet with --export";
  return stopError("failed", "unwritable", `the export ${path} cannot be written: ${why}`, hint);
}
