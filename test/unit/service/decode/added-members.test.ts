import { describe, expect, test } from "vitest";
import type { ObservedKey } from "../../../../src/model/key.ts";
import { decodeAddedMembers } from "../../../../src/service/decode/write-answers.ts";

const added = { identifier: "u-1", email: "a@b.example", accessKey: { prefix: "k1", status: "active", kind: "team" } };
const one = { identifier: "u-1", email: "a@b.example", keys: named({ prefix: "k1", status: "active", kind: "team" }) };
const data = { identifier: "t-3", name: "Data" };

/** One key, shown by itself. */
function named(key: ObservedKey) {
  return { are: "named", shown: [key] };
}

/** Keys of a list, which may be all that the person holds. */
function listed(...keys: readonly ObservedKey[]) {
  return { are: "listed", shown: keys };
}

function failed(status: number | undefined, serviceSays: string, code = "not-found") {
  const message = `The service did not add this member${status === undefined ? "" : ` (${status})`}`;
  return { code, message, ...(status === undefined ? {} : { status }), serviceSays };
}

describe("every known answer to an addition", () => {
  test.each([
    ["M1: the members with their keys", [added], [one]],
    [
      "M1: one key in a list, which may be one from before",
      [{ identifier: "u-1", accessKeys: [{ prefix: "k1", team: null }] }],
      [{ identifier: "u-1", keys: listed({ prefix: "k1", team: "none" }) }],
    ],
    [
      "M1: several keys",
      [{ identifier: "u-1", accessKeys: [{ prefix: "k1", team: data }, { prefix: "k2" }] }],
      [{ identifier: "u-1", keys: listed({ prefix: "k1", team: data }, { prefix: "k2" }) }],
    ],
    [
      "M1: a list without keys, as before the new one is shown",
      [{ identifier: "u-1", accessKeys: [] }],
      [{ identifier: "u-1", keys: listed() }],
    ],
    [
      "M1: a list of keys of which one cannot be read",
      [{ identifier: "u-1", accessKeys: [{ prefix: "k1" }, { name: "x" }] }],
      [{ identifier: "u-1" }],
    ],
    [
      "M1: the new key beside a list of keys",
      [{ identifier: "u-1", accessKey: { prefix: "k2" }, accessKeys: [{ prefix: "k1" }, { prefix: "k2" }] }],
      [{ identifier: "u-1", keys: named({ prefix: "k2" }) }],
    ],
    [
      "M1: a flat prefix",
      [{ identifier: "u-1", accessKeyPrefix: "k1" }],
      [{ identifier: "u-1", keys: named({ prefix: "k1" }) }],
    ],
    [
      "M1: the member in `user`",
      [{ user: { id: 7, email: "a@b.example" } }],
      [{ identifier: "7", email: "a@b.example" }],
    ],
    ["M1: mere identifiers", ["u-1"], [{ identifier: "u-1" }]],
    ["M1: an envelope", { success: true, data: { members: [added] }, error: null }, [one]],
    ["M3: an empty answer", undefined, []],
    [
      "M4: successes and failures",
      { successes: [added], failures: [{ identifier: "u-8", status: 404, detail: "gone" }] },
      [one, { identifier: "u-8", failure: failed(404, "gone") }],
    ],
    ["M4: successes alone", { successes: ["u-1"], failures: [] }, [{ identifier: "u-1" }]],
    [
      "M4: a status for each",
      [
        { identifier: "u-1", status: 200, message: "added" },
        { identifier: "u-8", status: 409, message: "a member" },
      ],
      [{ identifier: "u-1" }, { identifier: "u-8", failure: failed(409, "a member", "conflict") }],
    ],
    [
      "M5: errors beside the members",
      { members: [added], errors: [{ identifier: "u-8", status: 404, detail: "gone" }] },
      [one, { identifier: "u-8", failure: failed(404, "gone") }],
    ],
    [
      "M5: errors alone",
      { errors: [{ user: { identifier: "u-8" }, message: "gone" }] },
      [{ identifier: "u-8", failure: failed(undefined, "gone", "refused") }],
    ],
    ["M5: no errors", { members: [added], errors: [] }, [one]],
    [
      "M5: messages by person",
      { status: "error", message: { "u-8": ["gone"], "u-7": "barred" } },
      [
        { identifier: "u-8", failure: failed(undefined, "gone", "refused") },
        { identifier: "u-7", failure: failed(undefined, "barred", "refused") },
      ],
    ],
    ["M5: a mere word of success", { status: "success" }, []],
    [
      "an error beside a name",
      [{ identifier: "u-8", error: { code: "x", message: "gone" } }],
      [{ identifier: "u-8", failure: failed(undefined, "gone", "refused") }],
    ],
    [
      "success that is false beside a name",
      [{ identifier: "u-8", success: false, message: "gone" }],
      [{ identifier: "u-8", failure: failed(undefined, "gone", "refused") }],
    ],
  ])("%s", (name, body, members) => {
    const lists = ["M4: successes and failures", "M4: successes alone", "M5: errors beside the members"].includes(name);
    expect(decodeAddedMembers(body)).toEqual({ ok: true, value: { members, ...(lists ? { listsAdded: true } : {}) } });
  });
});

