import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { emptyDirectory } from "../support/command.ts";
import { policyInput, policyScenes } from "../support/policy-example.ts";
import { runScript } from "../support/script-thread.ts";
import { scene } from "../support/trap-scene.ts";

const script = "examples/policy/check-plan.mjs";

async function judged(...files: readonly string[]) {
  const { code, stdout, stderr } = await runScript(script, files);
  return { code, says: stdout.split("\n").filter((line) => line !== ""), stderr };
}

test.each(policyScenes)("the policy judges $about", async (one) => {
  const { plan, access } = await policyInput(one, onTestFinished);
  expect(await judged(plan, access)).toEqual({ code: one.says.length === 0 ? 0 : 1, says: one.says, stderr: "" });
});

test("the policy judges a saved plan that is shown as JSON, and only with the access of that plan", async () => {
  const at = await scene(onTestFinished, {});
  const print = async (name: string, ...args: readonly string[]) => {
    const file = join(at.directory, name);
    writeFileSync(file, (await at.run([...args, "--format", "json"])).stdout);
    return file;
  };
  await at.run(["plan", "--out", "plan.bin"]);
  const plan = await print("plan.json", "show", "plan.bin");
  const access = await print("access.json", "access", "plan.bin");
  const other = await print("other.json", "access");
  const not = ["not-the-access: the second input is not the access of this plan"];
  expect([await judged(plan, access), await judged(plan, other), await judged(plan)]).toEqual([
    { code: 0, says: [], stderr: "" },
    { code: 1, says: not, stderr: "" },
    { code: 1, says: not, stderr: "" },
  ]);
});

test.each([
  ["no JSON", "Plan: create 1 user"],
  ["nothing", ""],
  ["another document", '{ "format_version": "1.0", "command": "validate", "diagnostics": [], "error": null }'],
  ["a later format", '{ "format_version": "2.0", "actions": [], "findings": [], "error": null }'],
])("the policy has an objection to %s", async (_, input) => {
  const file = join(emptyDirectory(onTestFinished), "plan.json");
  writeFileSync(file, input);
  expect(await judged(file)).toEqual({
    code: 1,
    says: ["not-a-plan: the input is not a plan of roster in format 1"],
    stderr: "",
  });
});

test("the policy has an objection to a file that is not there", async () => {
  expect((await judged(join(emptyDirectory(), "plan.json"))).code).toBe(1);
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
    6,
    [
      "contractors",
      "exclusive-roles",
      "findings",
      "max-holders",
      "not-a-plan",
      "not-the-access",
      "privileges-apart",
      "refused",
      "unread",
    ],
  ]);
});

test.each([script, "examples/policy/roster.rego"])(
  "the rules of %s read only fields of actions that the schema has",
  (file) => {
    const { definitions } = JSON.parse(readFileSync("schemas/plan.schema.json", "utf8"));
    const known = { ...definitions.createUser.properties, ...definitions.replaceRoles.properties };
    const read = [...readFileSync(file, "utf8").matchAll(/\baction\.(\w+)/gu)].map(([, name = ""]) => name);
    expect([...new Set(read)].filter((name) => !(name in known))).toEqual([]);
  },
);
