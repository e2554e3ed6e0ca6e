import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeJournalLine, encodeJournalStart } from "../../../src/codec/journal-format.ts";
import { decodeState, encodeState } from "../../../src/codec/state-format.ts";
import { applyEvents } from "../../../src/journal/fold-state.ts";
import type { Failure } from "../../../src/model/failure.ts";
import type { Result } from "../../../src/model/result.ts";
import type { RunEvent } from "../../../src/model/run-event.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import type { StateSession } from "../../../src/ports/state-store.ts";
import { fileStore } from "../../../src/state/file-store.ts";
import {
  created,
  creationIntent,
  intended,
  noon,
  openIntent,
  runStarted,
  succeeded,
} from "../../support/event-builders.ts";
import { clockAt, countingRandomness } from "../../support/fixed-ports.ts";

const run = { run: "r1", operation: "apply", at: noon };
const creation: readonly RunEvent[] = [
  runStarted("r1"),
  intended("r1", "c", creationIntent("ada")),
  succeeded("c", created("ada", { identifier: "u-1", prefix: "k-1" })),
];

let directory = "";
let path = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "roster-state-"));
  path = join(directory, "deep", "state.json");
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
  for (const dead of crashed.splice(0)) await dead.close();
});

/** Sessions that died: their files are only closed when the test is over. */
const crashed: StateSession[] = [];

function store(at = path) {
  return fileStore({ path: at, clock: clockAt(noon), randomness: countingRandomness() });
}

function unwrap<T>(result: Result<T, Failure>): T {
  if (!result.ok) throw new Error(`${result.error.message} (${result.error.request})`);
  return result.value;
}

async function session(at = path): Promise<StateSession> {
  return unwrap(await store(at).lock(run));
}

/** Appends events and dies: the lock goes, the state is never saved. */
async function crashAfter(events: readonly RunEvent[]): Promise<void> {
  const crashing = await session();
  crashed.push(crashing);
  await crashing.append(events);
  await rm(`${path}.lock`);
}

async function put(state: State): Promise<void> {
  await mkdir(join(directory, "deep"), { recursive: true });
  await writeFile(path, encodeState(state));
}

async function failureOf(result: Promise<Result<unknown, Failure>>): Promise<Failure> {
  const settled = await result;
  if (settled.ok) throw new Error("it did not fail");
  return settled.error;
}

describe("the file store", () => {
  test("names its address", () => {
    expect(store("x/state.json").address).toBe("file:x/state.json");
  });

  test("reads a state that was never written as empty, and writes nothing to do so", async () => {
    expect(unwrap(await store().read())).toEqual(emptyState(""));
    expect(await readdir(directory)).toEqual([]);
  });

  test("saves what a run appended, under a lineage of its own, for its owner alone", async () => {
    const writing = await session();
    await writing.append(creation.slice(0, 2));
    await writing.append(creation.slice(2));
    const expected = { ...applyEvents(emptyState("id-2"), creation), serial: 1 };
    expect(unwrap(await writing.close())).toEqual(expected);
    expect(unwrap(await store().read())).toEqual(expected);
    expect(await readdir(join(directory, "deep"))).toEqual(["state.json"]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, "deep"))).mode & 0o777).toBe(0o700);
  });

  test("raises the serial once a run, and keeps the lineage", async () => {
    for (let round = 0; round < 3; round += 1) {
      const writing = await session();
      await writing.append([runStarted(`r${round}`)]);
      await writing.close();
    }
    expect(unwrap(await store().read())).toMatchObject({ lineage: "id-2", serial: 3 });
  });

  test("writes nothing where nothing was appended", async () => {
    const idle = await session();
    await idle.append([]);
    unwrap(await idle.close());
    expect(await readdir(join(directory, "deep"))).toEqual([]);
  });

  test("what a run appended is in the files before it is told so", async () => {
    const writing = await session();
    await Promise.all(creation.map((event) => writing.append([event])));
    const text = await readFile(`${path}.journal`, "utf8");
    expect(text).toBe(
      [encodeJournalStart({ lineage: "id-2", serial: 0 }), ...creation.map(encodeJournalLine)].join(""),
    );
    expect((await stat(`${path}.journal`)).mode & 0o777).toBe(0o600);
    await writing.close();
  });

  test("folds the journal of a run that died into the state, for whoever reads or locks next", async () => {
    await crashAfter(creation);
    const expected = applyEvents(emptyState("id-2"), creation);
    expect(unwrap(await store().read())).toEqual(expected);
    const next = await session();
    expect(next.state).toEqual(expected);
    await next.append([runStarted("r2")]);
    expect(unwrap(await next.close())).toEqual({ ...expected, serial: 1 });
  });

  test("a run that only looked leaves the journal of the dead one as it is", async () => {
    await crashAfter(creation);
    const before = await readFile(`${path}.journal`);
    await (await session()).close();
    expect(await readFile(`${path}.journal`)).toEqual(before);
  });

  test("two runs that died one after the other are both folded in", async () => {
    await crashAfter(creation.slice(0, 2));
    await crashAfter([runStarted("r2"), intended("r2", "d", creationIntent("bo"))]);
    expect(unwrap(await store().read()).open).toEqual([
      openIntent("r1", "c", creationIntent("ada")),
      openIntent("r2", "d", creationIntent("bo")),
    ]);
  });

  test("cuts off a torn last line before it goes on", async () => {
    await crashAfter(creation.slice(0, 2));
    const whole = await readFile(`${path}.journal`);
    const torn = Buffer.from(encodeJournalLine(succeeded("c", created("Zoë"))));
    await writeFile(`${path}.journal`, Buffer.concat([whole, torn.subarray(0, torn.indexOf(0xc3) + 1)]));
    await crashAfter([runStarted("r2")]);
    expect(await readFile(`${path}.journal`, "utf8")).toBe(`${whole.toString()}${encodeJournalLine(runStarted("r2"))}`);
  });

  test("begins the journal anew where the dead run did not finish its first line", async () => {
    await crashAfter([runStarted("r1")]);
    await writeFile(`${path}.journal`, "{");
    const writing = await session();
    await writing.append([runStarted("r2")]);
    expect(unwrap(await writing.close()).serial).toBe(1);
  });

  test("ignores the journal of a run that saved the state and died before it could remove it", async () => {
    await crashAfter(creation.slice(0, 2));
    const left = await readFile(`${path}.journal`);
    const finishing = await session();
    await finishing.append([{ type: "settled", at: noon, run: "r1", action: "c", as: { done: false } }]);
    const saved = unwrap(await finishing.close());
    await writeFile(`${path}.journal`, left);
    expect(unwrap(await store().read())).toEqual(saved);
    const next = await session();
    await next.append([runStarted("r3")]);
    expect(unwrap(await next.close())).toEqual({ ...saved, serial: 2 });
  });

  test("replaces a half-written next version that a dead run left", async () => {
    await mkdir(join(directory, "deep"));
    await writeFile(`${path}.next`, "{");
    const writing = await session();
    await writing.append(creation);
    unwrap(await writing.close());
    expect(await readdir(join(directory, "deep"))).toEqual(["state.json"]);
  });

  test("follows a symbolic link to the state and leaves the link in its place", async () => {
    await put({ ...emptyState("l"), serial: 1 });
    const link = join(directory, "link.json");
    await symlink(path, link);
    const writing = await session(link);
    expect(await failureOf(store().lock(run))).toMatchObject({ code: "locked" });
    await writing.append(creation);
    await writing.close();
    expect(unwrap(decodeState(await readFile(path, "utf8"), path)).serial).toBe(2);
    expect((await readdir(directory)).sort()).toEqual(["deep", "link.json"]);
  });

  test("never writes through a link in the place of its journal", async () => {
    await put({ ...emptyState("l"), serial: 1 });
    const victim = join(directory, "victim");
    await writeFile(victim, encodeJournalStart({ lineage: "l", serial: 1 }));
    await symlink(victim, `${path}.journal`);
    const writing = await session();
    await expect(writing.append(creation)).rejects.toThrow("the state could not be written");
    await writing.close();
    expect(await readFile(victim, "utf8")).toBe(encodeJournalStart({ lineage: "l", serial: 1 }));
  });

  test("saves what it knows even where the journal could not be written", async () => {
    const writing = await session();
    await mkdir(`${path}.journal`);
    await expect(writing.append(creation)).rejects.toThrow("the state could not be written");
    await expect(writing.append([runStarted("r2")])).rejects.toThrow("the state could not be written");
    await rm(`${path}.journal`, { recursive: true });
    expect(unwrap(await writing.close()).users.size).toBe(1);
  });
});

