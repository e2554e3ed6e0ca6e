import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { emptyDirectory } from "../support/command.ts";
import { policyScenes } from "../support/policy-example.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { scene } from "../support/trap-scene.ts";

const script = "examples/policy/check-plan.mjs";

function judged(args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8", input });
  return { code: status, says: stdout.split("\n").filter((line) => line !== ""), stderr };
}

test.each(policyScenes)("the policy judges $about, from a file and from a pipe", async (one) => {
  const { roster, guards = "{}", seed = {}, says } = one;
  const at = await scene(onTestFinished, { roster, seed });
  await writeRoster(at.directory, {
    "roster.config.yaml": `guards: ${guards === "{}" ? guards : `{ ${guards} }`}\n`,
  });
  const { stdout } = await at.run(["plan", "--format", "json"]);
  const file = join(at.directory, "plan.json");
  writeFileSync(file, stdout);
  const verdict = { code: says.length === 0 ? 0 : 1, says, stderr: "" };
  expect([judged([file]), judged([], stdout)]).toEqual([verdict, verdict]);
});

test("the policy judges a saved plan that is shown as JSON", async () => {
  const [, , among] = policyScenes;
  if (among === undefined) throw new Error("no such scene");
  const at = await scene(onTestFinished, { roster: among.roster, ...(among.seed ? { seed: among.seed } : {}) });
  await writeRoster(at.directory, { "roster.config.yaml": `guards: { ${among.guards} }\n` });
  await at.run(["plan", "--out", "plan.bin"]);
  const { stdout } = await at.run(["show", "plan.bin", "--format", "json"]);
  expect(judged([], stdout)).toEqual({ code: 1, says: among.says, stderr: "" });
});

test.each([
  ["no JSON", "Plan: create 1 user"],
  ["nothing", ""],
  ["another document", '{ "format_version": "1.0", "command": "validate", "diagnostics": [], "error": null }'],
  ["a later format", '{ "format_version": "2.0", "actions": [], "findings": [], "error": null }'],
])("the policy has an objection to %s", (_, input) => {
  expect(judged([], input)).toEqual({
    code: 1,
    says: ["not-a-plan: the input is not a plan of roster in format 1"],
    stderr: "",
  });
});

test("the policy has an objection to a file that is not there", () => {
  expect(judged([join(emptyDirectory(), "plan.json")]).code).toBe(1);
});

test("the rules for Conftest have the same lists and the same objections", () => {
  const texts = [readFileSync(script, "utf8"), readFileSync("examples/policy/roster.rego", "utf8")];
  const [ours, theirs] = texts.map((text) => ({
    lists: [...text.matchAll(/^(?:const )?\w+ :?= [[{]([^\]}]*)[\]}];?$/gmu)].map(([, list = ""]) =>
      list.match(/"[^"]+"/gu),
    ),
    rules: [...new Set([...text.matchAll(/["`]([a-z-]+): (?:the |\$|%)/gu)].map(([, rule]) => rule))].sort(),
  }));
  expect(ours).toEqual(theirs);
  expect([ours?.lists.length, ours?.rules]).toEqual([
    4,
    ["contractors", "findings", "not-a-plan", "privileges-apart", "refused"],
  ]);
});
