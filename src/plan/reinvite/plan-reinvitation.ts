import type { AddMembers } from "../../model/action.ts";
import { daysBetween } from "../../model/calendar.ts";
import { distinctReasons, membershipReasons } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import { type Result, success } from "../../model/result.ts";
import { countCalls } from "../calls.ts";
import type { FindingDraft } from "../draft.ts";
import { finalizeFindings } from "../finish-findings.ts";
import { lastInvited, wasMailed } from "../invitations.ts";
import type { PlanInput } from "../make-plan.ts";
import { planId } from "../plan-id.ts";
import type { PlanContext } from "../question.ts";
import { buildPlanContext } from "../question-of.ts";
import { presentRef } from "../references.ts";
import { wholeRoster } from "../selection.ts";
import { memberSubject, observedBasis, recordedBasis, userSubject } from "../subjects.ts";
import { findReinviteTarget, type ReinviteRefusal, type ReinviteRequest, type ReinviteTarget } from "./find-invited.ts";

/** A plan of one call, which mails one person who was mailed before: the only one that does, and only on a person's word. */
export function planReinvitation(input: PlanInput, wish: ReinviteRequest): Result<Plan, ReinviteRefusal> {
  const { snapshot, digest } = input;
  const { context } = buildPlanContext(input);
  const invited = findReinviteTarget(wish, context);
  if (!invited.ok) return invited;
  const actions = [reinviteAction(invited.value, context)];
  return success({
    id: planId(snapshot.service, actions, digest),
    service: snapshot.service,
    actions,
    findings: finalizeFindings([reportLastMail(invited.value, context)], wholeRoster, digest),
    calls: countCalls(actions, snapshot.reads),
  });
}

function reinviteAction(
  { team, member, identity, person }: ReinviteTarget,
  { state, policy }: PlanContext,
): AddMembers {
  const { address } = person.user;
  const { status = "a user without a status", by } = person.observed;
  const at = lastInvited(address, state);
  const subject = userSubject(address);
  return {
    kind: "add-members",
    rule: "invited-again",
    id: `reinvite:${team.key}:${address}`,
    team: identity.ref,
    again: true,
    members: [presentRef(person)],
    because: distinctReasons([...membershipReasons(member), ...team.because]),
    dependsOn: [],
    restsOn: [
      observedBasis(subject, `present as ${status}`, by),
      ...(at === undefined ? [] : [recordedBasis(subject, wasMailed(address, state) ? "invited" : "created", at)]),
      observedBasis("today", policy.today, "clock"),
    ],
  };
}

function reportLastMail({ team, member, person }: ReinviteTarget, { state, policy }: PlanContext): FindingDraft {
  const { address, email } = person.user;
  const at = lastInvited(address, state);
  const days = at === undefined ? 0 : daysBetween(at.slice(0, 10), policy.today);
  const sent = wasMailed(address, state) ? "the last invitation was sent" : "no mail was sent since the creation";
  const last =
    at === undefined
      ? "our record knows of no earlier invitation"
      : `by our record ${sent} at ${at}, ${days === 1 ? "1 day" : `${days} days`} ago`;
  const shown =
    person.observed.status === undefined ? "" : ` The service shows the person as ${person.observed.status}.`;
  const message = `${email} gets ${wasMailed(address, state) ? "one more mail" : "a mail"} for ${team.name}: ${last}.${shown} A mail cannot be taken back.`;
  const subject = memberSubject(address, team.key);
  return {
    code: "invited-before",
    subject,
    message,
    because: distinctReasons([...membershipReasons(member), ...team.because.slice(0, 1)]),
    concerns: [{ address, team: team.key }],
  };
}
