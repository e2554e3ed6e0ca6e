import { describe, expect, test } from "vitest";
import { withGuards } from "../../../support/guards.ts";
import { aState } from "../../../support/plan-inputs.ts";
import { deeds, planFor, troubles } from "../../../support/plan-words.ts";
import { addressOf, aLeaver, aRoster, aTeam, aUser, type UserWish } from "../../../support/roster-builders.ts";
import { aWorld, putTeam, putUser, type WorldUser } from "../../../support/simulated-world.ts";

const policy = withGuards({ nearDuplicate: "on" });

function worldWith(...others: readonly Partial<Omit<WorldUser, "keys">>[]) {
  const world = aWorld();
  for (const other of others)
    putUser(world, { email: "ada@old.example", firstName: "Ada", lastName: "Lovelace", ...other });
  return world;
}

/** A plan that would create ada.l@acme.example, Ada Lovelace. */
function planned(others: readonly Partial<Omit<WorldUser, "keys">>[], wish: UserWish & { email?: string } = {}) {
  const { email = "ada.l@acme.example", ...rest } = wish;
  const roster = aRoster({ users: [aUser(email, { firstName: "Ada", lastName: "Lovelace", ...rest }), aUser("bo")] });
  return planFor(worldWith(...others), roster, { policy });
}

describe("somebody is held", () => {
  test.each([
    ["who is there under another domain", { email: "ada.l@old.example" }],
    ["with a letter less in the address", { email: "adal@acme.example" }],
    ["with a letter more", { email: "ada.ll@acme.example" }],
    ["with another letter", { email: "ada.k@acme.example" }],
    ["with two letters exchanged", { email: "ad.al@acme.example" }],
    [
      "whatever the case, the marks and the spaces of the name",
      { email: "ada.l@old.example", firstName: "ÁDA ", lastName: "lovelace" },
    ],
    ["whom the service bars", { email: "ada.l@old.example", status: "inactive" }],
  ])("%s, and nobody else is", (_, other) => {
    const plan = planned([other]);
    expect(deeds(plan)).toEqual(["create bo"]);
    expect(troubles(plan)).toEqual(["! near-duplicate: user ada.l@acme.example"]);
  });
});

describe("nobody is held", () => {
  test.each([
    ["for a name alone", { email: "countess@acme.example" }, {}],
    ["for an address alone", { email: "ada.l@old.example", lastName: "King" }, {}],
    ["for two edits", { email: "ada.lo@acme.example" }, { email: "ada@acme.example" }],
    ["for somebody who was deleted", { email: "ada.l@old.example", status: "deleted" }, {}],
    [
      "for somebody whom the roster calls somebody else",
      { email: "ada.l@old.example" },
      { distinctFrom: ["ada.l@old.example"] },
    ],
  ])("%s", (_, other, wish) => {
    const plan = planned([other], wish);
    expect(troubles(plan)).toEqual([]);
    expect(plan.actions).toHaveLength(2);
  });

  test("where two users of one name and similar addresses are both new", () => {
    const names = { firstName: "Ada", lastName: "Lovelace" };
    const roster = aRoster({ users: [aUser("ada.l@acme.example", names), aUser("ada.k@acme.example", names)] });
    const plan = planFor(aWorld(), roster, { policy });
    expect([plan.actions.length, troubles(plan)]).toEqual([2, []]);
  });

  test("for a user of the roster", () => {
    const named = aUser("ada.l@old.example", { firstName: "Ada", lastName: "Lovelace" });
    const both = aRoster({ users: [aUser("ada.l", { firstName: "Ada", lastName: "Lovelace" }), named] });
    expect(deeds(planFor(worldWith({ email: "ada.l@old.example" }), both, { policy }))).toEqual(["create ada.l"]);
  });

  test("where the service shows no names", () => {
    const roster = aRoster({ users: [aUser("ada.l", { firstName: "Ada", lastName: "Lovelace" })] });
    const plan = planFor(worldWith({ email: "ada.l@old.example" }), roster, { policy, hides: ["user-profiles"] });
    expect(plan.actions).toHaveLength(1);
  });

  test("where the guard is off", () => {
    const roster = aRoster({ users: [aUser("ada.l", { firstName: "Ada", lastName: "Lovelace" })] });
    const plan = planFor(worldWith({ email: "ada.l@old.example" }), roster, { policy: withGuards({}) });
    expect(plan.actions).toHaveLength(1);
  });
});

