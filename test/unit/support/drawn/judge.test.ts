import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Wanted } from "../../../support/drawn/company.ts";
import type { DrawnSeed, LoggedWrite, WorldPerson } from "../../../support/drawn/drawn-service.ts";
import { type Judged, judgeDeeds, unmet } from "../../../support/drawn/judge.ts";
import { testTextCases } from "../../../support/text-cases.ts";

type Service = Judged["service"];

const wanted: Wanted = {
  people: [
    { email: "Ada@acme.example", previously: [] },
    { email: "bo@acme.example", previously: [] },
    { email: "gus@acme.example", previously: [], ownKeyRoles: ["DEVELOPER"] },
    { email: "mia@acme.example", previously: ["mia@old.example"] },
  ],
  leavers: ["leo@acme.example"],
  teams: [
    { name: "Ops", admin: "Ada@acme.example", members: ["Ada@acme.example", "bo@acme.example"], roles: ["DEVELOPER"] },
    { name: "Platform", admin: "gus@acme.example", members: ["gus@acme.example", "bo@acme.example"] },
  ],
};

const seed: DrawnSeed = {
  account: "acc-1",
  people: ["root@acme.example", "gus@acme.example", "mia@old.example", "leo@acme.example"].map((email) => ({
    email,
    firstName: "A",
    lastName: "B",
    ownRoles: ["TEAM_ROLE"],
  })),
  teams: [
    { name: "Platform", admin: "gus@acme.example", members: [{ email: "gus@acme.example", roles: ["TEAM_ROLE"] }] },
  ],
};

function person(identifier: string, email: string, keys: WorldPerson["keys"]): WorldPerson {
  return { identifier, email, account: "acc-1", keys };
}

const root = person("u-0", "root@acme.example", [{ prefix: "in-use", kind: "own", roles: ["ACCOUNT_ADMIN"] }]);
const ada = person("u-1", "Ada@acme.example", [{ prefix: "ada-ops", kind: "team", team: "t-2", roles: ["DEVELOPER"] }]);
const bo = person("u-2", "bo@acme.example", [
  { prefix: "bo-own", kind: "own", roles: ["TEAM_ROLE"] },
  { prefix: "bo-ops", kind: "team", team: "t-2", roles: ["DEVELOPER"] },
  { prefix: "bo-platform", kind: "team", team: "t-1", roles: ["TEAM_ROLE"] },
]);
const gus = person("u-3", "gus@acme.example", [
  { prefix: "gus-own", kind: "own", roles: ["DEVELOPER"] },
  { prefix: "gus-platform", kind: "team", team: "t-1", roles: ["TEAM_ROLE"] },
]);
const mia = person("u-4", "mia@old.example", [{ prefix: "mia-own", kind: "own", roles: ["TEAM_ROLE"] }]);
const leo = person("u-5", "leo@acme.example", [{ prefix: "leo-own", kind: "own", roles: [] }]);

const platform = { identifier: "t-1", name: "Platform", account: "acc-1", members: ["u-3", "u-2"] };
const ops = { identifier: "t-2", name: "Ops", account: "acc-1", members: ["u-1", "u-2"] };

let moment = 0;

function write(method: string, path: string, body: unknown, rest: Partial<LoggedWrite> = {}): LoggedWrite {
  moment += 1;
  return { at: moment, method, path: `/api/accounting/${path}`, body, tookEffect: true, answered: 200, ...rest };
}

const creating = (email: string, team?: object) =>
  write("POST", "accounts/acc-1/users", { email, ...(team === undefined ? {} : { team }) });
const adding = (team: string, ...people: string[]) =>
  write(
    "POST",
    `teams/${team}/members`,
    people.map((identifier) => ({ identifier })),
  );
const putting = (prefix: string, ...roles: string[]) =>
  write(
    "PUT",
    `access-keys/${prefix}/roles`,
    roles.map((identifier) => ({ identifier })),
  );

const teamCreation = creating("Ada@acme.example", { name: "Ops", accessKeyRoles: ["TEAM_ROLE"] });
const addition = adding("t-2", "u-2");
const done: Service = {
  keyPrefix: "in-use",
  people: [root, ada, bo, gus, mia, leo],
  teams: [platform, ops],
  mails: [{ at: addition.at, email: "bo@acme.example", team: "t-2" }],
  writes: [
    teamCreation,
    addition,
    creating("bo@acme.example"),
    adding("t-1", "bo@acme.example"),
    putting("ada-ops", "TEAM_ROLE"),
    putting("ada-ops", "DEVELOPER"),
    putting("bo-ops", "DEVELOPER", "TEAM_ROLE"),
    putting("gus-own", "DEVELOPER"),
    putting("leo-own"),
  ],
};

