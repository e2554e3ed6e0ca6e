import { mkdir, open, readdir, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type FileSystem, localFiles } from "../../../../src/files/file-system.ts";
import { fileStore } from "../../../../src/log/file/store.ts";
import { applyEvents } from "../../../../src/log/fold.ts";
import { thisMachine } from "../../../../src/log/lock-holder.ts";
import { emptyState } from "../../../../src/model/state.ts";
import { creationIntent, intended, noon, runStarted } from "../../../support/event-builders.ts";
import { clockAt, countingRandomness } from "../../../support/fixed-ports.ts";
import {
  aRun,
  creation,
  failureOf,
  type StatePlace,
  statePlace,
  thrownBy,
  unwrap,
} from "../../../support/state-place.ts";
import { readText, readWhole } from "../../../support/whole-log.ts";

let place: StatePlace;
beforeEach(async () => {
  place = await statePlace();
});

describe("the file store", () => {
  test("names its address", () => {
    expect(place.store("x/log.jsonl").address).toBe("file:x/log.jsonl");
  });

  test("keeps what a run appended, under a lineage of its own, for its owner alone", async () => {
    const writing = await place.session();
    await writing.append(creation.slice(0, 2));
    await writing.append(creation.slice(2));
    // The start of the log and of the command, the events, the end of the command and the checkpoint.
    const runs = new Map([["r1", { run: "r1" }]]);
    const expected = { ...applyEvents(emptyState("id-2"), creation), serial: 2 + creation.length + 2, runs };
    expect(unwrap(await writing.close())).toEqual(expected);
    expect(unwrap(await place.store().read())).toEqual(expected);
    expect(await place.kept()).toEqual(["log.jsonl", "log.jsonl.checkpoint"]);
    for (const name of await place.kept()) expect((await stat(join(place.deep, name))).mode & 0o777).toBe(0o600);
    expect((await stat(place.deep)).mode & 0o777).toBe(0o700);
  });

  test("what a run appended is in the file before it is told so, a line each, and a mark says that it works", async () => {
    const writing = await place.session();
    await Promise.all(creation.map((event) => writing.append([event])));
    const lines = (await readFile(place.path, "utf8")).split("\n").slice(0, -1);
    expect(lines.map((line) => JSON.parse(line).type)).toEqual([
      "log-started",
      "command-started",
      ...creation.map(({ type }) => type),
    ]);
    expect(await place.kept()).toEqual(["log.jsonl", "log.jsonl.lock", "log.jsonl.open"]);
    await writing.close();
  });

  test("gives the lines of a dead run a file of its own, without a torn last line, and leaves the dead one's alone", async () => {
    await place.crashAfter(creation.slice(0, 2));
    const whole = await readFile(place.path);
    const torn = Buffer.from('{"position":5,"previous":"Zoë');
    await writeFile(place.path, Buffer.concat([whole, torn.subarray(0, torn.indexOf(0xc3) + 1)]));
    const former = await open(place.path, "r+");
    const next = await place.session();
    await former.write("what the dead one still writes", whole.length);
    await former.close();
    expect(await readFile(place.path)).toEqual(whole);
    await next.append([runStarted("r2")]);
    unwrap(await next.close());
    expect(unwrap(await readWhole(place.store())).events).toHaveLength(4 + 4);
  });

  test("a file that a run has left in order is added to, and never copied", async () => {
    const { ino } = await written();
    const next = await place.session();
    await next.append([runStarted("r2")]);
    unwrap(await next.close());
    expect((await stat(place.path)).ino).toBe(ino);
  });

  test.each([
    ["nothing", ""],
    ["half of itself", '{"bytes":10}\n{"position":'],
    ["the checkpoint of another version", `{"bytes":0}\n{"version":1}\n`],
    ["bytes that are no text", Buffer.from([0xff, 0xfe])],
  ])("reads the log from its start where the checkpoint holds %s, and mends it", async (_, content) => {
    const { state } = await written();
    await writeFile(`${place.path}.checkpoint`, content);
    expect(unwrap(await place.store().read())).toEqual(state);
    const next = await place.session();
    await next.append([runStarted("r2")]);
    const saved = unwrap(await next.close());
    expect(unwrap(await place.store().read())).toEqual(saved);
    expect((await readFile(`${place.path}.checkpoint`, "utf8")).length).toBeGreaterThan(100);
  });

  test.each([
    ["too large to be read", (path: string) => truncate(path, 300 * 1024 * 1024)],
    ["a directory", (path: string) => rm(path).then(() => mkdir(path))],
    ["a link that leads nowhere", (path: string) => rm(path).then(() => symlink("nowhere", path))],
  ])("reads the log from its start where the checkpoint is %s, and runs go on", async (_, change) => {
    const { state } = await written();
    await change(`${place.path}.checkpoint`);
    expect(unwrap(await place.store().read())).toEqual(state);
    const next = await place.session();
    await next.append([runStarted("r2")]);
    const saved = unwrap(await next.close());
    expect(unwrap(await place.store().read())).toEqual(saved);
    expect(unwrap(await place.store().read()).serial).toBeGreaterThan(state.serial);
  });

  test("writes no checkpoint that would be too large to be read", async () => {
    const lease = await place.store().kept.lease(aRun, {});
    const failure = await thrownBy(lease.checkpoint("x".repeat(256 * 1024 * 1024)));
    expect(failure.message).toBe(`the checkpoint at ${place.path}.checkpoint is too large`);
    expect(await place.kept()).toEqual(["log.jsonl.lock"]);
    await lease.release();
  });

  test("reads an older checkpoint with all that came after it", async () => {
    await written();
    const older = await readFile(`${place.path}.checkpoint`);
    const next = await place.session();
    await next.append([runStarted("r2"), intended("r2", "d", creationIntent("bo"))]);
    const saved = unwrap(await next.close());
    await writeFile(`${place.path}.checkpoint`, older);
    expect(unwrap(await place.store().read())).toEqual(saved);
  });

  test("follows a symbolic link to the log and leaves the link in its place", async () => {
    await written();
    const link = join(place.directory, "link.jsonl");
    await symlink(place.path, link);
    const writing = await place.session(link);
    expect(await failureOf(place.store().lock(aRun))).toMatchObject({ code: "locked" });
    await writing.append([runStarted("r2")]);
    const saved = unwrap(await writing.close());
    expect(unwrap(await place.store().read())).toEqual(saved);
    expect((await readdir(place.directory)).sort()).toEqual(["deep", "link.jsonl"]);
  });

  test("never writes through a link in the place of its checkpoint or of its mark", async () => {
    await written();
    const victim = join(place.directory, "victim");
    await writeFile(victim, "untouched");
    await rm(`${place.path}.checkpoint`);
    for (const name of ["checkpoint", "open"]) await symlink(victim, `${place.path}.${name}`);
    const next = await place.session();
    await next.append([runStarted("r2")]);
    unwrap(await next.close());
    expect(await readFile(victim, "utf8")).toBe("untouched");
    expect(await place.kept()).toEqual(["log.jsonl", "log.jsonl.checkpoint"]);
  });

  test("once a line could not be written, none is, and the next run takes the log over", async () => {
    const writing = await place.session();
    await mkdir(place.path);
    await expect(writing.append(creation)).rejects.toThrow("the log could not be written");
    await rm(place.path, { recursive: true });
    await expect(writing.append([runStarted("r2")])).rejects.toThrow("the log could not be written");
    expect((await writing.close()).ok).toBe(false);
    const next = await place.session();
    await next.append(creation);
    expect(unwrap(await next.close()).users.size).toBe(1);
    expect(await place.kept()).toEqual(["log.jsonl", "log.jsonl.checkpoint"]);
  });
});

