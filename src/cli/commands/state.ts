import { encodeState } from "../../codec/state.ts";
import { errorFromFailure, invalidSetting, orThrow, type RosterError, stopError } from "../../library/error.ts";
import { record } from "../../library/lock.ts";
import { portsFor } from "../../library/plan.ts";
import { applyEvents } from "../../log/fold.ts";
import { lockedBy } from "../../log/lease.ts";
import { rebuildState } from "../../log/observed-events.ts";
import { type OperatorResolution, resolveCall } from "../../log/operator-resolution.ts";
import { foldAddress } from "../../model/address.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Roster } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { callIdOf, emptyState, isUnusedState, type LockHolder, type State } from "../../model/state.ts";
import { observe } from "../../observe/observe.ts";
import { accessSeen } from "../../plan/drift/seen.ts";
import { isoTime } from "../../ports/clock.ts";
import { explainUnsettled, recordedStateDocument, unrecoverableFacts } from "../../report/document/state.ts";
import type { StateReport } from "../../report/json/document-format.ts";
import { plain } from "../../report/outcome.ts";
import { formatIntent } from "../../report/phrases.ts";
import { safeJson } from "../../report/safe.ts";
import { renderDocument } from "../../report/text/text.ts";
import { recordedIds } from "../../roster/import/recorded-ids.ts";
import type { Flags } from "../flags.ts";
import type { Host } from "../host.ts";
import { lookAtLog, openLog, readLockOptions, withLock } from "../log.ts";
import { openPlanning } from "../open.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";
import { readSettings } from "../settings/settings.ts";

interface ShowFlags extends Omit<Flags, "format"> {
  readonly format: "text" | "json" | "yaml";
}

export function stateShow({ format, ...flags }: ShowFlags, host: Host): Promise<FinishedCommand> {
  const output = { ...flags, format: format === "yaml" ? "text" : format } as const;
  return lookAtLog("state", output, host, async ({ store, address }, command) => {
    const state = orThrow(await store.read());
    const text =
      format === "yaml"
        ? recordedIds(state, address)
        : renderDocument(recordedStateDocument(state, address), { paint: plain });
    command.tell({ ownWords: { json: safeJson(encodeState(state)), text } });
  });
}

export function stateUnlock(id: string | undefined, flags: Flags, host: Host): Promise<FinishedCommand> {
  return lookAtLog("state", flags, host, async ({ store, address }, command) => {
    if (id !== undefined) {
      const holder = orThrow(await store.kept.breakLease(id));
      return command.tell({ state: { did: "unlock", address, holder: reportedHolder(holder) } });
    }
    const holder = orThrow(await store.holder());
    const held = holder === "nobody" ? undefined : reportedHolder(holder);
    command.tell({ state: { did: "look-at-lock", address, holder: held } });
    if (holder !== "nobody") throw errorFromFailure(lockedBy(address, holder).failure);
  });
}

function reportedHolder({ silentFor, ...holder }: LockHolder) {
  return { ...holder, silentFor: silentFor && Math.round(silentFor) };
}

/** Starts a new state after the former one was lost, from what the service shows of the roster. Overwrites nothing. */
export function stateRebuild(paths: readonly string[], flags: Flags, host: Host): Promise<FinishedCommand> {
  return runCommand("state", flags, host, async (command) => {
    const options = readLockOptions(flags, host);
    const { options: planning } = await openPlanning(command, paths, flags);
    const { log, service, policy } = planning;
    const { roster } = planning.roster;
    await withLock(command, log, "state rebuild", options, async (lock) => {
      if (!isUnusedState(lock.state)) throw occupied(log.address, lock.state);
      const everything = { roster, state: emptyState(""), everyone: "always" } as const;
      const snapshot = orThrow(await observe(everything, portsFor(service, host.clock, planning)));
      const { privilegedRoles } = policy;
      const events = rebuiltEvents({ roster, snapshot, privilegedRoles, at: isoTime(host.clock) });
      await record(lock, events, "nothing was rebuilt");
      command.tell({ state: rebuilt(log.address, applyEvents(lock.state, events), roster, snapshot) });
    });
  });
}

function rebuiltEvents(known: Omit<Parameters<typeof accessSeen>[0], "state" | "moving">): readonly RunEvent[] {
  const { roster, snapshot, at } = known;
  const events = rebuildState(roster, snapshot, at);
  if (snapshot.everyone.read === "incomplete") return events;
  const seen = accessSeen({ ...known, state: applyEvents(emptyState(""), events), moving: new Set() });
  return seen === undefined ? events : [...events, seen];
}

function rebuilt(address: string, state: State, roster: Roster, { capabilities, everyone }: Snapshot): StateReport {
  const { users, teams, memberships } = state;
  const asked = roster.teams.reduce((count, { members }) => count + members.length, 0);
  const own = [...users.values()].filter(({ key }) => key !== undefined).length;
  return {
    did: "rebuild",
    address,
    people: users.size,
    teams: teams.size,
    memberships: memberships.size,
    prefixes: memberships.size + own,
    missing: [...roster.users.values()].filter((user) => !users.has(user.address)).map(({ email }) => email),
    unlearned: unrecoverableFacts(capabilities, everyone, { asked, shown: memberships.size }),
  };
}

function occupied(address: string, { lineage, serial, users, open }: State): RosterError {
  return stopError(
    "refused",
    "unwritable",
    `roster does not overwrite the state at ${address} (lineage ${lineage}, position ${serial}, ${users.size} users, ${open.length} open calls)`,
    "Use this state. If it is damaged or for another service, name another place with --state",
  );
}

/** Records what a person says of a call. Without an id it lists the calls whose outcome is unknown. */
export function stateResolve(
  id: string | undefined,
  outcome: OperatorResolution["outcome"] | undefined,
  people: readonly string[],
  flags: Flags,
  host: Host,
): Promise<FinishedCommand> {
  return runCommand("state", flags, host, async (command) => {
    if (id !== undefined && outcome === undefined)
      throw invalidSetting(
        "usage",
        `The outcome of the call ${id} is missing.`,
        `Look in the service, then run \`roster state resolve ${id} done\` or \`roster state resolve ${id} not-done\`.`,
      );
    const options = readLockOptions(flags, host);
    const log = command.closing(await openLog(await readSettings(flags, host), host));
    const { address } = log;
    if (id === undefined || outcome === undefined) {
      const state = orThrow(await log.store.read());
      const calls = state.open.map((open) => {
        const { run, action, at, accepted = false, intent } = open;
        const people =
          intent.kind === "create-user" ? [intent.email] : intent.kind === "add-members" ? intent.addresses : [];
        const call = { id: callIdOf(open), kind: intent.kind, people, call: formatIntent(intent) };
        return { ...call, run, action, at, accepted, why: explainUnsettled(open, state) };
      });
      return command.tell({ state: { did: "list-calls", address, calls } });
    }
    await withLock(command, log, "state resolve", options, async (lock) => {
      const { state } = lock;
      const open = state.open.find((one) => callIdOf(one) === id);
      if (open === undefined) throw noSuchCall(id, state);
      const events = resolveCall(open, { outcome, people: people.map(foldAddress) }, isoTime(host.clock));
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
  });
}

function noSuchCall(id: string, { open }: State): RosterError {
  const ids = open.map((one) => callIdOf(one)).join(", ");
  const hint =
    ids === "" ? "No call has an unknown outcome: nothing to resolve." : `Calls with an unknown outcome: ${ids}.`;
  return invalidSetting("unknown-name", `No call ${id} has an unknown outcome.`, hint);
}
