import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decodeSubject,
  formatSubject,
  keySubject,
  memberSubject,
  namesIn,
  partOf,
  type Subject,
  serviceSubject,
  teamSubject,
  userSubject,
} from "../../../src/model/fact.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import { always } from "../../support/always.ts";
import { anySubject } from "../../support/arbitrary-plan.ts";
import { addressOf } from "../../support/roster-builders.ts";

const ada = addressOf("ada");
const data = teamKeyOf("acc-1", "Data of Key");

const written: readonly (readonly [string, Subject])[] = [
  ["user ada@acme.example", userSubject(ada)],
  ["team acc-1/data of key", teamSubject(data)],
  ["member ada@acme.example of team acc-1/data of key", memberSubject(ada, data)],
  ["additions to team acc-1/data of key", { kind: "additions", team: data }],
  ["key k-1", keySubject("k-1")],
  ["role ADMIN", { kind: "other", name: "role ADMIN" }],
  ["ADMIN on key k-1", { kind: "role-on-key", role: "ADMIN", prefix: "k-1" }],
  ["account acc-1", { kind: "other", name: "account acc-1" }],
  ["service https://s.example", serviceSubject("https://s.example")],
  ["setting guards.protect", { kind: "other", name: "setting guards.protect" }],
  ["allowance own-key@f00d", { kind: "other", name: "allowance own-key@f00d" }],
  ["prefix of a key of ada@acme.example", { kind: "other", name: "prefix of a key of ada@acme.example" }],
  ["roles of key k-1", partOf("roles", keySubject("k-1"))],
  ["own key of user ada@acme.example", partOf("own key", userSubject(ada))],
  ["key of member ada@acme.example of team acc-1/data of key", partOf("key", memberSubject(ada, data))],
  ["title of user ada@acme.example", partOf("title", userSubject(ada))],
  ["roster", { kind: "other", name: "roster" }],
  ["roles of a later version", { kind: "other", name: "roles of a later version" }],
  ["user ", { kind: "other", name: "user " }],
];

test.each(written)("%s", (text, subject) => {
  expect([formatSubject(subject), decodeSubject(text)]).toEqual([text, subject]);
});

test("a decoded text is written again as it was", () => {
  always({}, fc.oneof(fc.string(), anySubject.map(formatSubject)), (text) => {
    expect(formatSubject(decodeSubject(text))).toBe(text);
  });
});

test("a text that names parts of parts without end is read, and stays as it was", () => {
  const text = `${"roles of ".repeat(100_000)}key k`;
  expect(decodeSubject(text)).toEqual({ kind: "other", name: text });
});

test("the person, the team and the key that it is about are found in its parts too", () => {
  const places = [memberSubject(ada, data), partOf("key", memberSubject(ada, data)), partOf("roles", keySubject("k"))];
  expect(places.map((one) => [namesIn(one).address, namesIn(one).team, namesIn(one).prefix])).toEqual([
    [ada, data, undefined],
    [ada, data, undefined],
    [undefined, undefined, "k"],
  ]);
});
