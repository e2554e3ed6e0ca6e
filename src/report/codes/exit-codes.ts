import { type CodeRow, row } from "../../codes/row.ts";
import type { DriftClass } from "../../model/drift.ts";

/** How commands end. `cli/output/exit-code.ts` says which one counts where several hold. */
export const exitCodes: Readonly<Record<string, CodeRow>> = {
  "0": row(
    "done, or nothing to do",
    "The command did everything, or there was nothing to do. Notices may remain.\nDo nothing.",
  ),
  "1": row(
    "failed",
    "For example, roster could not read the service or write a result.\nRead the error, correct the cause, and run the command again.",
  ),
  "2": row(
    "changes are pending",
    "The service differs from the roster, and roster can correct it. `plan --detailed-exitcode` and `drift` use this code.\nReview the plan, then apply it.",
  ),
  "3": row(
    "the roster, the settings or the command line is invalid",
    "A file, a variable or a flag has an error. roster sent nothing.\nCorrect what the errors name. Each error shows where and how.",
  ),
  "4": row(
    "the service refused the API key or its permission",
    "The service answered 401 or 403. Changes made before that are recorded.\nUse a key with the permission, and run the command again.",
  ),
  "5": row(
    "refused by a guard, or not approved",
    "A guard refused the plan, or nobody approved it. Or the service may have lost its data. roster sent nothing.\nRead the reason. Correct the roster, allow this plan, or approve it.",
  ),
  "6": row(
    "stale",
    "The saved plan no longer fits, has expired, or was applied already. Or a newer roster was applied.\nPlan again.",
  ),
  "7": row(
    "partial: something failed, was skipped or stale, or its outcome is unknown",
    "Some changes were made. The run names the others and the reasons.\nRun `roster apply` again. It continues and repeats nothing.",
  ),
  "8": row(
    "the log is locked",
    "Another run holds the lock of the log. roster sent nothing.\nWait for that run, or pass `--lock-timeout 5m`.",
  ),
  "9": row(
    "nothing else to do, but tasks are left for a person",
    "roster has nothing to change, but tasks are left for a person. Something in the roster is not in place, or a user has access that the roster does not give.\nDo the tasks that the output lists.",
  ),
  "129": row(
    "the terminal was closed",
    "roster finished the calls in progress and saved the log.\nRun the command again.",
  ),
  "130": row(
    "interrupted",
    "You pressed Ctrl-C. roster finished the calls in progress, started no others, and saved the log.\nRun the command again.",
  ),
  "143": row(
    "terminated",
    "roster received SIGTERM. It finished the calls in progress, started no others, and saved the log.\nRun the command again.",
  ),
};

/** What an exit code says, in a few words for people. */
export function formatExitCode(code: number): string {
  return exitCodes[String(code)]?.title ?? "failed";
}

/** The classes by which `roster drift` groups what differs. `unmanaged` is a finding as well, and has its text there. */
export const driftClassTexts: Readonly<Record<Exclude<DriftClass, "unmanaged">, CodeRow>> = {
  tampered: row(
    "changed outside roster since roster last wrote or saw it",
    "The service shows another value than the one that roster last wrote or saw. A person or a tool changed it in the service.\nRun `roster drift --repair tampered` to undo it, or write the new value into the roster.",
    { ends: [2] },
  ),
  unapplied: row(
    "in the roster, but never applied",
    "The roster has it, and no apply has made it so yet.\nRun `roster apply`, or `roster drift --repair unapplied`.",
    { ends: [2] },
  ),
  blocked: row(
    "a task for a person",
    "roster cannot correct it, or could not prove what is true. It makes no change until a person resolves the finding.\nRead the finding. `roster explain CODE` says what to do.",
  ),
  pending: row(
    "waiting for a person, or in progress",
    "An invitation is not accepted yet, or a change of a run does not show yet.\nWait and run the command again. The finding says what to do if it stays.",
  ),
  information: row("a notice", "Nothing is wrong. The notice reports what you may want to know.\nDo nothing."),
};
