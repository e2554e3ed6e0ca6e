import type { FormatName } from "../../report/formats.ts";
import type { ViewName } from "../../report/outcome.ts";

/** How the results of a command are to be told, and where. */
export interface OutputFlags {
  /** What is printed. */
  readonly format: FormatName;
  /** What is written beside that. */
  readonly report?: readonly Report[] | undefined;
  /** What Markdown calls this roster. */
  readonly title?: string;
  /** How the text of a plan is to be read. */
  readonly view?: ViewName;
  /** Lines also where a screen could be shown. */
  readonly plain?: boolean;
}

/** A result that is written to a file, in a format of its own. */
export interface Report {
  readonly format: FormatName;
  /** As a person wrote it. */
  readonly file: string;
}

/** For commands that print for people alone. */
export const printedForPeople: OutputFlags = { format: "text" };

/** Whether people follow what is printed while it is: a log of GitHub is the text, with annotations after it. */
export function isFollowed({ format }: OutputFlags): boolean {
  return format === "text" || format === "github";
}
