import { expect, test } from "vitest";
import { reasonAt } from "../../../src/model/fact.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import { aPolicy } from "../../support/plan-inputs.ts";
import { planFor, troubles } from "../../support/plan-words.ts";
import { aRoster, at, aUser } from "../../support/roster-builders.ts";
import { aWorldOf } from "../../support/simulated-world.ts";

function planUntil(until: string) {
  const world = aWorldOf({ users: { ada: {} } });
  return planFor(world, aRoster({ users: [aUser("ada", { until, line: 4 })] }), {
    policy: aPolicy({ today: "2026-11-20" }),
  });
}

test.each([
  ["2026-11-21", ["date-ahead: user ada@acme.example"]],
  ["2026-12-04", ["date-ahead: user ada@acme.example"]],
  ["2026-12-05", []],
  ["2027-11-21", []],
])("somebody who leaves on %s is told of two weeks ahead", (until, expected) => {
  expect(troubles(planUntil(until))).toEqual(expected);
});

test("the finding says when, and gives the days that it rests on", () => {
  expect(planUntil("2026-11-21").findings).toMatchObject([
    {
      kind: "notice",
      message: expect.stringContaining("ada@acme.example leaves in 1 day, on 2026-11-21."),
      because: [reasonAt(at(4), "until", { name: "2026-11-21" }), reasonAt(at(4), "user")],
      restsOn: [
        {
          about: decodeSubject("until of user ada@acme.example"),
          fact: { known: "declared", value: "2026-11-21", place: at(4) },
        },
        { about: decodeSubject("today"), fact: { known: "observed", value: "2026-11-20", by: "clock" } },
      ],
    },
  ]);
});
