import type { Command, Option } from "commander";
import { commandsWithin } from "./help.ts";

/** A command line as it is parsed. */
export interface NormalizedArguments {
  readonly argv: readonly string[];
  /** The directory in which the command runs, by `-C DIR`. Several follow one another, as with `git` and `make`. */
  readonly directories: readonly string[];
}

/**
 * Lets people type what they are used to: `-auto-approve` as Terraform has it, `--target` for `--include`, `force-unlock` without
 * `state`, `-C DIR`. The value of `--rehearse` is optional, and a path may follow it: only what is written with `=`, or reads as
 * a time, is its value. Values of flags, and what follows `--`, stay as they are.
 */
export function normalizeArguments(typed: readonly string[], program: Command): NormalizedArguments {
  const takesValue = valueFlags(program);
  const end = typed.includes("--") ? typed.indexOf("--") : typed.length;
  const argv: string[] = [];
  const directories: string[] = [];
  for (let at = 0; at < end; ) {
    const words = typed.slice(at, Math.min(at + 2, end));
    const read = takesValue.has(argv.at(-1) ?? "") ? asTyped(words) : (directoryIn(words) ?? rehearsalIn(words));
    if ("directory" in read) directories.push(read.directory);
    else argv.push(read.word);
    at += read.takes;
  }
  return { argv: [...withStateCommand(argv), ...typed.slice(end)], directories };
}

/** What one or two words of a command line come to, and how many of them. */
type ReadWords = { readonly takes: 1 | 2 } & ({ readonly word: string } | { readonly directory: string });

function asTyped([word = ""]: readonly string[]): ReadWords {
  return { word, takes: 1 };
}

/** The directory that `-C DIR`, `-CDIR` or Terraform's `-chdir=DIR` names. Without a directory the flag stays for the parser to refuse. */
function directoryIn([word = "", next]: readonly string[]): ReadWords | undefined {
  const [, directory] = /^(?:-C|--?chdir=)(.+)$/su.exec(word) ?? [];
  if (directory !== undefined) return { directory, takes: 1 };
  return (word === "-C" || word === "--chdir") && next !== undefined ? { directory: next, takes: 2 } : undefined;
}

function rehearsalIn([typed = "", next = ""]: readonly string[]): ReadWords {
  const word = usualFlag(typed);
  if (word !== "--rehearse") return { word, takes: 1 };
  return /^\d+(?:ms|s)$/u.test(next) ? { word: `${word}=${next}`, takes: 2 } : { word: `${word}=`, takes: 1 };
}

/** A long flag has two dashes, and some have another name elsewhere. */
function usualFlag(word: string): string {
  const flag = /^-[a-z][a-z-]+(?:=|$)/su.test(word) && !/^-o(?:=|json|yaml|text|wide)/u.test(word) ? `-${word}` : word;
  return flag.replace(/^--target(?==|$)/u, "--include");
}

function withStateCommand(argv: readonly string[]): readonly string[] {
  const at = argv.findIndex((word) => !word.startsWith("-"));
  return argv[at] === "force-unlock" ? [...argv.slice(0, at), "state", "unlock", ...argv.slice(at + 1)] : argv;
}

/** The flags after which the next word is a value, whatever it looks like. */
function valueFlags(program: Command): ReadonlySet<string> {
  const options = commandsWithin(program).flatMap(({ command }): readonly Option[] => command.options);
  const flags = options.filter(({ required }) => required).flatMap(({ long, short }) => [long ?? "", short ?? ""]);
  return new Set(flags.filter((flag) => flag !== "" && flag !== "-C"));
}
