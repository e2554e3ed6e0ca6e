import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { outsideProgram, runOutside } from "../support/outside-program.ts";
import { policyScenes } from "../support/policy-example.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { scene } from "../support/trap-scene.ts";

const opa = outsideProgram("opa");

describe.skipIf(opa === undefined)("OPA has the objections of the script to", () => {
  test.each(policyScenes)("$about", async ({ roster, guards, seed = {}, says }) => {
    const at = await scene(onTestFinished, { roster, seed });
    if (guards !== undefined) await writeRoster(at.directory, { "roster.config.yaml": `guards: { ${guards} }\n` });
    const { stdout } = await at.run(["plan", "--format", "json"]);
    const file = join(at.directory, "plan.json");
    writeFileSync(file, stdout);
    const args = ["eval", "--format=raw", "--data=examples/policy/roster.rego", `--input=${file}`, "data.main.deny"];
    const { code, told } = runOutside(opa ?? "", args);
    expect([code, JSON.parse(told)]).toEqual([0, says]);
  });
});
