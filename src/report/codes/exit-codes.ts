import type { DriftClass } from "../../model/drift.ts";
import { type CodeText, codeText } from "./code-text.ts";

/** How commands end. `cli/output/exit-code.ts` says which one counts where several hold. */
export const exitCodes: Readonly<Record<string, CodeText>> = {
  "0": codeText(
    "done, or nothing to do",
    "The command did everything, or there was nothing to do. Notices may remain.",
    "Do nothing.",
  ),
  "1": codeText(
    "failed",
    "For example, roster could not read the service or write a result.",
    "Read the error, correct the cause, and run the command again.",
  ),
  "2": codeText(
    "changes are pending",
    "The service differs from the roster, and roster can correct it. `plan --detailed-exitcode` and `drift` use this code.",
    "Review the plan, then apply it.",
  ),
  "3": codeText(
    "the roster, the settings or the command line is invalid",
    "A file, a variable or a flag has an error. roster sent nothing.",
    "Correct what the errors name. Each error shows where and how.",
  ),
  "4": codeText(
    "the service refused the API key or its permission",
    "The service answered 401 or 403. Changes made before that are recorded.",
    "Use a key with the permission, and run the command again.",
  ),
  "5": codeText(
    "refused by a guard, or not approved",
    "A guard refused the plan, or nobody approved it. Or the service may have lost its data. roster sent nothing.",
    "Read the reason. Correct the roster, allow this plan, or approve it.",
  ),
  "6": codeText(
    "stale: plan again",
    "The saved plan no longer fits, has expired, or was applied already. Or a newer roster was applied.",
    "Plan again.",
  ),
  "7": codeText(
    "partial: something failed, was skipped or stale, or its outcome is unknown",
    "Some changes were made. The run names the others and the reasons.",
    "Run `roster apply` again. It continues and repeats nothing.",
  ),
  "8": codeText(
    "the log is locked",
    "Another run holds the lock of the log. roster sent nothing.",
    "Wait for that run, or pass `--lock-timeout 5m`.",
  ),
  "9": codeText(
    "nothing else to do, but problems need manual action",
    "roster has nothing to change, but some problems need manual action. Something in the roster is not in place, or a user has access that the roster does not give.",
    "Resolve the problems that the output lists.",
  ),
  "129": codeText(
    "the terminal was closed",
    "roster finished the calls in progress and saved the log.",
    "Run the command again.",
  ),
  "130": codeText(
    "interrupted",
    "You pressed Ctrl-C. roster finished the calls in progress, started no others, and saved the log.",
    "Run the command again.",
  ),
  "143": codeText(
    "terminated",
    "roster received SIGTERM. It finished the calls in progress, started no others, and saved the log.",
    "Run the command again.",
  ),
};

/** What an exit code says, in a few words for people. */
export function formatExitCode(code: number): string {
  return exitCodes[String(code)]?.title ?? "failed";
}

/** The classes by which `roster drift` groups what differs. `unmanaged` is a finding as well, and has its text there. */
export const driftClassTexts: Readonly<Record<Exclude<DriftClass, "unmanaged">, CodeText>> = {
  tampered: codeText(
    "changed outside roster since roster last wrote or saw it",
    "The service shows another value than the one that roster last wrote or saw. A person or a tool changed it in the service.",
    "Run `roster drift --repair tampered` to undo it, or write the new value into the roster.",
  ),
  unapplied: codeText(
    "in the roster, but never applied",
    "The roster has it, and no apply has made it so yet.",
    "Run `roster apply`, or `roster drift --repair unapplied`.",
  ),
  blocked: codeText(
    "needs manual action",
    "roster cannot correct it, or could not prove what is true. It makes no change until a person resolves the finding.",
    "Read the finding. `roster explain CODE` says what to do.",
  ),
  pending: codeText(
    "waiting for a person, or in progress",
    "An invitation is not accepted yet, or a change of a run does not show yet.",
    "Wait and run the command again. The finding says what to do if it stays.",
  ),
  information: codeText("a notice", "Nothing is wrong. The notice reports what you may want to know.", "Do nothing."),
};
