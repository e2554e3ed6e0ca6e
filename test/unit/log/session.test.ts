import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { emptyLog } from "../../../src/log/hash-chain.ts";
import { groupCommit, openLog } from "../../../src/log/log.ts";
import { emptyMemory, memoryStore } from "../../../src/log/memory.ts";
import type { LogStore } from "../../../src/log/port.ts";
import { StoreError } from "../../../src/log/store-error.ts";
import type { Failure } from "../../../src/model/failure.ts";
import { emptyState } from "../../../src/model/state.ts";
import { created, creationIntent, intended, noon, runStarted, succeeded } from "../../support/event-builders.ts";
import { clockAt, countingRandomness } from "../../support/fixed-ports.ts";
import { creation, failureOf, unwrap } from "../../support/state-place.ts";
import { describeStore } from "../../support/store-contract.ts";
import { locked, saving } from "../../support/store-kind.ts";
import { readWhole } from "../../support/whole-log.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Waits until so many writes have begun, and then for as long as another one could take to begin. */
async function whileWriting(writes: readonly string[], count: number): Promise<void> {
  while (writes.length < count) await turn();
  for (let turns = 0; turns < 4; turns += 1) await turn();
}

/** Writes that end only when the test says so. */
function slowWrites() {
  const written: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const write = (texts: readonly string[]) =>
    new Promise<void>((resolve, reject) => {
      written.push(texts.join(""));
      ends.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  return { written, write, end: (error?: Error) => ends.shift()?.(error) };
}

describe("group commit", () => {
  test.each([
    ["at once", 0],
    ["turn after turn", 1],
  ])("texts that come %s are one write", async (_, apart) => {
    const { written, write, end } = slowWrites();
    const commit = groupCommit(write);
    const all = ["a", "b", "c"].map(async (text, index) => {
      for (let turns = 0; turns < apart * index; turns += 1) await turn();
      await commit(text);
    });
    await whileWriting(written, 1);
    end();
    await Promise.all(all);
    expect(written).toEqual(["abc"]);
  });

  test("a text that comes alone waits for one turn of the loop, and no longer", async () => {
    const { written, write } = slowWrites();
    const commit = groupCommit(write);
    void commit("a");
    await Promise.resolve();
    expect(written).toEqual([]);
    await turn();
    await turn();
    expect(written).toEqual(["a"]);
  });

  test("a write waits for more texts as long as waiting brings some", async () => {
    const { written, write, end } = slowWrites();
    const coming = ["b", "c"];
    const all: Promise<void>[] = [];
    const commit = groupCommit(write, async () => {
      const next = coming.shift();
      if (next !== undefined) all.push(commit(next));
    });
    all.push(commit("a"));
    await whileWriting(written, 1);
    end();
    await Promise.all(all);
    expect(written).toEqual(["abc"]);
  });

  test("texts that come during a write are one write after it, in their order", async () => {
    const { written, write, end } = slowWrites();
    const commit = groupCommit(write);
    const first = commit("a");
    await whileWriting(written, 1);
    const later = Promise.all([commit("b"), commit("c")]);
    await whileWriting(written, 1);
    expect(written).toEqual(["a"]);
    end();
    await first;
    await whileWriting(written, 2);
    expect(written).toEqual(["a", "bc"]);
    end();
    await later;
  });

  test("nobody is told that a text is durable before its own write has ended", async () => {
    const { written, write, end } = slowWrites();
    const commit = groupCommit(write);
    const told: string[] = [];
    const first = commit("a").then(() => told.push("a"));
    await whileWriting(written, 1);
    const second = commit("b").then(() => told.push("b"));
    end();
    await first;
    await whileWriting(written, 2);
    expect(told).toEqual(["a"]);
    end();
    await second;
    expect(told).toEqual(["a", "b"]);
  });

  test("after a write that failed nothing is written any more", async () => {
    const { written, write, end } = slowWrites();
    const commit = groupCommit(write);
    const lost = new Error("the disk is full");
    const first = commit("a");
    await whileWriting(written, 1);
    const second = commit("b");
    end(lost);
    await expect(first).rejects.toBe(lost);
    await expect(second).rejects.toBe(lost);
    await expect(commit("c")).rejects.toBe(lost);
    expect(written).toEqual(["a"]);
  });
});

function inMemory() {
  const memory = emptyMemory();
  return { memory, store: memoryStore(memory, { clock: clockAt(noon), randomness: countingRandomness() }) };
}

async function turns(count: number): Promise<void> {
  for (let taken = 0; taken < count; taken += 1) await turn();
}

test.each<[string, () => Promise<void>]>([
  ["while they come back one after the other", () => turns(4)],
  ["and nobody waits for longer once all have come back", () => new Promise(() => undefined)],
])("calls that leave together share the sync of their outcomes and of the calls after them, %s", async (_, wait) => {
  const { store } = inMemory();
  let syncs = 0;
  const lease: LogStore["lease"] = async (...given) => {
    const taken = await store.kept.lease(...given);
    const append: typeof taken.append = (lines) => {
      syncs += 1;
      return taken.append(lines);
    };
    return { ...taken, append };
  };
  const clock = { ...clockAt(noon), wait };
  const session = await locked(openLog({ ...store.kept, lease }, { clock, randomness: countingRandomness() }));
  const worker = async (_: unknown, number: number) => {
    for (let call = 0; call < 20; call += 1) {
      const name = `p${number}-${call}`;
      await session.append([intended("r1", name, creationIntent(name))]);
      await turns(3 * number);
      void session.append([succeeded(name, created(name))]);
    }
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  unwrap(await session.close());
  // One for each of the 20 calls of all workers, one for the last outcomes, and one for the end of the command.
  expect(syncs).toBe(22);
});

test("the head of a session never counts what was not made durable", async () => {
  const { memory, store } = inMemory();
  const session = await locked(store);
  await session.append([runStarted("r1")]);
  const known = session.head();
  const appending = session.append([intended("r1", "c", creationIntent("ada"))]);
  expect(session.head()).toEqual(known);
  memory.holder = undefined;
  await expect(appending).rejects.toThrow("the lock of this run was broken or taken over");
  expect(session.head()).toEqual(known);
  expect((await failureOf(session.close())).code).toBe("state");
  expect(unwrap(await readWhole(store)).head).toEqual(known);
});

test("after a prune that failed, nothing is added: nobody knows what is kept", async () => {
  const { memory, store } = inMemory();
  const failed: Failure = { code: "state", message: "the store broke off" };
  const replaceBefore = () => Promise.reject(new StoreError(failed));
  const lease: LogStore["lease"] = async (...given) => ({ ...(await store.kept.lease(...given)), replaceBefore });
  const session = await locked(
    openLog({ ...store.kept, lease }, { clock: clockAt(noon), randomness: countingRandomness() }),
  );
  const base = { state: emptyState("l"), head: emptyLog, before: noon, digest: "d" };
  const event = { type: "pruned", at: noon, before: noon, from: 1, head: emptyLog, digest: "d" } as const;
  await expect(session.prune({ event, base, state: base.state, forgotten: 0 })).rejects.toThrow(failed.message);
  const { lines } = memory;
  await expect(session.append([event])).rejects.toThrow(failed.message);
  expect(await failureOf(session.close())).toEqual(failed);
  expect(memory).toEqual({ lines, checkpoint: undefined, holder: undefined });
});

describe("a checkpoint that no event of the log names", () => {
  test.each<[string, (text: string) => string]>([
    ["says something else, with a digest that fits", (text) => text.replaceAll("ada@", "eve@")],
    ["is of another log", (text) => text.replace(/"hash":"[0-9a-f]{4}/u, '"hash":"0123')],
  ])("counts as damaged: it %s", async (_, change) => {
    const { memory, store } = inMemory();
    const saved = await saving(store, creation);
    const { text, length } = memory.checkpoint ?? { text: "", length: 0 };
    const [header = "", ...rest] = change(text).split("\n");
    const body = rest.join("\n");
    const digest = createHash("sha256").update(body).digest("hex");
    const forged = `${header.replace(/"digest":"[0-9a-f]+"/u, `"digest":"${digest}"`)}\n${body}`;
    expect(forged).not.toBe(text);
    memory.checkpoint = { text: forged, length };
    expect(unwrap(await store.read())).toEqual(saved);
  });
});

let places = 0;

describeStore({
  name: "memory",
  secrets: [],
  async place() {
    const memory = emptyMemory();
    places += 1;
    const randomness = countingRandomness(`place-${places}`);
    return {
      open: async () => memoryStore(memory, { clock: clockAt(noon), randomness }),
      async kill() {
        memory.holder = undefined;
      },
      content: async () => memory.lines + (memory.checkpoint?.text ?? ""),
      async damage() {
        memory.lines = `${memory.lines.slice(0, -10)}\n`;
      },
    };
  },
});