/** A log of a run that ended in order. */
async function written() {
  const writing = await place.session();
  await writing.append(creation);
  const state = unwrap(await writing.close());
  return { state, ino: (await stat(place.path)).ino };
}

describe("a log that is read some bytes at a time", () => {
  const zoe = creationIntent("zoë");
  const torn = Buffer.from('{"position":9,"previous":"Zoë');
  /** Of a disk that gives so many bytes at once, at most. */
  function inChunks(chunk: number) {
    const open: FileSystem["open"] = async (...asked) => {
      const file = await localFiles.open(...asked);
      return { ...file, readAt: (from, length) => file.readAt(from, Math.min(length, chunk)) };
    };
    const system = { ...thisMachine, disk: { ...localFiles, open } };
    return fileStore({ path: place.path, clock: clockAt(noon), randomness: countingRandomness("other"), system });
  }

  test.each([1, 2, 7, 64, 1000])(
    "is the same in chunks of %d, with its last line torn, and is taken over whole",
    async (chunk) => {
      await place.crashAfter([...creation, intended("r1", "d", zoe)]);
      const whole = await readFile(place.path);
      const expected = unwrap(await readWhole(place.store()));
      const state = unwrap(await place.store().read());
      for (const end of [torn, torn.subarray(0, torn.indexOf(0xc3) + 1)]) {
        await writeFile(place.path, Buffer.concat([whole, end]));
        expect(unwrap(await readWhole(inChunks(chunk)))).toEqual(expected);
        expect(unwrap(await inChunks(chunk).read())).toEqual(state);
        unwrap(await inChunks(chunk).lock(aRun));
        expect(await readFile(place.path)).toEqual(whole);
        await rm(`${place.path}.lock`, { recursive: true });
      }
    },
  );

  test("is read from behind its checkpoint, which costs no more than what is there", async () => {
    await written();
    const { checkpoint, lines } = unwrap(await readText(inChunks(16).kept, "checkpoint"));
    expect(checkpoint).toContain("ada@acme.example");
    expect((await readFile(place.path, "utf8")).endsWith(lines)).toBe(true);
    expect(lines.split("\n")).toHaveLength(3);
  });

  test("has no line feed but those at the ends of its lines: another one is damage", async () => {
    await place.crashAfter(creation);
    const text = await readFile(place.path, "utf8");
    await writeFile(place.path, text.replace("\n", "\r\n"));
    for (const chunk of [1, 100, 100_000])
      expect((await failureOf(readWhole(inChunks(chunk)))).message).toBe(
        "event 1 of the log was changed after it was written",
      );
  });

  test("is damaged where bytes are no text, wherever a chunk ends", async () => {
    await place.crashAfter(creation);
    const bytes = await readFile(place.path);
    bytes[bytes.lastIndexOf("ada")] = 0xff;
    await writeFile(place.path, bytes);
    for (const chunk of [1, 100, 100_000])
      expect((await failureOf(readWhole(inChunks(chunk)))).message).toBe("the log is damaged: it is not UTF-8");
  });
});
