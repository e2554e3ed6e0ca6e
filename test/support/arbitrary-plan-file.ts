import fc from "fast-check";
import type { PlanFile, PlanningEvent } from "../../src/codec/plan-file-format.ts";
import { readPublished } from "../../src/codec/publish.ts";
import { foldAddress } from "../../src/model/address.ts";
import type { Capabilities } from "../../src/model/capabilities.ts";
import { verbatim } from "../../src/model/declare.ts";
import { runEvents } from "../../src/model/event.ts";
import { roleSet } from "../../src/model/values.ts";
import { anyPlan, anyText } from "./arbitrary-plan.ts";
import { noon } from "./event-builders.ts";
import { valuesOf } from "./schema-values.ts";

const word = anyText.map((text) => `x${text}`);
const time = fc.integer({ min: 0, max: 1e12 }).map((after) => new Date(Date.parse(noon) + after).toISOString());
const person = word.map((email) => ({ address: foldAddress(email), email }));
const people = fc.array(person, { maxLength: 3 });
const capabilities = valuesOf("state.schema.json#/definitions/capabilities", word) as fc.Arbitrary<Capabilities>;
const lesson = fc.oneof(
  ...(["users-observed", "service-learned", "roster-applied"] as const).map((type) =>
    valuesOf(`log-event.schema.json#/definitions/${type}`, word).map(
      (event): PlanningEvent => readPublished(verbatim<PlanningEvent>(runEvents[type]), event),
    ),
  ),
);

export const anyPlanFile: fc.Arbitrary<PlanFile> = fc.record({
  file: word,
  madeAt: time,
  madeBy: word,
  expiresAt: time,
  basis: fc.record(
    {
      roster: fc.record({
        digest: word,
        files: fc.nat(),
        users: fc.nat(),
        leavers: fc.nat(),
        teams: fc.nat(),
        keys: fc.nat(),
      }),
      state: fc.record({ lineage: word, serial: fc.nat(), digest: word }),
      readAt: time,
      everyone: fc.oneof(
        fc.constant({ read: "not-read" as const }),
        anyText.map((by) => ({ read: "complete" as const, by })),
        anyText.map((why) => ({ read: "incomplete" as const, why })),
      ),
      capabilities,
    },
    { requiredKeys: ["roster", "readAt", "everyone", "capabilities"] },
  ),
  policy: fc.record({
    words: fc.array(anyText, { maxLength: 3 }),
    privilegedRoles: fc.array(anyText, { maxLength: 3 }).map(roleSet),
    guards: anyText,
  }),
  records: fc.array(fc.record({ about: anyText, digest: anyText }), { maxLength: 3 }),
  lessons: fc.array(lesson, { maxLength: 2 }),
  witnesses: people,
  plan: anyPlan,
});
