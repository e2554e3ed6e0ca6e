import type { Command } from "commander";
import { commandTree } from "../support/command-tree.ts";
import type { RanCommand } from "./stage.ts";

/** What the command line offers, such as `plan` and `--debug`, as far as no command was run with it. */
export function notCovered(ran: readonly RanCommand[]): readonly string[] {
  const { program, commands } = commandTree();
  const covered = new Set(ran.flatMap((one) => [...usesOf(one, program)]));
  const offered = commands.flatMap(({ command, path }) => [...offersOf(command, path)]);
  return [...new Set(offered)].filter((offer) => !covered.has(offer)).sort();
}

/** A command that only groups others shows its help. */
function* offersOf(command: Command, path: string): Generator<string> {
  const isGroup =
    command.registeredArguments.length === 0 && command.commands.length > 0 && command.options.length === 0;
  if (!isGroup && path !== "") yield path;
  for (const { long } of command.options) if (long !== undefined && long !== null) yield long;
}

function* usesOf({ words, code }: RanCommand, program: Command): Generator<string> {
  const path = pathOf(words, program);
  const flags = words.filter((word) => word.startsWith("--")).map((word) => word.replace(/=.*/u, ""));
  if (code === 3) return;
  yield* flags;
  if (!flags.includes("--help")) yield path;
}

function pathOf(words: readonly string[], program: Command): string {
  let command = program;
  const path: string[] = [];
  for (const word of words) {
    const inner = command.commands.find((one) => one.name() === word);
    if (inner === undefined) break;
    command = inner;
    path.push(word);
  }
  return path.join(" ");
}