describe("the team that an answer shows is told", () => {
  test.each([
    ["M2: the team with its members", { ...data, members: [added] }, data],
    ["M2: in an envelope", { success: true, data: { ...data, members: [added] }, error: null }, data],
    ["M2: with an identifier alone", { identifier: "t-3", members: [added] }, { identifier: "t-3" }],
    ["M2: with a name alone", { name: "Data", members: [added] }, { name: "Data" }],
    ["M2: with an `id` beside its name", { id: 3, name: "Data", members: [added] }, { identifier: "3", name: "Data" }],
    ["under `team`, with an `id` alone", { team: { id: 3 }, members: [added] }, { identifier: "3" }],
    ["beside its members", { team: data, members: [added] }, data],
    ["beside its members, in an envelope", { result: { team: data, members: [added] } }, data],
    ["beside a list under another name", { team: data, users: [added] }, data],
  ])("%s", (_name, body, team) => {
    expect(decodeAddedMembers(body)).toEqual({ ok: true, value: { team, members: [one] } });
  });

  test("beside a mere word of success", () => {
    expect(decodeAddedMembers({ status: "success", team: data })).toEqual({
      ok: true,
      value: { team: data, members: [] },
    });
  });

  test.each([
    ["a list shows none", [added]],
    ["the members stand alone", { members: [added] }],
    ["an `id` stands beside the members, which may be the request's", { id: 3, members: [added] }],
    ["an `id` stands beside the members in an envelope", { data: { id: 3, members: [added] } }],
    ["a text stands under `team`, which may be a name or an identifier", { team: "Data", members: [added] }],
    ["a number stands under `team`", { team: 3, members: [added] }],
    ["`team` is empty", { team: null, members: [added] }],
    ["what stands under `team` has neither name nor identifier", { team: { size: 3 }, members: [added] }],
    ["what has a name does not hold members", { identifier: "r-1", users: [added] }],
  ])("and is not where %s", (_name, body) => {
    expect(decodeAddedMembers(body)).toEqual({ ok: true, value: { members: [one] } });
  });
});

describe("a refusal", () => {
  test.each([
    ["as the whole", { statusCode: 409, message: "there" }],
    ["in an envelope", { data: { statusCode: 409, message: "there" } }],
    ["in a list of one", [{ statusCode: 409, message: "there" }]],
  ])("%s is one", (_name, body) => {
    expect(decodeAddedMembers(body)).toEqual({
      ok: false,
      error: { why: "it reports a failure", refused: { status: 409, words: "there" } },
    });
  });
});

describe("an answer that names nobody contradicts nothing", () => {
  test.each([
    ["null", null],
    ["true", true],
    ["a count", 2],
    ["a word", "done"],
    ["an object without fields", {}],
    ["an empty list", []],
    ["an empty list in an envelope", { data: [] }],
    ["a list of nothing", [{}, null, true]],
    ["rows without names", [{ status: "active" }, { status: "active" }]],
    ["a word of success", { status: "success" }],
    ["a success", { success: true, data: {}, error: null }],
    ["a message", { message: "done" }],
    ["an unknown envelope", { payload: [] }],
    ["an `id`, which may be the request's", { id: "r-1", took: 12 }],
  ])("%s", (_name, body) => {
    expect(decodeAddedMembers(body)).toEqual({ ok: true, value: { members: [] } });
  });

  test("and what it shows of others is told", () => {
    expect(decodeAddedMembers([{ accessKey: { prefix: "k1" } }, { prefix: "k2", roles: [] }])).toEqual({
      ok: true,
      value: { members: [], keys: [{ prefix: "k1" }, { prefix: "k2", roles: [] }] },
    });
    expect(decodeAddedMembers({ identifier: "u-1", email: "a@b.example" })).toEqual({
      ok: true,
      value: { members: [{ identifier: "u-1", email: "a@b.example" }] },
    });
    expect(decodeAddedMembers({ data })).toEqual({ ok: true, value: { members: [], team: data } });
  });
});

describe("what reports a failure and does not name the person is a misreading, never a success", () => {
  test.each([
    ["somebody without a name", [{ status: "active" }, { success: false }]],
    ["errors without names", { errors: ["somebody is gone"].map((detail) => ({ detail })) }],
    ["a failure as a whole", { success: false, data: [] }],
    ["an error in an envelope", { data: { error: "no" } }],
    ["a word of failure", { status: "error", message: "no" }],
    ["a text of one word", "Error"],
    ["a text of several words", "nobody was added"],
    ["false", false],
  ])("%s", (_name, body) => {
    expect(decodeAddedMembers(body).ok).toBe(false);
  });
});
