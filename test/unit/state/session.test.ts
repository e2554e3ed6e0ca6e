import { describe, expect, test } from "vitest";
import { decodeState } from "../../../src/codec/state.ts";
import { applyEvents } from "../../../src/journal/fold.ts";
import { type Failure, problem, type Result, success } from "../../../src/model/result.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { emptyMemory, groupCommit, memoryStore, wholeStateSession } from "../../../src/state/session.ts";
import { created, creationIntent, intended, runStarted, succeeded } from "../../support/event-builders.ts";
import { countingRandomness } from "../../support/fixed-ports.ts";
import { unwrap } from "../../support/state-place.ts";
import { describeStore } from "../../support/store-contract.ts";

const begun: State = { ...emptyState("lineage"), serial: 7 };
const refused: Failure = {
  code: "state",
  message: "the state could not be written: it is not ours",
  request: "POST /",
};
const one = [runStarted("r1"), intended("r1", "a", creationIntent("ada"))];
const two = [succeeded("a", created("ada", { identifier: "u-1" }))];

/** A text whose puts end only when the test says so. */
function slowText() {
  const puts: string[] = [];
  const ends: ((result: Result<void, Failure>) => void)[] = [];
  const told: string[] = [];
  return {
    puts,
    told,
    end: (result: Result<void, Failure> = success(undefined)) => ends.shift()?.(result),
    put: (text: string) =>
      new Promise<Result<void, Failure>>((resolve) => {
        puts.push(text);
        told.push("put");
        ends.push(resolve);
      }),
    release: async () => {
      told.push("released");
    },
  };
}

/** A text whose puts end at once, the last of them as given. */
function quickText(results: readonly Result<void, Failure>[] = []) {
  const puts: string[] = [];
  return {
    puts,
    released: 0,
    async put(text: string) {
      puts.push(text);
      return results[puts.length - 1] ?? success(undefined);
    },
    async release() {
      this.released += 1;
    },
  };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Waits until so many writes have begun, and then for as long as another one could take to begin. */
async function whileWriting(writes: readonly string[], count: number): Promise<void> {
  while (writes.length < count) await turn();
  for (let turns = 0; turns < 4; turns += 1) await turn();
}

const decoded = (text: string | undefined) => unwrap(decodeState(text ?? "", "here"));

describe("a session that rewrites the whole state", () => {
  test("writes all that its events add up to, under a growing serial", async () => {
    const text = quickText();
    const session = wholeStateSession(begun, text);
    await session.append(one);
    await session.append(two);
    expect(text.puts.map(decoded)).toEqual([
      { ...applyEvents(begun, one), serial: 8 },
      { ...applyEvents(begun, [...one, ...two]), serial: 9 },
    ]);
    expect(unwrap(await session.close())).toEqual({ ...applyEvents(begun, [...one, ...two]), serial: 9 });
    expect(text.released).toBe(1);
  });

  test("writes nothing where nothing is appended", async () => {
    const text = quickText();
    const session = wholeStateSession(begun, text);
    await session.append([]);
    expect(unwrap(await session.close())).toEqual(begun);
    expect(text.puts).toEqual([]);
    expect(text.released).toBe(1);
  });

  test("lets what comes during a write share the next one", async () => {
    const text = slowText();
    const session = wholeStateSession(begun, text);
    const first = session.append(one);
    await whileWriting(text.puts, 1);
    const later = Promise.all([session.append(two), session.append([runStarted("r2")])]);
    text.end();
    await first;
    await whileWriting(text.puts, 2);
    text.end();
    await later;
    expect(text.puts.map(decoded).map(({ serial }) => serial)).toEqual([8, 9]);
  });

  test("saves another state in the place of its own, above the serials of both", async () => {
    const text = quickText();
    const session = wholeStateSession(begun, text);
    await session.append(one);
    const saved = unwrap(await session.close(() => ({ ...emptyState("lineage"), serial: 41 })));
    expect(saved).toEqual({ ...emptyState("lineage"), serial: 42 });
    expect(decoded(text.puts.at(-1))).toEqual(saved);
  });

  test("writes nothing any more once a write has failed, and says why at its end", async () => {
    const text = quickText([problem(refused)]);
    const session = wholeStateSession(begun, text);
    await expect(session.append(one)).rejects.toThrow(refused.message);
    await expect(session.append(two)).rejects.toThrow(refused.message);
    expect(await session.close(() => emptyState("other"))).toEqual(problem(refused));
    expect(text.puts).toHaveLength(1);
    expect(text.released).toBe(1);
  });

  test("says at its end that a write has failed, where nothing else is to be saved", async () => {
    const session = wholeStateSession(begun, quickText([problem(refused)]));
    await expect(session.append(one)).rejects.toThrow(refused.message);
    expect(await session.close()).toEqual(problem(refused));
  });

  test("gives the lock back only after a write that is under way", async () => {
    const text = slowText();
    const session = wholeStateSession(begun, text);
    const appended = session.append(one);
    const closed = session.close();
    await whileWriting(text.puts, 1);
    expect(text.told).toEqual(["put"]);
    text.end();
    await appended;
    expect(unwrap(await closed).serial).toBe(8);
    expect(text.told).toEqual(["put", "released"]);
  });
});

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
  test("texts that come at once are one write", async () => {
    const { written, write, end } = slowWrites();
    const commit = groupCommit(write);
    const all = Promise.all([commit("a"), commit("b"), commit("c")]);
    await whileWriting(written, 1);
    end();
    await all;
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

  test("texts that come turn after turn are one write", async () => {
    const { written, write, end } = slowWrites();
    const commit = groupCommit(write);
    const all = ["a", "b", "c"].map(async (text, index) => {
      for (let turns = 0; turns < index; turns += 1) await turn();
      await commit(text);
    });
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

let places = 0;

describeStore({
  name: "memory",
  secrets: [],
  async place() {
    const memory = emptyMemory();
    places += 1;
    const randomness = countingRandomness(`place-${places}`);
    return {
      open: async () => memoryStore(memory, randomness),
      async kill() {
        memory.holder = undefined;
      },
      content: async () => memory.text,
      async damage() {
        memory.text = memory.text.slice(0, -10);
      },
    };
  },
});
