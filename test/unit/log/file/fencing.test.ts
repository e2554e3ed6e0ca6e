import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RosterLog } from "../../../../src/log/port.ts";
import { noon } from "../../../support/event-builders.ts";
import { faultyDisk } from "../../../support/faulty-disk.ts";
import { clockAt } from "../../../support/fixed-ports.ts";
import { type MemoryDisk, memoryDisk } from "../../../support/memory-disk.ts";
import { oneIn, runs } from "../../../support/property-runs.ts";
import { randomTurns } from "../../../support/random-turns.ts";
import { type SimulatedMachine, simulatedMachine } from "../../../support/simulated-machine.ts";
import { aRun, unwrap } from "../../../support/state-place.ts";
import { actionsIn, appended, lockedBy, storeOf, toldNothing, twoRuns } from "../../../support/store-script.ts";
import { callsOf } from "../../../support/struck-runs.ts";

const calls = await callsOf(memoryDisk());
const breakStaleAfter = 15 * 60_000;

/** A process that runs the script until it is stopped before a call, and goes on only when it is told to. */
function sleeperAt(machine: SimulatedMachine, disk: MemoryDisk, number: number) {
  const told = toldNothing();
  let wake: () => void = () => undefined;
  let fallAsleep: () => void = () => undefined;
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const asleep = new Promise<void>((resolve) => {
    fallAsleep = resolve;
  });
  const own = faultyDisk(disk, async (call) => {
    if (call.number < number) return undefined;
    fallAsleep();
    await woken;
    return undefined;
  });
  const clock = clockAt(noon);
  const script = twoRuns(storeOf(machine.start(own), "/states", clock), told);
  return {
    told,
    asleep,
    /** Time passes for the disk and for the sleeper, who does not notice. */
    pass(milliseconds: number) {
      disk.pass(milliseconds);
      clock.move(milliseconds);
    },
    wake() {
      wake();
      return script;
    },
  };
}

type Waking = "before the first append" | "between two appends" | "after the last append";

/** A sleeper's lock is taken over; it wakes; whoever took it over closes, or dies; and all of that one's is there. */
async function takeOver(number: number, when: Waking, end: "closes" | "dies"): Promise<void> {
  const disk = memoryDisk();
  const machine = simulatedMachine(disk);
  const sleeper = sleeperAt(machine, disk, number);
  await sleeper.asleep;
  sleeper.pass(breakStaleAfter + 1);
  const process = machine.start();
  const next = unwrap(await storeOf(process).lock(aRun, { breakStaleAfter }));
  const before = [...sleeper.told.durable];
  expect(actionsIn(next.state)).toEqual(expect.arrayContaining(before));
  const mine = toldNothing();
  if (when === "before the first append") await sleeper.wake();
  await appended(next, mine, ["one"]);
  if (when === "between two appends") await sleeper.wake();
  await appended(next, mine, ["two"]);
  if (when === "after the last append") await sleeper.wake();
  expect(sleeper.told).toMatchObject({ durable: before, errors: sleeper.told.errors.map(() => overtaken) });
  expect(mine).toMatchObject({ durable: ["one", "two"], errors: [] });
  if (end === "closes") unwrap(await next.close());
  machine.bury(process);
  const last = unwrap(await storeOf(machine.start()).lock(aRun));
  expect(actionsIn(last.state)).toEqual([...actionsIn(next.state), "one", "two"]);
  await appended(last, mine, ["three"]);
  unwrap(await last.close());
  expect([...(await disk.list("/states"))].sort()).toEqual(["log.jsonl", "log.jsonl.checkpoint"]);
}

const overtaken = expect.stringContaining("the lock of this run was taken over");
const wakings: readonly Waking[] = ["before the first append", "between two appends", "after the last append"];

describe("a run that is stopped at any call, and wakes after its lock was taken over", () => {
  test.each(wakings.flatMap((when) => [[when, "closes"] as const, [when, "dies"] as const]))(
    "changes nothing of what the new holder records, where it wakes %s of it, which then %s",
    async (when, end) => {
      for (const { number } of oneIn(2, calls)) await takeOver(number, when, end);
    },
  );

  test("says who took it over, and what to do", async () => {
    const disk = memoryDisk();
    const machine = simulatedMachine(disk);
    const store = storeOf(machine.start());
    const former = unwrap(await store.lock(aRun));
    const told = toldNothing();
    await appended(former, told, ["first"]);
    disk.pass(breakStaleAfter + 1);
    unwrap(
      await storeOf(machine.start()).lock({ run: "m", operation: "state resolve", at: noon }, { breakStaleAfter }),
    );
    await appended(former, told, ["second"]);
    await appended(former, told, ["third"]);
    const message = expect.stringMatching(
      /^the lock of this run was taken over by \S+@simulated \(process 2\) for state resolve since \S+: it cannot record results, so it starts no more calls \(run again/,
    );
    expect(told.errors).toEqual([message, message]);
    expect(await former.close()).toMatchObject({
      ok: false,
      error: { code: "state", request: "/states/log.jsonl.lock" },
    });
  });
});

/** Locks, whoever holds it; finds all that was durable before; appends; and closes. */
async function rob(store: RosterLog, name: string, durable: string[]): Promise<void> {
  const before = [...durable];
  const told = { ...toldNothing(), durable };
  const session = await lockedBy(store, told, { breakStaleAfter: -1 });
  if (session === undefined) return;
  expect(actionsIn(session.state).filter((action) => before.includes(action))).toEqual(before);
  await appended(session, told, [`${name} alone`]);
  await appended(session, told, [`${name} in a group`, `${name} with it`]);
  await session.close();
}

describe("runs that take each other's lock over at any moment, and die at any", () => {
  test("keep everything that any of them told to be durable, once and in its order", async () => {
    let robbed = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 2, max: 4 }), async (seed, count) => {
        const disk = memoryDisk();
        const machine = simulatedMachine(disk);
        const turns = randomTurns(seed);
        const durable: string[] = [];
        const process = async (name: string) => {
          let die: () => void = () => undefined;
          const dead = new Promise<void>((resolve) => {
            die = resolve;
          });
          const system = machine.start(
            faultyDisk(disk, async () => {
              await turns.next();
              if (turns.pick(80) > 0) return undefined;
              die();
              return { how: "dies", first: "half" };
            }),
          );
          await Promise.race([dead, rob(storeOf(system), name, durable)]);
          machine.bury(system);
        };
        const processes = Array.from({ length: count }, async (_, index) => {
          for (let round = 0; round < 3; round += 1) await process(`${"abcd".charAt(index)}${round}`);
        });
        await turns.until(Promise.all(processes));
        const kept = actionsIn(unwrap(await storeOf(machine.start()).read()));
        expect(kept.filter((action) => durable.includes(action))).toEqual(durable);
        expect(new Set(kept).size).toBe(kept.length);
        robbed += count * 9 - durable.length;
      }),
      { seed: 12, numRuns: runs(1200, 80) },
    );
    expect(robbed).toBeGreaterThan(0);
  });
});
