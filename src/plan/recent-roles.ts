import { sameRoles } from "../model/role-set.ts";
import type { RecordedKey } from "../model/state.ts";
import type { FindingDraft } from "./draft.ts";
import type { KnownKeyUpdate } from "./key-wishes.ts";
import type { PlanContext } from "./question.ts";
import { formatWait, isWithinConsistencyWindow } from "./settling.ts";
import { formatRoles, keySubject, observedBasis, recordedBasis } from "./subjects.ts";

/** A key whose roles we replaced a moment ago, and that still reads as before. */
export function recentlyReplacedRoles(
  group: readonly KnownKeyUpdate[],
  record: RecordedKey | undefined,
  context: PlanContext,
): FindingDraft | undefined {
  const [wish] = group;
  const shown = wish?.key.roles;
  if (wish === undefined || record === undefined || shown?.known !== "observed") return undefined;
  if (!sameRoles(record.put, wish.roles) || !isWithinConsistencyWindow(record.at, context)) return undefined;
  const wasShown = record.readAs !== undefined && record.early !== true;
  if (wasShown) return undefined;
  const { value: prefix } = wish.key;
  const subject = keySubject(prefix);
  return {
    code: "settling",
    subject,
    message:
      `roster set the roles of the key ${prefix} to ${formatRoles(record.put)} at ${record.at}, and it still reads as ` +
      `${formatRoles(shown.value)}. ${formatWait(record.at, context)}`,
    because: wish.because,
    restsOn: [
      recordedBasis(subject, formatRoles(record.put), record.at),
      observedBasis(subject, formatRoles(shown.value), shown.by),
    ],
    concerns: group.map(({ concern }) => concern),
  };
}
