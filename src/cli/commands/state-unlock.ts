import type { StateStore } from "../../ports/state-store.ts";
import { formatLockHolder } from "../../report/state.ts";
import { errorFromFailure } from "../command-error.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type openSession, runCommand } from "../session.ts";
import { type StateFlags, stateResult } from "../stores/open-store.ts";

/** Breaks the lock with this id. Without an id it says who holds the lock, and breaks nothing. */
export async function stateUnlock(
  id: string | undefined,
  flags: StateFlags & OutputFlags,
  host: Host,
): Promise<number> {
  return finish(await runCommand((open) => unlockResult(id, { flags, host }, open)), flags, host);
}

async function unlockResult(
  id: string | undefined,
  { flags, host }: { readonly flags: StateFlags & OutputFlags; readonly host: Host },
  open: typeof openSession,
): Promise<CommandResult> {
  const session = await open({ command: "state", flags, host, needs: ["store"], movedState: "allowed" });
  if (!session.ok) return { ...stateResult, ...session.error };
  const { store } = session.value;
  if (id === undefined) return showHolder(store);
  const broken = await store.unlock(id);
  if (!broken.ok) return { ...stateResult, stop: errorFromFailure(broken.error) };
  return { ...stateResult, state: { did: "unlock", address: store.address, holder: broken.value } };
}

async function showHolder(store: StateStore): Promise<CommandResult> {
  const read = await store.holder();
  if (!read.ok) return { ...stateResult, stop: errorFromFailure(read.error) };
  const holder = read.value;
  const result: CommandResult = { ...stateResult, state: { did: "look-at-lock", address: store.address, holder } };
  if (holder === "nobody") return result;
  const problem = {
    code: "locked",
    message: `the state is locked: ${formatLockHolder(holder)}`,
    request: store.address,
    hint: `\`roster state unlock ${holder.id}\` breaks its lock: only where it is certain that this run has ended`,
  };
  return { ...result, stop: { reason: "locked", problem } };
}
