import { describe, expect, test } from "vitest";
import { reasonAt } from "../../../src/model/fact.ts";
import type { Profile } from "../../../src/model/recorded.ts";
import { sha256 } from "../../../src/model/sha256.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import { aPolicy, aState } from "../../support/plan-inputs.ts";
import { planFor, troubles } from "../../support/plan-words.ts";
import { anyDigest } from "../../support/refusal-builders.ts";
import { addressOf, aRoster, aTeam, at, aUser, type UserWish } from "../../support/roster-builders.ts";
import { aWorld, aWorldOf, putUser, type WorldUser } from "../../support/simulated-world.ts";

describe("a plan", () => {
  test("says everything about what it would do", () => {
    const world = aWorldOf({ users: { root: {} } });
    const roster = aRoster({
      users: [aUser("root", { line: 1 }), aUser("ada", { title: "Principal", source: "gitops", line: 2 })],
      teams: [aTeam("Data Science", { admin: "root", members: ["root", "ada"], roles: ["DEVELOPER"], line: 5 })],
    });
    const team = "acc-1/data science";
    const absent = { known: "observed", value: "absent", by: "list" };
    const given = {
      before: { known: "unknown", why: "this plan makes the key" },
      roles: ["DEVELOPER"],
      ifInexact: true,
    };
    const entry = reasonAt(at(5), "team", { name: "Data Science" });
    const adasPlace = reasonAt(at(5), "member", { person: addressOf("ada") });
    const rootsPlace = reasonAt(at(5), "member", { person: addressOf("root") });
    expect(planFor(world, roster)).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/u),
      service: "https://simulated.example",
      actions: [
        {
          kind: "create-user",
          id: "create-user:ada@acme.example",
          address: "ada@acme.example",
          account: "acc-1",
          user: { email: "ada@acme.example", firstName: "Ada", lastName: "Test", title: "Principal", source: "gitops" },
          createsTeam: {
            team: "acc-1/data science",
            name: "Data Science",
            admin: "root@acme.example",
            accessKeyRoles: ["DEVELOPER"],
            temporaryRoles: [],
          },
          request: anyDigest,
          rule: "creates-team",
          because: [reasonAt(at(2), "user"), entry, reasonAt(at(5), "admin", { name: "root@acme.example" }), adasPlace],
          dependsOn: [],
          restsOn: [
            { about: decodeSubject("user ada@acme.example"), fact: absent },
            { about: decodeSubject("team acc-1/data science"), fact: absent },
            {
              about: decodeSubject("user root@acme.example"),
              fact: { known: "observed", value: "present", by: "list" },
            },
          ],
        },
        {
          kind: "add-members",
          id: "add-members:acc-1/data science",
          team,
          firstMember: "ada@acme.example",
          members: [{ address: "root@acme.example" }],
          rule: "joins-new-team",
          because: [entry, rootsPlace],
          dependsOn: ["create-user:ada@acme.example"],
          restsOn: [
            {
              about: decodeSubject("member root@acme.example of team acc-1/data science"),
              fact: { known: "unknown", why: "this plan creates the team or the user" },
            },
          ],
        },
        {
          kind: "replace-roles",
          id: "replace-roles:acc-1/data science:ada@acme.example",
          key: { of: "team-key", address: "ada@acme.example", team },
          ...given,
          rule: "roles-of-first-member",
          because: [adasPlace],
          dependsOn: ["create-user:ada@acme.example"],
          restsOn: [],
        },
        {
          kind: "replace-roles",
          id: "replace-roles:acc-1/data science:root@acme.example",
          key: { of: "team-key", address: "root@acme.example", team },
          ...given,
          rule: "roles-of-new-key",
          because: [rootsPlace],
          dependsOn: ["add-members:acc-1/data science"],
          restsOn: [],
        },
      ],
      users: new Map([
        [
          "ada@acme.example",
          { email: "ada@acme.example", identifier: { known: "unknown", why: "this plan creates the user" } },
        ],
        [
          "root@acme.example",
          { email: "root@acme.example", identifier: { known: "observed", value: "u1", by: "list" } },
        ],
      ]),
      teams: new Map([
        [
          team,
          {
            name: "Data Science",
            account: "acc-1",
            identifier: { known: "unknown", why: "this plan creates the team" },
          },
        ],
      ]),
      findings: [],
      calls: { reads: 3, writes: 3, atMost: 4 },
    });
  });

  test("for an empty roster does nothing", () => {
    expect(planFor(aWorld(), aRoster({}))).toEqual({
      id: sha256('["https://simulated.example"]').slice(0, 16),
      service: "https://simulated.example",
      actions: [],
      users: new Map(),
      teams: new Map(),
      findings: [],
      calls: { reads: 3, writes: 0, atMost: 0 },
    });
  });
});

