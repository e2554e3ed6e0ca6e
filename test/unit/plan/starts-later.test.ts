import { expect, test } from "vitest";
import { reasonAt } from "../../../src/model/fact.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import { aPolicy } from "../../support/plan-inputs.ts";
import { deeds, planFor, troubles } from "../../support/plan-words.ts";
import { at, emailOf } from "../../support/roster-builders.ts";
import { rosterFrom } from "../../support/roster-text.ts";
import { aWorld, putTeam, putUser, type World } from "../../support/simulated-world.ts";

const today = "2026-11-20";

/** A service that shows the teams of keys. */
function world(): World {
  const made = aWorld();
  putTeam(made, { name: "Z", members: [putUser(made, { email: emailOf("zoe") })] });
  return made;
}

/** Ada starts tomorrow, and Bo has started. */
function planWith({ team, there = false }: { readonly team: string; readonly there?: boolean }) {
  const { roster } = rosterFrom(
    {
      "f.yaml": `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Test, from: 2026-11-21, ownKeyRoles: [TEAM_ROLE] }
  - { email: bo@acme.example, firstName: Bo, lastName: Test }
teams:
  - { name: T, roles: [TEAM_ROLE], ${team} }
`,
    },
    { today },
  );
  if (roster === undefined) throw new Error("the roster is invalid");
  const made = world();
  if (there) putUser(made, { email: emailOf("ada"), lastName: "Test" });
  return planFor(made, roster, { policy: aPolicy({ today }) });
}

const teamCreation = [
  "create bo creating T with TEAM_ROLE",
  "set key of bo in T to TEAM_ROLE after create-user:bo@acme.example",
];
const later = "date-ahead: user ada@acme.example";

test("a user who starts later is not created, and the plan says when it will", () => {
  const plan = planWith({ team: "members: [ada@acme.example, bo@acme.example]" });
  expect([deeds(plan), troubles(plan)]).toEqual([teamCreation, [later]]);
  expect(plan.findings).toMatchObject([
    {
      kind: "notice",
      message: "ada@acme.example starts on 2026-11-21. Until then, roster does not create the user.",
      because: [reasonAt({ ...at(4), file: "f.yaml", column: 70 }, "from", { name: "2026-11-21" }), { as: "user" }],
      restsOn: [
        {
          about: decodeSubject("from of user ada@acme.example"),
          fact: { known: "declared", value: "2026-11-21" },
        },
        { about: decodeSubject("today"), fact: { known: "observed", value: today, by: "clock" } },
      ],
    },
  ]);
});

test("a user who is there before they start stays as they are", () => {
  const plan = planWith({ team: "members: [ada@acme.example, bo@acme.example]", there: true });
  expect([deeds(plan), troubles(plan)]).toEqual([teamCreation, [later]]);
  expect(plan.findings[0]?.message).toBe(
    "ada@acme.example starts on 2026-11-21. The service already shows ada@acme.example. Until then, roster does not change this user.",
  );
});

test.each([
  ["admin", "cannot-create-team", []],
  ["firstMember", "cannot-create-team", ["create bo"]],
])("a new team waits for its %s who has not started", (as, code, created) => {
  const members = "[{ user: ada@acme.example, roles: [TEAM_ROLE] }, bo@acme.example]";
  const { roster } = rosterFrom(
    {
      "f.yaml": `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Test, from: 2026-11-21 }
  - { email: bo@acme.example, firstName: Bo, lastName: Test }
teams: [{ name: T, roles: [TEAM_ROLE], ${as}: ada@acme.example, members: ${members} }]
`,
    },
    { today },
  );
  if (roster === undefined) throw new Error("the roster is invalid");
  const plan = planFor(world(), roster, { policy: aPolicy({ today }) });
  expect([deeds(plan), troubles(plan)]).toEqual([created, [later, `! ${code}: team acc-1/t`]]);
  expect(plan.findings.find((one) => one.code === code)?.message).toContain(
    `roster cannot create T yet: its ${as === "admin" ? as : "first member"} ada@acme.example starts on 2026-11-21. Wait until then, change \`from\`, or name another \`${as}\`.`,
  );
});

test("a team of which nobody has started waits, and that blocks nothing", () => {
  const plan = planWith({ team: "members: [ada@acme.example]" });
  expect([deeds(plan), troubles(plan)]).toEqual([["create bo"], [later, "date-ahead: team acc-1/t"]]);
});
