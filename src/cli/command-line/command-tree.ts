import type { Command } from "commander";

export interface EndedCommand {
  readonly exitCode: number;
}

export function commandsWithin(
  command: Command,
  path = "",
): readonly { readonly command: Command; readonly path: string }[] {
  const inner = command.commands.flatMap((one) => commandsWithin(one, `${path} ${one.name()}`.trim()));
  return [{ command, path }, ...inner];
}
