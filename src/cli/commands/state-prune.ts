import { resolve } from "node:path";
import { createFile, localFiles, systemErrorCode } from "../../files/file-system.ts";
import { invalidSetting, RosterError, stopError } from "../../library/error.ts";
import { type EventExport, pruneLog } from "../../library/prune-log.ts";
import { type Flags, readTime } from "../flags.ts";
import { configuredLog, withLock } from "../log.ts";
import type { Command } from "../run-command.ts";
import { leadsOutOfCheckout } from "../trust.ts";

export async function statePrune(
  command: Command,
  flags: Flags & { readonly before: string; readonly out: string },
): Promise<void> {
  const now = command.host.clock.now();
  const time = readTime("--before", flags.before, now);
  if (time > now) {
    const message = `--before ${flags.before} is in the future.`;
    throw invalidSetting("bad-flag-value", message, "Name a time that has passed.");
  }
  const before = new Date(time).toISOString();
  const log = await configuredLog(command, flags);
  await withLock(command, log, "state prune", flags, async (lock) => {
    const path = resolve(command.host.cwd, flags.out);
    const save: EventExport["save"] = async (cut) => {
      if (await leadsOutOfCheckout(path, command.host))
        throw unwritable(path, "a symbolic link leads out of the checkout");
      return createFile(localFiles, path, cut).catch((error: unknown) => {
        throw error instanceof RosterError ? error : unwritable(path, systemErrorCode(error));
      });
    };
    const { event, forgotten } = await pruneLog(lock, before, { name: flags.out, save });
    const range = { first: event.from, head: event.head, forgotten };
    command.tell({ state: { did: "prune", address: log.address, before, export: path, ...range } });
  });
}

function unwritable(path: string, why: string): RosterError {
  const hint = "nothing was pruned; name a file that does not exist yet with --out";
  return stopError("failed", "unwritable", `the export ${path} cannot be written: ${why}`, hint);
}
