import { expect } from "vitest";
import type { FileSystem } from "../../src/files/file-system.ts";
import { applyEvents } from "../../src/log/fold.ts";
import type { LogSession } from "../../src/log/port.ts";
import { emptyState } from "../../src/model/state.ts";
import { noon } from "./event-builders.ts";
import { type DiskCall, faultyDisk, type Strike } from "./faulty-disk.ts";
import { type SimulatedMachine, simulatedMachine } from "./simulated-machine.ts";
import { unwrap } from "./state-place.ts";
import { actionsIn, appended, storeOf, type Told, toldNothing, twoRuns } from "./store-script.ts";
import { readWhole } from "./whole-log.ts";

/** What a process left that ran the script until its end, or died in it. */
export interface StruckRun {
  readonly disk: FileSystem;
  readonly machine: SimulatedMachine;
  readonly told: Told;
  readonly calls: readonly DiskCall[];
}

/** Does something in a process of its own, which is gone afterwards. */
export async function struckProcess<Disk extends FileSystem>(
  disk: Disk,
  strike: (call: DiskCall) => Strike | undefined,
  work: (process: ReturnType<SimulatedMachine["start"]>) => Promise<unknown>,
) {
  const machine = simulatedMachine(disk);
  const calls: DiskCall[] = [];
  let die: () => void = () => undefined;
  const dead = new Promise<void>((resolve) => {
    die = resolve;
  });
  const process = machine.start(
    faultyDisk(disk, async (call) => {
      calls.push(call);
      const struck = strike(call);
      // What is done first all the same is done before anybody else looks.
      if (struck?.how === "dies") setImmediate(die);
      return struck;
    }),
  );
  await Promise.race([dead, work(process)]);
  machine.bury(process);
  return { disk, machine, calls };
}

export async function struckRun(
  disk: FileSystem,
  strike: (call: DiskCall) => Strike | undefined = () => undefined,
  directory?: string,
): Promise<StruckRun> {
  const told = toldNothing();
  return { told, ...(await struckProcess(disk, strike, (process) => twoRuns(storeOf(process, directory), told))) };
}

/** Every call of the script where nothing happens to it. */
export async function callsOf(disk: FileSystem): Promise<readonly DiskCall[]> {
  // The script's second run never ends: on a slow machine its signs of life come later.
  return [...(await struckRun(disk)).calls];
}

/**
 * Whoever comes next finds all that was told to be durable, in its order, and nothing that was not tried; takes the lock;
 * and goes on.
 */
export async function expectRecovery({ machine, told }: StruckRun, directory?: string): Promise<void> {
  const store = storeOf(machine.start(), directory);
  const state = unwrap(await store.read());
  const next = unwrap(await store.lock({ run: "n", operation: "apply", at: noon }));
  if (state.serial > 0) expect(next.state).toEqual(state);
  expectKept(next, told);
  const more = toldNothing();
  await appended(next, more, ["more"]);
  expect(more.errors).toEqual([]);
  const saved = unwrap(await next.close());
  expect(actionsIn(saved)).toEqual([...actionsIn(next.state), "more"]);
  expect(unwrap(await store.read())).toEqual(saved);
  // The chain is whole, and the checkpoint is what the events add up to.
  const whole = unwrap(await readWhole(store));
  expect(
    applyEvents(
      emptyState(""),
      whole.events.map(({ event }) => event),
    ),
  ).toEqual({ ...saved, serial: 0 });
}

function expectKept({ state }: LogSession, { durable, tried, lineages }: Told): void {
  const kept = actionsIn(state);
  expect(kept.filter((action) => durable.includes(action))).toEqual(durable);
  expect(kept.filter((action) => !tried.includes(action))).toEqual([]);
  expect(new Set(kept).size).toBe(kept.length);
  if (durable.length > 0) expect([...lineages]).toEqual([state.lineage]);
}
