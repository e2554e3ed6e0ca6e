import { describe, expect, test } from "vitest";
import { decodeAddedMembers } from "../../../../src/service/decode/added-members.ts";

const added = { identifier: "u-1", email: "a@b.example", accessKey: { prefix: "k1", status: "active", kind: "team" } };
const one = { identifier: "u-1", email: "a@b.example", key: { prefix: "k1", status: "active", kind: "team" } };

function failed(status: number | undefined, serviceSays: string, code = "not-found") {
  const message = `The service did not add this member${status === undefined ? "" : ` (${status})`}`;
  return { code, message, ...(status === undefined ? {} : { status }), serviceSays };
}

describe("every known answer to an addition", () => {
  test.each([
    ["M1: the members with their keys", [added], [one]],
    [
      "M1: one key in a list",
      [{ identifier: "u-1", accessKeys: [{ prefix: "k1" }] }],
      [{ identifier: "u-1", key: { prefix: "k1" } }],
    ],
    [
      "M1: several keys",
      [{ identifier: "u-1", accessKeys: [{ prefix: "k1" }, { prefix: "k2" }] }],
      [{ identifier: "u-1" }],
    ],
    [
      "M1: a flat prefix",
      [{ identifier: "u-1", accessKeyPrefix: "k1" }],
      [{ identifier: "u-1", key: { prefix: "k1" } }],
    ],
    [
      "M1: the member in `user`",
      [{ user: { id: 7, email: "a@b.example" } }],
      [{ identifier: "7", email: "a@b.example" }],
    ],
    ["M1: mere identifiers", ["u-1"], [{ identifier: "u-1" }]],
    ["M1: an envelope", { success: true, data: { members: [added] }, error: null }, [one]],
    ["M2: the team with its members", { identifier: "t-3", name: "Data", members: [added] }, [one]],
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
  ])("%s", (_name, body, members) => {
    expect(decodeAddedMembers(body)).toEqual({ ok: true, value: { members } });
  });
});

describe("what does not tell who was added is a misreading, never a success", () => {
  test.each([
    ["somebody without a name", [{ accessKey: { prefix: "k" } }]],
    ["errors without names", { errors: ["somebody is gone"].map((detail) => ({ detail })) }],
    ["a failure as a whole", { success: false, data: [] }],
    ["a word of failure", { status: "error", message: "no" }],
    ["a text", "done"],
    ["an unknown envelope", { payload: [] }],
  ])("%s", (_name, body) => {
    expect(decodeAddedMembers(body).ok).toBe(false);
  });
});
