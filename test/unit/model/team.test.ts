import { expect, test } from "vitest";
import { kindWords, type ObservedKey, shownOwnKey, withClearKind } from "../../../src/model/key.ts";

const ops = { identifier: "t-1", name: "Ops" };

const cases: Readonly<Record<string, { readonly keys: readonly ObservedKey[]; readonly own: string | undefined }>> = {
  "the only key that is shown to be of no team": {
    keys: [
      { prefix: "a", team: "none" },
      { prefix: "b", team: ops },
    ],
    own: "a",
  },
  "the one among several that is marked as the default": {
    keys: [
      { prefix: "a", team: "none", isDefault: false },
      { prefix: "b", team: "none", isDefault: true },
    ],
    own: "b",
  },
  "none of several that are not marked": {
    keys: [
      { prefix: "a", team: "none" },
      { prefix: "b", team: "none" },
    ],
    own: undefined,
  },
  "the default key without a team, beside a key that shows its team": {
    keys: [
      { prefix: "a", isDefault: true },
      { prefix: "b", isDefault: false, team: ops },
    ],
    own: "a",
  },
  "not the default key where no key shows its team: it may be a team's": {
    keys: [{ prefix: "a", isDefault: true }, { prefix: "b" }],
    own: undefined,
  },
  "not the default key that is a team's": { keys: [{ prefix: "b", isDefault: true, team: ops }], own: undefined },
  "not a deleted key": { keys: [{ prefix: "a", team: "none", status: "deleted" }], own: undefined },
};

test.each(Object.entries(cases))("the own key of a user is %s", (_, { keys, own }) => {
  expect(shownOwnKey({ keys })?.prefix).toBe(own);
});

test.each<[string, readonly ObservedKey[], string]>([
  [
    "keys of a kind alone",
    [
      { prefix: "a", kind: "user" },
      { prefix: "b", kind: "project" },
    ],
    "unclear",
  ],
  ["nothing", [], "unclear"],
  [
    "a key with its team",
    [
      { prefix: "a", kind: "user" },
      { prefix: "b", team: ops },
    ],
    "tell-own-keys",
  ],
  ["a key that has no team", [{ prefix: "a", kind: "user", team: "none" }], "tell-own-keys"],
  [
    "a key of the kind of a team",
    [
      { prefix: "a", kind: "user" },
      { prefix: "b", kind: "Team" },
    ],
    "tell-own-keys",
  ],
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
