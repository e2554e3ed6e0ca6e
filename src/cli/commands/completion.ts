import type { Command } from "commander";
import { type Candidate, candidatesFor, isFiles } from "../command-line/completion-candidates.ts";
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
  const about =
    shell === "bash"
      ? bashReplies(
          found.map(({ word }) => word),
          last,
        )
      : found.map(withMeaning);
  host.stdout.write([isOpen ? "open" : "words", ...about, ""].join("\n"));
  return 0;
}

function wordsGiven(words: readonly string[]): LineWords {
  return { before: words.slice(0, -1), last: { text: words.at(-1) ?? "", quote: "", broken: "" } };
}

function withMeaning({ word, means }: Candidate): string {
  return means === undefined ? word : `${word}\t${means.replace(/\s+/gu, " ")}`;
}

/** The last word of a line, as far as it is typed. */
export interface LastWord {
  /** What it says. */
  readonly text: string;
  /** The quotation mark that is open at its end. */
  readonly quote: "" | "'" | '"';
  /** What of its text stands before the last place at which the shell breaks words. */
  readonly broken: string;
}

export interface LineWords {
  /** The words before the last one. */
  readonly before: readonly string[];
  readonly last: LastWord;
}

const empty: LastWord = { text: "", quote: "", broken: "" };

/** A command line as bash splits it, up to where somebody types. Nothing in it is expanded. */
export function lineWords(line: string, breaks: string): LineWords {
  const before: string[] = [];
  let last = empty;
  let isBegun = false;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at] ?? "";
    const next = line[at + 1] ?? "";
    if (last.quote === "" && /\s/u.test(letter)) {
      if (isBegun) before.push(last.text);
      last = empty;
      isBegun = false;
      continue;
    }
    isBegun = true;
    if (escapes(letter, next, last.quote)) {
      last = { ...last, text: last.text + next };
      at += 1;
    } else last = withLetter(last, letter, breaks);
  }
  return { before, last };
}

function escapes(letter: string, next: string, quote: LastWord["quote"]): boolean {
  if (letter !== "\\" || quote === "'" || next === "") return false;
  return quote === "" || /["\\$`]/u.test(next);
}

function withLetter(last: LastWord, letter: string, breaks: string): LastWord {
  if (letter === last.quote) return { ...last, quote: "" };
  if (last.quote === "" && (letter === "'" || letter === '"')) return { ...last, quote: letter };
  const text = last.text + letter;
  return last.quote === "" && breaks.includes(letter) ? { ...last, text, broken: text } : { ...last, text };
}

/**
 * Words as bash is to put them in the place of what is typed: what a shell would take for more than a letter is escaped, and what
 * stands before the last break is left out, since it stays. Nothing where a word cannot be written within the open quotes.
 */
export function bashReplies(words: readonly string[], { quote, broken }: LastWord): readonly string[] {
  return words.filter((word) => word.startsWith(broken)).flatMap((word) => written(word, { quote, broken }) ?? []);
}

function written(word: string, { quote, broken }: Pick<LastWord, "quote" | "broken">): string | undefined {
  switch (quote) {
    case "":
      return word.slice(broken.length).replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, "\\$&");
    case "'":
      return word.includes("'") ? undefined : word;
    case '"':
      return word.includes("!") ? undefined : word.replace(/["\\$`]/gu, "\\$&");
  }
}

/** The shells for which there is a completion, with what makes them ask roster. */
export const completionScripts = {
  bash: `# Completion of roster for bash: eval "$(roster completion bash)"
_roster_completion() {
  local kind= line=
  COMPREPLY=()
  {
    IFS= read -r kind
    while IFS= read -r line; do COMPREPLY+=("$line"); done
  } < <("$1" completion candidates bash -- "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  case $kind in
    files) compopt -o default -o filenames 2>/dev/null ;;
    open) compopt -o nospace 2>/dev/null ;;
  esac
}
complete -F _roster_completion roster
`,
  zsh: `#compdef roster
# Completion of roster for zsh: source <(roster completion zsh), or as a file _roster in fpath
_roster() {
  local kind value about
  local -a values shown
  {
    IFS= read -r kind
    while IFS=$'\\t' read -r value about; do
      values+=("$value")
      shown+=("$value\${about:+  -- $about}")
    done
  } < <("\${(Q)words[1]}" completion candidates zsh -- "\${(@Q)words[1,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  case $kind in
    files)
      [[ -n $values[1] ]] && compset -P "$values[1]"
      _files
      ;;
    open) compadd -l -S '' -d shown -a -- values ;;
    *) compadd -l -d shown -a -- values ;;
  esac
}
if [[ $funcstack[1] == _roster ]]; then _roster "$@"; else compdef _roster roster; fi
`,
  fish: `# Completion of roster for fish: roster completion fish | source
function __roster_candidates
    set -l last (commandline -ct)
    set -l said (string unescape -- "$last"; or string unescape -- "$last'"; or string unescape -- "$last\\"")
    set -l words (commandline -opc) "$said"
    set -l answer (command $words[1] completion candidates fish -- $words 2>/dev/null)
    if test "$answer[1]" = files
        set -l head "$answer[2]"
        test -n "$head"; and set last (string replace -- "$head" '' "$last")
        for path in (__fish_complete_path "$last")
            printf '%s%s\\n' "$head" "$path"
        end
    else
        printf '%s\\n' $answer[2..-1]
    end
end
complete -c roster -f -a '(__roster_candidates)'
`,
} as const;

export type Shell = keyof typeof completionScripts;
