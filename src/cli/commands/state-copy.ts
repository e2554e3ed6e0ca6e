import { addressOfService } from "../../library/connect.ts";
import { invalidSetting, orThrow, type RosterError, stopError } from "../../library/error.ts";
import { type LockedLog, record } from "../../library/lock.ts";
import type { Log } from "../../library/open-log.ts";
import { copyLog } from "../../log/copy.ts";
import { isUnusedState, type State } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import type { Flags } from "../flags.ts";
import type { Host } from "../host.ts";
import { openLog, openLogAt, readLockOptions, withLock } from "../log.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";
import { readSettings } from "../settings/settings.ts";

interface CopyFlags extends Flags {
  /** The lineage of the log at the target, which goes on in the place of this one. */
  readonly keep?: string | undefined;
}

/** Copies the log to another store, reads it back, and ends it at the old place, which refuses every run from then on. */
export function stateCopy(to: string, flags: CopyFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("state", flags, host, async (command) => {
    const options = readLockOptions(flags, host);
    const settings = await readSettings(flags, host);
    const log = command.closing(await openLog(settings, host, "allowed"));
    const target = command.closing(await openLogAt(to, host, { network: settings.network, moved: "allowed" }));
    if (log.address === target.address)
      throw invalidSetting("bad-flag-value", `The log is at ${to} already.`, "Name another place to copy it to.");
    await withLock(command, log, "state copy", options, async (lock) => {
      checkSource(lock.state, log.address, target.address);
      if (flags.keep === undefined) await copyTo(target, log, lock);
      else await endFor(flags.keep, target, log, lock);
      const lineage = flags.keep ?? lock.state.lineage;
      const moved = { from: log.address, to: target.address, lineage, open: lock.state.open.length };
      command.tell({ state: { did: "copy", ...moved, ...(flags.keep === undefined ? {} : { kept: true }) } });
    });
  });
}

function checkSource(state: State, address: string, to: string): void {
  if (state.moved !== undefined && state.moved.to !== to) throw wasMoved(address, state.moved);
  if (isUnusedState(state))
    throw invalidSetting("bad-flag-value", `There is no log at ${address}.`, "Name the place of the log with --state.");
}

async function copyTo(target: Log, log: Log, lock: LockedLog): Promise<void> {
  const { moved } = lock.state;
  const command = { run: lock.run, operation: "state copy", at: isoTime(log.clock) };
  const copied = orThrow(await copyLog({ from: log.store.kept, to: target.store.kept, command, moved }));
  if (copied === "other") throw moved === undefined ? await occupied(target, lock.state) : wasMoved(log.address, moved);
  try {
    if (moved === undefined) await endLog(target, log, lock);
    orThrow(await copied.finish());
  } finally {
    await copied.release();
  }
}

function endLog({ address: to }: Log, { clock }: Log, lock: LockedLog): Promise<void> {
  return record(lock, [{ type: "moved-to", at: isoTime(clock), to }], "the log was not ended");
}

/** Of two logs of one service that ran beside each other, ends this one. Nothing of it is copied. */
async function endFor(keep: string, target: Log, log: Log, lock: LockedLog): Promise<void> {
  const { state } = lock;
  const { lineage, service, moved } = orThrow(await target.store.read());
  if (moved !== undefined) throw wasMoved(target.address, moved);
  const [call] = state.open;
  const why =
    (lineage !== keep && `the log at ${target.address} has the lineage ${lineage || "of no log"}, not ${keep}`) ||
    (service !== state.service && `the log at ${target.address} is about another service`) ||
    (call !== undefined && `${state.open.length} of the calls of this log have an unknown outcome`);
  const hint = call === undefined ? "Name the log to keep." : "`roster state resolve` lists them. Resolve them first.";
  if (why !== false) throw stopError("refused", "unwritable", why, hint);
  await endLog(target, log, lock);
}

function wasMoved(address: string, { to, at }: NonNullable<State["moved"]>): RosterError {
  return invalidSetting("bad-flag-value", `The log of ${address} was moved to ${to} at ${at}.`, `Name --state ${to}.`);
}

/** Two logs of one service may have run beside each other. */
async function occupied(target: Log, { service }: State): Promise<RosterError> {
  const message = `the log cannot be copied to ${target.address}: it holds another log`;
  const other = await target.store.read();
  const isTwin =
    other.ok && other.value.moved === undefined && other.value.service === service && service !== undefined;
  const hint = isTwin
    ? `nothing was copied. Both logs are about ${service}. To keep the other log and end this one, run \`roster state copy ${target.address} --keep ${other.value.lineage}\``
    : "nothing was copied; name an empty place, or run `roster state show` there";
  return stopError("refused", "unwritable", message, hint);
}

export function stateSetEndpoint(endpoint: string, flags: Flags, host: Host): Promise<FinishedCommand> {
  return runCommand("state", flags, host, async (command) => {
    const options = readLockOptions(flags, host);
    const to = addressOfService(endpoint);
    const log = command.closing(await openLog(await readSettings(flags, host), host));
    const { address } = log;
    await withLock(command, log, "state set-endpoint", options, async (lock) => {
      const from = lock.state.service;
      const nothing = (message: string, hint: string) => invalidSetting("nothing-to-change", message, hint);
      if (from === undefined)
        throw nothing(`The state at ${address} names no service yet.`, "The next apply records the service.");
      if (from === to) throw nothing(`The state at ${address} already belongs to ${to}.`, "Nothing to change.");
      const at = isoTime(host.clock);
      await record(lock, [{ type: "endpoint-changed", at, service: to }], "nothing was recorded");
      command.tell({ state: { did: "set-endpoint", address, from, to } });
    });
  });
}
