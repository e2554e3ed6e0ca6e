import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { takeLock } from "../../../src/state/file-lock.ts";
import type { LockOwner } from "../../../src/state/lock-owner.ts";
import { ownIdentity } from "../../../src/state/process-identity.ts";
import { noon } from "../../support/event-builders.ts";

let directory = "";
let file = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "roster-lock-"));
  file = join(directory, "state.json.lock");
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function owner(id: string, different: Partial<LockOwner> = {}): Promise<LockOwner> {
  const rest = { id, who: "ada@build-7", operation: "apply", since: noon };
  return { ...(await ownIdentity()), ...rest, ...different };
}

/** The number of a process that has ended. */
function endedProcess(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

async function heldBy(different: Partial<LockOwner>): Promise<void> {
  await writeFile(file, JSON.stringify(await owner("dead", different)));
}

async function holder(): Promise<unknown> {
  return JSON.parse(await readFile(file, "utf8")).id;
}

const hasBirthDates = existsSync("/proc/self/stat");

describe("the lock of a state", () => {
  test("is taken by one and says to others who holds it, where, since when and doing what", async () => {
    const first = await takeLock(file, await owner("one", { pid: process.pid }));
    const second = await takeLock(file, await owner("two"));
    expect(second).toEqual({
      ok: false,
      error: {
        code: "locked",
        message: `the state is locked by ada@build-7 (process ${process.pid}) for apply since ${noon}`,
        request: file,
        hint: `wait until that run has ended; if it is certain that it no longer runs, remove ${file} and run again`,
      },
    });
    if (first.ok) await first.value.release();
    expect(await readdir(directory)).toEqual([]);
  });

  test("is free again once it is released", async () => {
    const first = await takeLock(file, await owner("one"));
    if (first.ok) await first.value.release();
    expect((await takeLock(file, await owner("two"))).ok).toBe(true);
    expect(await holder()).toBe("two");
  });

  test("is not released by somebody who does not hold it any more", async () => {
    const first = await takeLock(file, await owner("one"));
    await writeFile(file, JSON.stringify(await owner("two")));
    if (first.ok) await first.value.release();
    expect(await holder()).toBe("two");
  });

  test("is taken over from a process of this machine that has ended", async () => {
    await heldBy({ pid: endedProcess() });
    expect((await takeLock(file, await owner("two"))).ok).toBe(true);
    expect(await holder()).toBe("two");
    expect(await readdir(directory)).toEqual(["state.json.lock"]);
  });

  test.runIf(hasBirthDates)("is taken over where another process has got the number of the owner", async () => {
    await heldBy({ pid: process.pid, started: "1" });
    expect((await takeLock(file, await owner("two"))).ok).toBe(true);
  });

  test.each([
    ["another machine", { host: "elsewhere" }],
    ["another boot", { boot: "another" }],
    ["another container", { namespace: "pid:[1]" }],
  ])("stays with an owner on %s, whose end cannot be proven here", async (_, different) => {
    await heldBy({ pid: endedProcess(), ...different });
    expect(await takeLock(file, await owner("two"))).toMatchObject({ ok: false, error: { code: "locked" } });
    expect(await holder()).toBe("dead");
  });

  test.each([
    ["nothing", ""],
    ["half of an owner", '{"id": "dead", "who"'],
    [
      "an id that would lead out of the directory",
      '{"id":"../x","who":"a","host":"b","pid":1,"operation":"c","since":"d"}',
    ],
    ["another file", "[]"],
  ])("stays where the lock file holds %s", async (_, text) => {
    await writeFile(file, text);
    const taken = await takeLock(file, await owner("two"));
    expect(taken).toMatchObject({ ok: false, error: { code: "locked", request: file } });
    expect(await readFile(file, "utf8")).toBe(text);
  });

  test("of a dead owner goes to exactly one of many takers", async () => {
    for (let round = 0; round < 10; round += 1) {
      await heldBy({ pid: endedProcess(), id: `dead-${round}` });
      const takers = await Promise.all(Array.from({ length: 12 }, (_, index) => owner(`taker-${index}`)));
      const results = await Promise.all(takers.map((taker) => takeLock(file, taker)));
      const winners = results.flatMap((result, index) => (result.ok ? [`taker-${index}`] : []));
      expect(winners).toHaveLength(1);
      expect(await holder()).toBe(winners[0]);
      expect(await readdir(directory)).toEqual(["state.json.lock"]);
    }
  });

  test("is taken over even where an earlier taker died in the middle of it", async () => {
    const pid = endedProcess();
    await heldBy({ pid });
    await writeFile(`${file}.dead`, JSON.stringify(await owner("taker", { pid })));
    expect((await takeLock(file, await owner("two"))).ok).toBe(true);
    expect(await holder()).toBe("two");
    expect(await readdir(directory)).toEqual(["state.json.lock"]);
  });
});
