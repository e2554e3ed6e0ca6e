import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { emptyDirectory } from "../../../support/command.ts";
import { inside, insideHost } from "../../../support/inside.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

const untidy =
  "version: 1\nusers:\n- {lastName: B, firstName: B, email: b@x.y}\n- {email: a@x.y, firstName: A, lastName: A} # first\n";
const tidy =
  "version: 1\n\nusers:\n  - { email: a@x.y, firstName: A, lastName: A } # first\n  - { email: b@x.y, firstName: B, lastName: B }\n";
const isDocument = new Ajv({ strict: false }).compile(JSON.parse(readFileSync("schemas/plan.schema.json", "utf8")));

async function at(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = emptyDirectory();
  await writeRoster(cwd, files);
  return cwd;
}

describe("roster fmt", () => {
  test("writes the files that are not formatted, keeps their modes, and touches no other", async () => {
    const cwd = await at({ "a.yaml": untidy, "b/c.yml": tidy });
    chmodSync(join(cwd, "a.yaml"), 0o640);
    utimesSync(join(cwd, "b/c.yml"), 1, 1);
    const { ino } = statSync(join(cwd, "b/c.yml"));
    expect(await inside(["fmt"], { cwd })).toEqual({
      code: 0,
      stdout: "Formatted 1 of 2 files:\n  a.yaml\n",
      stderr: "",
    });
    expect(readFileSync(join(cwd, "a.yaml"), "utf8")).toBe(tidy);
    expect(statSync(join(cwd, "a.yaml")).mode & 0o777).toBe(0o640);
    expect([statSync(join(cwd, "b/c.yml")).ino, statSync(join(cwd, "b/c.yml")).mtimeMs]).toEqual([ino, 1000]);
    expect(readdirSync(cwd).sort()).toEqual(["a.yaml", "b"]);
    expect(await inside(["fmt"], { cwd })).toEqual({ code: 0, stdout: "2 files: formatted.\n", stderr: "" });
  });

  test("with --check shows what would change, writes nothing and ends with 2", async () => {
    const cwd = await at({ "a.yaml": untidy });
    const { code, stdout, stderr } = await inside(["fmt", "--check", "a.yaml"], { cwd });
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
    expect(stdout).toBe(`--- a/a.yaml
+++ b/a.yaml
@@ -1,4 +1,5 @@
 version: 1
+
 users:
-- {lastName: B, firstName: B, email: b@x.y}
-- {email: a@x.y, firstName: A, lastName: A} # first
+  - { email: a@x.y, firstName: A, lastName: A } # first
+  - { email: b@x.y, firstName: B, lastName: B }
1 of 1 file is not formatted; \`roster fmt\` does it.
Exit code 2: changes are pending.
`);
    expect(readFileSync(join(cwd, "a.yaml"), "utf8")).toBe(untidy);
    const json = await inside(["fmt", "--check", "--format", "json"], { cwd });
    const document = JSON.parse(json.stdout);
    expect(isDocument(document), JSON.stringify(isDocument.errors)).toBe(true);
    expect({ code: json.code, ...document }).toMatchObject({
      code: 2,
      exit_code: 2,
      formatting: { did: "checked", files: 1, unformatted: [{ file: "a.yaml" }] },
    });
  });

  test("writes nothing where one of the files cannot be read, and shows where", async () => {
    const broken = "version: 1\nusers: [\n";
    const cwd = await at({ "a.yaml": untidy, "b.yaml": broken });
    const { code, stdout, stderr } = await inside(["fmt"], { cwd });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("b.yaml:2:8");
    expect([readFileSync(join(cwd, "a.yaml"), "utf8"), readFileSync(join(cwd, "b.yaml"), "utf8")]).toEqual([
      untidy,
      broken,
    ]);
  });

  test.each([
    ["of another kind", "services:\n  web: { image: x }\n", "no key `services`"],
    ["that is a plan", '{"format_version": "1.0", "plan_id": "x", "actions": []}\n', "is a plan"],
  ])("leaves a file alone %s", async (_, text, says) => {
    const cwd = await at({ "a.yaml": text });
    const { code, stderr } = await inside(["fmt", "a.yaml"], { cwd });
    expect(code).toBe(3);
    expect(stderr).toContain(says);
    expect(readFileSync(join(cwd, "a.yaml"), "utf8")).toBe(text);
  });

  test("formats a half-written roster: who is unknown or lacks a name is no matter of its form", async () => {
    const cwd = await at({
      "a.yaml": "version: 1\nteams: [{members: [nobody@x.y], name: T}]\nusers: [{email: a@x.y}]\n",
    });
    expect((await inside(["fmt"], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, "a.yaml"), "utf8")).toBe(
      "version: 1\n\nusers:\n  - { email: a@x.y }\n\nteams:\n  - name: T\n    members:\n      - nobody@x.y\n",
    );
  });

  test("follows no link in a directory, and keeps one that is named", async () => {
    const cwd = await at({ "in/a.yaml": tidy, "out/b.yaml": untidy });
    symlinkSync("../out/b.yaml", join(cwd, "in/link.yaml"));
    expect((await inside(["fmt", "in"], { cwd })).stdout).toBe("1 file: formatted.\n");
    expect(readFileSync(join(cwd, "out/b.yaml"), "utf8")).toBe(untidy);
    await inside(["fmt", "in/link.yaml"], { cwd });
    expect(lstatSync(join(cwd, "in/link.yaml")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(cwd, "out/b.yaml"), "utf8")).toBe(tidy);
  });

  test.each([
    ["in one way", ["-"], untidy, { code: 0, stdout: tidy, stderr: "" }],
    ["as it is, where it is formatted", ["-"], tidy, { code: 0, stdout: tidy, stderr: "" }],
    [
      "not at all, where it is no roster",
      ["-"],
      "a: [",
      { code: 3, stdout: "", stderr: expect.stringContaining("<stdin>:1:4") },
    ],
    ["not beside files", ["-", "x.yaml"], tidy, { code: 3, stdout: "", stderr: expect.stringContaining("Pass only") }],
  ])("brings standard input to standard output %s", async (_, paths, text, result) => {
    const cwd = emptyDirectory();
    const host = { ...insideHost({ cwd }), stdin: () => Readable.from([Buffer.from(text)]) };
    expect(await inside(["fmt", ...paths], { cwd }, host)).toEqual(result);
  });
});

