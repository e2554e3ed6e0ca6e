import type { Command } from "commander";

/** A program and its commands, each with the words that call it, such as `state show`. */
export function commandsWithin(
  command: Command,
  path = "",
): readonly { readonly command: Command; readonly path: string }[] {
  const inner = command.commands.flatMap((one) => commandsWithin(one, `${path} ${one.name()}`.trim()));
  return [{ command, path }, ...inner];
}
