import { copyLockedLog } from "../../library/copy-log.ts";
import { invalidSetting } from "../../library/error.ts";
import { headOf } from "../../library/log.ts";
import type { Flags } from "../flags.ts";
import { openLog, openLogAt, withLock } from "../log.ts";
import { type Command, commandLine } from "../run-command.ts";
import { readSettings } from "../settings/settings.ts";

export async function stateCopy(
  command: Command,
  to: string,
  { keep, ...flags }: Flags & { readonly keep?: string },
): Promise<void> {
  const { host } = command;
  const settings = await readSettings(flags, host);
  const log = command.closing(await openLog(settings, host, "allowed"));
  const target = command.closing(await openLogAt(to, host, { network: settings.network, moved: "allowed" }));
  if (log.address === target.address)
    throw invalidSetting("bad-flag-value", `The log is at ${to} already.`, "Name another place to copy it to.");
  await withLock(command, log, "state copy", flags, async (lock) => {
    await copyLockedLog(lock, target, keep);
    const { lineage, open } = lock.state;
    const copied = { from: log.address, to: target.address, lineage: keep ?? lineage, open: open.length };
    command.tell({ state: { did: "copy", ...copied, ...(keep === undefined ? {} : { kept: true }) } });
  });
  const verify = commandLine(["audit", "verify", "--state", target.address, "--expect-head"], host);
  command.tell({ head: await headOf(target), verify });
}
