import { addressesAdded, derivedEvents, memberWith } from "../journal/settle.ts";
import type { AddMembers, PersonRef } from "../model/action.ts";
import type { AddedMember, LearnedOutcome } from "../model/event.ts";
import type { Failure } from "../model/result.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import { shownTeamKey, type TeamIdentity } from "../model/team.ts";
import type { ApplySession } from "./apply-session.ts";
import type { LearnedFacts } from "./learned-facts.ts";
import { type MissingKey, readMissingKeys } from "./read-missing-facts.ts";
import type { RunJournal } from "./run-journal.ts";
import { type ActionResult, recordFailure } from "./send.ts";
import {
  type Addition,
  addIndividually,
  additionIntent,
  type RefusedAddition,
  sendAddition,
  uncertainAddition,
  usualNaming,
} from "./send-addition.ts";
import { settleByReading, type UnknownResult } from "./settle-by-reading.ts";

/**
 * Adds people to a team in one call, and learns the keys that later calls need. `leftOut`: people of the plan that the
 * call leaves out, and why; they are recorded with its outcome.
 */
export async function addMembers(
  action: AddMembers,
  leftOut: readonly AddedMember[],
  session: ApplySession,
): Promise<ActionResult> {
  const { journal, learned } = session;
  const identifier = learned.teamIdentifier(action.team);
  if (identifier === undefined) return skipWithoutTeam(action, journal);
  const addition: Addition = { action, identifier };
  const { members, others } = partitionObserved(addition, learned);
  const unsent = [...others, ...leftOut];
  if (members.length === 0) return recordAddition(addition, unsent, session);
  const by = usualNaming(session);
  const sent = await sendAddition(addition, members, session, by);
  switch (sent.is) {
    case "not-started":
      return sent;
    case "unknown":
      return settleAddition(addition, members, unsent, sent, session);
    case "refused":
      return mayConcernOneMember(sent.failure)
        ? retryIndividually(addition, members, unsent, { refusal: sent.failure, by }, session)
        : recordFailure(journal, action.id, sent.failure);
    case "answered":
      return recordAddition(addition, [...sent.answer, ...unsent], session, sent.times.ended);
  }
}

function skipWithoutTeam({ id, team }: AddMembers, journal: RunJournal): ActionResult {
  const why = `the identifier of the team ${team.name} is unknown`;
  const cause = team.foundedBy === undefined ? {} : { cause: team.foundedBy };
  journal.record([{ type: "skipped", at: journal.now(), action: id, ...cause, why }]);
  return { is: "ended", ended: { done: false, cause: { action: team.foundedBy ?? id, why } } };
}

/** Records the outcome of every person, and goes on with those who are members now. An addition of nobody has failed. */
async function recordAddition(
  addition: Addition,
  outcomes: readonly AddedMember[],
  session: ApplySession,
  answeredAt?: number,
): Promise<ActionResult> {
  const { action } = addition;
  const { journal } = session;
  const failure = commonFailure(outcomes);
  if (failure !== undefined) {
    journal.record(outcomes.flatMap((outcome) => memberRefused(action, outcome, journal)));
    return recordFailure(journal, action.id, failure);
  }
  const at = journal.now();
  const learned: LearnedOutcome = { kind: "add-members", team: action.team.team, members: outcomes };
  const intent = additionIntent(addition, action.members);
  journal.record([{ type: "succeeded", at, action: action.id, learned }, ...derivedEvents(intent, learned, at)]);
  return continueAddition(addition, outcomes, session, answeredAt);
}

/** Why nobody was added; undefined where somebody was. */
function commonFailure(outcomes: readonly AddedMember[]): Failure | undefined {
  const failures = outcomes.flatMap(({ outcome }) => (outcome.added ? [] : [outcome.failure]));
  const [first] = failures;
  if (first === undefined || failures.length < outcomes.length) return undefined;
  const rest = new Set(failures.map(({ message }) => message)).size - 1;
  return rest === 0
    ? first
    : { ...first, message: `${first.message}; and ${rest} other ${rest === 1 ? "reason" : "reasons"}` };
}

function memberRefused({ id }: AddMembers, { address, outcome }: AddedMember, journal: RunJournal) {
  if (outcome.added) return [];
  const { failure } = outcome;
  return [{ type: "member-refused", at: journal.now(), action: id, address, failure } as const];
}

async function continueAddition(
  addition: Addition,
  outcomes: readonly AddedMember[],
  session: ApplySession,
  answeredAt?: number,
): Promise<ActionResult> {
  const { action } = addition;
  rememberMembers(addition, outcomes, session.learned, answeredAt);
  await readMissingKeys(session, missingMemberKeys(addition, outcomes, session), action.because);
  const added = addressesAdded(outcomes);
  const without = action.members.flatMap(({ address }) => (added.has(address) ? [] : [address]));
  return { is: "ended", ended: { done: true, without } };
}

