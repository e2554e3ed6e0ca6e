import type { RecordedRefusal } from "../model/refusal.ts";
import type { RosterMember, RosterTeam } from "../model/roster.ts";
import type { FindingDraft } from "./draft.ts";
import type { PresentUser } from "./person.ts";
import { memberSubject } from "./subjects.ts";
import { formatRefusal, formatRefusalRemedies, refusalBasis } from "./tell-refused.ts";

/** Somebody whom the service would not let into a team. */
export function reportRefusedMember(
  team: RosterTeam,
  { because, address }: RosterMember,
  { user }: PresentUser,
  refusal: RecordedRefusal,
): FindingDraft {
  const subject = memberSubject(address, team.key);
  const told = formatRefusal(`add ${user.email} to ${team.name}`, refusal);
  return {
    code: "refused",
    subject,
    message: `${told} ${formatRefusalRemedies("correct the member or the team in the roster")}`,
    because,
    restsOn: [refusalBasis(`addition of ${subject}`, refusal)],
    concerns: [{ address, team: team.key }],
  };
}
