import { sameRoles } from "../model/role-set.ts";
import type { RecordedKey } from "../model/state.ts";
import type { Draft } from "./draft.ts";
import type { KnownKeyWish } from "./key-wishes.ts";
import type { Question } from "./question.ts";
import { mayNotShowYet, waitWords } from "./settling.ts";
import { keySubject, remembered, seen, showRoles } from "./subjects.ts";

/** A key whose roles we replaced a moment ago, and that still reads as before. */
export function settlingRoles(
  group: readonly KnownKeyWish[],
  record: RecordedKey | undefined,
  question: Question,
): Draft | undefined {
  const [wish] = group;
  const shown = wish?.key.roles;
  if (wish === undefined || record === undefined || shown?.known !== "observed") return undefined;
  if (!sameRoles(record.put, wish.roles) || !mayNotShowYet(record.at, question)) return undefined;
  const wasShown = record.readAs !== undefined && record.early !== true;
  if (wasShown) return undefined;
  const { value: prefix } = wish.key;
  const subject = keySubject(prefix);
  return {
    code: "settling",
    subject,
    message:
      `roster set the roles of the key ${prefix} to ${showRoles(record.put)} at ${record.at}, and it still reads as ` +
      `${showRoles(shown.value)}. ${waitWords(record.at, question)}`,
    because: wish.because,
    restsOn: [remembered(subject, showRoles(record.put), record.at), seen(subject, showRoles(shown.value), shown.by)],
    concerns: group.map(({ concern }) => concern),
  };
}