describe("an account", () => {
  const roster = aRoster({
    users: [aUser("ada", { account: "acc-2", line: 3 }), aUser("bo")],
    teams: [aTeam("Data", { account: "acc-2", members: ["ada"], line: 8 })],
  });

  test("that the service does not know is one finding with every place, and nothing in it is planned", () => {
    const plan = planFor(aWorld({ accounts: ["acc-1"] }), roster);
    expect(plan.actions.map(({ id }) => id)).toEqual(["create-user:bo@acme.example"]);
    expect(plan.findings.map(({ code, subject, because }) => ({ code, subject, because }))).toEqual([
      {
        code: "account-unavailable",
        subject: decodeSubject("account acc-2"),
        because: [reasonAt(at(3), "user"), reasonAt(at(8), "team", { name: "Data" })],
      },
    ]);
  });

  test("that is not active is one finding, and nothing in it is planned", () => {
    const world = aWorld({ accounts: ["acc-1", "acc-2"] });
    const account = world.accounts.get("acc-2");
    if (account !== undefined) account.status = "Inactive";
    const plan = planFor(world, roster);
    expect(plan.actions.map(({ id }) => id)).toEqual(["create-user:bo@acme.example"]);
    expect(troubles(plan)).toEqual(["! account-unavailable: account acc-2"]);
  });
});

describe("a profile", () => {
  const cases: Readonly<
    Record<
      string,
      {
        wish: UserWish;
        shown: Partial<Omit<WorldUser, "keys">>;
        answered?: Profile;
        sent?: Profile;
        told: readonly string[];
      }
    >
  > = {
    "that is shown as wanted is no matter": { wish: { title: "Boss" }, shown: { title: "Boss" }, told: [] },
    "that the roster leaves out is not compared": { wish: {}, shown: { title: "Boss", source: "web" }, told: [] },
    "that differs is one finding with every field": {
      wish: { title: "Boss", lastName: "King" },
      shown: { title: "Countess" },
      told: [
        '! profile-differs: The service shows ada@acme.example with lastName "Test" instead of "King" and title "Countess" instead of "Boss". ' +
          "The API cannot change users. Correct it in the service, or write the value of the service into the roster.",
      ],
    },
    "that differs in white space or composition alone is a notice": {
      wish: { title: "Café  chief " },
      shown: { title: "Cafe\u0301 chief" },
      told: [
        'profile-differs: The service shows ada@acme.example with title "Cafe\u0301 chief" instead of "Café  chief ". ' +
          "The service stores it in this form. To hide this notice, write it like this in the roster.",
      ],
    },
    "that the service answered our creation with is a notice": {
      wish: { title: "boss" },
      shown: { title: "BOSS" },
      sent: { title: "boss" },
      answered: { title: "BOSS" },
      told: [
        'profile-differs: The service shows ada@acme.example with title "BOSS" instead of "boss". ' +
          "The service stores it in this form. To hide this notice, write it like this in the roster.",
      ],
    },
    "that has changed since our creation differs": {
      wish: { title: "chief" },
      shown: { title: "BOSS" },
      sent: { title: "boss" },
      answered: { title: "BOSS" },
      told: [
        '! profile-differs: The service shows ada@acme.example with title "BOSS" instead of "chief". ' +
          "The API cannot change users. Correct it in the service, or write the value of the service into the roster.",
      ],
    },
    "whose external identifier the service set to the address is no matter": {
      wish: { externalIdentifier: "E-1" },
      shown: { externalIdentifier: "ADA@acme.example" },
      told: [],
    },
    "whose source differs is a notice": {
      wish: { source: "gitops" },
      shown: { source: "web" },
      told: [
        'profile-differs: The service shows ada@acme.example with source "web" instead of "gitops". ' +
          "The service stores it in this form. To hide this notice, write it like this in the roster.",
      ],
    },
  };

  test.each(Object.entries(cases))("%s", (_sentence, { wish, shown, sent, answered, told }) => {
    const world = aWorld();
    putUser(world, { lastName: "Test", ...shown, email: "ada@acme.example" });
    const address = addressOf("ada");
    const profile = sent && answered && { sent, answered };
    const record = { address, email: address, account: "acc-1", profile };
    const plan = planFor(world, aRoster({ users: [aUser("ada", wish)] }), {
      state: aState({ users: new Map([[address, record]]) }),
    });
    expect(plan.findings.map(({ code, kind, message }) => `${kind === "task" ? "! " : ""}${code}: ${message}`)).toEqual(
      told,
    );
  });

  test("that is hidden is not compared", () => {
    const world = aWorldOf({ users: { ada: { lastName: "Else" } } });
    expect(planFor(world, aRoster({ users: [aUser("ada")] }), { hides: ["user-profiles"] }).findings).toEqual([]);
  });
});

describe("people whom the roster does not name", () => {
  const world = aWorld();
  for (const name of ["zoe", "ada", "old"]) putUser(world, { email: `${name}@acme.example`, lastName: "Test" });
  putUser(world, { email: "gone@acme.example", status: "deleted" });
  const roster = aRoster({ users: [aUser("ada"), aUser("new", { previously: ["old"] })] });

  test("are told where the run asks for it, but for those whom it knows by a former address", () => {
    const policy = aPolicy({ reportUnmanaged: true });
    expect(troubles(planFor(world, roster, { policy }))).toEqual([
      "! former-address: user new@acme.example",
      "unmanaged: user zoe@acme.example",
    ]);
  });

  test("are nobody's matter otherwise", () => {
    expect(troubles(planFor(world, roster))).toEqual(["! former-address: user new@acme.example"]);
  });
});
