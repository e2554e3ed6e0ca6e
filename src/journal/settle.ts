import { remainingIntent } from "../log/fold.ts";
import type { Profile } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import type { Capabilities } from "../model/capabilities.ts";
import type {
  AddedMember,
  CreationIntent,
  Intent,
  KeyLearned,
  LearnedOutcome,
  RunEvent,
  Settled,
  TeamIdentified,
} from "../model/event.ts";
import type { Failure } from "../model/result.ts";
import { definedFields, groupBy, sameRoles } from "../model/role-set.ts";
import {
  accountStatus,
  type ObservedKey,
  type ObservedTeam,
  type ObservedUser,
  type Snapshot,
} from "../model/snapshot.ts";
import { isDecided, type OpenIntent, type State } from "../model/state.ts";
import { shownOwnKey, shownTeamKey, type TeamIdentity } from "../model/team.ts";

type ReplacementIntent = Extract<Intent, { readonly kind: "replace-roles" }>;

/** What reading has to say of the calls whose outcome was never learned. */
interface Settlement {
  /** `settled` events, each followed by what else reading has taught of it. */
  readonly events: readonly RunEvent[];
  readonly unsettled: readonly OpenIntent[];
}

/** `consistency`: milliseconds within which reads may not show a write, where a person has set them. */
export interface SettlingTimes {
  /** ISO 8601, now. */
  readonly at: string;
  readonly consistency: number | undefined;
}

/**
 * Settles open intents by the facts of a snapshot, never by sending again: what is shown was done, also where it was taken for not done
 * before; what complete reads do not show once the consistency window is over was not done; the rest stays open.
 */
export function settleOpen(state: State, snapshot: Snapshot, { at, consistency }: SettlingTimes): Settlement {
  const { open: opens, presumedUndone = [] } = state;
  if (opens.length + presumedUndone.length === 0) return { events: [], unsettled: [] };
  const evidence = evidenceFromSnapshot(snapshot);
  const events: RunEvent[] = [];
  const unsettled: OpenIntent[] = [];
  for (const presumed of presumedUndone) {
    const verdict = assessOpenIntent(presumed, evidence, "fresh");
    if (verdict?.as.done === true) events.push(...settledEvents(presumed, verdict, at));
  }
  for (const open of opens) {
    const age = isDecided(open, snapshot, state, consistency) ? "settled" : "fresh";
    const verdict = assessOpenIntent(open, evidence, age);
    const left = verdict === undefined ? open : remainingIntent(open, verdict.except);
    if (left !== undefined) unsettled.push(left);
    if (verdict !== undefined) events.push(...settledEvents(open, verdict, at));
  }
  return { events, unsettled };
}

function settledEvents({ run, action, intent }: OpenIntent, verdict: CallVerdict, at: string): readonly RunEvent[] {
  const { as } = verdict;
  return [{ type: "settled", at, run, action, ...verdict }, ...(as.done ? derivedEvents(intent, as.learned, at) : [])];
}

function assessOpenIntent(
  { intent, declined }: OpenIntent,
  evidence: CallEvidence,
  age: IntentAge,
): CallVerdict | undefined {
  if (intent.kind === "create-user" && declined !== undefined)
    return assessDeclinedCreation(intent, declined, evidence, age);
  return assessCall(intent, evidence, age);
}

/** What reading says of a call of unknown outcome; undefined where it cannot tell yet. */
export function assessCall(intent: Intent, evidence: CallEvidence, age: IntentAge): CallVerdict | undefined {
  switch (intent.kind) {
    case "create-user":
      return assessCreation(intent, evidence, age);
    case "add-members":
      return assessAddition(intent, evidence, age);
    case "replace-roles":
      return assessReplacement(intent, evidence);
  }
}

/** Asking for the same roles again does no harm: the plan does so where they are not as wanted. */
function assessReplacement({ owner, prefix, roles }: ReplacementIntent, evidence: CallEvidence): CallVerdict {
  const users = owner === undefined ? [] : evidence.usersAt(owner);
  const keys = users.flatMap((user) => user.keys ?? []);
  const shown = keys.find((key) => key.prefix === prefix)?.roles;
  if (shown === undefined || !sameRoles(shown, roles)) return { as: { done: false } };
  return { as: { done: true, learned: { kind: "replace-roles", prefix, roles: shown } } };
}

/** Whether a creation of unknown outcome was done; undefined where reading cannot tell yet. */
function assessCreation(intent: CreationIntent, evidence: CallEvidence, age: IntentAge): CallVerdict | undefined {
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
 * The same for a creation that the service declined: a user who is there was there before. Only a team that is shown with
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

/** No creation makes a deleted user: a deleted user was there before. */
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
    ...definedFields({ prefix: key?.prefix, identifier: user.identifier, teamIdentifier }),
  };
}

