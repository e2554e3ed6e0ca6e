import { Command } from "commander";
import type { Host } from "../host.ts";
import { installedPackage } from "../package-directory.ts";
import { addCommands } from "./command-list.ts";
import { withHelp } from "./help.ts";

/** Where a program tells its help, and what is wrong with a command line. */
export interface ProgramOutput {
  answer(text: string): void;
  complain(text: string): void;
}

/** The command line with all its commands, which tells `end` the exit code of the one that was run. */
export function newProgram(host: Host, end: (code: number) => void, { answer, complain }: ProgramOutput): Command {
  const program = new Command("roster")
    .description(
      "Brings an account service to what a directory of YAML files says:\nwho exists, who is in which team, which roles each key has.",
    )
    .version(installedPackage().version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    // What stands after a command is its own, also where the one above it has an option of the same name.
    .enablePositionalOptions()
    .configureOutput({ writeOut: answer, writeErr: complain })
    .exitOverride();
  return withHelp(program, () => addCommands(program, host, end));
}
