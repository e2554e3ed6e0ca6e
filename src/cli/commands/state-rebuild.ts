import { applyEvents } from "../../journal/fold.ts";
import { rebuildState } from "../../journal/observed-events.ts";
import type { Roster } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { emptyState, isUnusedState, type State } from "../../model/state.ts";
import { observe } from "../../observe/observe.ts";
import { isoTime } from "../../ports/clock.ts";
import { type StateRebuilt, unrecoverableFacts } from "../../report/state.ts";
import { type CommandError, errorFromFailure } from "../command-error.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { rosterSummary } from "../planning/load-roster.ts";
import {
  type CommandCall,
  type PlanningFlags,
  type PlanningSession,
  planningParts,
  readPorts,
  runCommand,
} from "../session.ts";
import { type Locked, type LockFlags, lockState, readLockOptions, recordEvents } from "../stores/lock.ts";
import { stateResult } from "../stores/open-store.ts";

export interface RebuildFlags extends PlanningFlags, LockFlags {}

/** Starts a new state after the former one was lost, from what the service shows of the roster. Overwrites nothing. */
export async function stateRebuild(paths: readonly string[], flags: RebuildFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => rebuildResult(paths, { flags, host, open })), flags, host);
}

async function rebuildResult(
  paths: readonly string[],
  { flags, host, open }: CommandCall<RebuildFlags>,
): Promise<CommandResult> {
  const wait = readLockOptions(flags, host);
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
  const events = rebuildState(roster, read.value, isoTime(host.clock));
  const lost = await recordEvents(lock, events, "nothing was rebuilt");
  if (lost !== undefined) return { ...result, stop: lost };
  const state = applyEvents(lock.state, events);
  return { ...result, state: summaryOf(store.address, state, roster, read.value) };
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
    code: "state-exists",
    message: `there is a state at ${address} (lineage ${lineage}, serial ${serial}, ${users.size} users, ${open.length} open calls), and roster does not overwrite it`,
    hint: "use it; if it is damaged or of another service, name another place with --state",
  };
  return { reason: "refused", problem };
}
