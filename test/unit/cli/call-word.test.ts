import { describe, expect, test } from "vitest";
import { type ResolutionFlags, readCallResolution } from "../../../src/cli/call-word.ts";
import { addressOf } from "../../support/roster-builders.ts";

describe("a word about a call", () => {
  test.each<[string, string | undefined, ResolutionFlags, unknown]>([
    ["asks for the list where nothing is said", undefined, {}, "none"],
    ["says that it was done", "3f2a", { done: true }, { id: "3f2a", word: { outcome: "done", people: [] } }],
    [
      "says that it was not done for one person",
      "3f2a",
      { notDone: true, person: ["Ada@acme.example"] },
      { id: "3f2a", word: { outcome: "not-done", people: [addressOf("ada")] } },
    ],
    [
      "tells what came of it",
      "3f2a",
      { done: true, identifier: "u-1", teamIdentifier: "t-1", prefix: "k-1" },
      { id: "3f2a", word: { outcome: "done", people: [], identifier: "u-1", teamIdentifier: "t-1", prefix: "k-1" } },
    ],
  ])("%s", (_, id, flags, word) => {
    expect(readCallResolution(id, flags)).toEqual({ ok: true, value: word });
  });

  test.each<[string, string | undefined, ResolutionFlags, string]>([
    ["it names no call", undefined, { done: true }, "no-call-named"],
    ["it tells of no call", undefined, { prefix: "k" }, "no-call-named"],
    ["it says nothing of the call", "3f2a", {}, "no-outcome-named"],
    ["it says both", "3f2a", { done: true, notDone: true }, "two-outcomes-named"],
    ["the prefix is a whole key", "3f2a", { done: true, prefix: "prefix.verysecret" }, "full-key"],
    ["the prefix is empty", "3f2a", { done: true, prefix: "" }, "bad-flag-value"],
    ["the identifier goes over lines", "3f2a", { done: true, identifier: "u\n1" }, "bad-flag-value"],
  ])("is refused where %s", (_, id, flags, code) => {
    const read = readCallResolution(id, flags);
    expect(read).toMatchObject({ ok: false, error: { diagnostics: [{ code }] } });
    expect(JSON.stringify(read)).not.toContain("verysecret");
  });
});
