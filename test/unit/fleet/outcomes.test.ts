import { expect, test } from "vitest";
import type { TargetOutcome } from "../../../src/fleet/fleet-summary.ts";
import { mostUrgentFirst, statusOf, summaryOf } from "../../../src/fleet/outcomes.ts";

const outcome = (name: string, exitCode: number | undefined, privilegedGains = 0): TargetOutcome => ({
  name,
  service: `https://${name}.example`,
  status:
    exitCode === undefined
      ? "not-started"
      : statusOf(exitCode, { changes: exitCode === 2 ? 1 : 0, problems: exitCode === 9 ? 1 : 0 }),
  ...(exitCode === undefined ? {} : { exit_code: exitCode }),
  privileged_gains: privilegedGains,
  changes: 0,
  problems: 0,
  done: 0,
  reports: [],
});

test.each([
  [0, { changes: 0, problems: 0 }, "clean"],
  [0, { changes: 2, problems: 1 }, "changes"],
  [2, { changes: 2, problems: 0 }, "changes"],
  [9, { changes: 0, problems: 1 }, "problems"],
  [2, { changes: 0, problems: 0 }, "changes"],
  [9, { changes: 0, problems: 0 }, "problems"],
  [7, { changes: 0, problems: 0 }, "failed"],
  [130, { changes: 0, problems: 0 }, "failed"],
  [3, { changes: 1, problems: 1 }, "failed"],
])("exit code %i with %j is %s", (code, counts, status) => {
  expect(statusOf(code, counts)).toBe(status);
});

test("privileged gains come first, then failures, then what was not started; else the order of the fleet", () => {
  const all = [
    outcome("a", 0),
    outcome("b", 9),
    outcome("c", 2),
    outcome("d", undefined),
    outcome("e", 8),
    outcome("f", 2, 1),
    outcome("g", 2, 3),
    outcome("h", 2),
  ];
  const names = mostUrgentFirst(all).map(({ name }) => name);
  expect(names.join("")).toBe("gfedchba");
  const { counts, privileged_gains } = summaryOf({ did: "drift", file: "f", finished_at: "", targets: all });
  expect(counts).toEqual({ failed: 1, "not-started": 1, changes: 4, problems: 1, clean: 1 });
  expect(privileged_gains).toBe(4);
});
