import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claimsToBePlan } from "../../src/codec/document.ts";
import { validLogEvent } from "../../src/codec/generated/log-event.js";
import { validPlanDocument } from "../../src/codec/generated/plan.js";
import { validPlanFile } from "../../src/codec/generated/plan-file.js";
import { validState } from "../../src/codec/generated/state.js";
import { publish } from "../../src/codec/publish.ts";
import { decodeState, encodeState } from "../../src/codec/state.ts";
import { emptyLog, encodeLines } from "../../src/log/hash-chain.ts";
import { object } from "../../src/model/declare.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { planFields, planFieldsOf } from "../../src/model/plan.ts";
import { decodePlanDocument, decodePlanFile, encodePlanFile } from "../../src/plan/plan-file.ts";
import { always, alwaysAsync } from "../support/always.ts";
import { planDocument, planParts } from "../support/arbitrary-plan.ts";
import { anyPlanFile } from "../support/arbitrary-plan-file.ts";
import { runs } from "../support/property-runs.ts";
import { anyEvent, anyState, valuesOf, withoutOrder } from "../support/schema-values.ts";
import { decodeText } from "../support/whole-log.ts";

const settings = { seed: 20261120, numRuns: runs(1200) };

describe("persisted formats", () => {
  test("a state cut short anywhere is refused, never read as less than it was", () => {
    always(settings, anyState, fc.double({ min: 0, max: 0.999, noNaN: true }), (state, part) => {
      const text = encodeState(state).trimEnd();
      expect(decodeState(text.slice(0, Math.floor(text.length * part)), "log.jsonl", validState).ok).toBe(false);
    });
  });

  const some = fc.array(anyEvent, { minLength: 1, maxLength: 4 });

  test("one changed byte in lines is found, wherever it is: by what follows, and in the last line by the head", async () => {
    await alwaysAsync(settings, some, fc.nat(), fc.nat(), async (events, at, by) => {
      const { lines, head } = encodeLines(events, emptyLog);
      const index = at % (lines.length - 1);
      const other = String.fromCharCode(32 + ((lines.charCodeAt(index) + 1 + (by % 93)) % 95));
      fc.pre(other !== lines[index]);
      const read = await decodeText(`${lines.slice(0, index)}${other}${lines.slice(index + 1)}`, emptyLog, "memory:");
      expect(read.ok && isDeepStrictEqual(read.value.head, head)).toBe(false);
      const isInLast = index >= lines.lastIndexOf("\n", lines.length - 2) + 1;
      expect(isInLast || !read.ok).toBe(true);
    });
  });
});

describe("every field that a schema describes is read, and written again", () => {
  test("of a state", () => {
    always(
      { ...settings, numRuns: runs(800) },
      valuesOf("state.schema.json#") as fc.Arbitrary<JsonObject>,
      (document) => {
        expect(validState(document), JSON.stringify(validState.errors)).toBe(true);
        const decoded = decodeState(JSON.stringify(document), "log.jsonl", validState);
        fc.pre(decoded.ok || !decoded.error.message.endsWith("have a duplicate"));
        if (!decoded.ok) throw new Error(decoded.error.message);
        expect(withoutOrder(JSON.parse(encodeState(decoded.value)))).toEqual(withoutOrder(document));
      },
    );
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
    always({ ...settings, numRuns: runs(800) }, planParts(), (parts) => {
      const text = JSON.stringify(planDocument(parts));
      expect(validPlanDocument(JSON.parse(text)), JSON.stringify(validPlanDocument.errors)).toBe(true);
      const decoded = decodePlanDocument(text, validPlanDocument);
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

const refused = { ok: false, error: expect.stringMatching(/\w/u) };

test("a plan file is read back as it was written, whatever the names in it, and is text that nothing changes", () => {
  always({ ...settings, numRuns: runs(600) }, anyPlanFile, (file) => {
    const text = encodePlanFile(file);
    expect(text).toMatch(/^[ -~\n]*$/u);
    expect(claimsToBePlan(text)).toBe(true);
    expect(decodePlanFile(text, validPlanFile)).toEqual({ ok: true, value: file });
  });
});

test("one changed byte is found, wherever it is and whatever it becomes", () => {
  always(
    { ...settings, numRuns: runs(600) },
    anyPlanFile,
    fc.nat(),
    fc.integer({ min: 1, max: 255 }),
    (file, at, by) => {
      const bytes = Buffer.from(encodePlanFile(file));
      const index = at % bytes.length;
      bytes[index] = ((bytes[index] ?? 0) + by) % 256;
      expect(decodePlanFile(bytes.toString("utf8"), validPlanFile)).toEqual(refused);
    },
  );
});

test("a file that is cut short, or has something inserted or removed, is refused", () => {
  always(
    { ...settings, numRuns: runs(600) },
    anyPlanFile,
    fc.nat(),
    fc.nat(),
    fc.string({ maxLength: 3 }),
    (file, at, count, more) => {
      const text = encodePlanFile(file);
      const index = at % text.length;
      const changed = text.slice(0, index) + more + text.slice(index + (count % (text.length - index + 1)));
      fc.pre(changed !== text);
      expect(decodePlanFile(changed, validPlanFile)).toEqual(refused);
    },
  );
});

test("any JSON value is refused with a sentence", () => {
  always({ ...settings, numRuns: runs(600) }, fc.jsonValue(), (value) => {
    const head = { document: "roster plan file", format_version: "2.0" };
    for (const text of [JSON.stringify(value), JSON.stringify({ ...head, actions: value })]) {
      expect(decodePlanFile(text, validPlanFile)).toEqual(refused);
    }
  });
});
