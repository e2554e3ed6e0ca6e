import type { EmailKey } from "../../model/address.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import { daysBetween, type RosterUser } from "../../model/roster.ts";
import type { ObservedUser } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { observedBasis, recordedBasis, userSubject } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import type { FindingDraft } from "../finding-draft.ts";
import { presenceBasis } from "../identities.ts";

/** For how many days an invitation commonly lasts. */
const invitationDays = 14;

/** Somebody who has not accepted an invitation yet: a notice, until it is older than they commonly last. */
export function invitationFinding(
  user: RosterUser,
  observed: ObservedUser,
  context: PlanContext,
): Pick<FindingDraft, "code" | "message" | "restsOn" | "waits" | "aspect"> {
  const { state, policy } = context;
  const subject = userSubject(user.address);
  const shown = presenceBasis(observed);
  const at = lastInvited(user.address, state);
  const age = at === undefined ? 0 : daysBetween(at.slice(0, 10), policy.today);
  if (at === undefined || age <= invitationDays) {
    const message = `The service shows ${user.email} as ${observed.status}. The user has not accepted the invitation yet.`;
    return { code: "invitation-pending", message, restsOn: [shown] };
  }
  const message =
    `The service shows ${user.email} as ${observed.status}. The last known invitation is ${age} days old (${at}). It may be lost or expired. ` +
    "roster does not send it again. Ask the user, or send the invitation again in the service.";
  const restsOn = [
    shown,
    recordedBasis(subject, "invited", at),
    observedBasis({ kind: "other", name: "today" }, policy.today, "clock"),
  ];
  return { code: "invitation-pending", waits: true, aspect: "expired", message, restsOn };
}

/** When somebody was last invited by our record, ISO 8601: put into a team, which is mailed, or else created. */
function lastInvited(address: EmailKey, { memberships, users }: State): string | undefined {
  const mails = [...memberships.values()].filter((held) => held.address === address && held.how === "added");
  const [latest] = mails.map(({ at }) => at).sort((a, b) => byCodeUnit(b, a));
  return latest ?? users.get(address)?.createdAt;
}
