import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { localFiles } from "../../../../src/files/file-system.ts";
import { ownName } from "../../../../src/files/own-name.ts";
import { fileStore } from "../../../../src/log/file/store.ts";
import { lockedBy, thisMachine } from "../../../../src/log/lock-holder.ts";
import type { Lease, LockOptions, LogStore } from "../../../../src/log/port.ts";
import { outcomeOf } from "../../../../src/log/store-error.ts";
import { noon } from "../../../support/event-builders.ts";
import { clockAt } from "../../../support/fixed-ports.ts";
import { systemError } from "../../../support/memory-disk.ts";
import { memoryPlace } from "../../../support/memory-place.ts";
import { aRun, failureOf, thrownBy, unwrap } from "../../../support/state-place.ts";

let directory = "";
let path = "";
let lock = "";
const taken: Lease[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(memoryPlace, "roster-lock-"));
  path = join(directory, "log.jsonl");
  lock = `${path}.lock`;
});
afterEach(async () => {
  for (const held of taken.splice(0)) await held.release();
  await rm(directory, { recursive: true, force: true });
});

async function owner(id: string, different: object = {}): Promise<string> {
  const rest = { id, who: "ada@build-7", operation: "apply", since: noon };
  return `${JSON.stringify({ ...(await thisMachine.identity()), ...rest, ...different }, null, 2)}\n`;
}

interface Manner extends LockOptions {
  readonly signEvery?: number;
}

/** The store of one process, whose lock has this id. */
function storeOf(id: string, signEvery = 60_000, disk = localFiles): LogStore {
  const randomness = { fraction: () => 0.5, identifier: () => id };
  return fileStore({ path, clock: clockAt(noon), randomness, signEvery, system: { ...thisMachine, disk } }).kept;
}

async function take(id: string, { signEvery, ...wishes }: Manner = {}, disk = localFiles) {
  const result = await outcomeOf(() => storeOf(id, signEvery, disk).lease(aRun, wishes));
  if (result.ok) taken.push(result.value);
  return result;
}

const breakLock = (id: string) => outcomeOf(() => storeOf("person").breakLease(id));

const endedProcess = spawnSync("true").pid;

async function heldBy(different: object): Promise<void> {
  await heldAs("dead", await owner("dead", different));
}

async function heldAs(id: string, text: string): Promise<void> {
  await mkdir(join(lock, id), { recursive: true });
  await writeFile(join(lock, id, "owner.json"), text);
}

/** Lets the holder have been silent for so many minutes. */
async function silent(id: string, minutes: number): Promise<void> {
  const then = Date.now() / 1000 - minutes * 60;
  await utimes(join(lock, id, "owner.json"), then, then);
}

const holders = () => readdir(lock).catch(() => []);
const beside = async () => (await readdir(directory)).sort();
const hasBirthDates = existsSync("/proc/self/stat");

