import type { LastWord } from "./line-words.ts";

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
