import type { Failure } from "../model/failure.ts";
import type { OpenIntent } from "../model/state.ts";
import type { StateDraft } from "./state-draft.ts";

/**
 * Remembers a creation that would be refused again as it was. A founding may have been refused for its team's sake, which
 * the next plan may change.
 */
export function recordRefusal(draft: StateDraft, { intent }: OpenIntent, failure: Failure, at: string): void {
  if (intent.kind !== "create-user") return;
  const { code, message, serviceSays } = failure;
  const isForThePerson = code === "conflict" || (code === "refused" && intent.founds === undefined);
  if (!isForThePerson) return;
  const { address, email, account, sent } = intent;
  const why = serviceSays === undefined ? message : `${message}: ${serviceSays}`;
  draft.refusals.set(address, { address, email, account, sent, at, why });
}
