import { describe, expect, test } from "vitest";
import { validState } from "../../../src/codec/generated/state.js";
import { decodeState, encodeState } from "../../../src/codec/state.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { creationIntent, noon, openIntent, science } from "../../support/event-builders.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";

const ada = addressOf("ada");
const state: State = {
  ...emptyState("lineage-1"),
  serial: 3,
  service: "https://simulated.example",
  sequence: 12,
  moved: { to: "file:elsewhere.json", at: noon },
  users: new Map([[ada, { address: ada, email: emailOf("ada"), account: "acc-1", createdAt: noon, key: "k-1" }]]),
  teams: new Map([[science, { team: science, name: "Science", account: "acc-1", at: noon }]]),
  open: [openIntent("r1", "c", creationIntent("bo"))],
};

const written = `{
"access": [],
"keys": [],
"lineage": "lineage-1",
"memberships": [],
"moved": {"at":"2026-11-20T12:00:00.000Z","to":"file:elsewhere.json"},
"open": [
{"action":"c","at":"2026-11-20T12:00:00.000Z","dated":{"at":"2026-11-20T12:00:00.000Z","by":"service"},"intent":{"account":"acc-1","address":"bo@acme.example","email":"bo@acme.example","kind":"create-user","sent":{"firstName":"bo","lastName":"Test"}},"run":"r1"}
],
"refusals": [],
"runs": [],
"sequence": 12,
"serial": 3,
"service": "https://simulated.example",
"teams": [
{"account":"acc-1","at":"2026-11-20T12:00:00.000Z","name":"Science","team":"acc-1/science"}
],
"users": [
{"account":"acc-1","address":"ada@acme.example","createdAt":"2026-11-20T12:00:00.000Z","email":"ada@acme.example","key":"k-1"}
],
"version": 2
}
`;

const minimal = {
  version: 2,
  lineage: "l",
  serial: 1,
  users: [] as unknown[],
  teams: [],
  memberships: [],
  keys: [] as unknown[],
  access: [],
  runs: [],
  refusals: [],
  open: [],
};
const user = { address: "ada@acme.example", email: "Ada@acme.example", account: "acc-1" };

function reject(text: string): string {
  const decoded = decodeState(text, "log.jsonl", validState);
  if (decoded.ok) throw new Error("the state was accepted");
  expect(decoded.error).toMatchObject({ code: "state", request: "log.jsonl", hint: expect.any(String) });
  return decoded.error.message;
}

describe("the format of a state", () => {
  test("is sorted JSON with one record a line", () => {
    expect(encodeState(state)).toBe(written);
  });

  test("is read back as it was", () => {
    expect(decodeState(written, "log.jsonl", validState)).toEqual({ ok: true, value: state });
  });

  test("does not depend on the order in which things were learned", () => {
    const users = [addressOf("bo"), ada].map(
      (address) => [address, { address, email: address, account: "a" }] as const,
    );
    const turned = { ...state, users: new Map([...users].reverse()) };
    expect(encodeState({ ...state, users: new Map(users) })).toBe(encodeState(turned));
  });

  test.each([
    ["an empty file", "", "the state is not a state of roster: its top level must be object"],
    ["a file cut short", written.slice(0, -40), "the state is not a state of roster: its top level must be object"],
    [
      "a newer version",
      JSON.stringify({ ...minimal, version: 3 }),
      "the state has format version 3, but this version of roster reads version 2",
    ],
    [
      "a version that is no number",
      JSON.stringify({ ...minimal, version: "2" }),
      "the state is not a state of roster: /version must be equal to constant",
    ],
    [
      "an earlier draft",
      JSON.stringify({ ...minimal, version: 1 }),
      "the state was written by an older version of roster",
    ],
    [
      "another file",
      '{"name": "x"}',
      "the state is not a state of roster: its top level must have required property 'version'",
    ],
    ["a list", "[]", "the state is not a state of roster: its top level must be object"],
    ["null", "null", "the state is not a state of roster: its top level must be object"],
    [
      "a property that is no field",
      JSON.stringify({ ...minimal, extra: 1 }),
      'the state is not a state of roster: its top level must not have "extra"',
    ],
    [
      "a property that would change the prototype",
      JSON.stringify({ ...minimal, users: [user] }).replace('"email"', '"__proto__":{},"email"'),
      'the state is not a state of roster: /users/0 must not have "__proto__"',
    ],
    [
      "a value of another type",
      JSON.stringify({ ...minimal, serial: "1" }),
      "the state is not a state of roster: /serial must be integer",
    ],
    [
      "one user twice",
      JSON.stringify({ ...minimal, users: [user, { ...user, account: "acc-2" }] }),
      "the state is not a state of roster: its users have a duplicate",
    ],
  ])("refuses %s and says why", (_, text, message) => {
    expect(reject(text)).toBe(message);
  });
});
