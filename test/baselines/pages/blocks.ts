/** A part of a Markdown page that the tests read: a comment with an instruction, or a code block. */
export type Block =
  | { readonly kind: "instruction"; readonly name: string; readonly value: string }
  | { readonly kind: "code"; readonly language: string; readonly text: string; readonly at: number };

const pattern = /^<!-- (stage|write|change|service|first|last|exit)(?:: (.*))? -->$|^```(\w+)\n([\s\S]*?)^```$/gmu;

/**
 * The instructions and code blocks of a page, in their order. Instructions are comments of one line, which readers do not see:
 * `stage: JSON` begins a new directory and service, `write: FILE` writes the next block, `change: FILE` applies the next block
 * as a diff, `service: JSON` changes the service outside roster, `first: N` and `last: N` keep so many paragraphs of the next
 * output, and
 * `exit: CODE` is how the next command ends.
 */
export function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(pattern)].map((match): Block => {
    const [, name, value = "", language = "", text = ""] = match;
    if (name !== undefined) return { kind: "instruction", name, value };
    return { kind: "code", language, text, at: match.index };
  });
}

/** Applies a diff without line numbers: the lines without `+` stand in the file once, and become those without `-`. */
export function applyDiff(file: string, diff: string): string {
  const lines = diff.split("\n").filter((line) => line !== "");
  const side = (other: string) =>
    lines.flatMap((line) => (line.startsWith(other) ? [] : [`${line.slice(1)}\n`])).join("");
  const [before, ...after] = file.split(side("+"));
  if (before === undefined || after.length !== 1)
    throw new Error(`these lines do not stand in the file once:\n${diff}`);
  return `${before}${side("-")}${after.join("")}`;
}
