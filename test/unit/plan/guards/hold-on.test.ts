import { describe, expect, test } from "vitest";
import { holdNames } from "../../../../src/codes/guards.ts";
import type { GuardSettings } from "../../../../src/model/policy.ts";
import { formatSubject } from "../../../../src/model/subject.ts";
import { withGuards } from "../../../support/guards.ts";
import { planFor } from "../../../support/plan-words.ts";
import { addressOf, aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { aWorld, giveTeamKey, putTeam, putUser } from "../../../support/simulated-world.ts";

/** Root and bo are in Red, guest and cy are not; guest is there. */
function holdsWith(guards: Partial<GuardSettings>) {
  const world = aWorld();
  const [root, bo] = ["root", "bo"].map((name) => putUser(world, { email: `${name}@acme.example`, lastName: "Test" }));
  if (root === undefined || bo === undefined) throw new Error("nobody");
  putUser(world, { email: "guest@other.example", lastName: "Test" });
  putTeam(world, { name: "Red", identifier: "t-red", members: [root] });
  const { prefix } = giveTeamKey(world, bo, "t-red", ["DEVELOPER"]);
  const users = ["root", "bo", "guest@other.example", "cy@third.example"].map((name) => aUser(name));
  const members = [
    "root",
    { user: "bo", roles: ["ACCOUNT_ADMIN"] },
    "guest@other.example",
    "cy@third.example",
  ] as const;
  const plan = planFor(world, aRoster({ users, teams: [aTeam("Red", { members })] }), { policy: withGuards(guards) });
  const holds = plan.findings.filter(({ code }) => holdNames.some((name) => name === code));
  const told = holds.map(({ subject, message, restsOn }) => [
    formatSubject(subject),
    restsOn.map(({ about, fact }) => [
      formatSubject(about).replace(prefix, "BO"),
      ...(fact.known === "observed" ? [fact.value, fact.by] : []),
      ...(fact.known === "declared" ? [fact.value, fact.place.line] : []),
    ]),
    /holds this change by default/u.test(message),
  ]);
  return { told };
}

const place = { file: "roster.config.yaml", line: 3, column: 5 };
const boHas = ["roles of key BO", "DEVELOPER", "list"];

describe("what a guard holds rests", () => {
  test("on the domains' line in the settings and on what is known of the person, and of nobody else", () => {
    const { told } = holdsWith({
      allowedEmailDomains: ["acme.example"],
      setAt: { "guards.allowed-email-domains": place },
    });
    const setting = ["setting guards.allowed-email-domains", "acme.example", 3];
    expect(told).toEqual([
      [
        "user cy@third.example",
        [setting, ["user cy@third.example", "absent", "list"], ["member cy@third.example of team acc-1/red"]],
        false,
      ],
      [
        "user guest@other.example",
        [setting, ["member guest@other.example of team acc-1/red", "no member", "list"]],
        false,
      ],
    ]);
  });

  test("on the privileged roles' line and on what the key has", () => {
    const { told } = holdsWith({
      privilegedRoles: { roles: ["ACCOUNT_ADMIN"], people: [] },
      setAt: { "guards.privileged-roles": place },
    });
    expect(told).toEqual([
      ["user bo@acme.example", [["setting guards.privileged-roles", "ACCOUNT_ADMIN", 3], boHas], false],
    ]);
  });

  test("on the default, in words, where no line says so", () => {
    const { told } = holdsWith({ privilegedRoles: { roles: ["ACCOUNT_ADMIN"], people: [] } });
    expect(told).toEqual([["user bo@acme.example", [boHas], true]]);
  });

  test("on the line of `protect` and on what is known of whom it protects", () => {
    const { told } = holdsWith({
      protected: { users: [addressOf("bo"), addressOf("cy@third.example")], keys: [] },
      setAt: { protect: place },
    });
    expect(told).toEqual([
      ["user bo@acme.example", [["setting protect", "bo@acme.example", 3], boHas], false],
      [
        "user cy@third.example",
        [
          ["setting protect", "cy@third.example", 3],
          ["user cy@third.example", "absent", "list"],
          ["member cy@third.example of team acc-1/red"],
        ],
        false,
      ],
    ]);
  });
});
