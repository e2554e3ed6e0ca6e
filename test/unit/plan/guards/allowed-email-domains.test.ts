import { expect, test } from "vitest";
import { withGuards } from "../../../support/guards.ts";
import { deeds, planFor, troubles } from "../../../support/plan-words.ts";
import { aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { aWorld, putTeam, putUser } from "../../../support/simulated-world.ts";

const policy = withGuards({ allowedEmailDomains: ["acme.example", "xn--mller-kva.example"] });

function worldWithRed() {
  const world = aWorld();
  const root = putUser(world, { email: "root@acme.example", firstName: "Root", lastName: "Test" });
  putUser(world, { email: "guest@other.example", firstName: "Guest", lastName: "Test" });
  putTeam(world, { name: "Red", identifier: "t-red", members: [root] });
  return world;
}

test("nobody of a domain that is not allowed is created or added, and everybody else is", () => {
  const roster = aRoster({
    users: [
      aUser("root"),
      aUser("bo"),
      aUser("cy@acme.exampel", { line: 7 }),
      aUser("guest@other.example", { firstName: "Guest" }),
    ],
    teams: [aTeam("Red", { members: ["root", "bo", "cy@acme.exampel", "guest@other.example"] })],
  });
  const plan = planFor(worldWithRed(), roster, { policy });
  expect(deeds(plan)).toEqual(["create bo", "add bo to Red after create-user:bo@acme.example"]);
  expect(troubles(plan)).toEqual([
    "! allowed-email-domains: user cy@acme.exampel",
    "! allowed-email-domains: user guest@other.example",
  ]);
  expect(plan.findings[0]?.message).toMatch(
    /^cy@acme\.exampel is not created and not added to teams: the settings do not allow the domain acme\.exampel\. They allow acme\.example and xn--mller-kva\.example\. Correct the address, or add its domain to `guards\.allowed-email-domains` in the settings \(in CI: outside the checkout\)\. To allow it: `--allow allowed-email-domains:cy@acme\.exampel#[0-9a-f]{12}`\.$/u,
  );
});

test.each(["bo@ACME.example", "bo@müller.example", "bo@xn--mller-kva.example"])(
  "%s is of an allowed domain",
  (email) => {
    const plan = planFor(worldWithRed(), aRoster({ users: [aUser(email)] }), { policy });
    expect(troubles(plan)).toEqual([]);
  },
);

test.each(["bo@sub.acme.example", "bo@notacme.example", "bo@muller.example"])("%s is not", (email) => {
  const plan = planFor(worldWithRed(), aRoster({ users: [aUser(email)] }), { policy });
  expect(plan.actions).toEqual([]);
});

test("nobody is held who is there and asks for no invitation", () => {
  const roster = aRoster({ users: [aUser("guest@other.example", { firstName: "Guest" })] });
  expect(troubles(planFor(worldWithRed(), roster, { policy }))).toEqual([]);
});

test("where no domains are set, every domain is allowed", () => {
  const plan = planFor(worldWithRed(), aRoster({ users: [aUser("bo@other.example")] }), { policy: withGuards({}) });
  expect(plan.actions).toHaveLength(1);
});
