import { findClosedAccounts } from "./accounts.ts";
import type { FindingDraft } from "./draft.ts";
import { indexSnapshot } from "./facts.ts";
import { nothingHeld } from "./held-resources.ts";
import { indexKeyHolders } from "./key-holders.ts";
import type { PlanContext } from "./question.ts";

/** A question, and what is found of the accounts in which nothing can be done. */
export interface BuiltContext {
  readonly context: PlanContext;
  readonly accountFindings: readonly FindingDraft[];
}

/** What the steps of a plan look at, before any guard has seen what is asked for. */
export function buildPlanContext(
  known: Omit<PlanContext, "facts" | "holders" | "closedAccounts" | "held">,
): BuiltContext {
  const { roster, snapshot, state, policy, digest, kept } = known;
  const { closed: closedAccounts, findings: accountFindings } = findClosedAccounts(roster, snapshot);
  const facts = indexSnapshot(snapshot);
  const holders = indexKeyHolders(facts, state);
  return {
    context: { roster, snapshot, state, policy, digest, kept, facts, holders, closedAccounts, held: nothingHeld },
    accountFindings,
  };
}
