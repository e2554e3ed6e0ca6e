import { describe, expect, test } from "vitest";
import { type LockFlags, readLockOptions } from "../../../../src/cli/stores/lock-patience.ts";
import { insideHost } from "../../../support/inside.ts";

function read(flags: LockFlags, env: Readonly<Record<string, string>> = {}) {
  const patience = readLockOptions(flags, insideHost({ cwd: "/", env }));
  return patience.ok ? patience.value : patience.error.diagnostics?.map(({ code, message }) => `${code}: ${message}`);
}

describe("the patience with a lock", () => {
  test.each<[string, LockFlags, Record<string, string>, unknown]>([
    ["is none by itself", {}, {}, { timeout: 0, wishes: {} }],
    ["comes from the flag", { lockTimeout: "5m" }, {}, { timeout: 300_000, wishes: {} }],
    ["comes from the variable", {}, { ROSTER_LOCK_TIMEOUT: "90s" }, { timeout: 90_000, wishes: {} }],
    ["of the flag wins", { lockTimeout: "0" }, { ROSTER_LOCK_TIMEOUT: "90s" }, { timeout: 0, wishes: {} }],
    ["ends with a dead run's lock", { takeDeadLock: "2m" }, {}, { timeout: 0, wishes: { takeDeadAfter: 120_000 } }],
  ])("%s", (_, flags, env, patience) => {
    expect(read(flags, env)).toEqual(patience);
  });

  test.each<[string, LockFlags, Record<string, string>, string]>([
    [
      "a flag that is no duration",
      { lockTimeout: "5" },
      {},
      "bad-duration: --lock-timeout 5 is not understood: a duration has a unit, such as 5s or 5m.",
    ],
    [
      "a variable that is no duration",
      {},
      { ROSTER_LOCK_TIMEOUT: "5" },
      "bad-duration: ROSTER_LOCK_TIMEOUT=5 is not understood: a duration has a unit, such as 5s or 5m.",
    ],
    [
      "a take-over after less than a call may last",
      { takeDeadLock: "119s" },
      {},
      "hasty-take-over: --take-dead-lock 119s is less than 2m: a call of the run that holds the lock may be under way for up to a minute, and must not be taken for dead with it.",
    ],
  ])("cannot come from %s", (_, flags, env, message) => {
    expect(read(flags, env)).toEqual([message]);
  });
});
