import { encodeState } from "../../codec/state.ts";
import type { Failure, Result } from "../../model/result.ts";
import { emptyState, isUnusedState, type State } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import type { StateSession, StateStore } from "../../ports/state-store.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type LockFlags, type LockWaitOptions, readLockOptions, takeLock } from "../stores/lock.ts";
import { openStoreAt, type StateFlags, stateResult, withStore } from "../stores/open-store.ts";

export interface MoveFlags extends StateFlags, LockFlags, OutputFlags {}

/** Moves the state to another store: copies it, reads it back, and leaves a note at the old place that refuses every run. */
export async function stateMove(to: string, flags: MoveFlags, host: Host): Promise<number> {
  return finish(await moveResult(to, flags, host), flags, host);
}

async function moveResult(to: string, flags: MoveFlags, host: Host): Promise<CommandResult> {
  const patience = readLockOptions(flags, host);
  if (!patience.ok) return { ...stateResult, stop: patience.error };
  return withStore(flags, host, async (source, settings) => {
    const target = await openStoreAt(to, host, settings.network);
    if (!target.ok) return { ...stateResult, stop: target.error };
    const moving = { source, target: target.value, patience: patience.value, host };
    return move(moving).finally(() => target.value.close());
  });
}

interface MoveSession {
  readonly source: StateStore;
  readonly target: StateStore;
  readonly patience: LockWaitOptions;
  readonly host: Host;
}

async function move(moving: MoveSession): Promise<CommandResult> {
  const { source, target } = moving;
  if (source.address === target.address) return { ...stateResult, stop: samePlace(source.address) };
  const from = await lock(source, moving);
  if (!from.ok) return { ...stateResult, stop: errorFromFailure(from.error) };
  const { state } = from.value;
  const copied = unmovable(state, source.address) ?? (await copy(state, moving));
  if (copied !== undefined) {
    await from.value.close();
    return { ...stateResult, stop: copied };
  }
  const marked = await mark(from.value, target.address, moving.host);
  if (!marked.ok) return { ...stateResult, stop: errorFromFailure(unmarked(marked.error, moving)) };
  const { lineage, open } = state;
  const moved = { from: source.address, to: target.address, lineage, open: open.length };
  return { ...stateResult, state: { did: "move", ...moved } };
}

function lock(store: StateStore, { patience, host }: MoveSession): Promise<Result<StateSession, Failure>> {
  const run = { run: host.randomness.identifier(), operation: "state move" };
  return takeLock(store, run, patience, { host, signal: host.interruption.signal });
}

function unmovable(state: State, address: string): CommandError | undefined {
  if (state.moved !== undefined) {
    const { to, at } = state.moved;
    return invalidSetting(
      "moved-already",
      `The state of ${address} was moved to ${to} at ${at}.`,
      `Name --state ${to}.`,
    );
  }
  if (!isUnusedState(state)) return undefined;
  return invalidSetting(
    "nothing-to-move",
    `There is no state at ${address}.`,
    "Name the place of the state with --state.",
  );
}

/** The state at its new place, read back; or why it is not there. */
async function copy(state: State, moving: MoveSession): Promise<CommandError | undefined> {
  const { target } = moving;
  const to = await lock(target, moving);
  if (!to.ok) return errorFromFailure(to.error);
  const verdict = checkMove(state, to.value.state);
  if (verdict.may === "no") {
    await to.value.close();
    return occupied(target.address, verdict.why);
  }
  const closed = await (verdict.may === "copy" ? to.value.close(state) : to.value.close());
  if (!closed.ok) return errorFromFailure(closed.error);
  const read = await target.read();
  if (!read.ok) return errorFromFailure(read.error);
  return recordSame(read.value, state) ? undefined : errorFromFailure(otherwise(target.address));
}

/** Two histories of one service would do things twice: the old place keeps nothing but where the state went. */
function mark(session: StateSession, to: string, host: Host): Promise<Result<State, Failure>> {
  const { lineage, serial } = session.state;
  return session.close({ ...emptyState(lineage), serial, moved: { to, at: isoTime(host.clock) } });
}

function samePlace(address: string): CommandError {
  return invalidSetting("same-place", `The state is at ${address} already.`, "Name another place to move it to.");
}

function occupied(address: string, why: string): CommandError {
  const hint = "nothing was moved; name a place that holds nothing, or look at what is there with `roster state show`";
  return {
    reason: "refused",
    problem: { code: "occupied", message: `the state cannot be moved to ${address}: ${why}`, hint },
  };
}

function otherwise(address: string): Failure {
  return {
    code: "state",
    message: `the state that was written to ${address} reads back otherwise, so that it was not moved`,
    request: address,
    hint: "the old place is as it was; do not use the new one",
  };
}

function unmarked(failure: Failure, { source, target }: MoveSession): Failure {
  return {
    ...failure,
    message: `the state was copied to ${target.address}, but ${source.address} could not be marked as moved: ${failure.message}`,
    hint: "move it again before any run, so that the old place is not used by accident",
  };
}

/** What moving a state to a place would do there. `no` is a sentence without a trailing stop. */
export type MoveCheck =
  | { readonly may: "copy" }
  | { readonly may: "only-mark" }
  | { readonly may: "no"; readonly why: string };

/** Judges the place by what it holds: nothing is lost that is not a copy, or an older version, of the same state. */
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
export function recordSame(one: State, other: State): boolean {
  return encodeState({ ...one, serial: 1 }) === encodeState({ ...other, serial: 1 });
}
