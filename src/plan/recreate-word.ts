import type { FoldedAddress } from "../model/address.ts";
import type { Question } from "./question.ts";

/** The same question as if nobody had said `--recreate` of this person: what the word changes is seen by asking both. */
export function withoutRecreateWord(address: FoldedAddress, question: Question): Question {
  const { policy } = question;
  return { ...question, policy: { ...policy, recreate: policy.recreate.filter((other) => other !== address) } };
}