const hasGit = spawnSync("git", ["--version"]).status === 0;

describe.skipIf(!hasGit)("people who add to a formatted roster at once", () => {
  const people = ["ada", "bo", "dee", "fay", "gus", "ida"];
  const user = (name: string) => `  - email: ${name}@x.y\n    firstName: ${name}\n    lastName: X\n`;
  const rosterOf = (names: readonly string[], members: readonly string[]) =>
    `version: 1\nteams:\n  - name: T\n    members:\n${members.map((name) => `      - { user: ${name}@x.y }\n`).join("")}users:\n${names.map(user).join("")}`;

  /** Somebody adds people at the end of each list, as people do, and formats. */
  async function withPeople(added: readonly string[]): Promise<string> {
    const cwd = await at({ "roster.yaml": rosterOf([...people, ...added], [...people, ...added]) });
    await inside(["fmt"], { cwd });
    return readFileSync(join(cwd, "roster.yaml"), "utf8");
  }

  test.each([
    ["at the head and at the foot", "aaa", "zoe"],
    ["beside one another", "cy", "eve"],
    ["on both sides of one person", "amy", "cal"],
  ])("merge without a conflict, where their additions go %s", async (_, one, other) => {
    const cwd = emptyDirectory();
    const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
    write("base", await withPeople([]));
    write("ours", await withPeople([one]));
    write("theirs", await withPeople([other]));
    const merged = execFileSync("git", ["merge-file", "-p", "ours", "base", "theirs"], { cwd, encoding: "utf8" });
    expect(merged).toBe(await withPeople([one, other]));
  });
});

