import { judgeAccounts } from "./accounts.ts";
import type { Draft } from "./draft.ts";
import { indexFacts } from "./facts.ts";
import { nothingHeld } from "./held-resources.ts";
import { keyHolders } from "./key-holders.ts";
import type { Question } from "./question.ts";

/** A question, and what is found of the accounts in which nothing can be done. */
export interface Asked {
  readonly question: Question;
  readonly aboutAccounts: readonly Draft[];
}

/** What the steps of a plan look at, before any guard has seen what is asked for. */
export function questionOf(known: Omit<Question, "facts" | "holders" | "closedAccounts" | "held">): Asked {
  const { roster, snapshot, state, policy, digest, kept } = known;
  const { closed: closedAccounts, findings: aboutAccounts } = judgeAccounts(roster, snapshot);
  const facts = indexFacts(snapshot);
  const holders = keyHolders(facts, state);
  return {
    question: { roster, snapshot, state, policy, digest, kept, facts, holders, closedAccounts, held: nothingHeld },
    aboutAccounts,
  };
}
