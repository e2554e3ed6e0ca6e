import { describe, expect, test } from "vitest";
import type { Host } from "../../../../src/cli/host.ts";
import { type LockFlags, readLockOptions, reportActiveRun, waitingWith } from "../../../../src/cli/stores/lock.ts";
import { takeLock } from "../../../../src/library/apply/lock.ts";
import { type Failure, problem, type Result, success } from "../../../../src/model/result.ts";
import { emptyState, type LockHolder } from "../../../../src/model/state.ts";
import type { LockOptions, LogSession, LogStore, RosterLog, RunInfo } from "../../../../src/ports/log.ts";
import { noon } from "../../../support/event-builders.ts";
import { clockAt, countingRandomness } from "../../../support/fixed-ports.ts";
import { insideHost } from "../../../support/inside.ts";
import { memorySession } from "../../../support/memory-session.ts";

function read(flags: LockFlags) {
  const patience = readLockOptions(flags);
  return patience.ok ? patience.value : patience.error.diagnostics?.map(({ code, message }) => `${code}: ${message}`);
}

describe("the patience with a lock", () => {
  test.each<[string, LockFlags, unknown]>([
    ["is none by itself", {}, { timeout: 0 }],
    ["comes from the flag", { lockTimeout: "5m" }, { timeout: 300_000 }],
    ["ends with a dead run's lock", { breakStaleLock: "2m" }, { timeout: 0, breakStaleAfter: 120_000 }],
  ])("%s", (_, flags, patience) => {
    expect(read(flags)).toEqual(patience);
  });

  test.each<[string, LockFlags, string]>([
    [
      "a flag that is no duration",
      { lockTimeout: "5" },
      "bad-flag-value: --lock-timeout 5 is not understood: a duration has a unit, such as 5s or 5m.",
    ],
    [
      "a take-over after less than a call may last",
      { breakStaleLock: "119s" },
      "bad-flag-value: --break-stale-lock 119s is less than 2m. One call of the other run can take up " +
        "to a minute.",
    ],
  ])("cannot come from %s", (_, flags, message) => {
    expect(read(flags)).toEqual([message]);
  });
});

function unusedStore(): RosterLog {
  const unused = () => Promise.reject(new Error("not asked for"));
  const readEvents = () => expect.unreachable("not asked for");
  const common = { address: "file:log.jsonl", read: unused, holder: unused, close: unused };
  const kept: LogStore = { ...common, lease: unused, breakLease: unused };
  return { ...common, readEvents, lock: unused, unlock: unused, kept };
}

async function told(address: string, holder: () => Promise<Result<LockHolder | "nobody", Failure>>): Promise<string> {
  const host = insideHost({ cwd: "/" });
  const store: RosterLog = { ...unusedStore(), address, holder };
  await reportActiveRun(store, host);
  return host.told.stderr;
}

const since = "2026-11-20T09:00:00.000Z";

test.each<[string, string, () => Promise<Result<LockHolder | "nobody", Failure>>, string]>([
  [
    "by whom and since when, where a run holds the state",
    "file:log.jsonl",
    async () => success({ id: "l-1", who: "ada@build-7", operation: "apply", since }),
    `The log is locked by ada@build-7 for apply since ${since}. Changes that this run has not made yet show ` +
      "as planned.\n",
  ],
  ["nothing where nobody does", "file:log.jsonl", async () => success("nobody"), ""],
  ["nothing where it cannot be known", "s3://b/k", async () => problem({ code: "state", message: "no answer" }), ""],
])("it is told %s", async (_, address, holder, line) => {
  expect(await told(address, holder)).toBe(line);
});

const held: Failure = { code: "locked", message: "the log is locked by ada@build-7", hint: "wait for that run" };
const session = memorySession(emptyState("l"));

/** A store whose lock is free from the given try on. */
function store(freeAt: number, failure: Failure = held) {
  const tries: { readonly run: RunInfo; readonly options: LockOptions | undefined }[] = [];
  const lock = async (run: RunInfo, options?: LockOptions): Promise<Result<LogSession, Failure>> => {
    tries.push({ run, options });
    return tries.length >= freeAt ? success(session) : problem(failure);
  };
  return { store: { ...unusedStore(), lock }, tries };
}

function options({ randomness, interruption }: Host) {
  return { randomness, signal: interruption.signal };
}

function waiting(freeAt: number, timeout: number, failure?: Failure) {
  const clock = clockAt(noon);
  const host = { ...insideHost({ cwd: "/", clock }), randomness: countingRandomness() };
  const { store: asked, tries } = store(freeAt, failure);
  const run = { run: "r1", operation: "apply" };
  const patience = { timeout, breakStaleAfter: 120_000 };
  const lock = takeLock(asked, run, { ...waitingWith(patience, host), ...options(host) });
  return { lock, tries, clock, host };
}

describe("a lock", () => {
  test("that is free is taken at the first try, with the options of the command", async () => {
    const { lock, tries, host } = waiting(1, 60_000);
    expect(await lock).toEqual(success(session));
    expect(tries).toEqual([
      { run: { run: "r1", operation: "apply", at: noon }, options: { breakStaleAfter: 120_000 } },
    ]);
    expect(host.told.stderr).toBe("");
  });

  test("that another run holds is told at once without patience", async () => {
    const { lock, tries, clock } = waiting(2, 0);
    expect(await lock).toEqual(problem({ ...held, hint: "wait for that run; --lock-timeout 5m waits for it" }));
    expect({ tries: tries.length, waits: clock.waits }).toEqual({ tries: 1, waits: [] });
  });

  test("that becomes free is waited for, and who holds it is told now and then", async () => {
    const { lock, tries, host } = waiting(41, 60_000);
    expect(await lock).toEqual(success(session));
    expect(tries.length).toBe(41);
    expect(host.told.stderr).toBe(
      [
        "waiting for up to 1m: the log is locked by ada@build-7\n",
        "waiting for up to 45s: the log is locked by ada@build-7\n",
        "waiting for up to 30s: the log is locked by ada@build-7\n",
      ].join(""),
    );
  });

  test("that does not become free in time is told with how long was waited", async () => {
    const { lock, clock } = waiting(Number.POSITIVE_INFINITY, 2500);
    expect(await lock).toEqual(
      problem({ ...held, message: "the log is locked by ada@build-7, still locked after 3s" }),
    );
    expect(clock.waits).toEqual([1000, 1000, 500]);
  });

  test("is not waited for after an interrupt", async () => {
    const clock = clockAt(noon);
    const host = insideHost({ cwd: "/", clock });
    const { store: asked, tries } = store(Number.POSITIVE_INFINITY);
    host.interrupt("SIGINT");
    const patience = { timeout: 60_000 };
    const lock = takeLock(
      asked,
      { run: "r1", operation: "apply" },
      { ...waitingWith(patience, host), ...options(host) },
    );
    expect(await lock).toEqual(problem(held));
    expect(tries.length).toBe(1);
  });

  test("is not waited for where the store itself fails", async () => {
    const failure: Failure = { code: "state", message: "the disk is full" };
    const { lock, tries } = waiting(2, 60_000, failure);
    expect(await lock).toEqual(problem(failure));
    expect(tries.length).toBe(1);
  });
});
