import { describe, expect, test } from "vitest";
import type { SomeFlags } from "../../../../src/cli/flags.ts";
import type { Host } from "../../../../src/cli/host.ts";
import { readLockOptions, reportActiveRun } from "../../../../src/cli/log.ts";
import { type Log, lockLog, record, underLock } from "../../../../src/library/log.ts";
import type { LockHolder, LockOptions, LogSession, LogStore, RosterLog, RunInfo } from "../../../../src/log/port.ts";
import { stateError } from "../../../../src/log/store-error.ts";
import type { Failure } from "../../../../src/model/failure.ts";
import { problem, type Result, success } from "../../../../src/model/result.ts";
import { emptyState } from "../../../../src/model/state.ts";
import { noon, runStarted } from "../../../support/event-builders.ts";
import { clockAt, countingRandomness } from "../../../support/fixed-ports.ts";
import { insideHost } from "../../../support/inside.ts";
import { memorySession } from "../../../support/memory-session.ts";
import { settled } from "../../../support/settled.ts";

async function read(flags: SomeFlags) {
  const options = await settled(() => readLockOptions(flags, insideHost({ cwd: "/" })));
  if (!options.ok) return `${options.error.code}: ${options.error.message}`;
  const { lockTimeoutMs, breakStaleAfterMs } = options.value;
  return { lockTimeoutMs, breakStaleAfterMs };
}

describe("the patience with a lock", () => {
  test.each<[string, SomeFlags, unknown]>([
    ["is none by itself", {}, { lockTimeoutMs: 0 }],
    ["comes from the flag", { lockTimeout: "5m" }, { lockTimeoutMs: 300_000 }],
    ["ends with a dead run's lock", { breakStaleLock: "2m" }, { lockTimeoutMs: 0, breakStaleAfterMs: 120_000 }],
  ])("%s", async (_, flags, patience) => {
    expect(await read(flags)).toEqual(patience);
  });

  test.each<[string, SomeFlags, string]>([
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
  ])("cannot come from %s", async (_, flags, message) => {
    expect(await read(flags)).toBe(message);
  });
});

function unusedStore(): RosterLog {
  const unused = () => Promise.reject(new Error("not asked for"));
  const readEvents = () => expect.unreachable("not asked for");
  const common = { address: "file:log.jsonl", read: unused, holder: unused, close: unused };
  const kept: LogStore = { ...common, lease: unused, breakLease: unused };
  return { ...common, head: unused, readEvents, lock: unused, breakLease: unused, kept };
}

function logOf(store: RosterLog, { clock, randomness, secrets }: Host): Log {
  const unused = () => Promise.reject(new Error("not asked for"));
  const common = { address: store.address, read: unused, close: unused, [Symbol.asyncDispose]: unused };
  return { ...common, store, clock, randomness, secrets };
}

async function told(address: string, holder: () => Promise<Result<LockHolder | "nobody", Failure>>): Promise<string> {
  const host = insideHost({ cwd: "/" });
  const store: RosterLog = { ...unusedStore(), address, holder };
  await reportActiveRun(logOf(store, host), host);
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

function waiting(freeAt: number, lockTimeout: string, failure?: Failure) {
  const clock = clockAt(noon);
  const host = { ...insideHost({ cwd: "/", clock }), randomness: countingRandomness() };
  const { store: asked, tries } = store(freeAt, failure);
  const options = readLockOptions({ lockTimeout, breakStaleLock: "2m" }, host);
  const lock = settled(() => lockLog(logOf(asked, host), "apply", { ...options, signal: host.interruption.signal }));
  const failed = async () => {
    const taken = await lock;
    return taken.ok ? "taken" : taken.error.problem;
  };
  return { lock, failed, tries, clock, host };
}

describe("a lock", () => {
  test("that is free is taken at the first try, with the options of the command", async () => {
    const { lock, tries, host } = waiting(1, "60s");
    expect(await lock).toMatchObject({ ok: true, value: { state: session.state } });
    const actor = { name: "olga", source: "os" };
    expect(tries).toEqual([
      { run: { run: expect.any(String), operation: "apply", actor, at: noon }, options: { breakStaleAfter: 120_000 } },
    ]);
    expect(host.told.stderr).toBe("");
  });

  test("that another run holds is told at once without patience", async () => {
    const { failed, tries, clock } = waiting(2, "0");
    expect(await failed()).toEqual({ ...held, hint: "wait for that run; --lock-timeout 5m waits for it" });
    expect({ tries: tries.length, waits: clock.waits }).toEqual({ tries: 1, waits: [] });
  });

  test("that becomes free is waited for, and who holds it is told now and then", async () => {
    const { lock, tries, host } = waiting(41, "60s");
    expect((await lock).ok).toBe(true);
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
    const { failed, clock } = waiting(Number.POSITIVE_INFINITY, "3s");
    expect(await failed()).toEqual({ ...held, message: "the log is locked by ada@build-7, still locked after 3s" });
    expect(clock.waits.reduce((sum, wait) => sum + wait, 0)).toBe(3000);
  });

  test("is not waited for after an interrupt", async () => {
    const waited = waiting(Number.POSITIVE_INFINITY, "60s");
    waited.host.interrupt("SIGINT");
    expect(await waited.failed()).toEqual(held);
    expect(waited.tries.length).toBeLessThan(3);
  });

  test("is not waited for where the store itself fails", async () => {
    const failure: Failure = { code: "state", message: "the disk is full" };
    const { failed, tries } = waiting(2, "60s", failure);
    expect(await failed()).toEqual(failure);
    expect(tries.length).toBe(1);
  });

  test("under which a store fails says how far its log came", async () => {
    const { lock } = waiting(1, "0");
    const taken = await lock;
    if (!taken.ok) throw taken.error;
    const failed = await settled(() =>
      underLock(taken.value, async () => {
        await record(taken.value, [runStarted("r1")], "nothing was sent");
        throw stateError("file:other.jsonl", "the other log cannot be written", "free some space");
      }),
    );
    const head = taken.value.head();
    expect(failed.ok ? "done" : [failed.error.code, failed.error.applied]).toEqual(["state", { head }]);
    expect(head.position).toBeGreaterThan(0);
  });
});
