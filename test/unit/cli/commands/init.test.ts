import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { schemaBeside } from "../../../../src/cli/schema-address.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { inside } from "../../../support/inside.ts";

describe("roster init", () => {
  test("writes a roster that is valid and formatted", async () => {
    const cwd = emptyDirectory();
    expect((await inside(["init"], { cwd })).stdout).toMatch(
      /^Wrote roster\.yaml, roster\.config\.yaml, roster\.schema\.json, \.gitignore in this directory\.\n/u,
    );
    expect(await inside(["validate"], { cwd })).toMatchObject({ code: 0, stderr: "" });
    expect(await inside(["fmt", "--check"], { cwd })).toEqual({ code: 0, stdout: "1 file: formatted.\n", stderr: "" });
  });

  test.each([
    [".", "Next:\n  roster validate "],
    ["deep/in", "Next:\n  cd deep/in\n  roster validate "],
    ["it's mine", "Next:\n  cd 'it'\\''s mine'\n  roster validate "],
  ])("in %s says what comes next, from where one stands", async (directory, next) => {
    expect((await inside(["init", directory], { cwd: emptyDirectory() })).stdout).toContain(next);
  });

  test("gives the editor a schema that is where it says", async () => {
    const cwd = emptyDirectory();
    await inside(["init", "deep/in"], { cwd });
    const file = join(cwd, "deep/in/roster.yaml");
    const [, schema = ""] = /^# yaml-language-server: \$schema=(\S+)\n/u.exec(readFileSync(file, "utf8")) ?? [];
    expect(readFileSync(join(dirname(file), schema), "utf8")).toBe(readFileSync("schemas/roster.schema.json", "utf8"));
  });
});

test("a roster in the project in which roster is installed refers to the schema there", () => {
  const file = resolve("some/where/roster.yaml");
  expect(schemaBeside(file)).toBe("../../schemas/roster.schema.json");
  expect(existsSync(resolve(dirname(file), schemaBeside(file) ?? ""))).toBe(true);
  expect(schemaBeside(join(emptyDirectory(), "roster.yaml"))).toBeUndefined();
});
