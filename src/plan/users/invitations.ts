import type { FoldedAddress } from "../../model/address.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import { daysBetween, type RosterTeam, type RosterUser } from "../../model/roster.ts";
import type { ObservedUser } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { observedBasis, recordedBasis, userSubject } from "../../model/subject.ts";
import { membershipKeyOf, shownTeamKey } from "../../model/team.ts";
import type { PlanContext } from "../context.ts";
import { type FindingDraft, joinList } from "../finding-draft.ts";
import { presenceBasis } from "../identities.ts";

/** Somebody who has not accepted an invitation yet: a notice, until it is older than they commonly last. */
export function invitationFinding(
  user: RosterUser,
  observed: ObservedUser,
  context: PlanContext,
): Pick<FindingDraft, "code" | "message" | "restsOn"> {
  const { state, policy } = context;
  const subject = userSubject(user.address);
  const shown = presenceBasis(observed);
  const at = lastInvited(user.address, state);
  const age = at === undefined ? 0 : daysBetween(at.slice(0, 10), policy.today);
  if (at === undefined || age <= policy.invitationDays) {
    const message = `The service shows ${user.email} as ${observed.status}. The user has not accepted the invitation yet.`;
    return { code: "invitation-pending", message, restsOn: [shown] };
  }
  const message =
    `The service shows ${user.email} as ${observed.status}. The last known invitation is ${age} days old (${at}). It may be lost or expired. ` +
    `roster does not send it again on its own. ${formatInvitationRemedies(user, observed, context)}.`;
  const restsOn = [
    shown,
    recordedBasis(subject, "invited", at),
    observedBasis({ kind: "other", name: "today" }, policy.today, "clock"),
  ];
  return { code: "invitation-expired", message, restsOn };
}

/** When somebody was last invited by our record, ISO 8601: put into a team, which is mailed, or else created. */
export function lastInvited(address: FoldedAddress, { memberships, users }: State): string | undefined {
  const mails = [...memberships.values()].filter((held) => held.address === address && held.how === "added");
  const [latest] = mails.map(({ at }) => at).sort((a, b) => byCodeUnit(b, a));
  return latest ?? users.get(address)?.createdAt;
}

/** Whether the state has a mail: creating a team or a user sends none that the service shows. */
export function wasMailed(address: FoldedAddress, { memberships }: State): boolean {
  return [...memberships.values()].some((held) => held.address === address && held.how === "added");
}

function formatInvitationRemedies(user: RosterUser, observed: ObservedUser, { roster, state }: PlanContext): string {
  const teams = roster.teams.filter((team) => isMemberOf(team, user, observed, state));
  if (teams.length === 0) return "Ask the user, or send the invitation again in the service";
  const words = teams.map(({ name }) => `\`roster resend-invitation ${user.email} ${quoteName(name)}\``);
  const commands = joinList(words).replace(/ and (?=`)/u, " or ");
  return `Ask the user, then run ${commands}. If the service answers that they are a member already, send the invitation in the service`;
}

function isMemberOf(
  { key, name, identifier, members }: RosterTeam,
  user: RosterUser,
  observed: ObservedUser,
  state: State,
) {
  if (!members.some(({ address }) => address === user.address)) return false;
  if (state.memberships.has(membershipKeyOf(key, user.address))) return true;
  return shownTeamKey(observed, { team: key, name, identifier: identifier?.value }).is === "shown";
}

function quoteName(name: string): string {
  return /^[\w.@+-]+$/u.test(name) ? name : JSON.stringify(name);
}
