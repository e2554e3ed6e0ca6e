import { describe, expect, test } from "vitest";
import type { Roster } from "../../../../src/model/roster.ts";
import { withGuards } from "../../../support/guards.ts";
import { aState } from "../../../support/plan-inputs.ts";
import { type Circumstances, deeds, outcome, planFor } from "../../../support/plan-words.ts";
import { addressOf, aLeaver, aRoster, aTeam, aUser, type UserWish } from "../../../support/roster-builders.ts";
import { aWorld, aWorldOf, type WorldUser } from "../../../support/simulated-world.ts";

const policy = withGuards({ nearDuplicate: "on" });
const lovelace = { firstName: "Ada", lastName: "Lovelace" };

type Other = Partial<Omit<WorldUser, "keys">>;

/** People of the name Ada Lovelace, by address. */
function adas(others: Readonly<Record<string, Other>>) {
  const named = Object.entries(others).map(([name, parts]) => [name, { ...lovelace, ...parts }]);
  return aWorldOf({ users: Object.fromEntries(named) });
}

/** A roster of Ada Lovelace, who is to be created as ada.l@acme.example, and of Bo. */
function creating(
  wish: UserWish & { readonly email?: string } = {},
  more: Partial<Parameters<typeof aRoster>[0]> = {},
) {
  const { email = "ada.l", ...rest } = wish;
  return aRoster({ ...more, users: [aUser(email, { ...lovelace, ...rest }), aUser("bo"), ...(more.users ?? [])] });
}

const both = ["create ada.l", "create bo"];
const held = ["create bo", "! near-duplicate: user ada.l@acme.example"];

describe("somebody is held", () => {
  test.each<[string, string, Other?]>([
    ["who is there under another domain", "ada.l@old.example"],
    ["with a letter less in the address", "adal"],
    ["with a letter more", "ada.ll"],
    ["with another letter", "ada.k"],
    ["with two letters exchanged", "ad.al"],
    [
      "whatever the case, the marks and the spaces of the name",
      "ada.l@old.example",
      { firstName: "ÁDA ", lastName: "lovelace" },
    ],
    ["whom the service bars", "ada.l@old.example", { status: "inactive" }],
  ])("%s, and nobody else is", (_, other, parts = {}) => {
    expect(outcome(planFor(adas({ [other]: parts }), creating(), { policy }))).toEqual(held);
  });
});

describe("nobody is held", () => {
  const old = "ada.l@old.example";
  test.each<[string, Readonly<Record<string, Other>>, Roster, (readonly string[])?, Circumstances?]>([
    ["for a name alone", { countess: {} }, creating()],
    ["for an address alone", { [old]: { lastName: "King" } }, creating()],
    ["for two edits", { "ada.lo": {} }, creating({ email: "ada" }), ["create ada", "create bo"]],
    ["for somebody who was deleted", { [old]: { status: "deleted" } }, creating()],
    ["for somebody whom the roster calls somebody else", { [old]: {} }, creating({ distinctFrom: [old] })],
    ["for a user of the roster", { [old]: {} }, creating({}, { users: [aUser(old, lovelace)] })],
    [
      "where two users of one name and similar addresses are both new",
      {},
      creating({}, { users: [aUser("ada.k", lovelace)] }),
      ["create ada.k", ...both],
    ],
    ["where the service shows no names", { [old]: {} }, creating(), both, { hides: ["user-profiles"] }],
    ["where the guard is off", { [old]: {} }, creating(), both, { policy: withGuards({}) }],
  ])("%s", (_, others, roster, created = both, circumstances = {}) => {
    const world = Object.keys(others).length === 0 ? aWorld() : adas(others);
    expect(outcome(planFor(world, roster, { policy, ...circumstances }))).toEqual(created);
  });
});

test("the finding names everybody who is near, what to write, and how to allow the plan", () => {
  const world = adas({ "ada.l@old.example": {}, "Adal@acme.example": {} });
  const [finding] = planFor(world, creating(), { policy }).findings;
  expect(finding?.message.replace(/#[0-9a-f]{12}/u, "#DIGITS")).toBe(
    "ada.l@acme.example (Ada Lovelace) is not created: the service has a user with the same name and a similar address, " +
      "ada.l@old.example and Adal@acme.example. The roster does not name that user. Same person: write the existing " +
      "address as `email`, or the former one under `previously`. Another person: write `distinctFrom: " +
      "[Adal@acme.example, ada.l@old.example]`. To allow it: `--allow near-duplicate:ada.l@acme.example#DIGITS`.",
  );
  expect(finding?.suggestedYaml).toBe(
    "users:\n  - email: ada.l@acme.example\n    distinctFrom: [Adal@acme.example, ada.l@old.example]\n",
  );
});

test("a leaver is told as one", () => {
  const roster = creating({}, { leavers: [aLeaver("ada.l@old.example")] });
  const plan = planFor(adas({ "ada.l@old.example": {} }), roster, { policy });
  expect(plan.findings.find(({ code }) => code === "near-duplicate")?.message).toContain(
    "ada.l@acme.example (Ada Lovelace) is not created: the service has a user with the same name and a " +
      "similar address, ada.l@old.example (a leaver). Same person: write the existing address as `email`, " +
      "or the former one under `previously`. Another person: write `distinctFrom: [ada.l@old.example]`. To " +
      "allow it: `--allow near-duplicate:ada.l@acme.example#",
  );
});

describe("whoever was dropped and is there under another address altogether", () => {
  const countess = addressOf("countess");
  const people = new Map([[countess, { address: countess, email: countess }]]);
  const state = aState({ applied: { at: "2026-11-01T00:00:00.000Z", digest: "d", people } });
  const dropped = "! user-removed: user countess@acme.example";

  test("may be the person of this name who would be created", () => {
    const plan = planFor(adas({ countess: {} }), creating(), { policy, state });
    expect(outcome(plan)).toEqual([...held, dropped]);
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
    const world = aWorldOf({
      users: { countess: lovelace },
      teams: { Red: { identifier: "t-red", members: ["countess"] } },
    });
    const teams = [aTeam("Red", { identifier: "t-red", onRemoval: "revoke", members: ["ada.l"] })];
    const deedsFor = (wish: UserWish) => deeds(planFor(world, creating(wish, { teams }), { policy, state }));
    expect(deedsFor({})).toEqual(["create bo"]);
    expect(deedsFor({ lastName: "King" })).toHaveLength(4);
  });

  test.each<[string, UserWish, readonly string[], (readonly string[])?]>([
    ["where the roster calls them somebody else", { distinctFrom: ["countess"] }, [dropped]],
    ["where it is said that they are nobody's matter", {}, [], [`user-removed:${countess}`]],
    ["where the name is another one", { lastName: "King" }, [dropped]],
  ])("holds nobody %s", (_, wish, told, allows) => {
    expect(outcome(planFor(adas({ countess: {} }), creating(wish), { policy, state, allows }))).toEqual([
      ...both,
      ...told,
    ]);
  });
});
