import fc from "fast-check";
import { expect, test } from "vitest";
import { validPlanDocument } from "../../src/codec/generated/plan.js";
import { decodePlanDocument } from "../../src/codec/plan-file.ts";
import { jsonFormat } from "../../src/report/json/json.ts";
import { always } from "../support/always.ts";
import { anyOutcome } from "../support/arbitrary-outcome.ts";
import { anyPlan } from "../support/arbitrary-plan.ts";
import { runs } from "../support/property-runs.ts";

const settings = { seed: 2, numRuns: runs(1200) };

/** Whatever a terminal obeys, hides or reorders, but for the line feeds of the layout. */
const obeyed = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

test("every outcome is one document that its schema describes and that a terminal shows as it is", () => {
  always(settings, anyOutcome, (outcome) => {
    const { stdout } = jsonFormat(outcome);
    expect(stdout).not.toMatch(obeyed);
    const document: unknown = JSON.parse(stdout);
    expect(validPlanDocument(document), JSON.stringify(validPlanDocument.errors)).toBe(true);
    expect(document).toMatchObject({ command: outcome.command, exit_code: outcome.exitCode });
  });
});

test("a plan read back from its document is the same plan", () => {
  always(settings, anyPlan, (plan) => {
    const { stdout } = jsonFormat({ command: "plan", exitCode: 0, diagnostics: [], plan });
    expect(decodePlanDocument(stdout)).toEqual({ ok: true, value: plan });
  });
});

test("a damaged document is refused or read, and never crashes", () => {
  always(settings, anyPlan, fc.nat(), fc.string({ maxLength: 4 }), (plan, at, garbage) => {
    const { stdout } = jsonFormat({ command: "plan", exitCode: 0, diagnostics: [], plan });
    const cut = at % stdout.length;
    expect(decodePlanDocument(stdout.slice(0, cut) + garbage + stdout.slice(cut + 3))).toHaveProperty("ok");
  });
});

test("any JSON value is refused with a sentence", () => {
  always(settings, fc.jsonValue(), (value) => {
    const format = { format_version: "1.0", plan_id: "p" };
    for (const text of [JSON.stringify(value), JSON.stringify({ ...format, actions: value })]) {
      expect(decodePlanDocument(text)).toEqual({ ok: false, error: expect.stringMatching(/\w/) });
    }
  });
});