test("the finding names everybody who is near, what to write, and how to allow the plan", () => {
  const plan = planned([{ email: "ada.l@old.example" }, { email: "Adal@acme.example" }]);
  const [finding] = plan.findings;
  expect(finding?.message).toMatch(
    /^ada\.l@acme\.example \(Ada Lovelace\) is not created: the service has a user with the same name and a similar address, ada\.l@old\.example and Adal@acme\.example\. The roster does not name that user\. Same person: write the existing address as `email`, or the former one under `previously`\. Another person: write `distinctFrom: \[Adal@acme\.example, ada\.l@old\.example\]`\. To allow it: `--allow near-duplicate:ada\.l@acme\.example#[0-9a-f]{12}`\.$/u,
  );
  expect(finding?.suggestedYaml).toBe(
    "users:\n  - email: ada.l@acme.example\n    distinctFrom: [Adal@acme.example, ada.l@old.example]\n",
  );
});

test("a leaver is told as one", () => {
  const roster = aRoster({
    users: [aUser("ada.l", { firstName: "Ada", lastName: "Lovelace" })],
    leavers: [aLeaver("ada.l@old.example")],
  });
  const plan = planFor(worldWith({ email: "ada.l@old.example" }), roster, { policy });
  const told = plan.findings.find(({ code }) => code === "near-duplicate");
  expect(told?.message).toContain(
    "ada.l@acme.example (Ada Lovelace) is not created: the service has a user with the same name and a " +
      "similar address, ada.l@old.example (a leaver). Same person: write the existing address as `email`, " +
      "or the former one under `previously`. Another person: write `distinctFrom: [ada.l@old.example]`. To " +
      "allow it: `--allow near-duplicate:ada.l@acme.example#",
  );
});

describe("whoever was dropped and is there under another address altogether", () => {
  const countess = addressOf("countess");
  const applied = {
    at: "2026-11-01T00:00:00.000Z",
    digest: "d",
    people: new Map([[countess, { address: countess, email: countess }]]),
  };
  const world = worldWith({ email: countess });

  function planOf(wish: UserWish, allows: readonly string[] = []) {
    const roster = aRoster({ users: [aUser("ada.l", { firstName: "Ada", lastName: "Lovelace", ...wish })] });
    return planFor(world, roster, { policy, allows, state: aState({ applied }) });
  }

  test("may be the person of this name who would be created", () => {
    const plan = planOf({});
    expect(deeds(plan)).toEqual([]);
    expect(troubles(plan)).toEqual([
      "! near-duplicate: user ada.l@acme.example",
      "! user-removed: user countess@acme.example",
    ]);
    expect(plan.findings[0]?.message).toContain(
      "ada.l@acme.example (Ada Lovelace) is not created: the service has a user with the same name, " +
        "countess@acme.example (in the last applied roster). Same person: write the existing address as " +
        "`email`, or the former one under `previously`. Another person: write `distinctFrom: " +
        "[countess@acme.example]`. To allow it: `--allow " +
        "near-duplicate:ada.l@acme.example#",
    );
    expect(plan.findings[0]?.suggestedYaml).toBe(
      "users:\n  - email: ada.l@acme.example\n    previously: [countess@acme.example] # or, for two different " +
        "people: distinctFrom: [countess@acme.example]\n",
    );
  });

  test("keeps the roles of a key that would be revoked meanwhile", () => {
    const company = worldWith({ email: countess });
    putTeam(company, { name: "Red", identifier: "t-red", members: company.users.slice(0, 1) });
    const red = aTeam("Red", { identifier: "t-red", onRemoval: "revoke", members: ["ada.l"] });
    const roster = (lastName: string) =>
      aRoster({ users: [aUser("ada.l", { firstName: "Ada", lastName })], teams: [red] });
    const circumstances = { policy, state: aState({ applied }) };
    expect(deeds(planFor(company, roster("Lovelace"), circumstances))).toEqual([]);
    expect(deeds(planFor(company, roster("King"), circumstances))).toHaveLength(3);
  });

  test.each([
    ["where the roster calls them somebody else", () => planOf({ distinctFrom: ["countess"] })],
    ["where it is said that they are nobody's matter", () => planOf({}, [`user-removed:${countess}`])],
    ["where the name is another one", () => planOf({ lastName: "King" })],
  ])("holds nobody %s", (_, plan) => {
    expect(deeds(plan())).toEqual(["create ada.l"]);
  });
});
