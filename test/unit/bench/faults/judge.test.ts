import { describe, expect, test } from "vitest";
import { type Attempt, type Evidence, problemsOf, type ServiceUser, verdictOf } from "../../../bench/faults/judge.ts";

const wanted = {
  users: ["ada@x.example", "bo@x.example"].map((email) => ({ email, firstName: "A", lastName: "B" })),
  teams: [{ name: "Data", roles: ["DEVELOPER", "TEAM_ROLE"], members: ["ada@x.example", "bo@x.example"] }],
};

function key(prefix: string, team: string | null, ...roles: readonly string[]): ServiceUser["accessKeys"][number] {
  const named = roles.map((identifier) => ({ identifier }));
  return { prefix, team: team === null ? null : { identifier: `t-${team}`, name: team }, roles: named };
}

const root: ServiceUser = { email: "root@x.example", accessKeys: [key("root1", null, "SYSTEM_OWNER")] };
const ada: ServiceUser = { email: "ada@x.example", accessKeys: [key("ada1", "Data", "TEAM_ROLE", "DEVELOPER")] };
const bo: ServiceUser = {
  email: "bo@x.example",
  accessKeys: [key("bo0", null, "TEAM_ROLE"), key("bo1", "Data", "DEVELOPER", "TEAM_ROLE")],
};
const data = { identifier: "t-Data", name: "Data" };
const mail = { address: "bo@x.example", team: "Data" };
const kept = [
  { team: "Data", email: "ada@x.example", prefix: "ada1" },
  { team: "Data", email: "bo@x.example", prefix: "bo1" },
];
const before = { users: [root], teams: [], mails: [] };

function found(after: Partial<Evidence["after"]>, keptPrefixes: Evidence["kept"] = kept): readonly string[] {
  const whole = { users: [root, ada, bo], teams: [data], mails: [mail], ...after };
  return problemsOf({ wanted, before, after: whole, kept: keptPrefixes }).map(({ is, text }) => `${is}: ${text}`);
}

describe("what the service holds after a run", () => {
  test("is right as it was wanted", () => {
    expect(found({})).toEqual([]);
  });

  test("is damaged where a person is there twice, in whatever letter case", () => {
    const again = { email: "BO@x.example", accessKeys: [] };
    expect(found({ users: [root, ada, bo, { ...again, email: "bo@x.example" }] })).toEqual(["damage: 1 person twice"]);
    expect(found({ users: [root, ada, bo, again] })).toEqual(["damage: 1 person twice", "damage: 1 extra person"]);
  });

  test("is damaged where a team or a mail is there twice, or a team has somebody else", () => {
    expect(found({ teams: [data, { identifier: "t-2", name: "Data" }] })).toEqual(["damage: 1 team twice"]);
    expect(found({ mails: [mail, mail, { ...mail, team: "Other" }] })).toEqual(["damage: 1 invitation mailed twice"]);
    const guest = { ...root, accessKeys: [...root.accessKeys, key("r2", "Data", "TEAM_ROLE")] };
    expect(found({ users: [guest, ada, bo] })).toEqual(["damage: 1 member too many"]);
  });

  test("is damaged where a key that no file speaks of has other roles", () => {
    const robbed = { ...root, accessKeys: [key("root1", null, "DEVELOPER")] };
    expect(found({ users: [robbed, ada, bo] })).toEqual(["damage: 1 other key changed"]);
    const raised = { ...bo, accessKeys: [key("bo0", null, "DEVELOPER"), ...bo.accessKeys.slice(1)] };
    expect(found({ users: [root, ada, raised] })).toEqual(["damage: 1 other key changed"]);
  });

  test("is not finished where people, members, roles or prefixes are missing", () => {
    expect(found({ users: [root, ada] }, kept.slice(0, 1))).toEqual([
      "missing: 1 person missing",
      "missing: 1 member missing",
    ]);
    const plain = { ...bo, accessKeys: [key("bo0", null, "TEAM_ROLE"), key("bo1", "Data", "TEAM_ROLE")] };
    expect(found({ users: [root, ada, plain] })).toEqual(["missing: 1 key with wrong roles"]);
    expect(found({}, kept.slice(0, 1))).toEqual(["missing: 1 prefix lost"]);
  });

  test("is not finished where the prefix of somebody else is kept", () => {
    const crossed = [kept[0], { ...kept[0], email: "bo@x.example" }].flatMap((one) =>
      one === undefined ? [] : [{ team: "Data", email: one.email ?? "", prefix: "ada1" }],
    );
    expect(found({}, crossed)).toEqual(["missing: 1 prefix lost"]);
  });
});

describe("a verdict", () => {
  const right = (exitCode: number | null): Attempt => ({ exitCode, problems: [] });
  const missing = (exitCode: number | null): Attempt => ({
    exitCode,
    problems: [{ is: "missing", text: "1 member missing" }],
  });
  const damaged = (exitCode: number): Attempt => ({ exitCode, problems: [{ is: "damage", text: "1 person twice" }] });

  test.each([
    ["right", [right(0)]],
    ["right", [right(7), right(0)]],
    ["right after a second run", [missing(null), right(0)]],
    ["right after a third run", [missing(1), missing(1), right(0)]],
    ["right after a second run; a run before said done", [missing(0), right(0)]],
    ["right; still says that it failed", [right(1), right(1), right(1)]],
    ["not finished: 1 member missing.", [missing(1), missing(1), missing(1)]],
    ["**wrong**: 1 member missing. It says done.", [missing(0), missing(0), missing(0)]],
    ["**wrong**: 1 person twice. It says done.", [damaged(0), damaged(0), damaged(0)]],
    ["**wrong**: 1 person twice.", [damaged(2)]],
  ])("%s", (expected, attempts) => {
    expect(verdictOf(attempts)).toBe(expected);
  });
});
