/** What a code says, for people. Sentences; a place for a value is written as EMAIL, FILE and the like. */
export interface CodeText {
  /** A few words, without a stop. */
  readonly title: string;
  /** What it means, and why it happens. */
  readonly means: string;
  /** What a person can do. */
  readonly next: string;
  /** What a command prints about it, then lines of YAML, or commands and flags, to paste. */
  readonly example?: string;
}

export function codeText(title: string, means: string, next: string, example?: string): CodeText {
  return { title, means, next, ...(example === undefined ? {} : { example }) };
}
