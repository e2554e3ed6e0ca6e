import { describe, expect, test } from "vitest";
import type { Action } from "../../../src/model/action.ts";
import type { Finding } from "../../../src/model/finding.ts";
import type { Plan } from "../../../src/model/plan.ts";
import { formatSubject } from "../../../src/model/subject.ts";
import { type Circumstances, planFor } from "../../support/plan-words.ts";
import { rosterFrom } from "../../support/roster-text.ts";
import { aWorld, newKey, putTeam, putUser, type World } from "../../support/simulated-world.ts";

const people = `version: 1
account: acc-1
defaults: { source: hr }
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Test }
  - { email: bo@acme.example, firstName: Bo, lastName: Test, source: web, ownKeyRoles: [{ set: engineer }] }
  - { email: cy@acme.example, firstName: Cy, lastName: Test, until: 2026-11-20 }
  - { email: dee@acme.example, firstName: Dee, lastName: Test, previously: [old@acme.example] }
groups: { on-call: [ada@acme.example, bo@acme.example] }
roleSets: { engineer: [DEVELOPER] }
`;

const teams = `version: 1
account: lab
teams:
  - name: Red
    admin: ada@acme.example
    firstMember: ada@acme.example
    roles: [{ set: engineer }]
    members: [{ group: on-call }, { user: dee@acme.example, roles: [AUDITOR] }]
  - name: Blue
    identifier: t-1
    onRemoval: revoke
    members: [{ group: on-call, roles: [AUDITOR] }]
keys:
  - { prefix: k-listed, owner: eve@acme.example, roles: [{ set: engineer }] }
`;

const settings = {
  accounts: new Map([["lab", "acc-1"]]),
  accountsAt: new Map([["lab", { file: "roster.config.yaml", line: 3, column: 8 }]]),
};

