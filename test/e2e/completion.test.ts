import { expect, test } from "vitest";
import { completionScript, shells } from "../../src/cli/commands/completion.ts";
import { commandTree } from "../support/command-tree.ts";

const { program, commands } = commandTree();

test.each(shells)("the script of %s has every command and every flag", (shell) => {
  const script = completionScript(shell, program);
  for (const { path, command } of commands) {
    expect(script).toContain(`"${`roster ${path}`.trim()}"`);
    for (const { long } of command.options) expect(script).toContain((long ?? "").slice(2));
  }
});
