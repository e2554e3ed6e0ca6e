import type { RunWords } from "../../library/planning/policy.ts";
import type { Policy } from "../../model/policy.ts";

/** What a report is told where the run is about a part of the roster. */
export function selectedPart({ include, exclude }: Pick<Policy, "include" | "exclude">): { readonly selected?: true } {
  return include.length + exclude.length === 0 ? {} : { selected: true };
}

/** The arguments of a command that say which plan it is about, each as one word of a shell: for another command that is printed. */
export function repeatedArguments(
  paths: readonly string[],
  { include = [], exclude = [] }: RunWords,
): { readonly repeats?: readonly string[] } {
  const repeats = [
    ...paths.map((path) => (path.startsWith("-") && path !== "-" ? `./${path}` : path)),
    ...include.flatMap((written) => ["--include", written]),
    ...exclude.flatMap((written) => ["--exclude", written]),
  ];
  return repeats.length === 0 ? {} : { repeats: repeats.map(shellWord) };
}

/** As it is where no shell could take it for something else, else in quotes. */
function shellWord(text: string): string {
  return /^[\p{L}\p{N}._+:@/-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
