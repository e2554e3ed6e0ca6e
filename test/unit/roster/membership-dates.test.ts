import { expect, test } from "vitest";
import { daysAfter } from "../../../src/model/roster.ts";
import { rosterFrom } from "../../support/roster-text.ts";

/** The day of the run in `rosterFrom`. */
const today = "2026-11-20";
const day = (ahead: number) => daysAfter(today, ahead);

/** A team with these members, administered by Ada where that is said. */
function make(members: string, more = "", ofAda = "") {
  const made = rosterFrom({
    "f.yaml": `version: 1
account: acc-1
groups: { guests: [bo@acme.example] }
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace${ofAda} }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
teams:
  - { name: T, ${more} roles: [A], members: [${members}] }
`,
  });
  const [team] = made.roster?.teams ?? [];
  return {
    members: team?.members.map(({ address, roles, until }) => [address, roles, until?.value]),
    ended: [...(team?.ended ?? [])].map(([address, until]) => [address, until.value]),
    upcoming: [...(team?.upcoming ?? [])].map(([address, from]) => [address, from.value]),
    admin: team?.admin?.value,
    told: made.diagnostics.map(({ code, severity }) => `${severity} ${code}`),
  };
}

const [ada, bo] = ["ada@acme.example", "bo@acme.example"];
const none = { ended: [], upcoming: [], admin: undefined, told: [] };

test.each([
  ["to come", `{ user: ${bo}, from: ${day(1)} }`, { ...none, members: [], upcoming: [[bo, day(1)]] }],
  ["begins today", `{ user: ${bo}, from: ${today} }`, { ...none, members: [[bo, ["A"], undefined]] }],
  ["ends tomorrow", `{ user: ${bo}, until: ${day(1)} }`, { ...none, members: [[bo, ["A"], day(1)]] }],
  [
    "has ended",
    `{ user: ${bo}, until: ${today} }`,
    { ...none, members: [], ended: [[bo, today]], told: ["warning until-reached"] },
  ],
  [
    "of a group has ended",
    `{ group: guests, until: ${day(-3)} }`,
    { ...none, members: [], ended: [[bo, day(-3)]], told: ["warning until-reached"] },
  ],
  [
    "has ended, and goes on by a group with its roles",
    `{ user: ${bo}, roles: [B], until: ${today} }, { group: guests, roles: [C] }`,
    { ...none, members: [[bo, ["C"], undefined]] },
  ],
  [
    "ends later by a group",
    `{ user: ${bo}, until: ${day(2)} }, { group: guests, until: ${day(9)} }`,
    { ...none, members: [[bo, ["A"], day(9)]] },
  ],
  [
    "ends before it begins",
    `{ user: ${bo}, from: ${day(2)}, until: ${day(1)} }`,
    { ...none, members: undefined, told: ["error contradiction"] },
  ],
])("a membership that %s", (_, members, expected) => {
  expect(make(members)).toEqual(expected);
});

test("an administrator whose membership ends makes no roster invalid, and administers no more", () => {
  const members = `{ user: ${ada}, until: ${today} }, ${bo}`;
  expect(make(members, `admin: ${ada},`)).toEqual({
    ...none,
    members: [[bo, ["A"], undefined]],
    ended: [[ada, today]],
    told: ["warning until-reached"],
  });
});

test.each([
  ["the user", `${ada}, ${bo}`, day(5)],
  ["the user, before the membership", `{ user: ${ada}, from: ${day(2)} }, ${bo}`, day(5)],
  ["the membership, after the user", `{ user: ${ada}, from: ${day(9)} }, ${bo}`, day(9)],
])("a user who starts later is no member until then: by the `from` of %s", (_, members, from) => {
  expect(make(members, `admin: ${ada},`, `, from: ${day(5)}`)).toEqual({
    ...none,
    members: [[bo, ["A"], undefined]],
    upcoming: [[ada, from]],
    admin: ada,
  });
});

test("a user who starts today is a member like any other", () => {
  expect(make(ada, "", `, from: ${today}`)).toEqual({ ...none, members: [[ada, ["A"], undefined]] });
});

test("a user who leaves before they start makes the roster invalid", () => {
  expect(make(ada, "", `, from: ${day(2)}, until: ${day(1)}`).told).toEqual(["error contradiction"]);
});
