import { dirname, resolve } from "node:path";
import { encodeState } from "../../codec/state.ts";
import { localFiles, syncDirectory, systemErrorCode } from "../../files/file-system.ts";
import { addressOfService } from "../../library/connect.ts";
import { errorFromFailure, invalidSetting, orThrow, type RosterError, stopError } from "../../library/error.ts";
import { durably, type LockedLog, type Log, record } from "../../library/log.ts";
import { portsFor } from "../../library/plan.ts";
import { copyLog } from "../../log/copy.ts";
import { applyEvents } from "../../log/fold.ts";
import { lockedBy } from "../../log/lock-holder.ts";
import { rebuildState } from "../../log/observed-events.ts";
import { type OperatorResolution, resolveCall } from "../../log/operator-resolution.ts";
import { cutAt, findCut, type PlannedCut } from "../../log/prune.ts";
import { foldAddress } from "../../model/address.ts";
import type { Failure } from "../../model/failure.ts";
import type { Result } from "../../model/result.ts";
import { callIdOf, emptyState, isUnusedState, type LockHolder, type LogHead, type State } from "../../model/state.ts";
import { observe } from "../../observe/observe.ts";
import { accessSeen } from "../../plan/drift/seen.ts";
import { isoTime } from "../../ports/clock.ts";
import { formatIntent } from "../../report/document/names.ts";
import { explainUnsettled, recordedStateDocument, unrecoverableFacts } from "../../report/document/state.ts";
import { plain } from "../../report/outcome.ts";
import { safeJson } from "../../report/safe.ts";
import { renderDocument } from "../../report/text/text.ts";
import { recordedIds } from "../../roster/import/recorded-ids.ts";
import { type Flags, readTime, type SomeFlags } from "../flags.ts";
import type { Host } from "../host.ts";
import { configuredLog, openLog, openLogAt, readLockOptions, withLock } from "../log.ts";
import { openPlanning } from "../open.ts";
import type { Command } from "../run-command.ts";
import { readSettings } from "../settings/settings.ts";
import { leadsOutOfCheckout } from "../trust.ts";

export async function stateShow(
  command: Command,
  { format, ...flags }: SomeFlags & { readonly format: "text" | "json" | "yaml" },
): Promise<void> {
  const { store, address } = await configuredLog(command, flags, "allowed");
  const state = orThrow(await store.read());
  const text =
    format === "yaml"
      ? recordedIds(state, address)
      : renderDocument(recordedStateDocument(state, address), { paint: plain });
  command.tell({ ownWords: { json: safeJson(encodeState(state)), text } });
}

export async function stateUnlock(command: Command, id: string | undefined, flags: Flags): Promise<void> {
  const { store, address } = await configuredLog(command, flags, "allowed");
  if (id !== undefined) {
    const holder = orThrow(await store.kept.breakLease(id));
    return command.tell({ state: { did: "unlock", address, holder: reportedHolder(holder) } });
  }
  const holder = orThrow(await store.holder());
  const held = holder === "nobody" ? undefined : reportedHolder(holder);
  command.tell({ state: { did: "look-at-lock", address, holder: held } });
  if (holder !== "nobody") throw errorFromFailure(lockedBy(address, holder).failure);
}

function reportedHolder({ silentFor, ...holder }: LockHolder) {
  return { ...holder, silentFor: silentFor && Math.round(silentFor) };
}

