import { fileStore } from "../../src/log/file/store.ts";
import type { LocalSystem } from "../../src/log/lock-holder.ts";
import type { LockOptions, LogSession, RosterLog } from "../../src/log/port.ts";
import type { Failure } from "../../src/model/failure.ts";
import type { State } from "../../src/model/state.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { creationIntent, intended, noon } from "./event-builders.ts";
import { clockAt } from "./fixed-ports.ts";

export interface Told {
  /** Actions that were appended, whether or not that came to an end, in order. */
  readonly tried: string[];
  readonly durable: string[];
  /** Of each state into which something was told to be durable. */
  readonly lineages: Set<string>;
  readonly failures: Failure[];
  readonly errors: string[];
}

export function toldNothing(): Told {
  return { tried: [], durable: [], lineages: new Set(), failures: [], errors: [] };
}

/** A store of a process, at one place for all processes of a disk. */
export function storeOf(system: LocalSystem, directory = "/states", clock: Clock = clockAt(noon)): RosterLog {
  return fileStore({ path: `${directory}/log.jsonl`, clock, randomness, system });
}

let identifiers = 0;
export const randomness = {
  fraction: () => 0.5,
  identifier() {
    identifiers += 1;
    return `id-${identifiers}`;
  },
};

/** Two runs of one process: the first appends alone and in a group, and closes; the second appends, and never closes. */
export async function twoRuns(store: RosterLog, told: Told, wishes?: LockOptions): Promise<void> {
  const first = await lockedBy(store, told, wishes);
  if (first !== undefined) {
    await appended(first, told, ["first"]);
    await appended(first, told, ["second", "third"]);
    const closed = await first.close();
    if (!closed.ok) told.failures.push(closed.error);
  }
  const second = await lockedBy(store, told, wishes);
  if (second !== undefined) await appended(second, told, ["fourth"]);
}

export async function lockedBy(store: RosterLog, told: Told, wishes?: LockOptions): Promise<LogSession | undefined> {
  const locked = await store.lock({ run: "r", operation: "apply", at: noon }, wishes);
  if (locked.ok) return locked.value;
  told.failures.push(locked.error);
  return undefined;
}

/** Appends intents, all at once. */
export async function appended(session: LogSession, told: Told, actions: readonly string[]): Promise<void> {
  const each = async (action: string) => {
    told.tried.push(action);
    try {
      await session.append([intended("r", action, creationIntent("ada"))]);
      told.durable.push(action);
      told.lineages.add(session.state.lineage);
    } catch (error) {
      told.errors.push(error instanceof Error ? error.message : String(error));
    }
  };
  await Promise.all(actions.map(each));
}

export function actionsIn(state: State): readonly string[] {
  return state.open.map(({ action }) => action);
}
