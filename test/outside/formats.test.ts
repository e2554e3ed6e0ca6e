import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { insideScene, twoPeople } from "../support/inside-scene.ts";
import { outsideProgram, runOutside } from "../support/outside-program.ts";
import { writeRoster } from "../support/roster-directory.ts";

const sarif = outsideProgram("sarif-multitool");
const jq = outsideProgram("jq");

/** A roster of faults, and one of whose teams two lack a first member. */
const files = {
  "faults.yaml": twoPeople.replace("firstName: Ada", "firstNam: Ada").replace("admin: ada@", "admin: eve@"),
  "firstMembers.yaml": `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
teams:
  - { name: Red, admin: ada@acme.example, members: [{ user: ada@acme.example }] }
  - { name: "Blue \\t<b> %20 ü", admin: ada@acme.example, members: [{ user: ada@acme.example }] }
`,
};

const runs: readonly (readonly [string, readonly string[]])[] = [
  ["faults of a roster", ["validate", "faults.yaml"]],
  ["a command line that is not understood", ["plan", "--nonsense"]],
  ["findings of a plan", ["plan", "firstMembers.yaml"]],
  ["a plan without findings", ["plan", "roster.yaml"]],
  ["a service that is not there", ["plan", "roster.yaml", "--endpoint", "http://127.0.0.1:9"]],
  ["an apply", ["apply", "firstMembers.yaml", "--auto-approve"]],
  ["a drift", ["drift", "firstMembers.yaml"]],
];

describe.skipIf(sarif === undefined)("the validator of SARIF's makers has no objection to", () => {
  test.each(runs)("%s", async (_, args) => {
    const { run, cwd } = await insideScene();
    await writeRoster(cwd, files);
    await run([...args, "--report", "sarif=log.sarif"]);
    for (const kind of ["Sarif", "Ghas"]) {
      const log = join(cwd, "log.sarif");
      const { told } = runOutside(sarif ?? "", ["validate", log, "--rule-kind", kind, "--output", join(cwd, kind)]);
      expect(told).toContain("Analysis completed successfully");
      expect(told.split("\n").filter((line) => /: (?:error|warning) /u.test(line))).toEqual([]);
    }
  });
});

describe.skipIf(jq === undefined)("jq reads each line of", () => {
  test.each(runs)("%s", async (_, args) => {
    const { run, cwd } = await insideScene();
    await writeRoster(cwd, files);
    const { code, stdout } = await run([...args, "--format", "ndjson"]);
    const read = runOutside(jq ?? "", ["-r", "[.type, .exit_code // empty] | @tsv"], stdout);
    const lines = read.told.trimEnd().split("\n");
    expect([read.code, lines[0], lines.at(-1), lines.length]).toEqual([
      0,
      "version",
      `summary\t${code}`,
      stdout.trimEnd().split("\n").length,
    ]);
  });
});