/** Starts a new state after the former one was lost, from what the service shows of the roster. Overwrites nothing. */
export async function stateRebuild(command: Command, paths: readonly string[], flags: Flags): Promise<void> {
  const { options: planning } = await openPlanning(command, paths, flags);
  const { log, service, policy } = planning;
  const { address } = log;
  const { roster } = planning.roster;
  await withLock(command, log, "state rebuild", flags, async (lock) => {
    const { lineage, serial, open, users: known } = lock.state;
    if (!isUnusedState(lock.state))
      throw stopError(
        "refused",
        "unwritable",
        `roster does not overwrite the state at ${address} (lineage ${lineage}, position ${serial}, ${known.size} users, ${open.length} open calls)`,
        "Use this state. If it is damaged or for another service, name another place with --state",
      );
    const empty = emptyState("");
    const everything = { roster, state: empty, everyone: "always" } as const;
    const snapshot = orThrow(await observe(everything, portsFor(service, command.host.clock, planning)));
    const { capabilities, everyone } = snapshot;
    const at = isoTime(command.host.clock);
    const events = [...rebuildState(roster, snapshot, at)];
    if (everyone.read !== "incomplete") {
      const known = { roster, snapshot, state: applyEvents(empty, events), at };
      const seen = accessSeen({ ...known, policy, moving: new Set() });
      if (seen !== undefined) events.push(seen);
    }
    await record(lock, events, "nothing was rebuilt");
    const { users, teams, memberships } = applyEvents(lock.state, events);
    const asked = roster.teams.reduce((count, { members }) => count + members.length, 0);
    const own = [...users.values()].filter(({ key }) => key !== undefined).length;
    const missing = [...roster.users.values()].filter((user) => !users.has(user.address)).map(({ email }) => email);
    command.tell({
      state: {
        did: "rebuild",
        address,
        people: users.size,
        teams: teams.size,
        memberships: memberships.size,
        prefixes: memberships.size + own,
        missing,
        unlearned: unrecoverableFacts(capabilities, everyone, { asked, shown: memberships.size }),
      },
    });
  });
}

/** Records what a person says of a call. Without an id it lists the calls whose outcome is unknown. */
export async function stateResolve(
  command: Command,
  id: string | undefined,
  outcome: OperatorResolution["outcome"] | undefined,
  people: readonly string[],
  flags: Flags,
): Promise<void> {
  if (id !== undefined && outcome === undefined) {
    const hint = `Look in the service, then run \`roster state resolve ${id} done\` or \`roster state resolve ${id} not-done\`.`;
    throw invalidSetting("usage", `The outcome of the call ${id} is missing.`, hint);
  }
  const log = await configuredLog(command, flags);
  const { address } = log;
  if (id === undefined || outcome === undefined) {
    // A wrong flag is refused here too, where nothing is locked.
    readLockOptions(flags, command.host);
    const state = orThrow(await log.store.read());
    const calls = state.open.map((open) => {
      const { run, action, at, accepted = false, intent } = open;
      const { kind } = intent;
      const people = kind === "create-user" ? [intent.email] : kind === "add-members" ? intent.addresses : [];
      const call = { id: callIdOf(open), kind, people, call: formatIntent(intent) };
      return { ...call, run, action, at, accepted, why: explainUnsettled(open, state) };
    });
    return command.tell({ state: { did: "list-calls", address, calls } });
  }
  await withLock(command, log, "state resolve", flags, async (lock) => {
    const { state } = lock;
    const open = state.open.find((one) => callIdOf(one) === id);
    if (open === undefined) {
      const others = state.open.map((one) => callIdOf(one)).join(", ");
      const none = others === "" ? "No call has an unknown outcome: nothing to resolve." : undefined;
      const hint = none ?? `Calls with an unknown outcome: ${others}.`;
      throw invalidSetting("unknown-name", `No call ${id} has an unknown outcome.`, hint);
    }
    const events = resolveCall(open, { outcome, people: people.map(foldAddress) }, isoTime(command.host.clock));
    if (!events.ok) {
      const message = `This outcome is not possible for the call ${id}: ${events.error}.`;
      const hint = "Nothing was recorded. `roster state resolve` shows the call.";
      throw invalidSetting("bad-flag-value", message, hint);
    }
    await record(lock, events.value, "nothing was recorded");
    const after = applyEvents(state, events.value).open;
    const left = after.find((one) => callIdOf(one) === id);
    const stillOpenFor = left?.intent.kind === "add-members" ? left.intent.addresses : [];
    const { intent } = open;
    // An addition can stay open for some of its people.
    const call = formatIntent(
      intent.kind === "add-members"
        ? { ...intent, addresses: intent.addresses.filter((one) => !stillOpenFor.includes(one)) }
        : intent,
    );
    command.tell({ state: { did: "resolve", address, id, call, outcome, stillOpenFor, left: after.length } });
  });
}

