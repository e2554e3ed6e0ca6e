import { expect, test } from "vitest";
import { ageLog, expectPruned, pruneLog } from "../../../support/aged-log.ts";
import type { DiskCall, Strike } from "../../../support/faulty-disk.ts";
import { type MemoryDisk, memoryDisk, systemError } from "../../../support/memory-disk.ts";
import { oneIn } from "../../../support/property-runs.ts";
import { simulatedMachine } from "../../../support/simulated-machine.ts";
import { storeOf } from "../../../support/store-script.ts";
import { struckProcess } from "../../../support/struck-runs.ts";

const aged = memoryDisk();
const before = simulatedMachine(aged);
await ageLog(async () => storeOf(before.start()));

/** Prunes the aged log in a process to whose calls something may happen. */
const struckPrune = (strike: (call: DiskCall) => Strike | undefined) =>
  struckProcess(
    aged.afterPowerLoss(() => true),
    strike,
    (process) => pruneLog(storeOf(process)).catch(() => undefined),
  );

const calls = (await struckPrune(() => undefined)).calls;

const expectWhole = (disk: MemoryDisk) => expectPruned(storeOf(simulatedMachine(disk).start()));

test.each([
  ["nothing of what was not made durable", () => false],
  ["everything of it", () => true],
])(
  "a prune leaves the old log or the new one where the power is lost at any call, and %s is left",
  async (_, isLeft) => {
    const found = new Set<string>();
    for (const { number } of oneIn(3, calls)) {
      const { disk } = await struckPrune((call) => (call.number < number ? undefined : { how: "dies" }));
      found.add(await expectWhole(disk.afterPowerLoss(() => isLeft())));
    }
    expect([...found].sort()).toEqual(["new", "old"]);
  },
);

test("a prune leaves the old log or the new one where any call fails", async () => {
  const found = new Set<string>();
  for (const { number } of oneIn(3, calls)) {
    const { disk } = await struckPrune((call) =>
      call.number === number ? { how: systemError("EIO", "/states") } : undefined,
    );
    found.add(await expectWhole(disk));
  }
  expect([...found].sort()).toEqual(["new", "old"]);
});
