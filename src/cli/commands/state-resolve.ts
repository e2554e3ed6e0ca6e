import { applyEvents } from "../../journal/fold.ts";
import { resolveCall } from "../../journal/operator-resolution.ts";
import { callIdOf, type State } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import type { StateStore } from "../../ports/state-store.ts";
import { explainUnsettled, type OpenCallsReport } from "../../report/state.ts";
import { type CallResolution, type ResolutionFlags, readCallResolution } from "../call-word.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/conclude.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { recordEvents } from "../running/record-events.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../stop.ts";
import { type LockFlags, type LockWaitOptions, readLockOptions } from "../stores/lock-patience.ts";
import { takeLock } from "../stores/take-lock.ts";
import { underLock } from "../stores/under-lock.ts";
import { type StateFlags, stateResult, withUsableStore } from "../stores/with-store.ts";
import { sha256 } from "../system.ts";

export interface ResolveFlags extends StateFlags, LockFlags, ResolutionFlags, OutputFlags {}

/** Takes a person's word for what became of a call; without an id it lists the calls of which nobody knows. */
export async function stateResolve(id: string | undefined, flags: ResolveFlags, host: Host): Promise<number> {
  return finish(await resolveResult(id, flags, host), flags, host);
}

async function resolveResult(id: string | undefined, flags: ResolveFlags, host: Host): Promise<CommandResult> {
  const word = readCallResolution(id, flags);
  if (!word.ok) return { ...stateResult, stop: word.error };
  const patience = readLockOptions(flags, host);
  if (!patience.ok) return { ...stateResult, stop: patience.error };
  const said = word.value;
  return withUsableStore(flags, host, (store) =>
    said === "none" ? list(store) : resolve(store, said, patience.value, host),
  );
}

async function list(store: StateStore): Promise<CommandResult> {
  const state = await store.read();
  if (!state.ok) return { ...stateResult, stop: errorFromFailure(state.error) };
  return { ...stateResult, state: openCalls(store.address, state.value) };
}

function openCalls(address: string, state: State): OpenCallsReport {
  const calls = state.open.map((one) => ({
    id: callIdOf(one, sha256),
    open: one,
    why: explainUnsettled(one, state),
  }));
  return { did: "list-calls", address, calls };
}

async function resolve(
  store: StateStore,
  { id, word }: CallResolution,
  patience: LockWaitOptions,
  host: Host,
): Promise<CommandResult> {
  const run = { run: host.randomness.identifier(), operation: "state resolve" };
  const locked = await takeLock(store, run, patience, { host, signal: host.interruption.signal });
  if (!locked.ok) return { ...stateResult, stop: errorFromFailure(locked.error) };
  const session = locked.value;
  return underLock(session, async () => {
    const { state } = session;
    const open = state.open.find((one) => callIdOf(one, sha256) === id);
    if (open === undefined) return { ...stateResult, stop: noSuchCall(id, state) };
    const events = resolveCall(open, word, state, isoTime(host.clock));
    if (!events.ok) return { ...stateResult, stop: contradicts(id, events.error) };
    const lost = await recordEvents(session, events.value, "nothing was recorded");
    if (lost !== undefined) return { ...stateResult, stop: lost };
    const after = applyEvents(state, events.value).open;
    const left = after.find((one) => callIdOf(one, sha256) === id);
    const stillOpenFor = left?.intent.kind === "add-members" ? left.intent.addresses : [];
    const told = { id, open, outcome: word.outcome, stillOpenFor, left: after.length };
    return { ...stateResult, state: { did: "resolve", address: store.address, ...told } };
  });
}

function noSuchCall(id: string, { open }: State): CommandError {
  const ids = open.map((one) => callIdOf(one, sha256));
  return invalidSetting(
    "no-such-call",
    `No call ${id} has an unknown outcome.`,
    ids.length === 0 ? "The outcome of every call is known." : `There are: ${ids.join(", ")}.`,
  );
}

function contradicts(id: string, why: string): CommandError {
  const hint = "Nothing was recorded. `roster state resolve` shows what the call asked for.";
  return invalidSetting("contradiction", `That cannot be said of the call ${id}: ${why}.`, hint);
}
