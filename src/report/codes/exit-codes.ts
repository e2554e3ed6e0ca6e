import { type CodeText, codeText } from "./code-text.ts";

/** How commands end. Where several hold, the first of 130, 143, 129, 3, 4, 8, 5, 6, 7, 1, 2 and 9. */
export const exitCodes: Readonly<Record<string, CodeText>> = {
  "0": codeText(
    "done, or nothing to do",
    "What was asked for is done, or there was nothing to do. Notices may remain.",
    "Nothing.",
  ),
  "1": codeText(
    "failed",
    "Among others, the service could not be read or understood, or a result could not be written.",
    "Read the error, and run it again.",
  ),
  "2": codeText(
    "changes wait",
    "The service differs from the roster in what calls can correct. Only `plan --detailed-exitcode`, `drift` and the like say so.",
    "Review the plan, and apply it.",
  ),
  "3": codeText(
    "the roster, the settings or the command line is invalid",
    "Something that a person wrote is wrong, and nothing was sent.",
    "Mend what the errors name; each says where and how.",
  ),
  "4": codeText(
    "the service refused our key or our permission",
    "The service answered 401 or 403. What was done before is recorded.",
    "Use a key that may do it, and run it again.",
  ),
  "5": codeText(
    "refused by a guard or a rehearsal, or not approved",
    "A guard refuses the plan, its rehearsal ran into trouble, or nobody approved it. Nothing was sent.",
    "Read why; correct the roster, allow just this plan, or approve it.",
  ),
  "6": codeText(
    "stale: plan again",
    "No action of a saved plan fits any more, the file was applied before or is too old, or a newer roster was already applied.",
    "Plan again.",
  ),
  "7": codeText(
    "partial: something failed, was skipped, was stale, or has an unknown outcome",
    "Some of it was done. The run names what was not, and why.",
    "Run `roster apply` again: it goes on from there, and does nothing twice.",
  ),
  "8": codeText(
    "the state is locked",
    "Another run holds the state. Nothing was sent.",
    "Wait for it, or say --lock-timeout.",
  ),
  "9": codeText(
    "nothing else to do, but blocking findings remain",
    "All that calls can do is done, and something needs a person: the roster does not get what it asks for, or somebody holds access that it denies.",
    "See to the blocking findings.",
  ),
  "129": codeText(
    "the terminal was closed",
    "The terminal went away. The call under way was ended, and the journal saved.",
    "Run it again.",
  ),
  "130": codeText(
    "interrupted",
    "Ctrl-C. The call under way was ended, nothing more was begun, and the journal was saved.",
    "Run it again.",
  ),
  "143": codeText(
    "terminated",
    "SIGTERM. The call under way was ended, nothing more was begun, and the journal was saved.",
    "Run it again.",
  ),
};

/** What an exit code says, in a few words for people. */
export function formatExitCode(code: number): string {
  return exitCodes[String(code)]?.title ?? "failed";
}
