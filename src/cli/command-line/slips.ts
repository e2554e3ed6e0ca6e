import type { Command } from "commander";
import { closestMatch } from "../../model/similarity.ts";

const helpFlags: readonly string[] = ["-h", "--help"];

/**
 * The words to parse. Without the wish for help where a command is not known: the help of what stands above it would hide the slip.
 * `help state show` is `state show --help`.
 */
export function argumentsToParse(argv: readonly string[], program: Command): string[] {
  const [first, ...rest] = argv;
  const words = first === "help" && rest.length > 0 && !rest.some(isFlag) ? [...rest, "--help"] : argv;
  return namesUnknown(words, program) ? words.filter((word) => !helpFlags.includes(word)) : [...words];
}

function isFlag(word: string): boolean {
  return word.startsWith("-");
}

function namesUnknown([word, ...rest]: readonly string[], { commands }: Command): boolean {
  if (word === undefined || isFlag(word) || commands.length === 0) return false;
  const known = commands.find((command) => command.name() === word || command.aliases().includes(word));
  return known === undefined || namesUnknown(rest, known);
}

/** The words that call the command which a command line is about, such as `state show`; empty where it is about none. */
export function commandInArguments(argv: readonly string[], program: Command): string {
  let command = program;
  const path: string[] = [];
  for (const word of argv) {
    const inner = command.commands.find((one) => one.name() === word);
    if (inner === undefined) break;
    command = inner;
    path.push(word);
  }
  return path.join(" ");
}

/** What was most likely meant where a flag's or an argument's value is none of its choices, from how that was told. */
export function suggestedChoice(told: string): string | undefined {
  const [, said, choices] =
    /(?:argument|value) '([^']*)' is invalid\b.* Allowed choices are (.*)\.$/su.exec(told) ?? [];
  const close = said === undefined || choices === undefined ? undefined : closestMatch(said, choices.split(", "));
  return close === undefined ? undefined : `Did you mean ${close}?`;
}
