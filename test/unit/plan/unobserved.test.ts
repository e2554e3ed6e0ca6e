import { expect, test } from "vitest";
import { reasonAt } from "../../../src/model/fact.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import { deeds, planFor } from "../../support/plan-words.ts";
import { addressOf, aRoster, aTeam, at, aUser } from "../../support/roster-builders.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";
import { remembering } from "../../support/state-builders.ts";

/** ada, bo and cy are members of Data: ada by record, with roles that we put; bo by record alone; cy by the roster. */
function plannedWith(hides: readonly ("keys" | "roles")[]) {
  const world = aWorld();
  const names = ["ada", "bo", "cy"];
  const people = names.map((name) =>
    putUser(world, { email: `${name}@acme.example`, firstName: name, lastName: "Test" }),
  );
  putTeam(world, { name: "Data", identifier: "t-1", members: people, roles: ["DEVELOPER"] });
  const prefixes = people.map(({ keys }) => keys[1]?.prefix ?? "");
  const [adas = "", , cys = ""] = prefixes;
  const state = remembering({
    members: { "Data/ada": { prefix: adas }, "Data/bo": {} },
    keys: { [adas]: ["DEVELOPER"] },
  });
  const members = [{ user: "ada", roles: ["DEVELOPER"] }, "bo", { user: "cy", roles: ["AUDITOR"], key: cys }];
  const roster = aRoster({
    users: names.map((name) => aUser(name, { firstName: name })),
    teams: [aTeam("Data", { identifier: "t-1", members, line: 4 })],
  });
  return { plan: planFor(world, roster, { hides, state }), adas, cys };
}

test("what is taken as recorded is told once, with every fact", () => {
  const { plan, adas, cys } = plannedWith(["keys"]);
  expect(deeds(plan)).toEqual([`set ${cys} (declared) to AUDITOR`]);
  const why = "no read shows this key, only the roster names it";
  expect(plan.findings).toMatchObject([
    {
      code: "not-observed",
      kind: "notice",
      subject: decodeSubject("service https://simulated.example"),
      message:
        "The service does not show everything: 3 memberships and the roles of 2 keys are taken from the state " +
        "(the oldest at 2026-11-01T00:00:00.000Z) or from the roster. roster cannot see drift there.",
      because: [
        reasonAt(at(4), "team", { name: "Data" }),
        ...["ada", "cy"].map((name) => reasonAt(at(4), "member", { person: addressOf(name) })),
      ],
      restsOn: [
        {
          about: decodeSubject("member ada@acme.example of team acc-1/data"),
          fact: { known: "recorded", value: `by key ${adas}` },
        },
        {
          about: decodeSubject("member bo@acme.example of team acc-1/data"),
          fact: { known: "recorded", value: "added" },
        },
        {
          about: decodeSubject("member cy@acme.example of team acc-1/data"),
          fact: { known: "declared", value: `by key ${cys}` },
        },
        { about: decodeSubject(`roles of key ${adas}`), fact: { known: "recorded", value: "DEVELOPER" } },
        { about: decodeSubject(`roles of key ${cys}`), fact: { known: "unknown", why } },
      ],
    },
  ]);
});

test("an action tells the record or the roster that it rests on", () => {
  const { plan, cys } = plannedWith(["keys"]);
  expect(plan.actions[0]?.restsOn).toEqual([
    {
      about: decodeSubject(`roles of key ${cys}`),
      fact: { known: "unknown", why: "no read shows this key, only the roster names it" },
    },
    {
      about: decodeSubject("prefix of a key of cy@acme.example"),
      fact: { known: "declared", value: cys, place: at(4) },
    },
  ]);
});

test("what is read is not told", () => {
  expect(plannedWith([]).plan.findings).toEqual([]);
});

test("only what is taken as recorded is counted", () => {
  expect(plannedWith(["roles"]).plan.findings[0]?.message).toContain(
    "The service does not show everything: the roles of 2 keys are taken from the state (the oldest at " +
      "2026-11-01T00:00:00.000Z) or from the roster. roster cannot see drift there.",
  );
});
