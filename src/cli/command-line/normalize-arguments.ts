import type { Command, Option } from "commander";
import { commandsWithin } from "./help.ts";

/**
 * A command line as it is parsed, from one as it was typed. The value of `--rehearse` is optional, and a path may follow it:
 * only what is written with `=`, or reads as a time, is its value.
 */
export function normalizeArguments(argv: readonly string[], program: Command): readonly string[] {
  const takesValue = valueFlags(program);
  const words: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "--") return [...words, ...argv.slice(at)];
    const isValue = takesValue.has(words.at(-1) ?? "");
    if (isValue || word !== "--rehearse") words.push(word);
    else if (/^\d+(?:ms|s)$/u.test(argv[at + 1] ?? "")) {
      words.push(`${word}=${argv[at + 1]}`);
      at += 1;
    } else words.push(`${word}=`);
  }
  return words;
}

/** The flags after which the next word is a value, whatever it looks like. */
function valueFlags(program: Command): ReadonlySet<string> {
  const options = commandsWithin(program).flatMap(({ command }): readonly Option[] => command.options);
  return new Set(options.filter(({ required }) => required).flatMap(({ long, short }) => [long ?? "", short ?? ""]));
}
