import type { Leaver } from "../../model/roster.ts";
import { shownOwnKey } from "../../model/team.ts";
import type { PlanContext } from "../question.ts";

/** Whether a key of a leaver is known to be their own: as the service shows it, by our record of their creation, or by the roster. */
export function isOwnKeyOfLeaver(
  { address, key: declaredKey }: Leaver,
  prefix: string,
  { facts, state }: PlanContext,
): boolean {
  const held = facts.keyPrefixed(prefix);
  if (held !== undefined && shownOwnKey(held.holder)?.prefix === prefix) return true;
  if (held !== undefined && held.key.team !== undefined && held.key.team !== "none") return false;
  const record = state.users.get(address);
  const isRecorded = record?.key === prefix && record.founded === undefined && record.createdAt !== undefined;
  return isRecorded || declaredKey?.value === prefix;
}
