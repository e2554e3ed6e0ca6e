import { describe, expect, test } from "vitest";
import { groupCommit } from "../../../src/state/group-commit.ts";

/** Writes that end only when the test says so. */
function slowWrites() {
  const written: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      written.push(text);
      ends.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  return { written, write, end: (error?: Error) => ends.shift()?.(error) };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("group commit", () => {
  test("texts that come at once are one write", async () => {
    const { written, write, end } = slowWrites();
    const commit = groupCommit(write);
    const all = Promise.all([commit("a"), commit("b"), commit("c")]);
    await turn();
    end();
    await all;
    expect(written).toEqual(["abc"]);
  });

  test("texts that come during a write are one write after it, in their order", async () => {
    const { written, write, end } = slowWrites();
    const commit = groupCommit(write);
    const first = commit("a");
    await turn();
    const later = Promise.all([commit("b"), commit("c")]);
    await turn();
    expect(written).toEqual(["a"]);
    end();
    await first;
    await turn();
    expect(written).toEqual(["a", "bc"]);
    end();
    await later;
  });

  test("nobody is told that a text is durable before its own write has ended", async () => {
    const { write, end } = slowWrites();
    const commit = groupCommit(write);
    const told: string[] = [];
    const first = commit("a").then(() => told.push("a"));
    await turn();
    const second = commit("b").then(() => told.push("b"));
    end();
    await first;
    await turn();
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
    await turn();
    const second = commit("b");
    end(lost);
    await expect(first).rejects.toBe(lost);
    await expect(second).rejects.toBe(lost);
    await expect(commit("c")).rejects.toBe(lost);
    expect(written).toEqual(["a"]);
  });
});
