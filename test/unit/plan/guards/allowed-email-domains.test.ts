import { expect, test } from "vitest";
import { withGuards } from "../../../support/guards.ts";
import { outcome, planFor } from "../../../support/plan-words.ts";
import { aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { aWorldOf } from "../../../support/simulated-world.ts";

const allowing = withGuards({ allowedEmailDomains: ["acme.example", "xn--mller-kva.example"] });

/** Root is in Red, and guest@other.example is there. */
function planned(users: readonly string[], members: readonly string[] = [], policy = allowing) {
  const world = aWorldOf({
    users: { root: {}, "guest@other.example": {} },
    teams: { Red: { identifier: "t-red", members: ["root"] } },
  });
  const teams = members.length === 0 ? [] : [aTeam("Red", { members })];
  return planFor(world, aRoster({ users: users.map((name) => aUser(name)), teams }), { policy });
}

test("nobody of a domain that is not allowed is created or added, and everybody else is", () => {
  const people = ["root", "bo", "cy@acme.exampel", "guest@other.example"];
  const plan = planned(people, people);
  expect(outcome(plan)).toEqual([
    "create bo",
    "add bo to Red after create-user:bo@acme.example",
    "! allowed-email-domains: user cy@acme.exampel",
    "! allowed-email-domains: user guest@other.example",
  ]);
  expect(plan.findings[0]?.message.replace(/#[0-9a-f]{12}/u, "#DIGITS")).toBe(
    "cy@acme.exampel is not created and not added to teams: the settings do not allow the domain acme.exampel. They allow " +
      "acme.example and xn--mller-kva.example. Correct the address, or add its domain to `guards.allowed-email-domains` in " +
      "the settings (in CI: outside the checkout). To allow it: `--allow allowed-email-domains:cy@acme.exampel#DIGITS`.",
  );
});

test.each([
  ["bo@ACME.example", "passes"],
  ["bo@müller.example", "passes"],
  ["bo@xn--mller-kva.example", "passes"],
  ["bo@sub.acme.example", "is held"],
  ["bo@notacme.example", "is held"],
  ["bo@muller.example", "is held"],
])("%s %s", (email, comesTo) => {
  const { actions, findings } = planned([email]);
  expect([actions.length, findings.length]).toEqual(comesTo === "passes" ? [1, 0] : [0, 1]);
});

test("nobody is held who is there and asks for no invitation", () => {
  expect(outcome(planned(["guest@other.example"]))).toEqual([]);
});

test("where no domains are set, every domain is allowed", () => {
  expect(planned(["bo@other.example"], [], withGuards({})).actions).toHaveLength(1);
});
