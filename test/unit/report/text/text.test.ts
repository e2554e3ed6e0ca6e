import { expect, test } from "vitest";
import { plain } from "../../../../src/report/document/tree.ts";
import { textFormat } from "../../../../src/report/text/text.ts";
import { samplePlan } from "../../../support/report-samples.ts";

test("nothing is printed of a plan that somebody has just read and declined, or that could not be made", () => {
  const problem = { code: "declined", message: "The plan was not approved" };
  const declined = { command: "apply", exitCode: 5, diagnostics: [], plan: samplePlan, problem } as const;
  const { plan: _plan, ...unmade } = declined;
  expect([declined, unmade].map((one) => textFormat(one, { paint: plain }).stdout)).toEqual(["", ""]);
});

test("a plan is printed although something went wrong after it", () => {
  const problem = { code: "not-approved", message: "nobody can be asked" };
  const { stdout } = textFormat(
    { command: "apply", exitCode: 5, diagnostics: [], plan: samplePlan, problem },
    { paint: plain },
  );
  expect(stdout.split("\n")[0]).toBe("Plan for https://accounts.acme.example");
  expect(stdout).not.toContain("Exit code");
});
