import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { satisfies } from "../../../../src/cli/settings/required-version.ts";
import { installedPackage } from "../../../../src/library/system.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { inside } from "../../../support/inside.ts";

const { version } = installedPackage();

describe("a range of versions", () => {
  test.each([
    [">=0.2 <1", ["0.2.0", "0.2.7", "0.10.0"], ["0.1.9", "1.0.0", "2.0.0"]],
    [">= 0.2, < 1", ["0.2.0"], ["0.1.9", "1.0.0"]],
    ["0.2", ["0.2.0", "0.2.99"], ["0.1.99", "0.3.0"]],
    ["=1", ["1.0.0", "1.99.0"], ["0.9.9", "2.0.0"]],
    ["0.2.3", ["0.2.3"], ["0.2.2", "0.2.4"]],
    [">0.2", ["0.3.0", "1.0.0"], ["0.2.0", "0.2.9"]],
    [">0.2.3", ["0.2.4"], ["0.2.3"]],
    ["<=0.2", ["0.2.9", "0.0.1"], ["0.3.0"]],
    ["<=0.2.3", ["0.2.3"], ["0.2.4"]],
    [">=0.2", ["0.3.0-rc.1"], ["0.2.0-rc.1"]],
    ["<1", ["0.9.0-rc.1"], ["1.0.0-rc.1"]],
  ])("%s takes %j and not %j", (range, taken, refused) => {
    expect(taken.map((one) => satisfies(one, range))).toEqual(taken.map(() => true));
    expect(refused.map((one) => satisfies(one, range))).toEqual(refused.map(() => false));
  });
});

/** What a command says of the settings, in a directory with a roster. */
async function run(args: readonly string[], settings: string) {
  const cwd = emptyDirectory();
  writeFileSync(join(cwd, "roster.config.yaml"), settings);
  writeFileSync(join(cwd, "roster.yaml"), "version: 1\naccount: acc-1\n");
  writeFileSync(join(cwd, "people.csv"), "email,first name,last name\n");
  return inside(args, {
    cwd,
    env: { ROSTER_ENDPOINT: "http://127.0.0.1:9", ROSTER_API_KEY: "prefix.0123456789abcdef" },
  });
}

describe("`requires` in the settings", () => {
  const commands = [
    ["validate"],
    ["fmt"],
    ["plan"],
    ["apply", "--auto-approve"],
    ["drift"],
    ["config"],
    ["doctor"],
    ["snapshot", "--out", "snapshot.json"],
    ["access"],
    ["todo"],
    ["audit", "show"],
    ["import", "people"],
    ["import", "--from", "people.csv", "--update"],
    ["state", "show"],
    ["record-ids"],
    ["drift", "acknowledge", "0123456789abcdef", "--reason", "known", "--until", "2999-01-01"],
    ["explain", "user:ada@acme.example"],
  ];

  test.each(commands)("stops roster %s before anything else is looked at", async (...args) => {
    // The other setting is one that only a newer version could know.
    const { code, stdout, stderr } = await run(args, 'requires: ">=9.2 <10"\nnewerSetting: 1\n');
    expect({ code, said: `${stdout}${stderr}`.match(/error\[[\w-]+\].*/gu) }).toEqual({
      code: 3,
      said: [`error[required-version]: The settings require roster >=9.2 <10, and this is roster ${version}.`],
    });
    expect(`${stdout}${stderr}`).toContain("roster.config.yaml:1:11");
  });

  test("lets a version in the range pass", async () => {
    expect((await run(["validate"], `requires: ">=${version} <9"\n`)).code).toBe(0);
  });

  test("is refused if it is no range", async () => {
    const { code, stderr } = await run(["validate"], 'requires: "^0.1"\n');
    expect(code).toBe(3);
    expect(stderr).toContain("`requires` is no range of versions: `^0.1`.");
  });
});
