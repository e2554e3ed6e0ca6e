import { describe, expect, test } from "vitest";
import { helpExamples } from "../../../../src/cli/command-line/commands.ts";
import { settingRows } from "../../../../src/cli/settings/setting-table.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { commandTree } from "../../../support/command-tree.ts";
import { inside } from "../../../support/inside.ts";

const paths = commandTree().commands.map(({ path }) => path);

describe("the help of", () => {
  test("every command begins with its examples, and there are examples of no other", () => {
    expect([...helpExamples.keys()].sort()).toEqual([...paths].sort());
    const { commands, told } = commandTree();
    for (const { command, path } of commands) {
      const examples = helpExamples.get(path) ?? [];
      const least = path === "demo" ? 1 : 2;
      expect({ path, many: examples.length >= least && examples.length <= 3 }).toEqual({ path, many: true });
      const before = told.length;
      expect(() => command.help()).toThrow();
      const [first = "", ...lines] = told.slice(before).join("").split("\n");
      expect({ path, first, usage: lines[lines.indexOf("") + 1] }).toEqual({
        path,
        first: "Examples:",
        usage: expect.stringMatching(new RegExp(`^Usage: roster ?${path}`, "u")),
      });
      expect(command.description(), path).not.toBe("");
    }
  });

  test.each([...helpExamples].flatMap(([path, examples]) => examples.map(([line]) => [line, path] as const)))(
    "%s is a command line that is understood, of %j",
    async (line, path) => {
      const words = line.matchAll(/"([^"]*)"|(\S+)/gu);
      const [name, ...argv] = [...words].map(([, quoted, bare]) => quoted ?? bare ?? "");
      expect(name).toBe("roster");
      if (path !== "") expect(argv.join(" ").startsWith(path)).toBe(true);
      const { program, told } = commandTree();
      await program.parseAsync(argv, { from: "user" });
      expect(told).toEqual([]);
    },
  );

  test("every command tells its arguments and its flags, or where all flags are told", () => {
    const { commands, told } = commandTree();
    const missing = commands.flatMap(({ command, path }) => {
      const before = told.length;
      expect(() => command.help()).toThrow();
      const text = told.slice(before).join("");
      const flags = text.includes(`All flags: roster help ${path} --all`) ? [] : command.options;
      const terms = [...command.registeredArguments.map((one) => one.name()), ...flags.map((one) => one.flags)];
      return terms.filter((term) => !text.includes(`  ${term}`)).map((term) => `${path}: ${term}`);
    });
    expect(missing).toEqual([]);
  });

  test("every command fits into 80 columns", () => {
    const { commands, told } = commandTree();
    for (const { command } of commands) expect(() => command.help()).toThrow();
    const long = told
      .join("")
      .split("\n")
      .filter((line) => line.length > 80);
    expect(long).toEqual([]);
  });

  test.each(["plan", "apply", "drift", "fleet apply"])(
    "%s fits on one screen of 40 lines, and `--all` tells every flag",
    async (name) => {
      const short = await inside([...name.split(" "), "--help"], { cwd: emptyDirectory() });
      expect(short.stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
      expect(short.stdout).toContain(`\nAll flags: roster help ${name} --all\n`);
      const whole = await inside(["help", ...name.split(" "), "--all"], { cwd: emptyDirectory() });
      const command = commandTree().commands.find(({ path }) => path === name)?.command;
      const missing = command?.options.filter(({ long }) => !whole.stdout.includes(`  ${long}`));
      expect({ code: whole.code, missing }).toEqual({ code: 0, missing: [] });
      expect((await inside([...name.split(" "), "--help", "--all"], { cwd: emptyDirectory() })).stdout).toBe(
        whole.stdout,
      );
    },
  );

  test("all commands stay few and small: 17 commands, 40 flags, 12 flags in a first help, 30 settings", async () => {
    const flagsOf = async (path: string, ...all: readonly string[]) => {
      const { stdout } = await inside([...path.split(" "), "--help", ...all], { cwd: emptyDirectory() });
      const isWhole = !stdout.includes(`\nAll flags: roster help ${path} --all\n`);
      return { path, isWhole, flags: [...stdout.matchAll(/^ {2}(--[a-z-]+)/gmu)].map(([, flag]) => flag).sort() };
    };
    const named = paths.filter((path) => path !== "");
    const first = await Promise.all(named.map((path) => flagsOf(path)));
    const all = await Promise.all(named.map((path) => flagsOf(path, "--all")));
    expect(first.filter(({ isWhole }) => isWhole)).toEqual(all.filter((_, index) => first[index]?.isWhole));
    expect(named.filter((path) => !path.includes(" ")).length).toBeLessThanOrEqual(17);
    expect(new Set(all.flatMap(({ flags }) => flags)).size).toBeLessThanOrEqual(40);
    expect(first.filter(({ flags }) => flags.length > 12)).toEqual([]);
    expect(settingRows.length).toBeLessThanOrEqual(30);
  });

  test.each([
    ["plan", "people"],
    ["drift", "people"],
  ])("%s is shown after a path too, although the command has others below it", async (...words) => {
    const { code, stdout } = await inside([...words, "--help"], { cwd: emptyDirectory() });
    expect([code, stdout.includes(`Usage: roster ${words[0]} [options]`)]).toEqual([0, true]);
  });
});

test.each([
  [["-C", ".", "plan", "--bogus"], "plan"],
  [["bogus", "plan"], "roster"],
])("a slip in %j is a document of %s", async (argv, command) => {
  const { stdout } = await inside([...argv, "--format", "json"], { cwd: emptyDirectory() });
  expect(JSON.parse(stdout).command).toBe(command);
});
