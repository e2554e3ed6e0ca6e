import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bashReplies, completionScripts, lineWords } from "../../../../src/cli/commands/completion.ts";
import { emptyDirectory } from "../../../support/command.ts";

/** What bash breaks words at, unless somebody changed it. */
const breaks = " \t\n\"'><=;|&(:";

const lines: readonly (readonly [line: string, before: readonly string[], last: object])[] = [
  ["roster ", ["roster"], { text: "", quote: "", broken: "" }],
  ["roster pl", ["roster"], { text: "pl", quote: "", broken: "" }],
  ["r --include user:ada@x", ["r", "--include"], { text: "user:ada@x", quote: "", broken: "user:" }],
  ["r --include=user:a", ["r"], { text: "--include=user:a", quote: "", broken: "--include=user:" }],
  ["r team:Data\\ Sc", ["r"], { text: "team:Data Sc", quote: "", broken: "team:" }],
  ["r 'team:Data Sc", ["r"], { text: "team:Data Sc", quote: "'", broken: "" }],
  ['r "a \\"b\\" \\x ', ["r"], { text: 'a "b" \\x ', quote: '"', broken: "" }],
  ["r '' x", ["r", ""], { text: "x", quote: "", broken: "" }],
];

test.each(lines)("the line %j is split as bash splits it", (line, before, last) => {
  expect(lineWords(line, breaks)).toEqual({ before, last });
});

const hasBash = spawnSync("bash", ["--version"]).status === 0;

describe.skipIf(!hasBash)("bash", () => {
  // Not by `source <(…)`: bash 3.2, which is that of macOS, takes nothing from there.
  test("takes its script from `eval`", () => {
    const env = { ...process.env, SCRIPT: completionScripts.bash };
    const script = 'eval "$SCRIPT"; complete -p roster';
    expect(execFileSync("bash", ["--norc", "-c", script], { encoding: "utf8", env })).toBe(
      "complete -F _roster_completion roster\n",
    );
  });

  /** What each of these words of a command line says to bash, which runs whatever a word makes it run. */
  function said(written: readonly string[]): readonly string[] {
    const script = `set +H\n${written.map((word) => `printf '%s\\0' ${word}`).join("\n")}\n`;
    return execFileSync("bash", ["--norc", "-s"], { input: script, encoding: "utf8", cwd: "/" })
      .split("\0")
      .slice(0, -1);
  }

  test("takes a completed word for what it says, whatever that is", () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        "$(touch /x)",
        "`id`",
        "a;b",
        "a b",
        "it's",
        '"q"',
        "a:b=c",
        "~",
        "*",
        "!x",
        "{a,b}",
        "#c",
        "&",
        "\\",
        "é数",
      ),
      fc.string({ unit: fc.constantFrom(..." $()`;&|<>'\"\\*?[]{}~#!:=@,%^-+a1é"), minLength: 1, maxLength: 8 }),
    );
    fc.assert(
      fc.property(
        fc.array(hostile, { minLength: 20, maxLength: 60 }),
        fc.constantFrom("", "'", '"'),
        (names, quote) => {
          const words = names.map((name) => `team:${name}`);
          const typed = lineWords(`r ${quote}team:`, breaks).last;
          const told = words.flatMap((word) => bashReplies([word], typed).map((reply) => [word, reply] as const));
          const line = told.map(([, reply]) => (quote === "" ? `team:${reply}` : `${quote}${reply}${quote}`));
          expect(said(line)).toEqual(told.map(([word]) => word));
        },
      ),
      { seed: 81, numRuns: 12 },
    );
  });

  test("understands its script", () => {
    expect(spawnSync("bash", ["-n"], { input: completionScripts.bash, encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });
});

describe.each(["zsh", "fish"] as const)("%s", (shell) => {
  const isThere = spawnSync(shell, ["--version"]).status === 0;

  test.skipIf(!isThere)("understands its script", () => {
    const file = join(emptyDirectory(), `roster.${shell}`);
    // A file, since fish checks no standard input.
    const check = (script: string) => {
      writeFileSync(file, script);
      const { status, stderr } = spawnSync(shell, ["-n", file], { encoding: "utf8" });
      return { status, stderr };
    };
    expect(check(completionScripts[shell])).toEqual({ status: 0, stderr: "" });
    expect(check("if (\n").status).not.toBe(0);
  });
});
