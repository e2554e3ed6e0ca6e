import { Argument, type Command } from "commander";
import { completionScripts } from "../completion/scripts.ts";
import type { Host } from "../host.ts";

type End = (code: number) => void;

/** `roster completion`, and what its scripts ask while somebody types. */
export function addCompletion(program: Command, host: Host, end: End): void {
  const shells = Object.keys(completionScripts);
  const completion = program
    .command("completion")
    .description("print what makes a shell complete commands, flags, and the people, teams and roles of the roster")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .action(async (shell) => end((await import("../commands/completion.ts")).completion(shell, host)));
  completion
    .command("candidates", { hidden: true })
    .description("print what can stand where somebody types")
    .addArgument(new Argument("<shell>", "the shell that asks").choices(shells))
    .argument("[words...]", "what is typed; of bash the line, and where it breaks words")
    .action(async (shell, words) =>
      end(await (await import("../commands/completion.ts")).candidates({ shell, given: words }, program, host)),
    );
}
