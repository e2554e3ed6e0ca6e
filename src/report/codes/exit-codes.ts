import { type CodeText, codeText } from "./code-text.ts";

/** What an exit code says, for people. */
export function formatExitCode(code: number): string {
  return exitCodeMeanings.get(code) ?? "failed";
}

const exitCodeMeanings: ReadonlyMap<number, string> = new Map([
  [0, "done, or nothing to do"],
  [1, "failed"],
  [2, "changes wait"],
  [3, "the roster, the settings or the command line is invalid"],
  [4, "the service refused our key or our permission"],
  [5, "refused by a guard or a rehearsal, or not approved"],
  [6, "stale: plan again"],
  [7, "partial: something failed, was skipped, was stale, or has an unknown outcome"],
  [8, "the state is locked"],
  [9, "nothing else to do, but blocking findings remain"],
  [129, "the terminal was closed"],
  [130, "interrupted"],
  [143, "terminated"],
]);

const exitCode = (code: number, means: string, next: string): readonly [string, CodeText] => [
  String(code),
  codeText(formatExitCode(code), means, next),
];

/** How commands end. Where several hold, the first of 130, 143, 129, 3, 4, 8, 5, 6, 7, 1, 2 and 9. */
export const exitCodes: Readonly<Record<string, CodeText>> = Object.fromEntries([
  exitCode(0, "What was asked for is done, or there was nothing to do. Notices may remain.", "Nothing."),
  exitCode(
    1,
    "Among others, the service could not be read or understood, or a result could not be written.",
    "Read the error, and run it again.",
  ),
  exitCode(
    2,
    "The service differs from the roster in what calls can correct. Only `plan --detailed-exitcode`, `drift` and the like say so.",
    "Review the plan, and apply it.",
  ),
  exitCode(
    3,
    "Something that a person wrote is wrong, and nothing was sent.",
    "Mend what the errors name; each says where and how.",
  ),
  exitCode(
    4,
    "The service answered 401 or 403. What was done before is recorded.",
    "Use a key that may do it, and run it again.",
  ),
  exitCode(
    5,
    "A guard refuses the plan, its rehearsal ran into trouble, or nobody approved it. Nothing was sent.",
    "Read why; correct the roster, allow just this plan, or approve it.",
  ),
  exitCode(
    6,
    "No action of a saved plan fits any more, the file was applied before or is too old, or a newer roster was already applied.",
    "Plan again.",
  ),
  exitCode(
    7,
    "Some of it was done. The run names what was not, and why.",
    "Run `roster apply` again: it goes on from there, and does nothing twice.",
  ),
  exitCode(8, "Another run holds the state. Nothing was sent.", "Wait for it, or say --lock-timeout."),
  exitCode(
    9,
    "All that calls can do is done, and something needs a person: the roster does not get what it asks for, or somebody holds access that it denies.",
    "See to the blocking findings.",
  ),
  exitCode(129, "The terminal went away. The call under way was ended, and the journal saved.", "Run it again."),
  exitCode(
    130,
    "Ctrl-C. The call under way was ended, nothing more was begun, and the journal was saved.",
    "Run it again.",
  ),
  exitCode(
    143,
    "SIGTERM. The call under way was ended, nothing more was begun, and the journal was saved.",
    "Run it again.",
  ),
]);
