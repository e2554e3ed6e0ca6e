import { encodeState } from "../../codec/state.ts";
import { recordEvents } from "../../library/apply/lock.ts";
import { errorFromFailure, invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { applyEvents } from "../../log/fold.ts";
import { lockedBy } from "../../log/lease.ts";
import { rebuildState } from "../../log/observed-events.ts";
import { type OperatorResolution, resolveCall } from "../../log/operator-resolution.ts";
import { foldAddress } from "../../model/address.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Policy } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { callIdOf, emptyState, isUnusedState, type State } from "../../model/state.ts";
import { observe } from "../../observe/observe.ts";
import { accessSeen } from "../../plan/drift/seen.ts";
import { isoTime } from "../../ports/clock.ts";
import type { RosterLog } from "../../ports/log.ts";
import { recordedStateLines } from "../../report/document/state.ts";
import { plain } from "../../report/outcome.ts";
import { safeJson } from "../../report/safe.ts";
import { explainUnsettled, type OpenCallsReport, type StateRebuilt, unrecoverableFacts } from "../../report/state.ts";
import { renderLines } from "../../report/text/lines.ts";
import { recordedIds } from "../../roster/import/recorded-ids.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { rosterSummary } from "../planning/roster-files.ts";
import {
  type CommandCall,
  type PlanningFlags,
  type PlanningSession,
  planningParts,
  readPorts,
  runCommand,
  type Session,
} from "../session.ts";
import { type Locked, type LockFlags, lockState, readLockOptions } from "../stores/lock.ts";
import { type StateFlags, stateResult } from "../stores/open-store.ts";

type StateOutputFlags = StateFlags & OutputFlags;

interface ShowFlags extends StateFlags {
  readonly format: "text" | "json" | "yaml";
}

/** Shows what the state records. Takes no lock and writes nothing. */
export function stateShow({ format, ...flags }: ShowFlags, host: Host): Promise<number> {
  return lookAtState({ ...flags, format: format === "yaml" ? "text" : format }, host, async (store) => {
    const state = await store.read();
    if (!state.ok) return { ...stateResult, stop: errorFromFailure(state.error) };
    const text =
      format === "yaml"
        ? recordedIds(state.value, store.address)
        : renderLines(recordedStateLines(state.value, store.address), plain);
    return { ...stateResult, ownWords: { json: safeJson(encodeState(state.value)), text } };
  });
}

/** Breaks the lock with this id. Without an id it says who holds the lock, and breaks nothing. */
export function stateUnlock(id: string | undefined, flags: StateOutputFlags, host: Host): Promise<number> {
  return lookAtState(flags, host, async (store) => {
    if (id === undefined) return showHolder(store);
    const broken = await store.unlock(id);
    if (!broken.ok) return { ...stateResult, stop: errorFromFailure(broken.error) };
    return { ...stateResult, state: { did: "unlock", address: store.address, holder: broken.value } };
  });
}

/** Opens the configured store without a lock. A state that was moved elsewhere may be looked at. */
async function lookAtState(
  flags: StateOutputFlags,
  host: Host,
  look: (store: RosterLog) => Promise<CommandResult>,
): Promise<number> {
  const result = await runCommand(async (open) => {
    const session = await open({ command: "state", flags, host, needs: ["store"], movedState: "allowed" });
    return session.ok ? look(session.value.store) : { ...stateResult, ...session.error };
  });
  return finish(result, flags, host);
}

async function showHolder(store: RosterLog): Promise<CommandResult> {
  const read = await store.holder();
  if (!read.ok) return { ...stateResult, stop: errorFromFailure(read.error) };
  const holder = read.value;
  const result: CommandResult = { ...stateResult, state: { did: "look-at-lock", address: store.address, holder } };
  if (holder === "nobody") return result;
  return { ...result, stop: errorFromFailure(lockedBy(store.address, holder).failure) };
}

interface RebuildFlags extends PlanningFlags, LockFlags {}

/** Starts a new state after the former one was lost, from what the service shows of the roster. Overwrites nothing. */
export async function stateRebuild(paths: readonly string[], flags: RebuildFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => rebuildResult(paths, { flags, host, open })), flags, host);
}

async function rebuildResult(
  paths: readonly string[],
  { flags, host, open }: CommandCall<RebuildFlags>,
): Promise<CommandResult> {
  const wait = readLockOptions(flags);
  if (!wait.ok) return { ...stateResult, stop: wait.error };
  const session = await open({ command: "state", paths, flags, host, needs: planningParts });
  if (!session.ok) return { ...stateResult, ...session.error };
  const { loaded } = session.value;
  const result = { ...stateResult, ...rosterSummary(loaded) };
  const locked = await lockState(session.value, "state rebuild", wait.value);
  if (!locked.ok) return { ...result, stop: locked.error };
  return rebuild(result, locked.value);
}

