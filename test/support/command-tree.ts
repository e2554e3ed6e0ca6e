import type { Command } from "commander";
import { commandsWithin } from "../../src/cli/command-line/command-tree.ts";
import { newProgram } from "../../src/cli/command-line/program.ts";
import { insideHost } from "./inside.ts";

/** The whole command line, of which no command does anything; and what it tells. */
export function commandTree(): {
  readonly program: Command;
  readonly commands: ReturnType<typeof commandsWithin>;
  readonly told: readonly string[];
} {
  const told: string[] = [];
  const tell = (text: string) => {
    told.push(text);
  };
  const host = insideHost({ cwd: "/" });
  const program = newProgram(host, () => undefined, { answer: tell, complain: tell });
  const commands = commandsWithin(program);
  // A command with subcommands, such as `drift`, may run by itself too. commander has no public way to ask.
  for (const { command } of commands)
    if (typeof Reflect.get(command, "_actionHandler") === "function") command.action(() => undefined);
  return { program, commands, told };
}