async function retryIndividually(
  addition: Addition,
  members: readonly PersonRef[],
  unsent: readonly AddedMember[],
  refused: RefusedAddition,
  session: ApplySession,
): Promise<ActionResult> {
  const { action } = addition;
  const { journal } = session;
  const { members: outcomes, doubtful } = await addIndividually(addition, members, refused, session);
  if (doubtful === undefined) return recordAddition(addition, [...outcomes, ...unsent], session);
  const learned: LearnedOutcome = { kind: "add-members", team: action.team.team, members: outcomes };
  journal.record(derivedEvents(additionIntent(addition, members), learned, journal.now()));
  return continueAddition(addition, outcomes, session);
}

async function settleAddition(
  addition: Addition,
  members: readonly PersonRef[],
  unsent: readonly AddedMember[],
  unknown: UnknownResult,
  session: ApplySession,
): Promise<ActionResult> {
  const verdict = await settleByReading(session, uncertainAddition(addition, members), unknown);
  const { failure } = unknown;
  if (verdict === undefined) return { is: "ended", ended: { done: false }, failure };
  if (verdict.as.done && verdict.as.learned.kind === "add-members") {
    const outcomes = [...verdict.as.learned.members, ...unsent];
    return verdict.except === undefined && unsent.length > 0
      ? recordAddition(addition, outcomes, session)
      : continueAddition(addition, outcomes, session);
  }
  const message = `${failure.message}. Reads show that no member was added`;
  return recordFailure(session.journal, addition.action.id, { ...failure, message });
}

function rememberMembers(
  { action, identifier }: Addition,
  outcomes: readonly AddedMember[],
  learned: LearnedFacts,
  at: number | undefined,
): void {
  const { team, members } = action;
  const emails = new Map(members.map(({ address, email }) => [address, email]));
  for (const { address, outcome, prefix, roles } of outcomes) {
    if (!outcome.added) continue;
    const key = prefix === undefined ? undefined : { prefix, ...(roles === undefined ? {} : { roles }) };
    learned.learnKey({ address, team: team.team }, key);
    const email = emails.get(address) ?? address;
    const named = { team: team.team, name: team.name, identifier };
    learned.effects.expect({ of: "membership", address, email, team: named, at });
  }
}

function missingMemberKeys(
  { action, identifier }: Addition,
  outcomes: readonly AddedMember[],
  { learned, limits }: ApplySession,
): readonly MissingKey[] {
  const { id, team, members } = action;
  const needed = limits.dependents.keysOf(id);
  const added = addressesAdded(outcomes);
  return members
    .filter(({ address }) => added.has(address) && needed.has(address))
    .filter(({ address }) => learned.key({ address, team: team.team }) === undefined)
    .map((person) => ({ person, team: { team: team.team, name: team.name, identifier } }));
}

/** The people to send, and those whose membership needs no call, or must not get one. */
interface PartitionedMembers {
  readonly members: readonly PersonRef[];
  readonly others: readonly AddedMember[];
}

/** A user that a creation found, and did not make, may be a member already: nobody is mailed on a doubt. */
function partitionObserved({ action, identifier }: Addition, learned: LearnedFacts): PartitionedMembers {
  const members: PersonRef[] = [];
  const others: AddedMember[] = [];
  const team = { team: action.team.team, name: action.team.name, identifier };
  for (const member of action.members) {
    const observed = learned.observed(member.address);
    const outcome = observed === undefined ? undefined : observedOutcome(member, observed.user, team);
    if (outcome === undefined) members.push(member);
    else others.push(outcome);
  }
  return { members, others };
}

/** Undefined where the person is shown to be no member. */
function observedOutcome(
  { address, email }: PersonRef,
  user: ObservedUser | undefined,
  team: TeamIdentity,
): AddedMember | undefined {
  const shown = user === undefined ? ({ is: "unknown" } as const) : shownTeamKey(user, team);
  switch (shown.is) {
    case "absent":
      return undefined;
    case "shown":
      return memberWith(address, shown.key);
    case "unknown": {
      const message = `${email} existed before this run, and roster cannot know if they are in ${team.name} already`;
      const hint = "roster does not invite a user in doubt. Plan again; the finding shows what to write or allow";
      return { address, outcome: { added: false, failure: { code: "stale", message, hint } } };
    }
  }
}

/** Whether a refusal of a whole call may be the fault of one of its people, or of how they were named. */
function mayConcernOneMember({ code }: Failure): boolean {
  return code === "conflict" || code === "not-found" || code === "refused";
}
