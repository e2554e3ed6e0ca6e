import fc from "fast-check";
import { foldAddress } from "../../src/model/address.ts";
import type { PlanFile, PlanningEvent } from "../../src/model/plan.ts";
import type { Capabilities } from "../../src/model/recorded.ts";
import { roleSet } from "../../src/model/role-set.ts";
import { anyPlan, anyText } from "./arbitrary-plan.ts";
import { noon } from "./event-builders.ts";

const word = anyText.map((text) => `x${text}`);
const time = fc.integer({ min: 0, max: 1e12 }).map((after) => new Date(Date.parse(noon) + after).toISOString());
const person = word.map((email) => ({ address: foldAddress(email), email }));
const people = fc.array(person, { maxLength: 3 });
const shown = fc.constantFrom("shown", "hidden", "unknown");

const capabilities: fc.Arbitrary<Capabilities> = fc.record({
  keysOnUsers: shown,
  rolesOnKeys: shown,
  teamsOnKeys: shown,
  titles: shown,
  totals: shown,
  paging: fc.oneof(
    fc.constant({ firstPage: "unknown" as const }),
    fc.integer({ min: 1 }).map((largestPage) => ({ firstPage: "0-and-1-alike" as const, largestPage })),
  ),
});

const lesson: fc.Arbitrary<PlanningEvent> = fc.oneof(
  fc.record({
    type: fc.constant("users-observed" as const),
    at: time,
    service: word,
    people: fc.array(
      person.map((one) => ({ ...one, account: "acc-1" })),
      { maxLength: 2 },
    ),
    teams: fc.constant([]),
  }),
  fc.record({ type: fc.constant("service-learned" as const), at: time, service: word, capabilities }),
  fc.record({ type: fc.constant("roster-applied" as const), at: time, digest: word, people }),
);

export const anyPlanFile: fc.Arbitrary<PlanFile> = fc.record({
  id: word,
  madeAt: time,
  madeBy: word,
  expiresAt: time,
  basis: fc.record({
    roster: fc.record({
      digest: word,
      files: fc.nat(),
      users: fc.nat(),
      leavers: fc.nat(),
      teams: fc.nat(),
      keys: fc.nat(),
    }),
    state: fc.oneof(fc.constant("none" as const), fc.record({ lineage: word, serial: fc.nat(), digest: word })),
    records: fc.array(fc.record({ about: anyText, digest: anyText }), { maxLength: 3 }),
    readAt: time,
    everyone: fc.oneof(
      fc.constant({ read: "not-read" as const }),
      anyText.map((by) => ({ read: "complete" as const, by })),
      anyText.map((why) => ({ read: "incomplete" as const, why })),
    ),
    capabilities,
    witnesses: people,
  }),
  policy: fc.record({
    words: fc.array(anyText, { maxLength: 3 }),
    privilegedRoles: fc.array(anyText, { maxLength: 3 }).map(roleSet),
    guards: anyText,
  }),
  lessons: fc.array(lesson, { maxLength: 2 }),
  plan: anyPlan,
});
