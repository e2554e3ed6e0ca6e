import { commandsWithin, newProgram } from "../../src/cli/command-line/commands.ts";

/** The whole command line, of which no command does anything; and what it tells. */
export function commandTree() {
  const told: string[] = [];
  const tell = (text: string) => {
    told.push(text);
  };
  // The others only hold commands.
  const actionOf = (path: string) => (path === "fleet" || path === "state" ? undefined : () => undefined);
  const program = newProgram({ answer: tell, complain: tell }, "all", undefined, actionOf);
  const commands = commandsWithin(program);
  return { program, commands, told };
}
