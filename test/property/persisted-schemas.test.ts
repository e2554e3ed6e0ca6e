import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validLogEvent } from "../../src/codec/generated/log-event.js";
import { validPlanDocument } from "../../src/codec/generated/plan.js";
import { validState } from "../../src/codec/generated/state.js";
import { decodePlanDocument } from "../../src/codec/plan-file.ts";
import { decodeState, encodeState } from "../../src/codec/state.ts";
import { emptyLog, encodeLines } from "../../src/log/line.ts";
import { object, publish } from "../../src/model/declare.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { planFields, planFieldsOf } from "../../src/model/plan.ts";
import { always, alwaysAsync } from "../support/always.ts";
import { planDocument, planParts } from "../support/arbitrary-plan.ts";
import { runs } from "../support/property-runs.ts";
import { valuesOf, withoutOrder } from "../support/schema-values.ts";
import { decodeText } from "../support/whole-log.ts";

const settings = { seed: 20261122, numRuns: runs(800) };

describe("every field that a schema describes is read, and written again", () => {
  test("of a state", () => {
    always(settings, valuesOf("state.schema.json#") as fc.Arbitrary<JsonObject>, (document) => {
      expect(validState(document), JSON.stringify(validState.errors)).toBe(true);
      const decoded = decodeState(JSON.stringify(document), "log.jsonl");
      fc.pre(decoded.ok || !decoded.error.message.endsWith("have a duplicate"));
      if (!decoded.ok) throw new Error(decoded.error.message);
      expect(withoutOrder(JSON.parse(encodeState(decoded.value)))).toEqual(withoutOrder(document));
    });
  });

  test("of each event in a log", async () => {
    await alwaysAsync(
      { ...settings, numRuns: runs(2400) },
      valuesOf("log-event.schema.json#") as fc.Arbitrary<JsonObject>,
      async (document) => {
        expect(validLogEvent(document), JSON.stringify(validLogEvent.errors)).toBe(true);
        const line = { position: 1, previous: emptyLog.hash, ...document };
        const decoded = await decodeText(`${JSON.stringify(line)}\n`, emptyLog, "memory:");
        if (!decoded.ok) throw new Error(decoded.error.message);
        const events = decoded.value.events.map(({ event }) => event);
        expect(JSON.parse(encodeLines(events, emptyLog).lines)).toEqual(JSON.parse(JSON.stringify(line)));
      },
    );
  });

  test("of a plan", () => {
    always(settings, planParts(), (parts) => {
      const text = JSON.stringify(planDocument(parts));
      expect(validPlanDocument(JSON.parse(text)), JSON.stringify(validPlanDocument.errors)).toBe(true);
      const decoded = decodePlanDocument(text);
      if (!decoded.ok) throw new Error(decoded.error);
      const { summary, ...document } = parts;
      const { summary: counts, ...written } = JSON.parse(
        JSON.stringify(publish(object(planFields), planFieldsOf(decoded.value))),
      );
      expect(withoutOrder(written)).toEqual(withoutOrder(JSON.parse(JSON.stringify(document))));
      expect(counts).toMatchObject({ calls: summary["calls"] as JsonObject });
    });
  });
});
