import { rebuildLog } from "../../library/rebuild-log.ts";
import { describeRebuild } from "../../report/document/state.ts";
import type { Flags } from "../flags.ts";
import { withLock } from "../log.ts";
import { openPlanning } from "../open.ts";
import { type Command, planAgain } from "../run-command.ts";

export async function stateRebuild(command: Command, paths: readonly string[], flags: Flags): Promise<void> {
  const { options } = await openPlanning(command, paths, flags);
  const { log, roster } = options;
  await withLock(command, log, "state rebuild", flags, async (lock) => {
    const snapshot = await rebuildLog(lock, options);
    const rebuilt = describeRebuild(roster.roster, snapshot, lock.now());
    command.tell({
      planAgain: planAgain(paths, flags, command.host, "plan"),
      state: { did: "rebuild", address: log.address, ...rebuilt },
    });
  });
}
