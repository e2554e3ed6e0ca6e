import { describe, expect, test } from "vitest";
import { readLockRecord, writeFree, writeHeld } from "../../../../src/state/s3/s3-lock-text.ts";

const holder = { id: "id-1", who: "ada@build-7", operation: "apply", since: "2026-11-20T12:00:00.000Z" };

describe("the text of a lock", () => {
  test("that is held is read back", () => {
    const text = writeHeld(7, holder, { number: 3, at: "2026-11-20T12:01:00.000Z" });
    expect(readLockRecord(text)).toEqual({ fence: 7, holder });
  });

  test("that is free is read back, and keeps counting", () => {
    expect(readLockRecord(writeFree(7, "id-1"))).toEqual({ fence: 7 });
  });

  test("is never twice the same while somebody holds it", () => {
    const at = "2026-11-20T12:01:00.000Z";
    const texts = [0, 1, 2].map((number) => writeHeld(7, holder, { number, at }));
    expect(new Set([...texts, writeFree(7, "id-1"), writeFree(7, "id-2")]).size).toBe(5);
  });

  test.each([
    ["no JSON", "{"],
    ["nothing", ""],
    ["no object", '"x"'],
    ["a list", "[1]"],
    ["no holder and not free", '{"fence":1}'],
    ["free as a word", '{"fence":1,"free":"true"}'],
    ["no fence", JSON.stringify({ holder })],
    ["a fence that is none", JSON.stringify({ fence: 0, holder })],
    ["a fence beyond counting", JSON.stringify({ fence: 2 ** 60, holder })],
    ["a holder without an id", JSON.stringify({ fence: 1, holder: { ...holder, id: undefined } })],
    ["an endless name", JSON.stringify({ fence: 1, holder: { ...holder, who: "a".repeat(300) } })],
    ["a holder that is a word", '{"fence":1,"holder":"ada"}'],
  ])("with %s is of nobody whom roster knows", (_, text) => {
    expect(readLockRecord(text)).toBeUndefined();
  });
});