function planned(
  world: World,
  { files = {}, ...circumstances }: Circumstances & { readonly files?: Readonly<Record<string, string>> } = {},
): Plan {
  const texts = { "people.yaml": people, "teams.yaml": teams.replace(", owner: eve@acme.example", ""), ...files };
  const { roster, diagnostics } = rosterFrom(texts, settings);
  if (roster === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return planFor(world, roster, circumstances);
}

/** Every link as `what name of person file:line`. */
function chain(of: Action | Finding | undefined): readonly string[] {
  return (of?.because ?? []).map(({ as, name, person, file, line }) => {
    const about = [as, name, person?.split("@")[0]].filter((word) => word !== undefined);
    return `${about.join(" ")} ${file}:${line}`;
  });
}

function acting(plan: Plan, id: string): { readonly rule: string | undefined; readonly because: readonly string[] } {
  const action = plan.actions.find((one) => one.id === id);
  return { rule: action?.rule, because: chain(action) };
}

/** Blue is there with a member too many, and so is cy, whose day has come. */
function world(): World {
  const made = aWorld();
  const cy = putUser(made, { email: "cy@acme.example", lastName: "Test", identifier: "u-cy" });
  const eve = putUser(made, { email: "eve@acme.example", lastName: "Test", identifier: "u-eve" });
  putTeam(made, { name: "Blue", identifier: "t-1", members: [eve], roles: ["DEVELOPER"] });
  cy.keys.push({ ...newKey(made, { roles: ["DEVELOPER"], isDefault: false, kind: "project" }), prefix: "k-cy" });
  eve.keys.push({ ...newKey(made, { roles: ["AUDITOR"], isDefault: false, kind: "project" }), prefix: "k-listed" });
  return made;
}

describe("the chain of an action, and its rule", () => {
  const plan = planned(world());
  const blueKey = plan.actions.find(({ rule }) => rule === "extra-member-roles-removed")?.id ?? "";
  const cases: Record<string, readonly [id: string, rule: string, because: readonly string[]]> = {
    "a creation: the entry, the file's account and its defaults": [
      "create-user:dee@acme.example",
      "absent-user",
      ["user people.yaml:8", "account acc-1 people.yaml:2", "defaults source hr people.yaml:3"],
    ],
    "a creation whose entry says it all names no default": [
      "create-user:bo@acme.example",
      "absent-user",
      ["user people.yaml:6", "account acc-1 people.yaml:2"],
    ],
    "a creation of a team: the entry, the team, who is fixed, the place in the team, then what the entry takes": [
      "create-user:ada@acme.example",
      "creates-team",
      [
        "user people.yaml:5",
        "team Red teams.yaml:4",
        "first-member ada@acme.example teams.yaml:6",
        "admin ada@acme.example teams.yaml:5",
        "group on-call teams.yaml:8",
        "group-member on-call ada people.yaml:9",
        "account acc-1 people.yaml:2",
        "defaults source hr people.yaml:3",
      ],
    ],
    "an addition: the team, each member's place, then the account by its alias": [
      "add-members:acc-1/red",
      "joins-new-team",
      [
        "team Red teams.yaml:4",
        "group on-call teams.yaml:8",
        "group-member on-call bo people.yaml:9",
        "member dee teams.yaml:8",
        "account lab teams.yaml:2",
        "settings-account lab roster.config.yaml:3",
      ],
    ],
    "an addition to a team that is there": [
      "add-members:acc-1/blue",
      "missing-member",
      [
        "team Blue teams.yaml:9",
        "group on-call teams.yaml:12",
        "group-member on-call ada people.yaml:9",
        "group-member on-call bo people.yaml:9",
        "account lab teams.yaml:2",
        "settings-account lab roster.config.yaml:3",
      ],
    ],
    "roles by the team: through group, roles and role set": [
      "replace-roles:acc-1/red:bo@acme.example",
      "roles-of-new-key",
      [
        "group on-call teams.yaml:8",
        "group-member on-call bo people.yaml:9",
        "team-roles teams.yaml:7",
        "role-set engineer people.yaml:10",
        "team Red teams.yaml:4",
      ],
    ],
    "roles by the entry": [
      "replace-roles:acc-1/red:dee@acme.example",
      "roles-of-new-key",
      ["member dee teams.yaml:8", "member-roles teams.yaml:8", "team Red teams.yaml:4"],
    ],
    "roles of a first member": [
      "replace-roles:acc-1/red:ada@acme.example",
      "roles-of-first-member",
      [
        "group on-call teams.yaml:8",
        "group-member on-call ada people.yaml:9",
        "team-roles teams.yaml:7",
        "role-set engineer people.yaml:10",
        "team Red teams.yaml:4",
      ],
    ],
    "roles of an own key: the wish, the role set, the entry": [
      "replace-roles:own:bo@acme.example",
      "roles-of-new-key",
      ["own-key-roles people.yaml:6", "role-set engineer people.yaml:10", "user people.yaml:6"],
    ],
    "roles of a listed key: the entry and the role set": [
      "replace-roles:k-listed",
      "roles-differ",
      ["key teams.yaml:14", "role-set engineer people.yaml:10"],
    ],
    "a leaver by their day: the day, then the entry": [
      "replace-roles:k-cy",
      "leaver-roles-removed",
      ["until 2026-11-20 people.yaml:7", "user people.yaml:7"],
    ],
    "a member too many: what the team says of them, and the team": [
      blueKey,
      "extra-member-roles-removed",
      ["on-removal teams.yaml:11", "team Blue teams.yaml:9"],
    ],
  };

  test.each(Object.entries(cases))("%s", (_, [id, rule, because]) => {
    expect(acting(plan, id)).toEqual({ rule, because });
  });

  describe("of somebody whom several entries make a member", () => {
    const files = {
      "more.yaml": "version: 1\ngroups: { core: [bo@acme.example, dee@acme.example] }\n",
      "teams.yaml": teams
        .replace(", owner: eve@acme.example", "")
        .replace("{ group: on-call, roles: [AUDITOR] }", "{ group: on-call, roles: [AUDITOR] }, { group: core }")
        .replace(
          "{ user: dee@acme.example, roles: [AUDITOR] }",
          "{ user: dee@acme.example, roles: [AUDITOR] }, { group: core }",
        ),
    };
    const both = planned(world(), { files });

    test("an addition names every one of them", () => {
      expect(acting(both, "add-members:acc-1/blue").because).toEqual([
        "team Blue teams.yaml:9",
        "group on-call teams.yaml:12",
        "group-member on-call ada people.yaml:9",
        "group-member on-call bo people.yaml:9",
        "group core teams.yaml:12",
        "group-member core bo more.yaml:2",
        "group-member core dee more.yaml:2",
        "account lab teams.yaml:2",
        "settings-account lab roster.config.yaml:3",
      ]);
      expect(acting(both, "add-members:acc-1/red").because).toEqual([
        "team Red teams.yaml:4",
        "group on-call teams.yaml:8",
        "group-member on-call bo people.yaml:9",
        "group core teams.yaml:8",
        "group-member core bo more.yaml:2",
        "member dee teams.yaml:8",
        "group-member core dee more.yaml:2",
        "account lab teams.yaml:2",
        "settings-account lab roster.config.yaml:3",
      ]);
    });

    test("roles go by the one that decides them", () => {
      expect([
        acting(both, "replace-roles:acc-1/red:dee@acme.example").because,
        acting(both, "replace-roles:acc-1/blue:bo@acme.example").because,
      ]).toEqual([
        ["member dee teams.yaml:8", "member-roles teams.yaml:8", "team Red teams.yaml:4"],
        [
          "group on-call teams.yaml:12",
          "group-member on-call bo people.yaml:9",
          "member-roles teams.yaml:12",
          "team Blue teams.yaml:9",
        ],
      ]);
    });
  });

  test("roles of a key that nobody shows go by the rule that they are not known", () => {
    const hidden = planned(world(), { hides: ["roles"] });
    expect(acting(hidden, "replace-roles:k-listed").rule).toBe("roles-unknown");
  });
});

describe("the chain of a finding", () => {
  test("about a former address: the entry and the former address", () => {
    const made = world();
    putUser(made, { email: "old@acme.example", lastName: "Test" });
    const finding = planned(made).findings.find(({ code }) => code === "former-address");
    expect(chain(finding)).toEqual(["user people.yaml:8", "former-address old@acme.example people.yaml:8"]);
  });

  test("about a field that a default gives: the default too", () => {
    const made = world();
    putUser(made, { email: "ada@acme.example", lastName: "Test", source: "elsewhere" });
    const finding = planned(made).findings.find(
      ({ subject, code }) => code === "profile-differs" && formatSubject(subject).includes("ada"),
    );
    expect(chain(finding)).toEqual(["user people.yaml:5", "defaults source hr people.yaml:3"]);
  });

  test("about an account: where it is named, then what is in it", () => {
    const files = { "other.yaml": "version: 1\naccount: acc-9\nteams:\n  - { name: Far, identifier: t-9 }\n" };
    const finding = planned(world(), { files }).findings.find(({ code }) => code === "account-unavailable");
    expect(chain(finding)).toEqual(["account acc-9 other.yaml:2", "team Far other.yaml:4"]);
  });
});
