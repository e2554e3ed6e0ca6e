const wide =
  /[\u{1100}-\u{115F}\u{2E80}-\u{303E}\u{3041}-\u{A4CF}\u{A960}-\u{A97F}\u{AC00}-\u{D7A3}\u{F900}-\u{FAFF}\u{FE30}-\u{FE6F}\u{FF00}-\u{FF60}\u{FFE0}-\u{FFE6}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
const withoutWidth = /[\p{Mn}\p{Me}\p{Cf}\p{Emoji_Modifier}]/u;
const joiner = "\u{200D}";

/** How many columns of a terminal a safe text takes: wide characters count as two, combining ones as none. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  let before = "";
  for (const character of text) {
    columns += before === joiner ? 0 : characterWidth(character);
    before = character;
  }
  return columns;
}

/**
 * Breaks a text at spaces into lines of at most so many columns; a longer word has a line of its own. What stands between
 * backticks is one word: a command is to be copied whole.
 */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line: string | undefined;
  let columns = 0;
  for (const word of splitWords(text)) {
    const more = displayWidth(word);
    if (line === undefined || columns + 1 + more > width) {
      if (line !== undefined) lines.push(line);
      line = word;
      columns = more;
    } else {
      line += ` ${word}`;
      columns += 1 + more;
    }
  }
  return [...lines, line ?? ""];
}

function splitWords(text: string): readonly string[] {
  const parts = text.split("`");
  if (parts.length % 2 === 0 || parts.length === 1) return text.split(" ");
  const words: string[] = [""];
  parts.forEach((part, index) => {
    const [first = "", ...rest] = index % 2 === 1 ? [`\`${part}\``] : part.split(" ");
    words.push(`${words.pop() ?? ""}${first}`, ...rest);
  });
  return words;
}

export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}

function characterWidth(character: string): number {
  if (withoutWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