describe("what the file store refuses", () => {
  test.each([
    ["a directory", () => mkdir(path, { recursive: true }), "the state cannot be kept at PATH: it is a directory"],
    [
      "a path below a file",
      () => writeFile(join(directory, "deep"), ""),
      "the state could not be found at PATH: a part of the path is not a directory",
    ],
    [
      "a link that leads nowhere",
      async () => {
        await mkdir(join(directory, "deep"));
        await symlink("nowhere", path);
      },
      "the state could not be found at PATH: a part of the path is missing",
    ],
    [
      "a damaged state",
      async () => {
        await mkdir(join(directory, "deep"));
        await writeFile(path, Buffer.from([0xff, 0xfe]));
      },
      "the state file is not text in UTF-8: it was damaged",
    ],
    [
      "a broken line in the middle of the journal",
      async () => {
        await crashAfter(creation);
        const text = await readFile(`${path}.journal`, "utf8");
        await writeFile(`${path}.journal`, text.replace("run-started", "run-Started"));
      },
      "line 2 of the journal does not agree with its checksum",
    ],
    [
      "a journal of another state",
      async () => {
        await crashAfter(creation);
        await put({ ...emptyState("another"), serial: 1 });
      },
      "the journal belongs to another state",
    ],
    [
      "a state that was restored from an older copy",
      async () => {
        await put({ ...emptyState("l"), serial: 1 });
        await writeFile(`${path}.journal`, encodeJournalStart({ lineage: "l", serial: 3 }));
      },
      "the journal continues version 3 of the state, and the state file holds version 1",
    ],
    [
      "a journal whose state is missing",
      async () => {
        await mkdir(join(directory, "deep"));
        await writeFile(`${path}.journal`, encodeJournalStart({ lineage: "l", serial: 3 }));
      },
      "the journal continues version 3 of the state, and the state file is missing",
    ],
  ])("%s, to readers and lockers alike, and keeps no lock", async (_, prepare, message) => {
    await prepare();
    const expected = { code: "state", message: message.replace("PATH", path), hint: expect.any(String) };
    expect(await failureOf(store().read())).toMatchObject(expected);
    expect(await failureOf(store().lock(run))).toMatchObject(expected);
    const kept = await readdir(join(directory, "deep")).catch(() => []);
    expect(kept.filter((name) => name.includes(".lock"))).toEqual([]);
  });

  test("a directory that cannot be made", async () => {
    await writeFile(join(directory, "deep"), "");
    const failure = await failureOf(store(join(directory, "deep", "deeper", "state.json")).lock(run));
    expect(failure).toMatchObject({ code: "state", request: expect.stringContaining("deeper") });
  });
});
