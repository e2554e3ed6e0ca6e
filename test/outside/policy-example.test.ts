import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { outsideProgram, runOutside } from "../support/outside-program.ts";
import { policyInput, policyScenes } from "../support/policy-example.ts";

const opa = outsideProgram("opa");

describe.skipIf(opa === undefined)("OPA has the objections of the script to", () => {
  test.each(policyScenes)("$about", async (one) => {
    const { plan, access } = await policyInput(one, onTestFinished);
    const read = readFileSync(access, "utf8") === "" ? [] : [`--data=${access}`];
    const args = [
      "eval",
      "--format=raw",
      "--data=examples/policy/roster.rego",
      ...read,
      `--input=${plan}`,
      "data.main.deny",
    ];
    const { code, told } = runOutside(opa ?? "", args);
    expect([code, JSON.parse(told)]).toEqual([0, one.says]);
  });
});
