import { expect, test } from "vitest";
import { foldAddress } from "../../../src/model/address.ts";
import type { DesiredUser } from "../../../src/model/user.ts";
import { deeds, outcome, planFor, troubles } from "../../support/plan-words.ts";
import { aRoster, aUser } from "../../support/roster-builders.ts";
import { aWorld, aWorldOf, putUser } from "../../support/simulated-world.ts";

const dangerous = "eve@acme.example/é.evil.example";

function aUserAs(email: string): DesiredUser {
  return { ...aUser("eve"), email, address: foldAddress(email) };
}

test("nobody is created under an address that can be misread, and everybody else is", () => {
  const plan = planFor(aWorld(), aRoster({ users: [aUserAs(dangerous), aUser("ada")] }));
  expect(outcome(plan)).toEqual(["create ada", `! unsafe-address: user ${foldAddress(dangerous)}`]);
  const [finding] = plan.findings;
  expect({ kind: finding?.kind, message: finding?.message, because: finding?.because }).toEqual({
    kind: "task",
    message:
      `${dangerous} is not created: the address contains \`/\`. The service does not show this user, and a mail ` +
      "could reach another person. Correct it.",
    because: aUser("eve").because.slice(0, 1),
  });
});

test("whoever is there under such an address is managed like anybody", () => {
  const world = aWorld();
  putUser(world, { email: dangerous, firstName: "Eve", lastName: "Test" });
  const plan = planFor(world, aRoster({ users: [aUserAs(dangerous)] }));
  expect(outcome(plan)).toEqual([]);
});

test("where it is not proven that they are absent, that is what has to be found out", () => {
  const everyone = { read: "incomplete", why: "the service gives 3 of 50", by: "list 1" } as const;
  const plan = planFor(aWorld(), aRoster({ users: [aUserAs(dangerous)] }), { everyone });
  expect(troubles(plan)).toContain(`! incomplete-read: user ${foldAddress(dangerous)}`);
  expect(troubles(plan).join()).not.toContain("unsafe-address");
});

test("nobody is created in a domain without a dot", () => {
  const plan = planFor(aWorld(), aRoster({ users: [aUserAs("eve@intranet")] }));
  expect(outcome(plan)).toEqual(["! unsafe-address: user eve@intranet"]);
});

test("letters beyond ASCII before the `@` are a notice where somebody is created, and nothing where they are there", () => {
  const roster = aRoster({ users: [aUserAs("évé@acme.example")] });
  const created = planFor(aWorld(), roster);
  const world = aWorldOf({ users: { évé: { firstName: "Eve" } } });
  const there = planFor(world, roster);
  expect([created, there].map((plan) => [deeds(plan), troubles(plan)])).toEqual([
    [["create évé"], ["unsafe-address: user évé@acme.example"]],
    [[], []],
  ]);
});
