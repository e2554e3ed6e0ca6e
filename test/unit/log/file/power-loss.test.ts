import { describe, expect, test } from "vitest";
import { memoryDisk } from "../../../support/memory-disk.ts";
import { isDeep } from "../../../support/property-runs.ts";
import { randomTurns } from "../../../support/random-turns.ts";
import { simulatedMachine } from "../../../support/simulated-machine.ts";
import { unwrap } from "../../../support/state-place.ts";
import { storeOf } from "../../../support/store-script.ts";
import { callsOf, expectRecovery, struckRun } from "../../../support/struck-runs.ts";

const calls = await callsOf(memoryDisk());

/** Which of the names and texts that were not made durable are there all the same. */
const chances: Readonly<Record<string, (at: number) => () => boolean>> = {
  "nothing of what was not made durable": () => () => false,
  "everything of it": () => () => true,
  "any part of it": (at) => {
    const turns = randomTurns(at);
    return () => turns.pick(2) === 0;
  },
};

describe("the file store", () => {
  test.each(Object.entries(chances))(
    "loses nothing that it told to be durable where the power is lost at any call, and %s is left",
    async (name, chance) => {
      for (const { number } of calls) {
        for (let round = 0; round < (isDeep && name === "any part of it" ? 3 : 1); round += 1) {
          const disk = memoryDisk();
          const { told } = await struckRun(disk, (call) => (call.number < number ? undefined : { how: "dies" }));
          const after = disk.afterPowerLoss(chance(number * 3 + round));
          const machine = simulatedMachine(after);
          const store = storeOf(machine.start());
          // Nobody can prove any more that the holder is dead.
          const holder = unwrap(await store.holder());
          if (holder !== "nobody") unwrap(await store.breakLease(holder.id));
          await expectRecovery({ disk: after, machine, told, calls });
        }
      }
      expect(calls.length).toBeGreaterThan(80);
    },
  );
});
