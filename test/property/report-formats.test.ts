import fc from "fast-check";
import { expect, test } from "vitest";
import { eventPart } from "../../src/report/ndjson/event-part.ts";
import { lineOf } from "../../src/report/ndjson/line.ts";
import { planNames } from "../../src/report/plan-names.ts";
import { anyPlan } from "../support/arbitrary-plan.ts";
import { arbitraryEvent } from "../support/arbitrary-state.ts";
import { eventLines } from "../support/event-lines.ts";

test("every event of a run is a line that its schema describes", () => {
  fc.assert(
    fc.property(arbitraryEvent, anyPlan, (event, plan) => {
      expect(eventLines(lineOf(eventPart(event, planNames(plan))))).toHaveLength(1);
    }),
    { seed: 6, numRuns: 300 },
  );
});
