import { describe, expect, test } from "vitest";
import { takeLock } from "../../../../src/cli/stores/take-lock.ts";
import { type Failure, problem, type Result, success } from "../../../../src/model/result.ts";
import { emptyState } from "../../../../src/model/state.ts";
import type { LockOptions, RunInfo, StateSession, StateStore } from "../../../../src/ports/state-store.ts";
import { noon } from "../../../support/event-builders.ts";
import { clockAt, countingRandomness } from "../../../support/fixed-ports.ts";
import { insideHost } from "../../../support/inside.ts";
import { memorySession } from "../../../support/memory-session.ts";

const held: Failure = { code: "locked", message: "the state is locked by ada@build-7", hint: "wait for that run" };
const session = memorySession(emptyState("l"));

/** A store whose lock is free from the given try on. */
function store(freeAt: number, failure: Failure = held) {
  const tries: { readonly run: RunInfo; readonly wishes: LockOptions | undefined }[] = [];
  const lock = async (run: RunInfo, wishes?: LockOptions): Promise<Result<StateSession, Failure>> => {
    tries.push({ run, wishes });
    return tries.length >= freeAt ? success(session) : problem(failure);
  };
  const unused = () => Promise.reject(new Error("not asked for"));
  const store: StateStore = {
    address: "file:state.json",
    lock,
    read: unused,
    holder: unused,
    unlock: unused,
    verify: unused,
    close: unused,
  };
  return { store, tries };
}

function waiting(freeAt: number, timeout: number, failure?: Failure) {
  const clock = clockAt(noon);
  const host = { ...insideHost({ cwd: "/", clock }), randomness: countingRandomness() };
  const { store: asked, tries } = store(freeAt, failure);
  const run = { run: "r1", operation: "apply" };
  const patience = { timeout, wishes: { takeDeadAfter: 120_000 } };
  const lock = takeLock(asked, run, patience, { host, signal: host.interruption.signal });
  return { lock, tries, clock, host };
}

describe("a lock", () => {
  test("that is free is taken at the first try, with the wishes of the command", async () => {
    const { lock, tries, host } = waiting(1, 60_000);
    expect(await lock).toEqual(success(session));
    expect(tries).toEqual([{ run: { run: "r1", operation: "apply", at: noon }, wishes: { takeDeadAfter: 120_000 } }]);
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
        "waiting for up to 1m: the state is locked by ada@build-7\n",
        "waiting for up to 45s: the state is locked by ada@build-7\n",
        "waiting for up to 30s: the state is locked by ada@build-7\n",
      ].join(""),
    );
  });

  test("that does not become free in time is told with how long was waited", async () => {
    const { lock, clock } = waiting(Number.POSITIVE_INFINITY, 2500);
    expect(await lock).toEqual(
      problem({ ...held, message: "the state is locked by ada@build-7, and still was after 3s" }),
    );
    expect(clock.waits).toEqual([1000, 1000, 500]);
  });

  test("is not waited for after an interrupt", async () => {
    const clock = clockAt(noon);
    const host = insideHost({ cwd: "/", clock });
    const { store: asked, tries } = store(Number.POSITIVE_INFINITY);
    host.interrupt("SIGINT");
    const patience = { timeout: 60_000, wishes: {} };
    const lock = takeLock(asked, { run: "r1", operation: "apply" }, patience, {
      host,
      signal: host.interruption.signal,
    });
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
