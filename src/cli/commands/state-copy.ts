import { recordEvents } from "../../library/apply/lock.ts";
import { errorFromFailure, invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { copyLog } from "../../log/log.ts";
import { isUnusedState, type State } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import type { RosterLog } from "../../ports/log.ts";
import { baseAddress, endpointProblem } from "../../service/requests.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type CommandCall, runCommand, type Session } from "../session.ts";
import { type Locked, type LockFlags, lockState, readLockOptions } from "../stores/lock.ts";
import { openStoreAt, type StateFlags, stateResult } from "../stores/open-store.ts";

interface CopyFlags extends StateFlags, LockFlags, OutputFlags {}

/** Copies the log to another store, reads it back, and ends it at the old place, which refuses every run from then on. */
export async function stateCopy(to: string, flags: CopyFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => copyResult(to, { flags, host, open })), flags, host);
}

async function copyResult(to: string, { flags, host, open }: CommandCall<CopyFlags>): Promise<CommandResult> {
  const wait = readLockOptions(flags);
  if (!wait.ok) return { ...stateResult, stop: wait.error };
  const opened = await open({ command: "state", flags, host, needs: ["store"], movedState: "allowed" });
  if (!opened.ok) return { ...stateResult, ...opened.error };
  const session = opened.value;
  const target = await openStoreAt(to, host, session.settings.network);
  if (!target.ok) return { ...stateResult, stop: target.error };
  session.onClose(() => target.value.close());
  if (session.store.address === target.value.address) return { ...stateResult, stop: samePlace(to) };
  const locked = await lockState(session, "state copy", wait.value);
  if (!locked.ok) return { ...stateResult, stop: locked.error };
  return copy(locked.value, target.value);
}

async function copy({ store, lock, host }: Locked<Session<"store">>, target: RosterLog): Promise<CommandResult> {
  const { state } = lock;
  const unfit = whyNotCopied(state, store.address);
  if (unfit !== undefined) return { ...stateResult, stop: unfit };
  const at = isoTime(host.clock);
  const copied = await copyLog(store.kept, target.kept, { run: lock.run, operation: "state copy", at });
  if (!copied.ok) return { ...stateResult, stop: errorFromFailure(copied.error) };
  if (!copied.value) return { ...stateResult, stop: occupied(target.address) };
  const ended = await recordEvents(lock, [{ type: "moved-to", at, to: target.address }], "the log was copied");
  if (ended !== undefined) return { ...stateResult, stop: ended };
  const { lineage, open } = state;
  const moved = { from: store.address, to: target.address, lineage, open: open.length };
  return { ...stateResult, state: { did: "copy", ...moved } };
}

function whyNotCopied(state: State, address: string): RosterError | undefined {
  if (state.moved !== undefined) {
    const { to, at } = state.moved;
    return invalidSetting(
      "bad-flag-value",
      `The log of ${address} was moved to ${to} at ${at}.`,
      `Name --state ${to}.`,
    );
  }
  if (!isUnusedState(state)) return undefined;
  return invalidSetting("bad-flag-value", `There is no log at ${address}.`, "Name the place of the log with --state.");
}

function samePlace(address: string): RosterError {
  return invalidSetting("bad-flag-value", `The log is at ${address} already.`, "Name another place to copy it to.");
}

function occupied(address: string): RosterError {
  const hint = "nothing was copied; name an empty place, or run `roster state show` there";
  return stopError("refused", "unwritable", `the log cannot be copied to ${address}: it holds another log`, hint);
}

interface SetEndpointFlags extends StateFlags, LockFlags, OutputFlags {}

/** Records that the service of a state has a new address. Asks no service. */
export async function stateSetEndpoint(endpoint: string, flags: SetEndpointFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => setEndpointResult(endpoint, { flags, host, open })), flags, host);
}

async function setEndpointResult(
  endpoint: string,
  { flags, host, open }: CommandCall<SetEndpointFlags>,
): Promise<CommandResult> {
  const wait = readLockOptions(flags);
  if (!wait.ok) return { ...stateResult, stop: wait.error };
  const fault = endpointProblem(endpoint);
  if (fault !== undefined) return { ...stateResult, stop: invalidSetting("bad-value", fault) };
  const { address: to } = baseAddress(new URL(endpoint));
  const session = await open({ command: "state", flags, host, needs: ["store"] });
  if (!session.ok) return { ...stateResult, ...session.error };
  const { address } = session.value.store;
  const locked = await lockState(session.value, "state set-endpoint", wait.value);
  if (!locked.ok) return { ...stateResult, stop: locked.error };
  const { lock } = locked.value;
  const stop = setEndpointProblem(lock.state, to, address);
  if (stop !== undefined) return { ...stateResult, stop };
  const at = isoTime(host.clock);
  const lost = await recordEvents(lock, [{ type: "endpoint-changed", at, service: to }], "nothing was recorded");
  if (lost !== undefined) return { ...stateResult, stop: lost };
  return { ...stateResult, state: { did: "set-endpoint", address, from: lock.state.service ?? "", to } };
}

function setEndpointProblem({ service }: State, to: string, address: string): RosterError | undefined {
  if (service === undefined) {
    const message = `The state at ${address} names no service yet.`;
    return invalidSetting("nothing-to-change", message, "The next apply records the service.");
  }
  if (service !== to) return undefined;
  return invalidSetting("nothing-to-change", `The state at ${address} already belongs to ${to}.`, "Nothing to change.");
}
