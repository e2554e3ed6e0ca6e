import type { RecordedRefusal } from "../model/refusal.ts";
import type { RosterMember, RosterTeam } from "../model/roster.ts";
import type { Draft } from "./draft.ts";
import type { Present } from "./person.ts";
import { memberSubject } from "./subjects.ts";
import { refusalBasis, refusedBefore, waysOut } from "./tell-refused.ts";

/** Somebody whom the service would not let into a team. */
export function tellRefusedMember(
  team: RosterTeam,
  { because, address }: RosterMember,
  { user }: Present,
  refusal: RecordedRefusal,
): Draft {
  const subject = memberSubject(address, team.key);
  const told = refusedBefore(`add ${user.email} to ${team.name}`, refusal);
  return {
    code: "refused",
    subject,
    message: `${told} ${waysOut("correct the member or the team in the roster")}`,
    because,
    restsOn: [refusalBasis(`addition of ${subject}`, refusal)],
    concerns: [{ address, team: team.key }],
  };
}