async function rebuild(result: CommandResult, session: Locked<PlanningSession>): Promise<CommandResult> {
  const { store, loaded, lock, host } = session;
  const { roster } = loaded;
  if (!isUnusedState(lock.state)) return { ...result, stop: occupied(store.address, lock.state) };
  const everything = { roster, state: emptyState(""), everyone: "always" } as const;
  const read = await observe(everything, readPorts(session));
  if (!read.ok) return { ...result, stop: errorFromFailure(read.error) };
  const events = rebuiltEvents(roster, read.value, session.policy, isoTime(host.clock));
  const lost = await recordEvents(lock, events, "nothing was rebuilt");
  if (lost !== undefined) return { ...result, stop: lost };
  const state = applyEvents(lock.state, events);
  return { ...result, state: summaryOf(store.address, state, roster, read.value) };
}

function rebuiltEvents(
  roster: Roster,
  snapshot: Snapshot,
  { privilegedRoles }: Policy,
  at: string,
): readonly RunEvent[] {
  const events = rebuildState(roster, snapshot, at);
  if (snapshot.everyone.read === "incomplete") return events;
  const state = applyEvents(emptyState(""), events);
  const seen = accessSeen({ roster, snapshot, state, privilegedRoles, moving: new Set(), at });
  return seen === undefined ? events : [...events, seen];
}

function summaryOf(address: string, state: State, roster: Roster, { capabilities, everyone }: Snapshot): StateRebuilt {
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

interface ResolveFlags extends StateFlags, LockFlags, OutputFlags {}

/** Records what a person says of a call. Without an id it lists the calls whose outcome is unknown. */
export async function stateResolve(said: SaidOfCall, flags: ResolveFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => resolveResult(said, { flags, host, open })), flags, host);
}

async function resolveResult(
  said: SaidOfCall,
  { flags, host, open }: CommandCall<ResolveFlags>,
): Promise<CommandResult> {
  const resolution = readCallResolution(said);
  if (!resolution.ok) return { ...stateResult, stop: resolution.error };
  const wait = readLockOptions(flags);
  if (!wait.ok) return { ...stateResult, stop: wait.error };
  const session = await open({ command: "state", flags, host, needs: ["store"] });
  if (!session.ok) return { ...stateResult, ...session.error };
  if (resolution.value === "none") return listCalls(session.value.store);
  const locked = await lockState(session.value, "state resolve", wait.value);
  if (!locked.ok) return { ...stateResult, stop: locked.error };
  return resolve(locked.value, resolution.value);
}

async function listCalls(store: RosterLog): Promise<CommandResult> {
  const state = await store.read();
  if (!state.ok) return { ...stateResult, stop: errorFromFailure(state.error) };
  return { ...stateResult, state: openCalls(store.address, state.value) };
}

function openCalls(address: string, state: State): OpenCallsReport {
  const calls = state.open.map((one) => ({
    id: callIdOf(one),
    open: one,
    why: explainUnsettled(one, state),
  }));
  return { did: "list-calls", address, calls };
}

async function resolve(
  { lock, store, host }: Locked<Session<"store">>,
  { id, word }: CallResolution,
): Promise<CommandResult> {
  const { state } = lock;
  const call = state.open.find((one) => callIdOf(one) === id);
  if (call === undefined) return { ...stateResult, stop: noSuchCall(id, state) };
  const events = resolveCall(call, word, isoTime(host.clock));
  if (!events.ok) return { ...stateResult, stop: contradicts(id, events.error) };
  const lost = await recordEvents(lock, events.value, "nothing was recorded");
  if (lost !== undefined) return { ...stateResult, stop: lost };
  const after = applyEvents(state, events.value).open;
  const left = after.find((one) => callIdOf(one) === id);
  const stillOpenFor = left?.intent.kind === "add-members" ? left.intent.addresses : [];
  const resolved = { id, open: call, outcome: word.outcome, stillOpenFor, left: after.length };
  return { ...stateResult, state: { did: "resolve", address: store.address, ...resolved } };
}

function noSuchCall(id: string, { open }: State): RosterError {
  const ids = open.map((one) => callIdOf(one));
  return invalidSetting(
    "unknown-name",
    `No call ${id} has an unknown outcome.`,
    ids.length === 0
      ? "No call has an unknown outcome: nothing to resolve."
      : `Calls with an unknown outcome: ${ids.join(", ")}.`,
  );
}

function contradicts(id: string, why: string): RosterError {
  const hint = "Nothing was recorded. `roster state resolve` shows the call.";
  return invalidSetting("bad-flag-value", `This outcome is not possible for the call ${id}: ${why}.`, hint);
}

/** What a person says on the command line of a call. */
interface SaidOfCall {
  readonly id: string | undefined;
  readonly outcome: OperatorResolution["outcome"] | undefined;
  readonly people: readonly string[];
}

/** A person's word about the call of an id. */
interface CallResolution {
  readonly id: string;
  readonly word: OperatorResolution;
}

/** `none` where nothing is said. */
function readCallResolution({ id, outcome, people }: SaidOfCall): Result<CallResolution | "none", RosterError> {
  if (id === undefined) return success("none");
  if (outcome === undefined) return problem(noOutcomeNamed(id));
  return success({ id, word: { outcome, people: people.map(foldAddress) } });
}

function noOutcomeNamed(id: string): RosterError {
  return invalidSetting(
    "usage",
    `The outcome of the call ${id} is missing.`,
    `Look in the service, then run \`roster state resolve ${id} done\` or \`roster state resolve ${id} not-done\`.`,
  );
}
