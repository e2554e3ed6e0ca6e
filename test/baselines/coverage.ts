import type { Command } from "commander";
import { commandTree } from "../support/command-tree.ts";
import type { RanCommand } from "./run-command.ts";

/** What the command line offers, such as `plan`, `plan --format json` and `--debug`, as far as no command was run with it. */
export function notCovered(ran: readonly RanCommand[]): readonly string[] {
  const { program, commands } = commandTree();
  const covered = new Set(ran.flatMap((one) => [...usesOf(one, program)]));
  const offered = commands.flatMap(({ command, path }) => [...offersOf(command, path)]);
  return [...new Set(offered)].filter((offer) => !covered.has(offer)).sort();
}

/** A command that only groups others shows its help. */
function* offersOf(command: Command, path: string): Generator<string> {
  yield `${path} --help`.trim();
  const isGroup =
    command.registeredArguments.length === 0 && command.commands.length > 0 && command.options.length === 0;
  if (!isGroup && path !== "") yield path;
  for (const { choices = [] } of command.registeredArguments.map(({ argChoices }) => ({ choices: argChoices }))) {
    for (const choice of choices) yield `${path} ${choice}`;
  }
  for (const { long, argChoices = [] } of command.options) {
    if (long === undefined || long === null) continue;
    yield long;
    for (const choice of argChoices) yield `${path} ${long} ${choice}`;
  }
}

/** A command line that was refused covers nothing but its help. */
function* usesOf({ words, code }: RanCommand, program: Command): Generator<string> {
  const { command, path, rest } = commandOf(words, program);
  const flags = words.filter((word) => word.startsWith("--")).map((word) => word.replace(/=.*/u, ""));
  if (code === 3) return;
  yield* flags;
  if (flags.includes("--help")) {
    yield `${path} --help`.trim();
    return;
  }
  yield path;
  const [argument] = rest;
  if (argument !== undefined) yield `${path} ${argument}`;
  for (const { long, defaultValue } of command.options) {
    const at = words.indexOf(long ?? "");
    yield `${path} ${long} ${at < 0 ? String(defaultValue) : words[at + 1]}`;
  }
}

function commandOf(words: readonly string[], program: Command) {
  let command = program;
  const path: string[] = [];
  for (const word of words) {
    const inner = command.commands.find((one) => one.name() === word);
    if (inner === undefined) break;
    command = inner;
    path.push(word);
  }
  return { command, path: path.join(" "), rest: words.slice(path.length) };
}
