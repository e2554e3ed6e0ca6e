import type { ActionCompletion } from "../journal/schedule.ts";
import type { Failure } from "../model/result.ts";

/** How an action that was taken up has ended. */
export type ActionResult =
  /** `failure`: what the call was answered with, where it did not succeed. */
  | { readonly is: "ended"; readonly ended: ActionCompletion; readonly failure?: Failure }
  /** Its call was not sent, because the run was stopped before. */
  | { readonly is: "not-started" };