describe("roster fmt --schema", () => {
  const line = (path: string) => `# yaml-language-server: $schema=${path}\n`;
  const schema = readFileSync("schemas/roster.schema.json", "utf8");
  const read = (cwd: string, file: string) => readFileSync(join(cwd, file), "utf8");

  test("writes the schema into the directory of the roster, and the line that names it into each file", async () => {
    const cwd = await at({ "roster/a.yaml": tidy, "roster/teams/b.yaml": tidy });
    expect(await inside(["fmt", "--schema", "roster"], { cwd })).toEqual({
      code: 0,
      stdout: "Formatted 3 of 3 files:\n  roster/a.yaml\n  roster/teams/b.yaml\n  roster/roster.schema.json\n",
      stderr: "",
    });
    expect(read(cwd, "roster/roster.schema.json")).toBe(schema);
    expect(read(cwd, "roster/a.yaml")).toBe(`${line("roster.schema.json")}${tidy}`);
    expect(read(cwd, "roster/teams/b.yaml")).toBe(`${line("../roster.schema.json")}${tidy}`);
    const again = await inside(["fmt", "--schema", "--check", "roster"], { cwd });
    expect(again).toEqual({ code: 0, stdout: "2 files: formatted.\n", stderr: "" });
  });

  test("replaces a copy of another version, and a line that leads nowhere", async () => {
    const cwd = await at({
      "a.yaml": `${line("old/roster.schema.json")}${tidy}`,
      "b.yaml": `${line("./roster.schema.json")}${tidy}`,
      "roster.schema.json": "{}\n",
    });
    const check = await inside(["fmt", "--schema", "--check"], { cwd });
    expect([check.code, check.stdout.includes("--- a/roster.schema.json")]).toEqual([2, true]);
    expect(read(cwd, "roster.schema.json")).toBe("{}\n");
    expect((await inside(["fmt", "--schema"], { cwd })).code).toBe(0);
    expect([read(cwd, "roster.schema.json"), read(cwd, "a.yaml"), read(cwd, "b.yaml")]).toEqual([
      schema,
      `${line("roster.schema.json")}${tidy}`,
      `${line("./roster.schema.json")}${tidy}`,
    ]);
  });

  test("leaves lines that lead to another file or address alone, and copies nothing for them", async () => {
    const files = {
      "a.yaml": `${line("../own/schema.json")}${tidy}`,
      "b.yaml": `${line("https://example.com/roster.schema.json")}${tidy}`,
    };
    const cwd = await at({
      "own/schema.json": "{}",
      "roster/a.yaml": files["a.yaml"],
      "roster/b.yaml": files["b.yaml"],
    });
    expect((await inside(["fmt", "--schema", "roster"], { cwd })).stdout).toBe("2 files: formatted.\n");
    expect(readdirSync(join(cwd, "roster")).sort()).toEqual(["a.yaml", "b.yaml"]);
  });

  test("keeps CRLF and a byte order mark", async () => {
    const crlf = tidy.replaceAll("\n", "\r\n");
    const cwd = await at({ "a.yaml": `\ufeff${crlf}` });
    expect((await inside(["fmt", "--schema"], { cwd })).code).toBe(0);
    expect(read(cwd, "a.yaml")).toBe(`\ufeff${line("roster.schema.json").replace("\n", "\r\n")}${crlf}`);
  });

  test("does not write through a link out of the checkout of a pipeline, and needs files", async () => {
    const cwd = await at({ "co/.git/HEAD": "x", "co/a.yaml": tidy, "out/mine.json": "{}" });
    symlinkSync("../out/mine.json", join(cwd, "co/roster.schema.json"));
    const { code, stderr } = await inside(["fmt", "--schema"], { cwd: join(cwd, "co"), env: { CI: "true" } });
    expect([code, read(cwd, "out/mine.json")]).toEqual([3, "{}"]);
    expect(stderr).toContain("leads out of the checkout");
    const input = await inside(["fmt", "--schema", "-"], { cwd });
    expect([input.code, input.stderr.includes("cannot be combined with `-`")]).toEqual([3, true]);
  });
});
