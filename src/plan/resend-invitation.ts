import type { AddMembers } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import { distinctReasons, membershipReasons } from "../model/fact.ts";
import type { Plan } from "../model/plan.ts";
import { problem, type Result, success } from "../model/result.ts";
import { daysBetween, indexOwnership, type Roster, type RosterMember, type RosterTeam } from "../model/roster.ts";
import { accountStatus } from "../model/snapshot.ts";
import type { OpenIntent } from "../model/state.ts";
import { memberSubject, observedBasis, recordedBasis, userSubject } from "../model/subject.ts";
import { foldName } from "../model/team.ts";
import { countCalls, planId, withOwnership } from "./actions.ts";
import { buildPlanContext, formatDecisionTime, formatResolveCommands, type PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { type KnownTeam, type PresentUser, presenceBasis, presentRef } from "./identities.ts";
import type { PlanInput } from "./make-plan.ts";
import { additionInDoubt, membershipStatus } from "./memberships/membership-status.ts";
import { finalizeFindings, wholeRoster } from "./selection.ts";
import { identifyTeams } from "./teams/teams.ts";
import { lastInvited, wasMailed } from "./users/invitations.ts";
import { identifyUsers } from "./users/users.ts";

/** A plan of one call, which mails one person who was mailed before: the only one that does, and only on a person's word. */
export function planResendInvitation(input: PlanInput, request: ResendRequest): Result<Plan, ResendRefusal> {
  const { snapshot, digest } = input;
  const { context } = buildPlanContext(input);
  const invited = findResendTarget(request, context);
  if (!invited.ok) return invited;
  const owners = indexOwnership(input.roster);
  const actions = [withOwnership(resendAction(invited.value, context), owners)];
  const id = planId(snapshot.service, actions, digest);
  return success({
    id,
    service: snapshot.service,
    actions,
    findings: finalizeFindings([reportLastMail(invited.value, context)], wholeRoster, { digest, plan: id, owners }),
    calls: countCalls(actions, snapshot.reads),
  });
}

function resendAction({ team, member, identity, person }: ResendTarget, { state, policy }: PlanContext): AddMembers {
  const { address } = person.user;
  const at = lastInvited(address, state);
  const subject = userSubject(address);
  return {
    kind: "add-members",
    rule: "invitation-resent",
    id: `resend-invitation:${team.key}:${address}`,
    team: identity.ref,
    again: true,
    members: [presentRef(person)],
    because: distinctReasons([...membershipReasons(member), ...team.because]),
    dependsOn: [],
    restsOn: [
      presenceBasis(person.observed),
      ...(at === undefined ? [] : [recordedBasis(subject, wasMailed(address, state) ? "invited" : "created", at)]),
      observedBasis({ kind: "other", name: "today" }, policy.today, "clock"),
    ],
  };
}

function reportLastMail({ team, member, person }: ResendTarget, { state, policy }: PlanContext): FindingDraft {
  const { address, email } = person.user;
  const at = lastInvited(address, state);
  const days = at === undefined ? 0 : daysBetween(at.slice(0, 10), policy.today);
  const sent = wasMailed(address, state) ? "last invitation" : "no mail since the user was created";
  const last =
    at === undefined
      ? "the state has no earlier invitation"
      : `${sent} at ${at}, ${days === 1 ? "1 day" : `${days} days`} ago`;
  const shown = person.observed.status === undefined ? "" : ` The service shows the user as ${person.observed.status}.`;
  const message = `${email} gets ${wasMailed(address, state) ? "one more mail" : "a mail"} for ${team.name}: ${last}.${shown} A mail cannot be undone.`;
  const subject = memberSubject(address, team.key);
  return {
    code: "invited-before",
    subject,
    message,
    because: distinctReasons([...membershipReasons(member), ...team.because.slice(0, 1)]),
    concerns: [{ address, team: team.key }],
  };
}

/** Who is to be mailed once more, and for which team: by its name, or by the identifier that the roster gives it. */
export interface ResendRequest {
  readonly address: FoldedAddress;
  readonly email: string;
  readonly team: string;
}

/** Why nobody is mailed. */
export interface ResendRefusal {
  readonly code: "cannot-resend" | "protected";
  readonly message: string;
  readonly hint: string;
}

interface DeclaredMember {
  readonly team: RosterTeam;
  readonly member: RosterMember;
}

/** Somebody who may be mailed once more, as a member of a team that is there. */
interface ResendTarget extends DeclaredMember {
  readonly identity: KnownTeam;
  readonly person: PresentUser;
}

/** Finds the person that is meant, or says why nobody is mailed: only a member of the roster who may have been invited before is. */
function findResendTarget(request: ResendRequest, context: PlanContext): Result<ResendTarget, ResendRefusal> {
  const place = placeInRoster(request, context);
  return place.ok ? targetInService(place.value, request, context) : place;
}

function placeInRoster(
  { address, email, team }: ResendRequest,
  context: PlanContext,
): Result<DeclaredMember, ResendRefusal> {
  const { roster, policy } = context;
  if (roster.leavers.has(address)) return refuse(`${email} is a leaver`, "roster does not invite leavers.");
  if (!roster.users.has(address)) {
    return refuse(
      `the roster has no user with the address ${email}`,
      "roster invites only users of the roster. Write the address as it is there.",
    );
  }
  if (policy.guards.protected.users.includes(address)) {
    return problem({
      code: "protected",
      message: `the settings protect ${email}`,
      hint: "Remove them from `protect:`, or send the invitation in the service.",
    });
  }
  const named = teamsNamed(team, roster);
  const places = named.flatMap((one) => {
    const member = one.members.find((other) => other.address === address);
    return member === undefined ? [] : [{ team: one, member }];
  });
  const [place, another] = places;
  if (another !== undefined) {
    return refuse(
      `${email} is in several teams with the name ${team}`,
      "Name the team by its `identifier` in the roster.",
    );
  }
  if (place !== undefined) return success(place);
  if (named.length === 0)
    return refuse(`the roster has no team ${team}`, "Write the name of the team, or its `identifier` in the roster.");
  return refuse(`${email} is not a member of ${team} in the roster`, "roster invites only members.");
}

function teamsNamed(written: string, { teams }: Roster): readonly RosterTeam[] {
  const byName = teams.filter(({ name }) => foldName(name) === foldName(written));
  const byIdentifier = teams.filter(({ identifier }) => identifier?.value === written);
  return byIdentifier.length > 0 ? byIdentifier : byName;
}

function targetInService(
  { team, member }: DeclaredMember,
  { email }: ResendRequest,
  context: PlanContext,
): Result<ResendTarget, ResendRefusal> {
  const { people, findings } = identifyUsers(context);
  const person = people.get(member.address);
  if (person?.is === "new") return refuse(`the service does not have ${email} yet`, applyInvites);
  if (person?.is !== "present")
    return refuse(`roster changes nothing for ${email}`, findingMessageAbout(findings, member.address));
  if (!person.invitable)
    return refuse(
      `the service shows ${email} as ${person.observed.status}`,
      "roster does not invite disabled users. Activate the user in the service.",
    );
  const identity = identifyTeams(context).teams.get(team.key);
  if (identity?.is !== "known")
    return refuse(`the identifier of ${team.name} is unknown`, "Run `roster plan`. It shows what is missing.");
  const why = refuseUnlessInvited({ team, member, identity, person }, context);
  return why === undefined ? success({ team, member, identity, person }) : why;
}

const applyInvites = "Run `roster apply`. It invites new members.";

function findingMessageAbout(findings: readonly FindingDraft[], address: FoldedAddress): string {
  return (
    findings.find(({ concerns }) => concerns.some((one) => one.address === address))?.message ??
    "Run `roster plan`. It shows why."
  );
}

/** Only a member who may have been invited before: an apply invites all others. */
function refuseUnlessInvited(
  { team, member, identity, person }: ResendTarget,
  context: PlanContext,
): RefusedResend | undefined {
  const { email } = person.user;
  const open = additionInDoubt(member, identity, context);
  if (open !== undefined) return refuseInDoubt(email, team, open, context);
  const place = membershipStatus(person, member, identity, context);
  switch (place.is) {
    case "member":
    case "removed":
      return undefined;
    case "unknown": {
      if (accountStatus(person.observed.status) === "pending") return undefined;
      const message = `roster cannot know if ${email} is a member of ${team.name}: ${place.why}`;
      return refuse(message, "Run `roster plan`. It shows what to write or allow.");
    }
    case "absent":
      return refuse(`${email} is not a member of ${team.name} yet`, applyInvites);
    case "in-doubt":
      return refuseInDoubt(email, team, place.open, context);
  }
}

function refuseInDoubt(email: string, { name }: RosterTeam, open: OpenIntent, context: PlanContext): RefusedResend {
  return refuse(
    `roster sent a call to add ${email} to ${name} at ${open.at}, and the outcome is unknown`,
    `${formatDecisionTime([open], context)}. Or look in the service and ${formatResolveCommands([open], context)}.`,
  );
}

type RefusedResend = ReturnType<typeof refuse>;

function refuse(message: string, hint: string): { readonly ok: false; readonly error: ResendRefusal } {
  return problem({ code: "cannot-resend", message: `No mail was sent: ${message}.`, hint });
}
