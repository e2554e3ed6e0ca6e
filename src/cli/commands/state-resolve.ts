import { resolveOpenCall } from "../../library/correct-log.ts";
import { invalidSetting, orThrow } from "../../library/error.ts";
import { callIdOf } from "../../model/state.ts";
import { formatIntent } from "../../report/document/names.ts";
import { describeResolution, explainOpenCall } from "../../report/document/state.ts";
import type { Flags } from "../flags.ts";
import { configuredLog, readLockOptions, withLock } from "../log.ts";
import { type Command, planCommands } from "../run-command.ts";

/** Records what a person says of a call. Without an id it lists the calls whose outcome is unknown. */
export async function stateResolve(
  command: Command,
  id: string | undefined,
  outcome: "done" | "not-done" | undefined,
  people: readonly string[],
  flags: Flags,
): Promise<void> {
  if (id === undefined) return listOpenCalls(command, flags);
  if (outcome === undefined) {
    const { resolve } = planCommands([], flags, command.host);
    const hint = `Look in the service, then run \`${resolve} ${id} done\` or \`${resolve} ${id} not-done\`.`;
    throw invalidSetting("usage", `Give the outcome of the call ${id}: done or not-done.`, hint);
  }
  const log = await configuredLog(command, flags);
  await withLock(command, log, "state resolve", flags, async (lock) => {
    const resolved = describeResolution(await resolveOpenCall(lock, id, outcome, people), lock.now());
    command.tell({ state: { did: "resolve", address: log.address, id, outcome, ...resolved } });
  });
}

async function listOpenCalls(command: Command, flags: Flags): Promise<void> {
  const { store, address } = await configuredLog(command, flags);
  // A wrong flag is refused here too, where nothing is locked.
  readLockOptions(flags, command.host);
  const state = orThrow(await store.read());
  const calls = state.open.map((open) => {
    const { run, action, at, accepted = false, intent } = open;
    const { kind } = intent;
    const people = kind === "create-user" ? [intent.email] : kind === "add-members" ? intent.addresses : [];
    const call = formatIntent(intent);
    return { id: callIdOf(open), kind, people, call, run, action, at, accepted, why: explainOpenCall(open, state) };
  });
  command.tell({ state: { did: "list-calls", address, calls } });
}
