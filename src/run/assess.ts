import type { EmailKey } from "../model/address.ts";
import type { CreationIntent, Intent, OpenIntent } from "../model/call.ts";
import type { Visibility } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import type { AddedMember, EventOf, LearnedOutcome } from "../model/event.ts";
import type { Failure } from "../model/failure.ts";
import { type ObservedKey, shownOwnKey, shownTeamKey } from "../model/key.ts";
import { isDecided, type Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import type { TeamIdentity } from "../model/team.ts";
import type { ObservedUser } from "../model/user.ts";
import type { Profile } from "../model/values.ts";
import { creationEffect, effectsOf, membershipOf, standingOf } from "./expected-effect.ts";
import { onlyUser, type Shown, shownBy, usersAt } from "./lookups.ts";

/** What reading says of a call: how it ended, and the people whose outcome is not known yet. */
export type Verdict = Pick<EventOf<"resolved">, "as" | "except">;

/** Whether a call is old enough for what does not show to be taken as not done. */
export type CallAge = "fresh" | "decided";

export interface Evidence {
  readonly shown: Shown;
  readonly teamsOnKeys: Visibility;
}

/** `consistency`: milliseconds within which reads may not show a write, where a person has set them. */
export interface ResolutionTimes {
  /** ISO 8601, now. */
  readonly at: string;
  readonly consistency: number | undefined;
}

/**
 * Resolves the open calls of earlier runs by the facts of a snapshot, never by sending again: what is shown was done, also where it was
 * taken for not done before; what complete reads do not show once the consistency window is over was not done; the rest stays open.
 */
export function resolveOpen(
  state: State,
  snapshot: Snapshot,
  { at, consistency }: ResolutionTimes,
): readonly EventOf<"resolved">[] {
  const { open: opens, presumedUndone = [] } = state;
  if (opens.length + presumedUndone.length === 0) return [];
  const evidence = { shown: shownBy(snapshot), teamsOnKeys: snapshot.capabilities.teamsOnKeys };
  const events: EventOf<"resolved">[] = [];
  for (const [index, presumed] of presumedUndone.entries()) {
    // Of two such calls the later one was done: it was sent because reads did not show the first.
    const later = [...presumedUndone.slice(index + 1), ...opens];
    if (later.some(({ intent }) => asksForTheSame(intent, presumed.intent))) continue;
    const verdict = assessOpenIntent(presumed, evidence, "fresh");
    if (verdict?.as.done === true) events.push(resolvedBy(presumed, verdict, at));
  }
  for (const open of opens) {
    const age = isDecided(open, snapshot, state, consistency) ? "decided" : "fresh";
    const verdict = assessOpenIntent(open, evidence, age);
    if (verdict !== undefined) events.push(resolvedBy(open, verdict, at));
  }
  return events;
}

function asksForTheSame(one: Intent, another: Intent): boolean {
  if (one.kind !== "create-user" || another.kind !== "create-user") return false;
  return one.address === another.address && one.createsTeam?.team === another.createsTeam?.team;
}

/** What is recorded of a call that reading has resolved. */
export function resolvedBy(
  { run, action }: Pick<OpenIntent, "run" | "action">,
  verdict: Verdict,
  at: string,
): EventOf<"resolved"> {
  return { type: "resolved", at, run, action, ...verdict };
}

export function membersAdded(verdict: Verdict | undefined): readonly AddedMember[] {
  return verdict?.as.done === true && verdict.as.learned.kind === "add-members" ? verdict.as.learned.members : [];
}

function assessOpenIntent({ intent, declined }: OpenIntent, evidence: Evidence, age: CallAge): Verdict | undefined {
  return intent.kind === "create-user" && declined !== undefined
    ? assessDeclinedCreation(intent, declined, evidence, age)
    : assessCall(intent, evidence, age);
}

/** What reading says of a call of unknown outcome; undefined where it cannot tell yet. */
export function assessCall(intent: Intent, evidence: Evidence, age: CallAge): Verdict | undefined {
  switch (intent.kind) {
    case "create-user":
      return assessCreation(intent, evidence, age);
    case "add-members":
      return assessAddition(intent, evidence, age);
    case "replace-roles":
      return assessReplacement(intent, evidence);
  }
}

/**
 * Asking for the same roles again does no harm: the plan does so where they are not as wanted. Other roles prove nothing: reads may be late,
 * and a service may keep or add roles.
 */
function assessReplacement(intent: Extract<Intent, { readonly kind: "replace-roles" }>, { shown }: Evidence): Verdict {
  const { kind, prefix, roles } = intent;
  const isReplaced = effectsOf(intent).some((effect) =>
    usersAt(shown, effect.address).some((user) => standingOf(effect, user).is === "present"),
  );
  return isReplaced ? doneVerdict({ kind, prefix, roles }) : { as: { done: false, unproven: true } };
}

/** Whether a creation of unknown outcome was done; undefined where reading cannot tell yet. */
function assessCreation(intent: CreationIntent, { shown }: Evidence, age: CallAge): Verdict | undefined {
  const [user, another] = possibleUsers(intent, shown);
  if (another !== undefined) return undefined;
  if (user === undefined) {
    const isNobodyNew = usersAt(shown, intent.address).length > 0 || shown(intent.address).is === "absent";
    return isNobodyNew ? notDoneOnceDecided(age) : undefined;
  }
  if (standingOf(creationEffect(intent), user).is !== "present") return notDoneOnceDecided(age);
  return doneVerdict(learnedFromUser(user, intent.createsTeam));
}

/**
 * The same for a creation that the service declined: a user who is there was there before. Only a team that is shown with
 * the user tells that they were created all the same. After a conflict they may have been, as long as no read shows their keys.
 */
export function assessDeclinedCreation(
  intent: CreationIntent,
  { code }: Failure,
  evidence: Evidence,
  age: CallAge,
): Verdict | undefined {
  const { createsTeam } = intent;
  const [user] = possibleUsers(intent, evidence.shown);
  if (user !== undefined && standingOf(creationEffect(intent), user).is !== "present") return { as: { done: false } };
  const verdict = assessCreation(intent, evidence, age);
  if (verdict?.as.done !== true || verdict.as.learned.kind !== "create-user") return verdict;
  if (createsTeam === undefined) return doneVerdict({ ...verdict.as.learned, was: "there-before" });
  if (user === undefined) return undefined;
  const team = shownTeamKey(user, createsTeam);
  if (team.is === "present") return verdict;
  return code === "conflict" && team.is === "unknown" ? undefined : notDoneOnceDecided(age);
}

/** No creation makes a deleted user, or one of another account: they were there before. */
export function possibleUsers(intent: CreationIntent, shown: Shown): readonly ObservedUser[] {
  const anyTeam = { ...creationEffect(intent), team: undefined };
  return usersAt(shown, intent.address).filter((user) => standingOf(anyTeam, user).is === "present");
}

function notDoneOnceDecided(age: CallAge): Verdict | undefined {
  return age === "decided" ? { as: { done: false } } : undefined;
}

function doneVerdict(learned: LearnedOutcome): Verdict {
  return { as: { done: true, learned } };
}

function learnedFromUser(user: ObservedUser, team: TeamIdentity | undefined): LearnedOutcome {
  const { address, identifier, firstName, lastName, title, externalIdentifier, source } = user;
  const key = team === undefined ? shownOwnKey(user) : firstMemberKey(user, team);
  const answered: Profile = definedFields({ firstName, lastName, title, externalIdentifier, source });
  const { identifier: teamIdentifier } = key === undefined || key.team === "none" ? {} : (key.team ?? {});
  const shown = definedFields({ prefix: key?.prefix, identifier, team: team?.team, teamIdentifier });
  return { kind: "create-user", address, answered, ...shown };
}

/** The only key of somebody who came with a team is the team's, where it is some team's. */
function firstMemberKey(user: ObservedUser, team: TeamIdentity): ObservedKey | undefined {
  const shown = shownTeamKey(user, team);
  if (shown.is === "present") return shown.key;
  const [only, another] = user.keys ?? [];
  const isSomeTeams = only?.team !== undefined && only.team !== "none";
  return another === undefined && shown.is === "unknown" && isSomeTeams ? only : undefined;
}

type AdditionIntent = Extract<Intent, { readonly kind: "add-members" }>;

/** Which people an addition of unknown outcome has added, as far as reads show; undefined where they show nothing. */
function assessAddition(intent: AdditionIntent, evidence: Evidence, age: CallAge): Verdict | undefined {
  const members: AddedMember[] = [];
  const except: EmailKey[] = [];
  for (const address of intent.addresses) {
    const member = assessMember(address, intent, evidence);
    if (member === undefined || (!member.outcome.added && age === "fresh")) except.push(address);
    else members.push(member);
  }
  if (members.length === 0) return undefined;
  if (except.length === 0 && !members.some(({ outcome }) => outcome.added)) return { as: { done: false } };
  const verdict = doneVerdict({ kind: "add-members", team: intent.team, members });
  return except.length === 0 ? verdict : { ...verdict, except };
}

function assessMember(
  address: EmailKey,
  { team, name, identifier }: AdditionIntent,
  { shown, teamsOnKeys }: Evidence,
): AddedMember | undefined {
  const message = `the answer was lost, and later reads show that ${address} was not added to the team ${name}`;
  const notAdded: AddedMember = { address, outcome: { added: false, failure: { code: "unreachable", message } } };
  const user = onlyUser(shown, address);
  if (user === undefined) return shown(address).is === "absent" ? notAdded : undefined;
  const member = membershipOf(user, { team, name, identifier });
  if (typeof member !== "string") return member;
  return member === "absent" && teamsOnKeys === "shown" ? notAdded : undefined;
}
