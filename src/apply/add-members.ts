import { derivedEvents } from "../journal/settle.ts";
import type { AddMembers, PersonRef } from "../model/action.ts";
import type { AddedMember, LearnedOutcome } from "../model/event.ts";
import type { Failure } from "../model/result.ts";
import { addIndividually, mayConcernOneMember } from "./add-individually.ts";
import { type MissingKey, readMissingKeys } from "./read-missing-facts.ts";
import type { RunContext } from "./run-context.ts";
import { type ActionResult, recordFailure } from "./send.ts";
import { type Addition, additionIntent, partitionObserved, sendAddition, uncertainAddition } from "./send-addition.ts";
import { settleByReading, type UnknownResult } from "./settle-by-reading.ts";

/**
 * Adds people to a team in one call, and learns the keys that later calls need. `left`: people of the plan whom the
 * call leaves out, and why; they are told with its outcome.
 */
export async function addMembers(
  action: AddMembers,
  left: readonly AddedMember[],
  context: RunContext,
): Promise<ActionResult> {
  const identifier = context.facts.teamIdentifier(action.team);
  if (identifier === undefined) return skipWithoutTeam(action, context);
  const addition: Addition = { action, identifier, context };
  const { members, known } = partitionObserved(addition);
  const told = [...known, ...left];
  if (members.length === 0) return recordAddition(addition, told);
  const sent = await sendAddition(addition, members);
  switch (sent.is) {
    case "not-started":
      return sent;
    case "unknown":
      // Whoever is shown as a member may have been one before: no read of this run tells whether they were mailed.
      if (action.again === true) return { is: "ended", ended: { done: false }, failure: sent.failure };
      return settleAddition(addition, members, told, sent);
    case "refused":
      return mayConcernOneMember(sent.failure) && action.again !== true
        ? retryIndividually(addition, members, told, sent.failure)
        : recordFailure(context, action.id, sent.failure);
    case "answered":
      return recordAddition(addition, [...sent.answer, ...told], sent.times.ended);
  }
}

async function skipWithoutTeam({ id, team }: AddMembers, context: RunContext): Promise<ActionResult> {
  const why = `the identifier of the team ${team.name} is not known`;
  const cause = team.foundedBy === undefined ? {} : { cause: team.foundedBy };
  await context.record([{ type: "skipped", at: context.now(), action: id, ...cause, why }]);
  return { is: "ended", ended: { done: false, cause: { action: team.foundedBy ?? id, why } } };
}

/** Records what became of everybody, and goes on with those who are members now. An addition of nobody has failed. */
async function recordAddition(
  addition: Addition,
  outcomes: readonly AddedMember[],
  answeredAt?: number,
): Promise<ActionResult> {
  const { action, context } = addition;
  const failure = commonFailure(outcomes);
  if (failure !== undefined) {
    await context.record(outcomes.flatMap((outcome) => memberRefused(addition, outcome)));
    return recordFailure(context, action.id, failure);
  }
  const at = context.now();
  const learned: LearnedOutcome = { kind: "add-members", team: action.team.team, members: outcomes };
  const intent = additionIntent(addition, action.members);
  await context.record([{ type: "succeeded", at, action: action.id, learned }, ...derivedEvents(intent, learned, at)]);
  return continueAddition(addition, outcomes, answeredAt);
}

/** Why nobody was added; undefined where somebody was. */
function commonFailure(outcomes: readonly AddedMember[]): Failure | undefined {
  const failures = outcomes.flatMap(({ outcome }) => (outcome.added ? [] : [outcome.failure]));
  const [first] = failures;
  if (first === undefined || failures.length < outcomes.length) return undefined;
  const rest = new Set(failures.map(({ message }) => message)).size - 1;
  return rest === 0 ? first : { ...first, message: `${first.message}; and ${rest} other reasons` };
}

function memberRefused({ action, context }: Addition, { address, outcome }: AddedMember) {
  if (outcome.added) return [];
  const { failure } = outcome;
  return [{ type: "member-refused", at: context.now(), action: action.id, address, failure } as const];
}

async function continueAddition(
  addition: Addition,
  outcomes: readonly AddedMember[],
  answeredAt?: number,
): Promise<ActionResult> {
  const { action, context } = addition;
  rememberMembers(addition, outcomes, answeredAt);
  await readMissingKeys(context, missingMemberKeys(addition, outcomes), action.because);
  const added = new Set(outcomes.flatMap(({ address, outcome }) => (outcome.added ? [address] : [])));
  const without = action.members.flatMap(({ address }) => (added.has(address) ? [] : [address]));
  return { is: "ended", ended: { done: true, without } };
}

async function retryIndividually(
  addition: Addition,
  members: readonly PersonRef[],
  told: readonly AddedMember[],
  refusal: Failure,
): Promise<ActionResult> {
  const { action, context } = addition;
  const { members: outcomes, doubtful } = await addIndividually(addition, members, refusal);
  if (doubtful === undefined) return recordAddition(addition, [...outcomes, ...told]);
  const learned: LearnedOutcome = { kind: "add-members", team: action.team.team, members: outcomes };
  await context.record(derivedEvents(additionIntent(addition, members), learned, context.now()));
  return continueAddition(addition, outcomes);
}

async function settleAddition(
  addition: Addition,
  members: readonly PersonRef[],
  told: readonly AddedMember[],
  unknown: UnknownResult,
): Promise<ActionResult> {
  const { action, context } = addition;
  const verdict = await settleByReading(context, uncertainAddition(addition, members), unknown);
  const { failure } = unknown;
  if (verdict === undefined) return { is: "ended", ended: { done: false }, failure };
  if (verdict.as.done && verdict.as.learned.kind === "add-members") {
    const outcomes = [...verdict.as.learned.members, ...told];
    return verdict.except === undefined && told.length > 0
      ? recordAddition(addition, outcomes)
      : continueAddition(addition, outcomes);
  }
  const message = `${failure.message}; reads show that nobody was added`;
  return recordFailure(context, action.id, { ...failure, message });
}

function rememberMembers(
  { action, identifier, context }: Addition,
  outcomes: readonly AddedMember[],
  at: number | undefined,
): void {
  const { team, members } = action;
  const emails = new Map(members.map(({ address, email }) => [address, email]));
  for (const { address, outcome, prefix, roles } of outcomes) {
    if (!outcome.added) continue;
    const key = prefix === undefined ? undefined : { prefix, ...(roles === undefined ? {} : { roles }) };
    context.facts.learnKey({ address, team: team.team }, key);
    const email = emails.get(address) ?? address;
    const named = { team: team.team, name: team.name, identifier };
    context.expectedEffects.expect({ of: "membership", address, email, team: named, at });
  }
}

function missingMemberKeys(
  { action, identifier, context }: Addition,
  outcomes: readonly AddedMember[],
): readonly MissingKey[] {
  const { id, team, members } = action;
  const needed = context.dependents.keysOf(id);
  const added = new Set(outcomes.flatMap(({ address, outcome }) => (outcome.added ? [address] : [])));
  return members
    .filter(({ address }) => added.has(address) && needed.has(address))
    .filter(({ address }) => context.facts.key({ address, team: team.team }) === undefined)
    .map((person) => ({ person, team: { team: team.team, name: team.name, identifier } }));
}
