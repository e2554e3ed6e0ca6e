import fc from "fast-check";
import { expect, test } from "vitest";
import { plain } from "../../src/report/outcome.ts";
import { safe } from "../../src/report/safe.ts";
import { progressLine } from "../../src/report/text/progress.ts";
import { renderProblems } from "../../src/report/text/text.ts";
import { always } from "../support/always.ts";
import { anyFailure } from "../support/arbitrary-outcome.ts";
import { anyPlan, anyText } from "../support/arbitrary-plan.ts";
import { runs } from "../support/property-runs.ts";

const settings = { seed: 2, numRuns: runs(1600) };

/** Whatever a terminal obeys, hides or reorders, or what could forge a line; emoji keep their joiners. */
const dangerous = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u{200D})\p{Cf}/u;

test("the number of lines does not depend on what the texts hold, only on how many there are", () => {
  always(settings, anyText, anyText, (one, other) => {
    const lines = [one, other].map((message) =>
      renderProblems(
        { command: "plan", exitCode: 1, diagnostics: [], problem: { code: "x", message } },
        { paint: plain },
      ),
    );
    expect(lines.map((text) => text.split("\n").length)).toEqual([3, 3]);
  });
});

test("making a text safe twice changes nothing, and ordinary text is left alone", () => {
  always(settings, anyText, (text) => {
    expect(safe(safe(text))).toBe(safe(text));
  });
  always(settings, fc.string({ unit: fc.constantFrom("a", "Z", "0", " ", "@", "é", "ß", "田", "ñ", "😀") }), (text) => {
    expect(safe(text)).toBe(text);
  });
});

test("a line of progress is one safe line, whatever the event tells", () => {
  always(settings, anyPlan, anyText, anyFailure, (plan, why, failure) => {
    const at = "2026-11-20T06:00:00.000Z";
    const action = plan.actions[0]?.id ?? why;
    const lines = [
      progressLine({ type: "failed", at, action, failure }, plan),
      progressLine({ type: "skipped", at, action, why }, plan),
      progressLine({ type: "waiting", at, milliseconds: 50, why }, plan),
    ];
    for (const line of lines) expect(line).not.toMatch(dangerous);
  });
});