describe("the lock of a log in a file", () => {
  test("is taken by one and says to others who holds it, where, since when, doing what, and what to do", async () => {
    const first = unwrap(await take("one"));
    expect(await take("two")).toEqual({
      ok: false,
      error: {
        code: "locked",
        message: `the log is locked by ${ownName()}@${hostname()} (process ${process.pid}) for apply since ${noon}`,
        request: lock,
        hint:
          `wait until that run has ended; if it is dead, \`roster state unlock one --state file:${path}\` breaks ` +
          "its lock. --break-stale-lock 15m breaks it after 15 minutes of silence",
      },
    });
    await first.release();
    expect(await beside()).toEqual([]);
  });

  test("is not released by somebody who does not hold it any more", async () => {
    const first = unwrap(await take("one"));
    unwrap(await breakLock("one"));
    unwrap(await take("two"));
    expect((await thrownBy(first.append("{}\n"))).message).toContain(
      `the lock of this run was taken over by ${ownName()}@`,
    );
    await first.release();
    expect(await holders()).toEqual(["two"]);
  });

  test("is lost alone where no log was there yet", async () => {
    const first = unwrap(await take("one"));
    await rm(lock, { recursive: true });
    expect(await failureOf(outcomeOf(() => first.append("{}\n")))).toMatchObject({
      message: expect.stringMatching(/^the lock of this run /u),
    });
  });

  test("is lost together with a log that was deleted, and says what to do", async () => {
    const first = unwrap(await take("one"));
    await first.append("{}\n");
    await rm(directory, { recursive: true });
    expect(await failureOf(outcomeOf(() => first.append("{}\n")))).toEqual({
      code: "state",
      message: "the log of this run is not there any more: roster cannot record results, so it starts no more calls",
      request: path,
      hint: "save the printed prefixes; restore the log from a backup, or run `roster state rebuild` to read the service",
    });
  });

  test("is taken over from a process of this machine that has ended", async () => {
    await heldBy({ pid: endedProcess });
    const holder = await storeOf("two").holder();
    expect(holder === "nobody" ? holder : lockedBy(lock, holder, `file:${path}`).failure).toEqual({
      code: "locked",
      message: `the log is locked by ada@build-7 (process ${endedProcess}) for apply since ${noon}, which has ended without unlocking it, so the next run takes over`,
      request: lock,
      hint: `\`roster state unlock dead --state file:${path}\` breaks its lock now`,
    });
    expect((await take("two")).ok).toBe(true);
    expect(await holders()).toEqual(["two"]);
    expect(await beside()).toEqual(["log.jsonl.lock"]);
  });

  test.runIf(hasBirthDates)("is taken over where another process has got the number of the owner", async () => {
    await heldBy({ pid: process.pid, started: "1" });
    expect((await take("two")).ok).toBe(true);
  });

  test.each([
    ["another machine", { host: "elsewhere" }],
    ["another boot", { boot: "another" }],
    ["another container", { namespace: "pid:[1]" }],
  ])("stays with an owner on %s, whose end cannot be proven here", async (_, different) => {
    await heldBy({ pid: endedProcess, ...different });
    expect(await take("two")).toMatchObject({ ok: false, error: { code: "locked" } });
    expect(await take("two", { breakStaleAfter: 60_000 })).toMatchObject({ ok: false, error: { code: "locked" } });
    expect(await holders()).toEqual(["dead"]);
  });

  test("says for how long its holder was silent, and is taken over after more than was wished", async () => {
    await heldBy({ host: "elsewhere" });
    await silent("dead", 14.5);
    const refused = await take("two", { breakStaleAfter: 15 * 60_000 });
    expect(refused).toMatchObject({ error: { message: expect.stringMatching(/ since .*Z, silent for 14 min$/) } });
    await silent("dead", 16);
    expect((await take("two", { breakStaleAfter: 15 * 60_000 })).ok).toBe(true);
    expect(await holders()).toEqual(["two"]);
  });

  test("is held in sight of others, without a change to what it says", async () => {
    unwrap(await take("one", { signEvery: 5 }));
    const path = join(lock, "one", "owner.json");
    const before = await readFile(path, "utf8");
    await silent("one", 16);
    await expect.poll(async () => (await stat(path)).mtimeMs, { timeout: 20_000 }).toBeGreaterThan(Date.now() - 60_000);
    expect(await take("two", { breakStaleAfter: 15 * 60_000 })).toMatchObject({ ok: false });
    expect(await readFile(path, "utf8")).toBe(before);
  });

  test.each([
    ["nothing", ""],
    ["half of an owner", '{"id": "dead", "who"'],
    ["another owner", '{"id":"other","who":"a","host":"b","pid":1,"operation":"c","since":"d"}'],
    ["another file", "[]"],
  ])("stays where it holds %s, and is broken by its id or once it is silent", async (_, text) => {
    await heldAs("odd", text);
    const refused = await take("two");
    expect(refused).toMatchObject({
      error: {
        code: "locked",
        message: "the log is locked by an unknown run",
        hint: expect.stringContaining("`roster state unlock odd --state file:"),
      },
    });
    expect(await readFile(join(lock, "odd", "owner.json"), "utf8")).toBe(text);
    expect(unwrap(await breakLock("odd"))).toEqual({ id: "odd" });
    await heldAs("odd", text);
    await silent("odd", 16);
    expect((await take("two", { breakStaleAfter: 900_000 })).ok).toBe(true);
  });

  test("is not taken where a file is in its place, and stays there", async () => {
    await writeFile(lock, "not of roster");
    expect(await failureOf(take("two"))).toMatchObject({
      code: "state",
      message: `the log could not be locked at ${lock}: a part of the path is not a directory`,
    });
    expect(await readFile(lock, "utf8")).toBe("not of roster");
    expect(await beside()).toEqual(["log.jsonl.lock"]);
  });

  test("is free where a run died before it could take the empty directory away", async () => {
    await mkdir(lock);
    expect((await take("two")).ok).toBe(true);
  });

  test("is taken where another machine did the rename, and did not find what to rename when it was asked again", async () => {
    const forgetful = {
      ...localFiles,
      async rename(from: string, to: string) {
        await localFiles.rename(from, to);
        if (to === lock) throw systemError("ENOENT", from);
      },
    };
    expect((await take("one", {}, forgetful)).ok).toBe(true);
    expect(await holders()).toEqual(["one"]);
  });

  test("of a dead owner goes to exactly one of many takers", async () => {
    for (let round = 0; round < 4; round += 1) {
      await heldBy({ pid: endedProcess });
      const results = await Promise.all(Array.from({ length: 12 }, (_, index) => take(`taker-${index}`)));
      const winners = results.flatMap((result, index) => (result.ok ? [`taker-${index}`] : []));
      expect(winners).toHaveLength(1);
      expect(await holders()).toEqual(winners);
      for (const held of taken.splice(0)) await held.release();
      expect(await beside()).toEqual([]);
    }
  });

  test("removes what others left long ago on their way to it, and leaves alone whoever may be on the way", async () => {
    const then = Date.now() / 1000 - 2 * 3600;
    for (const id of ["new", "old"]) {
      await mkdir(join(`${lock}.${id}.new`, id), { recursive: true });
      await writeFile(join(`${lock}.${id}.new`, id, "owner.json"), await owner(id));
    }
    await utimes(`${lock}.old.new`, then, then);
    await mkdir(join(`${lock}.broken.gone`, "deep"), { recursive: true });
    await writeFile(`${lock}.looked.now`, "");
    await utimes(`${lock}.looked.now`, then, then);
    unwrap(await take("two"));
    expect(await beside()).toEqual(["log.jsonl.lock", "log.jsonl.lock.new.new"]);
  });
});
