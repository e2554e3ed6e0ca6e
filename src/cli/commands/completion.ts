import type { Command } from "commander";
import { bashReplies } from "../completion/bash-replies.ts";
import { candidatesFor } from "../completion/candidates.ts";
import { type LineWords, lineWords } from "../completion/line-words.ts";
import { completionScripts, type Shell } from "../completion/scripts.ts";
import { type Candidate, isFiles } from "../completion/sources.ts";
import type { Host } from "../host.ts";

/** Prints what makes a shell complete the command line of roster. */
export function completion(shell: Shell, host: Host): number {
  host.stdout.write(completionScripts[shell]);
  return 0;
}

/** Who asks, and what it says of what is typed. */
export interface CompletionRequest {
  readonly shell: Shell;
  readonly given: readonly string[];
}

/**
 * Prints what can stand where somebody types: first whether it is `words`, words that are `open` at their end, or `files`; then
 * a word a line, or what stands before the name of a file. Reads the roster's files and nothing else. bash gives the line and where
 * it breaks words, and knows itself what stands before a file; other shells give words.
 */
export async function candidates(asked: CompletionRequest, program: Command, host: Host): Promise<number> {
  const { shell, given } = asked;
  const [line = "", breaks = ""] = given;
  const { before, last } = shell === "bash" ? lineWords(line, breaks) : wordsGiven(given);
  const found = await candidatesFor([...before, last.text], program, host);
  if (isFiles(found)) {
    host.stdout.write(shell === "bash" ? "files\n" : `files\n${found.filesBehind}\n`);
    return 0;
  }
  const isOpen = found.length > 0 && found.every(({ word }) => /[:=@/]$/u.test(word));
  const told =
    shell === "bash"
      ? bashReplies(
          found.map(({ word }) => word),
          last,
        )
      : found.map(withMeaning);
  host.stdout.write([isOpen ? "open" : "words", ...told, ""].join("\n"));
  return 0;
}

function wordsGiven(words: readonly string[]): LineWords {
  return { before: words.slice(0, -1), last: { text: words.at(-1) ?? "", quote: "", broken: "" } };
}

function withMeaning({ word, means }: Candidate): string {
  return means === undefined ? word : `${word}\t${means.replace(/\s+/gu, " ")}`;
}
