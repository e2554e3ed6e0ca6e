import { expect, test } from "vitest";
import { daysAfter, type Roster } from "../../../src/model/roster.ts";
import { rosterFrom } from "../../support/roster-text.ts";

/** The day of the run in `rosterFrom`. */
const today = "2026-11-20";

function make(roles: string) {
  return rosterFrom({
    "f.yaml": `version: 1
account: acc-1
roleSets: { engineer: [BUILD, TEST] }
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace, ownKeyRoles: ${roles} }
teams:
  - { name: T, members: [{ user: ada@acme.example, roles: ${roles} }] }
keys:
  - { prefix: p, owner: ada@acme.example, roles: ${roles} }
`,
  });
}

/** The roles of the three keys, which are alike. */
function rolesIn(roster: Roster | undefined): unknown {
  const [user] = [...(roster?.users.values() ?? [])];
  const all = [user?.ownKeyRoles?.value, roster?.teams[0]?.members[0]?.roles, roster?.keys[0]?.roles];
  expect(new Set(all.map(String)).size).toBe(1);
  return all[0];
}

const day = (ahead: number) => daysAfter(today, ahead);

test.each([
  ["a role without dates is a role", "[A, { role: B }]", ["A", "B"]],
  ["a role before its first day is none", `[A, { role: B, from: ${day(1)} }]`, ["A"]],
  ["a role on its first day is one", `[A, { role: B, from: ${today} }]`, ["A", "B"]],
  ["a role on the day before its end is one", `[A, { role: B, until: ${day(1)} }]`, ["A", "B"]],
  ["a role set is for a time too", `[A, { set: engineer, until: ${day(1)} }]`, ["A", "BUILD", "TEST"]],
  ["a role set before its first day is none", `[A, { set: engineer, from: ${day(1)} }]`, ["A"]],
  ["what a role gives for good stays", `[BUILD, { set: engineer, from: ${day(1)} }]`, ["BUILD"]],
] as const)("%s", (_, roles, expected) => {
  const { roster, diagnostics } = make(roles);
  expect([rolesIn(roster), diagnostics]).toEqual([expected, []]);
});

test("a role on its last day and after it is none, which is said at each place", () => {
  for (const end of [today, day(-30)]) {
    const { roster, diagnostics } = make(`[A, { role: B, until: ${end} }]`);
    expect(rolesIn(roster)).toEqual(["A"]);
    expect(diagnostics.map(({ code, severity, message }) => ({ code, severity, message }))).toEqual(
      Array(3).fill({
        code: "until-reached",
        severity: "warning",
        message: `\`until\` of \`B\` has passed: since ${end} this entry gives nothing.`,
      }),
    );
    expect(roster?.teams[0]?.members[0]?.because.map(({ as, name }) => [as, name])).toContainEqual(["until", end]);
  }
});

test("of roles that are all over, nothing is left: the key loses them", () => {
  expect(rolesIn(make(`[{ role: B, until: ${today} }]`).roster)).toEqual([]);
});

test("what ends is known with its day and its place", () => {
  const { roster } = make(`[A, { role: B, until: ${day(40)} }, { set: engineer, until: ${day(9)} }]`);
  const endings = roster?.teams[0]?.members[0]?.endings;
  expect(endings?.map(({ roles, until }) => [roles, until.value, until.place.line])).toEqual([
    [["B"], day(40), 7],
    [["BUILD", "TEST"], day(9), 7],
  ]);
});

test.each([
  [`[{ role: B, from: ${day(2)}, until: ${day(2)} }]`, "contradiction"],
  ["[{ role: B, until: tomorrow }]", "bad-value"],
  ["[{ role: B, set: engineer }]", "bad-value"],
  [`[{ set: enginer, from: ${day(90)} }]`, "unknown-name"],
])("%s is refused", (roles, code) => {
  const { diagnostics } = make(roles);
  expect(new Set(diagnostics.filter(({ severity }) => severity === "error").map((one) => one.code))).toEqual(
    new Set([code]),
  );
});

test("a role that something else gives for good, or for longer, does not end before that", () => {
  const { roster } = make(`[A, { role: A, until: ${day(3)} }, { set: engineer }, { role: TEST, until: ${day(3)} }]`);
  expect(roster?.teams[0]?.members[0]?.endings).toBeUndefined();
  const longer = make(`[{ role: BUILD, until: ${day(3)} }, { set: engineer, until: ${day(9)} }]`).roster;
  expect(longer?.teams[0]?.members[0]?.endings?.map(({ roles, until }) => [roles, until.value])).toEqual([
    [["BUILD", "TEST"], day(9)],
  ]);
});
