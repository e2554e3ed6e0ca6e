import type { Profile } from "../model/action.ts";
import type { CreationIntent, LearnedOutcome } from "../model/event.ts";
import type { Failure } from "../model/result.ts";
import { accountStatus, type ObservedKey, type ObservedTeam, type ObservedUser } from "../model/snapshot.ts";
import { shownOwnKey, shownTeamKey, type TeamIdentity } from "../model/team.ts";
import type { CallEvidence, CallVerdict, IntentAge } from "./settling-evidence.ts";

/** Whether a creation of unknown outcome was done; undefined where reading cannot tell yet. */
export function assessCreation(
  intent: CreationIntent,
  evidence: CallEvidence,
  age: IntentAge,
): CallVerdict | undefined {
  const [user, another] = possibleUsers(intent, evidence);
  if (another !== undefined) return undefined;
  if (user === undefined) {
    const isNobodyNew = evidence.usersAt(intent.address).length > 0 || evidence.isAbsent(intent.address);
    return isNobodyNew ? notDoneOnceSettled(age) : undefined;
  }
  if (intent.founds === undefined) return doneVerdict(learnedFromUser(user, shownOwnKey(user)));
  if (existsWithoutTeam(user, intent.founds)) return notDoneOnceSettled(age);
  return doneVerdict(learnedFromUser(user, founderKey(user, intent.founds)));
}

/**
 * The same for a creation that the service declined: whoever is there was there before. Only a team that is shown with
 * the user tells that they were created all the same. After a conflict they may have been, as long as no read shows their keys.
 */
export function assessDeclinedCreation(
  intent: CreationIntent,
  { code }: Failure,
  evidence: CallEvidence,
  age: IntentAge,
): CallVerdict | undefined {
  const { founds } = intent;
  const [user] = possibleUsers(intent, evidence);
  if (founds !== undefined && user !== undefined && existsWithoutTeam(user, founds)) return { as: { done: false } };
  const verdict = assessCreation(intent, evidence, age);
  if (verdict?.as.done !== true || verdict.as.learned.kind !== "create-user") return verdict;
  if (founds === undefined) return doneVerdict({ ...verdict.as.learned, was: "there-before" });
  if (user === undefined) return undefined;
  if (shownTeamKey(user, founds).is === "shown") return verdict;
  const mayBeDone = code === "conflict" && shownTeamKey(user, founds).is === "unknown";
  return mayBeDone ? undefined : notDoneOnceSettled(age);
}

/** No creation makes a deleted user: whoever is shown so was there before. */
function possibleUsers({ address, account }: CreationIntent, evidence: CallEvidence): readonly ObservedUser[] {
  const living = evidence.usersAt(address).filter(({ status }) => accountStatus(status) !== "deleted");
  return living.filter((user) => user.account === undefined || user.account === account);
}

function notDoneOnceSettled(age: IntentAge): CallVerdict | undefined {
  return age === "settled" ? { as: { done: false } } : undefined;
}

function doneVerdict(learned: LearnedOutcome): CallVerdict {
  return { as: { done: true, learned } };
}

/** The user is there and the team, which would have come with this creation alone, is not: it was not this creation. */
export function existsWithoutTeam(user: ObservedUser, team: TeamIdentity): boolean {
  return (user.keys ?? []).length > 0 && shownTeamKey(user, team).is === "absent";
}

function founderKey(user: ObservedUser, team: TeamIdentity): ObservedKey | undefined {
  const shown = shownTeamKey(user, team);
  if (shown.is === "shown") return shown.key;
  const [only, another] = user.keys ?? [];
  return another === undefined && shown.is === "unknown" && teamOnKey(only) !== undefined ? only : undefined;
}

function teamOnKey(key: ObservedKey | undefined): ObservedTeam | undefined {
  return key?.team === undefined || key.team === "none" ? undefined : key.team;
}

function learnedFromUser(user: ObservedUser, key: ObservedKey | undefined): LearnedOutcome {
  const teamIdentifier = teamOnKey(key)?.identifier;
  return {
    kind: "create-user",
    address: user.address,
    answered: observedProfile(user),
    ...(key === undefined ? {} : { prefix: key.prefix }),
    ...(user.identifier === undefined ? {} : { identifier: user.identifier }),
    ...(teamIdentifier === undefined ? {} : { teamIdentifier }),
  };
}

function observedProfile({ firstName, lastName, title, externalIdentifier, source }: ObservedUser): Profile {
  return {
    ...(firstName === undefined ? {} : { firstName }),
    ...(lastName === undefined ? {} : { lastName }),
    ...(title === undefined ? {} : { title }),
    ...(externalIdentifier === undefined ? {} : { externalIdentifier }),
    ...(source === undefined ? {} : { source }),
  };
}
