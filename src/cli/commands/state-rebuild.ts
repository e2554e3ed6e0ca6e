import { applyEvents } from "../../journal/fold.ts";
import { rebuildState } from "../../journal/rebuild-state.ts";
import type { Failure, Result } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { emptyState, isUnusedState, type State } from "../../model/state.ts";
import { observe } from "../../observe/observe.ts";
import { isoTime } from "../../ports/clock.ts";
import type { StateSession } from "../../ports/state-store.ts";
import { type StateRebuilt, unrecoverableFacts } from "../../report/state.ts";
import { type CommandError, errorFromFailure } from "../command-error.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { readProgress } from "../progress/progress-observer.ts";
import { type CommandSession, type PlanningFlags, withSession } from "../session.ts";
import { type LockFlags, readLockOptions, recordEvents, takeLock, underLock } from "../stores/lock.ts";
import { stateResult } from "../stores/open-store.ts";

export interface RebuildFlags extends PlanningFlags, LockFlags {}

/** Begins a state anew where the former one was lost, from what the service shows of the roster. Overwrites nothing. */
export async function stateRebuild(paths: readonly string[], flags: RebuildFlags, host: Host): Promise<number> {
  return finish(await rebuildResult(paths, flags, host), flags, host);
}

async function rebuildResult(paths: readonly string[], flags: RebuildFlags, host: Host): Promise<CommandResult> {
  const patience = readLockOptions(flags, host);
  if (!patience.ok) return { ...stateResult, stop: patience.error };
  return withSession(stateResult, { paths, flags, host }, async (so, ready) => {
    const run = { run: host.randomness.identifier(), operation: "state rebuild" };
    const locked = await takeLock(ready.store, run, patience.value, { host, signal: ready.halting.signal });
    if (!locked.ok) return { ...so, stop: errorFromFailure(locked.error) };
    return underLock(locked.value, () => rebuild(so, ready, locked.value, host));
  });
}

async function rebuild(
  so: CommandResult,
  ready: CommandSession,
  session: StateSession,
  host: Host,
): Promise<CommandResult> {
  const { store, loaded } = ready;
  if (!isUnusedState(session.state)) return { ...so, stop: occupied(store.address, session.state) };
  const read = await readAll(ready, host);
  if (!read.ok) return { ...so, stop: errorFromFailure(read.error) };
  const events = rebuildState(loaded.roster, read.value, isoTime(host.clock));
  const lost = await recordEvents(session, events, "nothing was rebuilt");
  if (lost !== undefined) return { ...so, stop: lost };
  const state = applyEvents(session.state, events);
  return { ...so, state: summaryOf(store.address, state, loaded.roster, read.value) };
}

function readAll(
  { loaded, settings, service, halting, onlooker }: CommandSession,
  host: Host,
): Promise<Result<Snapshot, Failure>> {
  const question = { roster: loaded.roster, state: emptyState(""), everyone: "always", assumeAbsentTeams: [] } as const;
  const { parallelism } = settings;
  const ports = { service, clock: host.clock, progress: readProgress(onlooker), parallelism, signal: halting.signal };
  return observe(question, ports);
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

function occupied(address: string, { lineage, serial, users, open }: State): CommandError {
  const problem = {
    code: "occupied",
    message: `there is a state at ${address} (lineage ${lineage}, serial ${serial}, ${users.size} users, ${open.length} open calls), and it is not overwritten`,
    hint: "use it as it is; if it is damaged or of another service, name another place with --state",
  };
  return { reason: "refused", problem };
}
