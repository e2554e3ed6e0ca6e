import fc from "fast-check";
import { expect, test } from "vitest";
import { claimsToBePlan } from "../../src/codec/document.ts";
import { decodePlanFile, encodePlanFile } from "../../src/codec/plan-file.ts";
import { always } from "../support/always.ts";
import { anyPlanFile } from "../support/arbitrary-plan-file.ts";

import { runs } from "../support/property-runs.ts";

const settings = { seed: 20261120, numRuns: runs(600) };
const refused = { ok: false, error: expect.stringMatching(/\w/u) };

test("a plan file is read back as it was written, whatever the names in it, and is text that nothing changes", () => {
  always(settings, anyPlanFile, (file) => {
    const text = encodePlanFile(file);
    expect(text).toMatch(/^[ -~\n]*$/u);
    expect(claimsToBePlan(text)).toBe(true);
    expect(decodePlanFile(text)).toEqual({ ok: true, value: file });
  });
});

test("one changed byte is found, wherever it is and whatever it becomes", () => {
  always(settings, anyPlanFile, fc.nat(), fc.integer({ min: 1, max: 255 }), (file, at, by) => {
    const bytes = Buffer.from(encodePlanFile(file));
    const index = at % bytes.length;
    bytes[index] = ((bytes[index] ?? 0) + by) % 256;
    expect(decodePlanFile(bytes.toString("utf8"))).toEqual(refused);
  });
});

test("a file that is cut short, or has something inserted or removed, is refused", () => {
  always(settings, anyPlanFile, fc.nat(), fc.nat(), fc.string({ maxLength: 3 }), (file, at, count, more) => {
    const text = encodePlanFile(file);
    const index = at % text.length;
    const changed = text.slice(0, index) + more + text.slice(index + (count % (text.length - index + 1)));
    fc.pre(changed !== text);
    expect(decodePlanFile(changed)).toEqual(refused);
  });
});

test("any JSON value is refused with a sentence", () => {
  always(settings, fc.jsonValue(), (value) => {
    const head = { document: "roster plan file", format_version: "2.0" };
    for (const text of [JSON.stringify(value), JSON.stringify({ ...head, actions: value })]) {
      expect(decodePlanFile(text)).toEqual(refused);
    }
  });
});
