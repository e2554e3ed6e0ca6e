/** What `roster fmt` found, and whether it wrote it. */
export interface FormattingReport {
  readonly did: "wrote" | "checked";
  /** How many files were looked at. */
  readonly files: number;
  /** Those that were not formatted, in their order. */
  readonly unformatted: readonly UnformattedFile[];
}

export interface UnformattedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}
