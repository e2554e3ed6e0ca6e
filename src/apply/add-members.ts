import { taughtBy } from "../journal/taught.ts";
import type { AddMembers, PersonRef } from "../model/action.ts";
import type { Failure } from "../model/failure.ts";
import type { AddedMember, Learned } from "../model/run-event.ts";
import type { ActionEnd } from "./action-end.ts";
import { addSingly, mayBeOneOfThem } from "./add-singly.ts";
import { type Addition, doubtAbout, intentFor, sendAddition } from "./addition.ts";
import { learnKeys, type MissingKey } from "./learn-by-reading.ts";
import { splitMet } from "./met-members.ts";
import type { RunContext } from "./run-context.ts";
import { recordFailure, type Unknown } from "./send.ts";
import { settleInRun } from "./settle-in-run.ts";

/**
 * Adds people to a team in one call, and learns the keys that later calls need. `left`: people of the plan whom the
 * call leaves out, and why; they are told with its outcome.
 */
export async function addMembers(
  action: AddMembers,
  left: readonly AddedMember[],
  context: RunContext,
): Promise<ActionEnd> {
  const identifier = context.facts.teamIdentifier(action.team);
  if (identifier === undefined) return skipWithoutTeam(action, context);
  const addition: Addition = { action, identifier, context };
  const { members, known } = splitMet(addition);
  const told = [...known, ...left];
  if (members.length === 0) return conclude(addition, told);
  const sent = await sendAddition(addition, members);
  switch (sent.is) {
    case "not-started":
      return sent;
    case "unknown":
      // Whoever is shown as a member may have been one before: no read of this run tells whether they were mailed.
      if (action.again === true) return { is: "ended", ended: { done: false }, failure: sent.failure };
      return settle(addition, members, told, sent);
    case "refused":
      return mayBeOneOfThem(sent.failure) && action.again !== true
        ? addOneByOne(addition, members, told, sent.failure)
        : recordFailure(context, action.id, sent.failure);
    case "answered":
      return conclude(addition, [...sent.answer, ...told]);
  }
}

async function skipWithoutTeam({ id, team }: AddMembers, context: RunContext): Promise<ActionEnd> {
  const why = `the identifier of the team ${team.name} is not known`;
  const cause = team.foundedBy === undefined ? {} : { cause: team.foundedBy };
  await context.record([{ type: "skipped", at: context.now(), action: id, ...cause, why }]);
  return { is: "ended", ended: { done: false, cause: { action: team.foundedBy ?? id, why } } };
}

/** Records what became of everybody, and goes on with those who are members now. */
async function conclude(addition: Addition, outcomes: readonly AddedMember[]): Promise<ActionEnd> {
  const { action, context } = addition;
  const at = context.now();
  const learned: Learned = { kind: "add-members", team: action.team.team, members: outcomes };
  const intent = intentFor(addition, action.members);
  await context.record([{ type: "succeeded", at, action: action.id, learned }, ...taughtBy(intent, learned, at)]);
  return goOn(addition, outcomes);
}

async function goOn(addition: Addition, outcomes: readonly AddedMember[]): Promise<ActionEnd> {
  const { action, context } = addition;
  remember(addition, outcomes);
  await learnKeys(context, missingKeys(addition, outcomes), action.because);
  const added = new Set(outcomes.flatMap(({ address, outcome }) => (outcome.added ? [address] : [])));
  const without = action.members.flatMap(({ address }) => (added.has(address) ? [] : [address]));
  return { is: "ended", ended: { done: true, without } };
}

async function addOneByOne(
  addition: Addition,
  members: readonly PersonRef[],
  told: readonly AddedMember[],
  refusal: Failure,
): Promise<ActionEnd> {
  const { action, context } = addition;
  const { members: outcomes, doubtful } = await addSingly(addition, members, refusal);
  if (doubtful !== undefined) {
    const learned: Learned = { kind: "add-members", team: action.team.team, members: outcomes };
    await context.record(taughtBy(intentFor(addition, members), learned, context.now()));
    return goOn(addition, outcomes);
  }
  const isRefusedAsAWhole = members.length === 1 && !outcomes.some(({ outcome }) => outcome.added);
  if (isRefusedAsAWhole && told.length === 0) return recordFailure(context, action.id, refusal);
  return conclude(addition, [...outcomes, ...told]);
}

async function settle(
  addition: Addition,
  members: readonly PersonRef[],
  told: readonly AddedMember[],
  unknown: Unknown,
): Promise<ActionEnd> {
  const { action, context } = addition;
  const verdict = await settleInRun(context, doubtAbout(addition, members), unknown);
  const { failure } = unknown;
  if (verdict === undefined) return { is: "ended", ended: { done: false }, failure };
  if (verdict.as.done && verdict.as.learned.kind === "add-members") {
    const outcomes = [...verdict.as.learned.members, ...told];
    return verdict.except === undefined && told.length > 0 ? conclude(addition, outcomes) : goOn(addition, outcomes);
  }
  const message = `${failure.message}; reads show that nobody was added`;
  return recordFailure(context, action.id, { ...failure, message });
}

function remember({ action, identifier, context }: Addition, outcomes: readonly AddedMember[]): void {
  const { team, members } = action;
  const emails = new Map(members.map(({ address, email }) => [address, email]));
  for (const { address, outcome, prefix, roles } of outcomes) {
    if (!outcome.added) continue;
    const key = prefix === undefined ? undefined : { prefix, ...(roles === undefined ? {} : { roles }) };
    context.facts.learnKey({ address, team: team.team }, key);
    const email = emails.get(address) ?? address;
    context.touched.expect({
      of: "membership",
      address,
      email,
      team: { team: team.team, name: team.name, identifier },
    });
  }
}

function missingKeys(
  { action, identifier, context }: Addition,
  outcomes: readonly AddedMember[],
): readonly MissingKey[] {
  const { id, team, members } = action;
  const needed = context.needs.keysOf(id);
  const added = new Set(outcomes.flatMap(({ address, outcome }) => (outcome.added ? [address] : [])));
  return members
    .filter(({ address }) => added.has(address) && needed.has(address))
    .filter(({ address }) => context.facts.key({ address, team: team.team }) === undefined)
    .map((person) => ({ person, team: { team: team.team, name: team.name, identifier } }));
}
