import { expect, test } from "vitest";
import { kindWords, type ObservedKey, shownOwnKey, withClearKind } from "../../../src/model/key.ts";

const ops = { identifier: "t-1", name: "Ops" };

function key(prefix: string, parts: Partial<ObservedKey> = {}): ObservedKey {
  return { prefix, ...parts };
}

test.each<[string, readonly ObservedKey[], string | undefined]>([
  ["the only key that is shown to be of no team", [key("a", { team: "none" }), key("b", { team: ops })], "a"],
  [
    "the one among several that is marked as the default",
    [key("a", { team: "none", isDefault: false }), key("b", { team: "none", isDefault: true })],
    "b",
  ],
  ["none of several that are not marked", [key("a", { team: "none" }), key("b", { team: "none" })], undefined],
  [
    "the default key without a team, beside a key that shows its team",
    [key("a", { isDefault: true }), key("b", { isDefault: false, team: ops })],
    "a",
  ],
  [
    "not the default key where no key shows its team: it may be a team's",
    [key("a", { isDefault: true }), key("b")],
    undefined,
  ],
  ["not the default key that is a team's", [key("b", { isDefault: true, team: ops })], undefined],
  ["not a deleted key", [key("a", { team: "none", status: "deleted" })], undefined],
])("the own key of a user is %s", (_, keys, own) => {
  expect(shownOwnKey({ keys })?.prefix).toBe(own);
});

test.each<[string, readonly ObservedKey[], string]>([
  ["keys of a kind alone", [key("a", { kind: "user" }), key("b", { kind: "project" })], "unclear"],
  ["nothing", [], "unclear"],
  ["a key with its team", [key("a", { kind: "user" }), key("b", { team: ops })], "tell-own-keys"],
  ["a key that has no team", [key("a", { kind: "user", team: "none" })], "tell-own-keys"],
  ["a key of the kind of a team", [key("a", { kind: "user" }), key("b", { kind: "Team" })], "tell-own-keys"],
])("the kinds of keys tell which are a user's own only beside teams: %s", (_, keys, words) => {
  expect(kindWords([{ keys: [] }, {}, { keys }])).toBe(words);
});

test("a kind that does not tell whose key it is goes, others stay", () => {
  const clear = (key: ObservedKey) => withClearKind(key, "unclear");
  expect(clear({ prefix: "a", kind: "USER", isDefault: true })).toEqual({ prefix: "a", isDefault: true });
  for (const key of [{ prefix: "a" }, { prefix: "a", kind: "project" }, { prefix: "a", kind: "team" }])
    expect(clear(key)).toEqual(key);
  expect(withClearKind({ prefix: "a", kind: "user" }, "tell-own-keys")).toEqual({ prefix: "a", kind: "user" });
});
