import { recordEvents } from "../../library/apply/lock.ts";
import { errorFromFailure, invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { copyLog } from "../../log/copy.ts";
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

interface CopyFlags extends StateFlags, LockFlags, OutputFlags {
  /** The lineage of the log at the target, which goes on in the place of this one. */
  readonly keep?: string | undefined;
}

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
  const { store, lock } = locked.value;
  const stop =
    whyNotCopied(lock.state, store.address, target.value.address) ??
    (flags.keep === undefined
      ? await copyTo(target.value, locked.value)
      : await endFor(flags.keep, target.value, locked.value));
  if (stop !== undefined) return { ...stateResult, stop };
  const { lineage, open: calls } = lock.state;
  const moved = { from: store.address, to: target.value.address, lineage: flags.keep ?? lineage, open: calls.length };
  return { ...stateResult, state: { did: "copy", ...moved, ...(flags.keep === undefined ? {} : { kept: true }) } };
}

type LockedStore = Locked<Session<"store">>;

async function copyTo(target: RosterLog, session: LockedStore): Promise<RosterError | undefined> {
  const { store, lock, host } = session;
  const { moved } = lock.state;
  const command = { run: lock.run, operation: "state copy", at: isoTime(host.clock) };
  const copied = await copyLog({ from: store.kept, to: target.kept, command, moved });
  if (!copied.ok) return errorFromFailure(copied.error);
  if (copied.value === "other")
    return moved === undefined ? occupied(target, lock.state) : wasMoved(store.address, moved);
  try {
    const lost = moved === undefined ? await endLog(target, session) : undefined;
    if (lost !== undefined) return lost;
    const finished = await copied.value.finish();
    return finished.ok ? undefined : errorFromFailure(finished.error);
  } finally {
    await copied.value.release();
  }
}

function endLog({ address: to }: RosterLog, { lock, host }: LockedStore): Promise<RosterError | undefined> {
  return recordEvents(lock, [{ type: "moved-to", at: isoTime(host.clock), to }], "the log was not ended");
}

/** Of two logs of one service that ran beside each other, ends this one. Nothing of it is copied. */
async function endFor(keep: string, target: RosterLog, session: LockedStore): Promise<RosterError | undefined> {
  const { state } = session.lock;
  const other = await target.read();
  if (!other.ok) return errorFromFailure(other.error);
  const { lineage, service, moved } = other.value;
  if (moved !== undefined) return wasMoved(target.address, moved);
  const [call] = state.open;
  const why =
    (lineage !== keep && `the log at ${target.address} has the lineage ${lineage || "of no log"}, not ${keep}`) ||
    (service !== state.service && `the log at ${target.address} is about another service`) ||
    (call !== undefined && `${state.open.length} of the calls of this log have an unknown outcome`);
  const hint = call === undefined ? "Name the log to keep." : "`roster state resolve` lists them. Resolve them first.";
  return why === false ? endLog(target, session) : stopError("refused", "unwritable", why, hint);
}

function whyNotCopied(state: State, address: string, to: string): RosterError | undefined {
  if (state.moved !== undefined && state.moved.to !== to) return wasMoved(address, state.moved);
  if (!isUnusedState(state)) return undefined;
  return invalidSetting("bad-flag-value", `There is no log at ${address}.`, "Name the place of the log with --state.");
}

function wasMoved(address: string, { to, at }: NonNullable<State["moved"]>): RosterError {
  return invalidSetting("bad-flag-value", `The log of ${address} was moved to ${to} at ${at}.`, `Name --state ${to}.`);
}

function samePlace(address: string): RosterError {
  return invalidSetting("bad-flag-value", `The log is at ${address} already.`, "Name another place to copy it to.");
}

/** Two logs of one service may have run beside each other. */
async function occupied(target: RosterLog, { service }: State): Promise<RosterError> {
  const message = `the log cannot be copied to ${target.address}: it holds another log`;
  const other = await target.read();
  const isTwin =
    other.ok && other.value.moved === undefined && other.value.service === service && service !== undefined;
  const hint = isTwin
    ? `nothing was copied. Both logs are about ${service}. To keep the other log and end this one, run \`roster state copy ${target.address} --keep ${other.value.lineage}\``
    : "nothing was copied; name an empty place, or run `roster state show` there";
  return stopError("refused", "unwritable", message, hint);
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
