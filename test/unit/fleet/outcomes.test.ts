import { expect, test } from "vitest";
import {
  countGains,
  countStatuses,
  exitCodesOf,
  type FleetSummary,
  joinSummaries,
  mostUrgentFirst,
  statusOf,
  type TargetOutcome,
} from "../../../src/fleet/outcomes.ts";

const outcome = (name: string, exitCode: number | undefined, privilegedGains = 0): TargetOutcome => ({
  name,
  service: `https://${name}.example`,
  status:
    exitCode === undefined
      ? "not-started"
      : statusOf(exitCode, { changes: exitCode === 2 ? 1 : 0, problems: exitCode === 9 ? 1 : 0 }),
  ...(exitCode === undefined ? {} : { ran: { exitCode, startedAt: "", finishedAt: "" } }),
  privilegedGains,
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
  expect(
    mostUrgentFirst(all)
      .map(({ name }) => name)
      .join(""),
  ).toBe("gfedchba");
  expect(countStatuses(all)).toEqual({ failed: 1, "not-started": 1, changes: 4, problems: 1, clean: 1 });
  expect(countGains(all)).toBe(4);
});

test("what was not started counts as a part that was not done", () => {
  const targets = [outcome("a", 0), outcome("b", 2), outcome("c", 2), outcome("d", undefined)];
  expect(exitCodesOf({ targets })).toEqual([0, 2, 7]);
  expect(exitCodesOf({ targets: [outcome("a", 0)], missing: [{ number: 2, of: 2 }] })).toEqual([0, 7]);
});

test("summaries of shards are joined: the last run of a target counts, and a shard that is missing is named", () => {
  const at = (name: string, exitCode: number, finishedAt: string): TargetOutcome => ({
    ...outcome(name, exitCode),
    ran: { exitCode, startedAt: "", finishedAt },
  });
  const shard = (number: number, targets: readonly TargetOutcome[]): FleetSummary => ({
    command: "drift",
    file: "fleet.yaml",
    selected: 5,
    shard: { number, of: 3 },
    targets,
  });
  const first = shard(1, [at("b", 0, "2026-11-20T03:00:00Z"), at("a", 1, "2026-11-20T03:00:00Z")]);
  const second = shard(3, [at("a", 0, "2026-11-20T03:05:00Z"), { ...outcome("b", undefined) }]);
  expect(joinSummaries([first, second])).toEqual({
    command: "drift",
    file: "fleet.yaml",
    selected: 5,
    targets: [at("a", 0, "2026-11-20T03:05:00Z"), at("b", 0, "2026-11-20T03:00:00Z")],
    missing: [{ number: 2, of: 3 }],
  });
});