function troublesOf(service: Partial<Service>): readonly string[] {
  return judgeDeeds({ wanted, seed, service: { ...done, ...service } });
}

describe("what should not have been done", () => {
  test("nothing, where all was done once and as the roster means it", () => {
    expect(troublesOf({})).toEqual([]);
  });

  test.each<[string, Partial<Service>, string]>([
    [
      "somebody whom nobody named",
      { people: [...done.people, person("u-9", "eve@acme.example", [])] },
      "eve@acme.example was created, whom nobody named",
    ],
    [
      "a team that nobody named",
      { teams: [...done.teams, { ...ops, name: "Sales" }] },
      "the team Sales was created, which nobody named",
    ],
  ])("%s", (_what, service, trouble) => {
    expect(troublesOf(service)).toContain(trouble);
  });

  test("a mail to whom the roster does not want there", () => {
    const mail = { at: moment + 1, email: "gus@acme.example", team: "t-2" };
    const troubles = troublesOf({ mails: [...done.mails, mail] });
    expect(troubles).toEqual(["mailed without reason: gus@acme.example for Ops"]);
  });
});

testTextCases(new URL("./judge.txt", import.meta.url), (_, [request = ""]) => {
  const [verb, first = "", ...others] = request.split(" ");
  const writes = {
    create: () => creating(first, others.length === 0 ? undefined : (parse(others.join(" ")) as object)),
    add: () => adding(first, ...others),
    put: () => putting(first, ...others),
  };
  return troublesOf({ writes: [...done.writes, writes[verb as keyof typeof writes]()] });
});

describe("whether a roster is reached", () => {
  const missing = (service: Partial<Service>) => unmet({ wanted, service: { ...done, ...service } });
  const with_ = (...people: WorldPerson[]) => {
    const changed = new Map(people.map((one) => [one.identifier, one]));
    return done.people.map((one) => changed.get(one.identifier) ?? one);
  };
  const keyed = (one: WorldPerson, prefix: string, ...roles: string[]): WorldPerson => ({
    ...one,
    keys: one.keys.map((key) => (key.prefix === prefix ? { ...key, roles } : key)),
  });

  test("it is, where everything is as it says", () => {
    expect(missing({ writes: [] })).toEqual([]);
  });

  test.each<[string, Partial<Service>, readonly string[]]>([
    [
      "nobody is there",
      { people: [root], teams: [platform], writes: [] },
      [
        "Ada@acme.example is not there",
        "bo@acme.example is not there",
        "gus@acme.example is not there",
        "mia@acme.example is not there",
        "there are 0 teams Ops",
        "gus@acme.example is not in Platform",
        "bo@acme.example is not in Platform",
      ],
    ],
    ["a team is there twice", { teams: [platform, ops, ops] }, ["there are 2 teams Ops"]],
    ["somebody is no member", { teams: [platform, { ...ops, members: ["u-1"] }] }, ["bo@acme.example is not in Ops"]],
    [
      "a team's key has other roles",
      { people: with_(keyed(bo, "bo-ops", "TEAM_ROLE")), writes: [] },
      ["the key of bo@acme.example in Ops has [TEAM_ROLE], not [DEVELOPER]"],
    ],
    [
      "an own key has other roles",
      { people: with_(keyed(gus, "gus-own")), writes: [] },
      ["the own key of gus@acme.example has [], not [DEVELOPER]"],
    ],
    [
      "a leaver holds a role",
      { people: with_(keyed(leo, "leo-own", "TEAM_ROLE")), writes: [] },
      ["the key of the leaver leo@acme.example has [TEAM_ROLE], not []"],
    ],
  ])("it is not, where %s", (_what, service, expected) => {
    expect(missing(service)).toEqual(expected);
  });

  test("a key that was asked to have just these roles is as far as the service lets it be brought", () => {
    const kept = { people: with_(keyed(bo, "bo-ops", "DEVELOPER", "AUDITOR")) };
    expect(missing(kept)).toEqual([]);
    expect(missing({ ...kept, writes: [putting("bo-ops", "DEVELOPER"), putting("bo-ops", "AUDITOR")] })).toEqual([
      "the key of bo@acme.example in Ops has [DEVELOPER, AUDITOR], not [DEVELOPER]",
    ]);
    const refused = { ...putting("bo-ops", "DEVELOPER"), tookEffect: false };
    expect(missing({ ...kept, writes: [refused] })).toHaveLength(1);
  });
});