function observedProfile({ firstName, lastName, title, externalIdentifier, source }: ObservedUser): Profile {
  return definedFields({ firstName, lastName, title, externalIdentifier, source });
}

type AdditionIntent = Extract<Intent, { readonly kind: "add-members" }>;

/** Which people an addition of unknown outcome has added, as far as reads show; undefined where they show nothing. */
function assessAddition(intent: AdditionIntent, evidence: CallEvidence, age: IntentAge): CallVerdict | undefined {
  const members: AddedMember[] = [];
  const except: FoldedAddress[] = [];
  for (const address of intent.addresses) {
    const member = assessMember(address, intent, evidence);
    if (member === undefined || (!member.outcome.added && age === "fresh")) except.push(address);
    else members.push(member);
  }
  if (members.length === 0) return undefined;
  if (except.length === 0 && !members.some(({ outcome }) => outcome.added)) return { as: { done: false } };
  const as: CallVerdict["as"] = { done: true, learned: { kind: "add-members", team: intent.team, members } };
  return except.length === 0 ? { as } : { as, except };
}

function assessMember(address: FoldedAddress, intent: AdditionIntent, evidence: CallEvidence): AddedMember | undefined {
  const { team, name, identifier } = intent;
  const [user, another] = evidence.usersAt(address);
  if (another !== undefined) return undefined;
  if (user === undefined) return evidence.isAbsent(address) ? provenNotAdded(address, name) : undefined;
  const shown = shownTeamKey(user, { team, name, identifier });
  if (shown.is === "shown") return memberWith(address, shown.key);
  const teamsAreShown = evidence.capabilities.teamsOnKeys === "shown";
  return shown.is === "absent" && teamsAreShown ? provenNotAdded(address, name) : undefined;
}

/** Somebody who is shown as a member, with the key of their membership. */
export function memberWith(address: FoldedAddress, { prefix, roles }: ObservedKey): AddedMember {
  return { address, outcome: { added: true }, prefix, ...(roles === undefined ? {} : { roles }) };
}

/** Those of them who are members now. */
export function addressesAdded(outcomes: readonly AddedMember[]): ReadonlySet<FoldedAddress> {
  return new Set(outcomes.flatMap(({ address, outcome }) => (outcome.added ? [address] : [])));
}

function provenNotAdded(address: FoldedAddress, team: string): AddedMember {
  const message = `the answer was lost, and later reads show that ${address} was not added to the team ${team}`;
  return { address, outcome: { added: false, failure: { code: "unreachable", message } } };
}

/** Whether a call is old enough for what does not show to be taken as not done. */
export type IntentAge = "fresh" | "settled";

/** What reading says of a call: how it ended, and the people whose outcome is not known yet. */
export type CallVerdict = Pick<Settled, "as" | "except">;

/** A snapshot, arranged for questions about single people. */
export interface CallEvidence {
  usersAt(address: FoldedAddress): readonly ObservedUser[];
  /** The address is proven to be nobody's. */
  isAbsent(address: FoldedAddress): boolean;
  readonly capabilities: Capabilities;
}

function evidenceFromSnapshot({ users, absences, capabilities }: Snapshot): CallEvidence {
  const byAddress = groupBy(users, ({ address }) => address);
  return {
    usersAt: (address) => byAddress.get(address) ?? [],
    isAbsent: (address) => absences.get(address)?.proven === true,
    capabilities,
  };
}

/** What the outcome of a call has taught beyond its own success: prefixes of keys, the identifier of a team. */
export function derivedEvents(
  intent: Intent,
  learned: LearnedOutcome,
  at: string,
): readonly (KeyLearned | TeamIdentified)[] {
  if (learned.kind === "add-members") {
    const { team } = learned;
    return learned.members.flatMap(({ address, prefix }) =>
      prefix === undefined ? [] : [{ type: "key-learned", at, address, team, prefix }],
    );
  }
  if (learned.kind !== "create-user" || intent.kind !== "create-user") return [];
  const { address, prefix, teamIdentifier: identifier } = learned;
  const { account, founds } = intent;
  const events: (KeyLearned | TeamIdentified)[] = [];
  const inTeam = founds === undefined ? {} : { team: founds.team };
  if (prefix !== undefined) events.push({ type: "key-learned", at, address, ...inTeam, prefix });
  if (founds !== undefined && identifier !== undefined) {
    events.push({ type: "team-identified", at, team: founds.team, name: founds.name, account, identifier });
  }
  return events;
}
