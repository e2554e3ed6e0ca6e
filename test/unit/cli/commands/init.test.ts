import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { bundledSchema } from "../../../../src/cli/installed-package.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { inside } from "../../../support/inside.ts";

describe("the .gitignore that is there already", () => {
  type Unread = [what: string, make: (path: string) => void, why: string];
  const closed: Unread = ["closed", (path) => writeFileSync(path, "x", { mode: 0o200 }), "EACCES"];

  test.each<[string, Buffer, Buffer]>([
    ["gets a line", Buffer.from("dist/\n"), Buffer.from("dist/\n.roster/\n")],
    ["gets a line of its own", Buffer.from("dist/"), Buffer.from("dist/\n.roster/\n")],
    ["keeps its line ends", Buffer.from("dist/\r\n"), Buffer.from("dist/\r\n.roster/\r\n")],
    ["keeps what is no UTF-8", Buffer.from([0x23, 0xe9, 0x0a]), Buffer.from("#\xe9\n.roster/\n", "latin1")],
    ["stays as it is where the line is there", Buffer.from("/x\n.roster\n"), Buffer.from("/x\n.roster\n")],
  ])("%s", async (_, before, after) => {
    const cwd = emptyDirectory();
    writeFileSync(join(cwd, ".gitignore"), before);
    expect(await inside(["init"], { cwd })).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(cwd, ".gitignore"))).toEqual(after);
  });

  test.each<Unread>([
    ["a directory", (path) => mkdirSync(path), "EISDIR"],
    ["a pipe", (path) => execFileSync("mkfifo", [path]), "it is a pipe, not a regular file"],
    ["a link to nothing", (path) => symlinkSync("nothing", path), "ENOENT"],
    ["too large", (path) => writeFileSync(path, "x".repeat(2 ** 20 + 1)), "it is larger than 1 MiB"],
    // Nothing is closed to the superuser.
    ...(process.getuid?.() === 0 ? [] : [closed]),
  ])("is left alone and told where it cannot be read: %s", async (_, make, why) => {
    const cwd = emptyDirectory();
    make(join(cwd, ".gitignore"));
    const before = lstatSync(join(cwd, ".gitignore"));
    const { code, stdout, stderr } = await inside(["init"], { cwd });
    expect([
      code,
      stdout.startsWith("Wrote roster.yaml, roster.config.yaml, roster.schema.json, roster.config.schema.json in this"),
    ]).toEqual([0, true]);
    expect(stderr).toBe(
      `warning: .gitignore was not changed: it cannot be read or written: ${why}.\n  hint: Add the line \`.roster/\` to .gitignore: do not commit the state.\n`,
    );
    const after = lstatSync(join(cwd, ".gitignore"));
    expect([after.size, after.mtimeMs, existsSync(join(cwd, "nothing"))]).toEqual([before.size, before.mtimeMs, false]);
  });
});

test("a roster in the project in which roster is installed refers to the schema there", () => {
  const file = resolve("some/where/roster.yaml");
  expect(bundledSchema("roster", file)).toBe("../../schemas/roster.schema.json");
  expect(existsSync(resolve(dirname(file), bundledSchema("roster", file) ?? ""))).toBe(true);
  expect(bundledSchema("roster", join(emptyDirectory(), "roster.yaml"))).toBeUndefined();
});
