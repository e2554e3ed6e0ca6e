import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { completionScript } from "../../src/cli/commands/completion.ts";
import { commandTree } from "../support/command-tree.ts";
import { outsideProgram } from "../support/outside-program.ts";

const hasBash = outsideProgram("bash") !== undefined;
const { program } = commandTree();

/** What a bash that has the script offers for the last of these words. */
function offered(...words: readonly string[]): readonly string[] {
  const script = `${completionScript("bash", program)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}) COMP_CWORD=${words.length - 1}
_roster
printf '%s\\n' "\${COMPREPLY[@]}"
`;
  return execFileSync("bash", ["--norc", "-s"], { input: script, encoding: "utf8" }).trimEnd().split("\n");
}

describe.skipIf(!hasBash)("the completion of bash offers", () => {
  test.each([
    ["commands", ["roster", "valid"], ["validate"]],
    ["subcommands", ["roster", "state", "unl"], ["unlock"]],
    ["flags of the command", ["roster", "--no-color", "plan", "--detailed"], ["--detailed-exitcode"]],
    ["choices of a flag", ["roster", "plan", "--view", "t"], ["teams"]],
    ["choices of an argument", ["roster", "completion", "f"], ["fish"]],
    ["nothing for a value that people choose", ["roster", "plan", "--endpoint", ""], [""]],
  ])("%s", (_, words, replies) => {
    expect(offered(...words)).toEqual(replies);
  });
});
