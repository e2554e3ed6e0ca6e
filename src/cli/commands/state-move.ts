import { encodeState } from "../../codec/state.ts";
import { errorFromFailure, invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import type { Failure } from "../../model/result.ts";
import { emptyState, isUnusedState, type State } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import type { StateStore } from "../../ports/state-store.ts";
import { baseAddress, endpointProblem } from "../../service/requests.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type CommandCall, runCommand, type Session } from "../session.ts";
import { type Locked, type LockFlags, type LockWaitOptions, lockState, readLockOptions } from "../stores/lock.ts";
import { openStoreAt, type StateFlags, stateResult } from "../stores/open-store.ts";

interface MoveFlags extends StateFlags, LockFlags, OutputFlags {}

/** Moves the state to another store: copies it, reads it back, and leaves a note at the old place that refuses every run. */
export async function stateMove(to: string, flags: MoveFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => moveResult(to, { flags, host, open })), flags, host);
}

async function moveResult(to: string, { flags, host, open }: CommandCall<MoveFlags>): Promise<CommandResult> {
  const wait = readLockOptions(flags);
  if (!wait.ok) return { ...stateResult, stop: wait.error };
  const opened = await open({ command: "state", flags, host, needs: ["store"], movedState: "allowed" });
  if (!opened.ok) return { ...stateResult, ...opened.error };
  const session = opened.value;
  const { store: source } = session;
  const target = await openStoreAt(to, host, session.settings.network);
  if (!target.ok) return { ...stateResult, stop: target.error };
  session.onClose(() => target.value.close());
  if (source.address === target.value.address) return { ...stateResult, stop: samePlace(source.address) };
  const locked = await lockState(session, "state move", { ...wait.value, audit: "none" });
  if (!locked.ok) return { ...stateResult, stop: locked.error };
  return move(locked.value, target.value, wait.value);
}

async function move(
  session: Locked<Session<"store">>,
  target: StateStore,
  wait: LockWaitOptions,
): Promise<CommandResult> {
  const { store: source, lock, host } = session;
  const { state } = lock;
  const stop = unmovable(state, source.address) ?? (await copy(state, { ...session, store: target }, wait));
  if (stop !== undefined) return { ...stateResult, stop };
  const marked = await lock.close(() => movedState(state, target.address, host));
  if (!marked.ok) {
    return { ...stateResult, stop: errorFromFailure(unmarked(marked.error, source.address, target.address)) };
  }
  const { lineage, open } = state;
  const moved = { from: source.address, to: target.address, lineage, open: open.length };
  return { ...stateResult, state: { did: "move", ...moved } };
}

function unmovable(state: State, address: string): RosterError | undefined {
  if (state.moved !== undefined) {
    const { to, at } = state.moved;
    return invalidSetting(
      "bad-flag-value",
      `The state of ${address} was moved to ${to} at ${at}.`,
      `Name --state ${to}.`,
    );
  }
  if (!isUnusedState(state)) return undefined;
  return invalidSetting(
    "bad-flag-value",
    `There is no state at ${address}.`,
    "Name the place of the state with --state.",
  );
}

/** Copies the state to its new place and reads it back there. Undefined if all went well. */
async function copy(state: State, target: Session<"store">, wait: LockWaitOptions): Promise<RosterError | undefined> {
  const locked = await lockState(target, "state move", { ...wait, audit: "none" });
  if (!locked.ok) return locked.error;
  const { store, lock } = locked.value;
  const check = checkMove(state, lock.state);
  if (check.may === "no") return occupied(store.address, check.why);
  const closed = await (check.may === "copy" ? lock.close(() => state) : lock.close());
  if (!closed.ok) return errorFromFailure(closed.error);
  const read = await store.read();
  if (!read.ok) return errorFromFailure(read.error);
  return recordSame(read.value, state) ? undefined : errorFromFailure(otherwise(store.address));
}

/** Two histories of one service would do things twice: the old place keeps only where the state went. */
function movedState({ lineage, serial }: State, to: string, { clock }: Host): State {
  return { ...emptyState(lineage), serial, moved: { to, at: isoTime(clock) } };
}

function samePlace(address: string): RosterError {
  return invalidSetting("bad-flag-value", `The state is at ${address} already.`, "Name another place to move it to.");
}

function occupied(address: string, why: string): RosterError {
  const hint = "nothing was moved; name an empty place, or run `roster state show` there";
  return stopError("refused", "unwritable", `the state cannot be moved to ${address}: ${why}`, hint);
}

function otherwise(address: string): Failure {
  return {
    code: "state",
    message: `the state was not moved: the copy at ${address} reads back differently`,
    request: address,
    hint: "the old place is unchanged; do not use the new one",
  };
}

function unmarked(failure: Failure, from: string, to: string): Failure {
  return {
    ...failure,
    message: `the state was copied to ${to}, but ${from} could not be marked as moved: ${failure.message}`,
    hint: "run the move again before any other run",
  };
}

/** What moving a state to a place would do there. `no` is a sentence without a trailing stop. */
type MoveCheck =
  | { readonly may: "copy" }
  | { readonly may: "only-mark" }
  | { readonly may: "no"; readonly why: string };

/** Checks what the place holds: only a copy or an older version of the same state may be lost. */
export function checkMove(state: State, there: State): MoveCheck {
  if (isUnusedState(there)) return { may: "copy" };
  if (there.lineage !== state.lineage) {
    return { may: "no", why: `it holds another state (lineage ${there.lineage}, serial ${there.serial})` };
  }
  if (there.moved !== undefined) return { may: "copy" };
  // A move that was broken off after the copy.
  if (recordSame(state, there)) return { may: "only-mark" };
  if (there.serial <= state.serial) return { may: "copy" };
  return {
    may: "no",
    why: `it holds a newer version of the same state (serial ${there.serial}, and serial ${state.serial} was to be moved)`,
  };
}

/** Whether two states record the same, whatever their versions. */
function recordSame(one: State, other: State): boolean {
  return encodeState({ ...one, serial: 1 }) === encodeState({ ...other, serial: 1 });
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
  const closed = await lock.close((state) => ({ ...state, service: to }));
  if (!closed.ok) return { ...stateResult, stop: errorFromFailure(closed.error) };
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
