import { expect, test } from "vitest";
import { systemClock, systemRandomness } from "../../../../src/cli/system.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { innerRoster } from "../../../support/inner-command.ts";
import { memoryDisk } from "../../../support/memory-disk.ts";
import { simulatedMachine } from "../../../support/simulated-machine.ts";

test("a host may keep states in files elsewhere than on this machine", async () => {
  const disk = memoryDisk();
  await disk.makeDirectory("/elsewhere");
  await (await disk.open("/elsewhere/state.json", "create")).write("no state");
  const { code, stderr } = await innerRoster(["state", "verify"], {
    cwd: emptyDirectory(),
    env: { ROSTER_STATE: "file:/elsewhere/state.json", ROSTER_TRUST_SETTINGS: "1" },
    clock: systemClock,
    randomness: systemRandomness,
    localSystem: simulatedMachine(disk).start(),
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining("/elsewhere/state.json")]);
});