/**
 * Copies the log to another store, reads it back, and ends it at the old place, which refuses every run from then on.
 * `keep`: the lineage of the log at the target, which goes on in the place of this one.
 */
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
    const { moved, lineage, open } = lock.state;
    if (moved !== undefined && moved.to !== target.address) throw wasMoved(log.address, moved);
    if (isUnusedState(lock.state)) {
      const message = `There is no log at ${log.address}.`;
      throw invalidSetting("bad-flag-value", message, "Name the place of the log with --state.");
    }
    if (keep === undefined) await copyTo(target, log, lock);
    else await endFor(keep, target, log, lock);
    const copied = { from: log.address, to: target.address, lineage: keep ?? lineage, open: open.length };
    command.tell({ state: { did: "copy", ...copied, ...(keep === undefined ? {} : { kept: true }) } });
  });
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

export async function stateSetEndpoint(command: Command, endpoint: string, flags: Flags): Promise<void> {
  const to = addressOfService(endpoint);
  const log = await configuredLog(command, flags);
  const { address } = log;
  await withLock(command, log, "state set-endpoint", flags, async (lock) => {
    const from = lock.state.service;
    const nothing = (message: string, hint: string) => invalidSetting("nothing-to-change", message, hint);
    if (from === undefined)
      throw nothing(`The state at ${address} names no service yet.`, "The next apply records the service.");
    if (from === to) throw nothing(`The state at ${address} already belongs to ${to}.`, "Nothing to change.");
    const at = isoTime(command.host.clock);
    await record(lock, [{ type: "endpoint-changed", at, service: to }], "nothing was recorded");
    command.tell({ state: { did: "set-endpoint", address, from, to } });
  });
}

export async function statePrune(
  command: Command,
  flags: Flags & { readonly before: string; readonly export: string },
): Promise<void> {
  const now = command.host.clock.now();
  const time = readTime("--before", flags.before, now);
  if (time > now) {
    const message = `--before ${flags.before} is in the future.`;
    throw invalidSetting("bad-flag-value", message, "Name a time that has passed.");
  }
  const before = new Date(time).toISOString();
  const log = await configuredLog(command, flags);
  const { address } = log;
  await withLock(command, log, "state prune", flags, async (lock) => {
    const head = orThrow(await findCut(log.store, before));
    if (head === undefined) {
      const message = `The log at ${address} has no command that ended before ${before} and can be pruned.`;
      throw invalidSetting("nothing-to-change", message, "Name a later time with --before.");
    }
    const path = resolve(command.host.cwd, flags.export);
    const cut = await exportTo(path, log, head, before, command.host);
    const { event, forgotten } = cut;
    await durably(lock.prune(cut), `the events are in ${flags.export}, and may still be in the log`);
    const range = { first: event.from, head: event.head, forgotten };
    command.tell({ state: { did: "prune", address, before, export: path, ...range } });
  });
}

/** Writes the events to a new file, durably. What could not be written whole is taken away. */
async function exportTo(path: string, { store }: Log, head: LogHead, before: string, host: Host): Promise<PlannedCut> {
  if (await leadsOutOfCheckout(path, host)) throw unwritable(path, "a symbolic link leads out of the checkout");
  let cut: Result<PlannedCut, Failure> | undefined;
  try {
    const file = await localFiles.open(path, "create");
    try {
      cut = await cutAt(store, head, { before, at: isoTime(host.clock), write: (text) => file.write(text) });
      await file.sync();
    } finally {
      await file.close();
      if (cut?.ok !== true) await localFiles.remove(path);
    }
    await syncDirectory(localFiles, dirname(path));
  } catch (error) {
    throw unwritable(path, systemErrorCode(error));
  }
  return orThrow(cut);
}

function unwritable(path: string, why: string): RosterError {
  const hint = "nothing was pruned; name a file that does not exist yet with --export";
  return stopError("failed", "unwritable", `the export ${path} cannot be written: ${why}`, hint);
}
