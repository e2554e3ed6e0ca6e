import { derivedEvents } from "../journal/settle.ts";
import type { AddMembers, PersonRef } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import type { AddedMember, LearnedOutcome } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import { type Failure, stopsTheRun } from "../model/result.ts";
import { shownTeamKey } from "../model/team.ts";
import { type MissingKey, readMissingKeys } from "./read-missing-facts.ts";
import type { RunContext } from "./run-context.ts";
import { type ActionResult, recordFailure } from "./send.ts";
import {
  type Addition,
  additionIntent,
  hasOneName,
  type MemberNaming,
  partitionObserved,
  sendAddition,
  uncertainAddition,
  usualNaming,
} from "./send-addition.ts";
import { settleByReading, type UnknownResult } from "./settle.ts";

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

/** What became of people who were added one by one. */
interface IndividualOutcomes {
  readonly members: readonly AddedMember[];
  /** The one whose addition nobody can tell; nobody was added after them. */
  readonly doubtful?: PersonRef;
}

/** Whether a refusal of a whole call may be the fault of one of its people, or of how they were named. */
function mayConcernOneMember({ code }: Failure): boolean {
  return code === "conflict" || code === "not-found" || code === "refused";
}

/** After so many refusals in the same words, and nobody added, it is not the people who are at fault. */
const maxIdenticalRefusals = 3;

/**
 * Adds people one by one where the service refused them all because of one. Whoever is a member by now is not sent again; nor is anybody
 * of whom neither reads nor the refusal say that they were not added. One person is tried under the other name first: where
 * that is taken, the service knows people by it. Each outcome is durable before the next call.
 */
async function addIndividually(
  addition: Addition,
  members: readonly PersonRef[],
  refusal: Failure,
): Promise<IndividualOutcomes> {
  const usual = usualNaming(addition.context);
  const places = await readCurrentMemberships(addition, members);
  const placeOf = ({ address }: PersonRef) => places.get(address) ?? "unknown";
  const there = [...places.values()].flatMap((place) => (typeof place === "string" ? [] : [place]));
  const open = members.filter((person) => typeof placeOf(person) === "string");
  const isClear = (person: PersonRef) =>
    members.length === 1 || placeOf(person) === "no-member" || isNamedInRefusal(refusal, person);
  const clear = open.filter(isClear);
  const unclear = open.filter((person) => !isClear(person)).map((person) => notAddedMember(person, refusal));
  const renamed = await tryOtherNaming(addition, clear, refusal);
  if (renamed === "doubtful") return stopAfterDoubt([...there, ...unclear], clear);
  if (renamed?.outcome.added === true) {
    const before = [...there, ...unclear, renamed];
    return addSequentially(addition, clear.slice(1), { before, refusal, by: otherNaming(usual) });
  }
  if (members.length === 1) return { members: [...there, ...clear.map((person) => notAddedMember(person, refusal))] };
  return addSequentially(addition, clear, { before: [...there, ...unclear], refusal, by: usual });
}

async function addSequentially(
  addition: Addition,
  people: readonly PersonRef[],
  {
    before,
    refusal,
    by,
  }: { readonly before: readonly AddedMember[]; readonly refusal: Failure; readonly by: MemberNaming },
): Promise<IndividualOutcomes> {
  const done: AddedMember[] = [];
  const all = () => [...before, ...done];
  const isNobodyIn = !before.some(({ outcome }) => outcome.added);
  for (const [index, person] of people.entries()) {
    if (isNobodyIn && areIdenticalRefusals(done, refusal)) {
      return { members: [...all(), ...people.slice(index).map((one) => notAddedMember(one, refusal))] };
    }
    const outcome = await addOneMember(addition, person, by);
    if (outcome === "doubtful") return stopAfterDoubt(all(), people.slice(index));
    done.push(outcome);
  }
  return { members: all() };
}

/** Nobody can tell whether the first of these people was added: the others are not sent. */
function stopAfterDoubt(done: readonly AddedMember[], [doubtful, ...others]: readonly PersonRef[]): IndividualOutcomes {
  if (doubtful === undefined) return { members: done };
  return { members: [...done, ...others.map((one) => notAddedMember(one, notSentAfterDoubt(doubtful)))], doubtful };
}

function otherNaming(by: MemberNaming): MemberNaming {
  return by === "identifier" ? "email" : "identifier";
}

/** Undefined where there is no other name to try, or where the service has taken the usual one before. */
async function tryOtherNaming(
  addition: Addition,
  [person]: readonly PersonRef[],
  { code }: Failure,
): Promise<AddedMember | "doubtful" | undefined> {
  const { context } = addition;
  const isProven = context.writes.behaviour.membersNamedBy !== undefined;
  if (person === undefined || code === "conflict" || isProven || hasOneName(context, person)) return undefined;
  return addOneMember(addition, person, otherNaming(usualNaming(context)));
}

/** What stands in no address and in no identifier. */
const nameSeparators = /[^\p{L}\p{N}._%+@'-]+/u;

/** A name at the end of a sentence, or in quotes, is the same name. */
function withoutPunctuation(word: string): readonly string[] {
  return [word, word.replace(/^['.]+|['.]+$/gu, "")];
}

function isNamedInRefusal({ serviceSays = "" }: Failure, { email, identifier }: PersonRef): boolean {
  const words = new Set(serviceSays.toLowerCase().split(nameSeparators).flatMap(withoutPunctuation));
  return [email, factValue(identifier)].some((name) => name !== undefined && words.has(name.toLowerCase()));
}

/** A member by now, surely none, or not to be told. */
type CurrentMembership = AddedMember | "no-member" | "unknown";

async function readCurrentMemberships(
  { action, identifier, context }: Addition,
  members: readonly PersonRef[],
): Promise<ReadonlyMap<FoldedAddress, CurrentMembership>> {
  const shown = await context.lookUpForSettling(members);
  if (!shown.ok) {
    if (stopsTheRun(shown.error)) context.stop(shown.error);
    return new Map();
  }
  const { team, name } = action.team;
  return new Map(
    members.map(({ address }): readonly [FoldedAddress, CurrentMembership] => {
      const looked = shown.value(address);
      if (looked.is !== "user") return [address, looked.is === "absent" ? "no-member" : "unknown"];
      const key = shownTeamKey(looked.user, { team, name, identifier });
      if (key.is !== "shown") return [address, key.is === "absent" ? "no-member" : "unknown"];
      const { prefix, roles } = key.key;
      return [address, { address, outcome: { added: true }, prefix, ...(roles === undefined ? {} : { roles }) }];
    }),
  );
}

async function addOneMember(
  addition: Addition,
  person: PersonRef,
  by: MemberNaming,
): Promise<AddedMember | "doubtful"> {
  const { action, context } = addition;
  const sent = await sendAddition(addition, [person], by);
  switch (sent.is) {
    case "not-started":
      return notAddedMember(person, { code: "aborted", message: "the run was stopped before this person was added" });
    case "refused":
      return recordRefusedMember(addition, person, sent.failure);
    case "answered": {
      const member = sent.answer[0] ?? { address: person.address, outcome: { added: true } };
      if (!member.outcome.added) return recordRefusedMember(addition, person, member.outcome.failure);
      await recordAdded(addition, person, member);
      return member;
    }
    case "unknown": {
      const verdict = await settleByReading(context, uncertainAddition(addition, [person]), sent);
      if (verdict === undefined) return "doubtful";
      const learned = verdict.as.done && verdict.as.learned.kind === "add-members" ? verdict.as.learned.members : [];
      const message = `${sent.failure.message}; reads show that it did not take effect for ${person.email}`;
      return learned[0] ?? notAddedMember(person, { ...sent.failure, message });
    }
  }

  async function recordAdded({ action: { team } }: Addition, one: PersonRef, member: AddedMember): Promise<void> {
    const at = context.now();
    const learned = { kind: "add-members", team: team.team, members: [member] } as const;
    const settled = {
      type: "settled",
      at,
      run: context.input.run,
      action: action.id,
      as: { done: true, learned },
    } as const;
    await context.record([settled, ...derivedEvents(additionIntent(addition, [one]), learned, at)]);
  }
}

async function recordRefusedMember(
  { action, context }: Addition,
  { address }: PersonRef,
  failure: Failure,
): Promise<AddedMember> {
  await context.record([{ type: "member-refused", at: context.now(), action: action.id, address, failure }]);
  return { address, outcome: { added: false, failure } };
}

function areIdenticalRefusals(done: readonly AddedMember[], refusal: Failure): boolean {
  const refused = done.flatMap(({ outcome }) => (outcome.added ? [] : [outcome.failure]));
  if (refused.length < done.length || refused.length < maxIdenticalRefusals) return false;
  return refused.every(({ code, serviceSays }) => code === refusal.code && serviceSays === refusal.serviceSays);
}

function notAddedMember({ address }: PersonRef, failure: Failure): AddedMember {
  return { address, outcome: { added: false, failure } };
}

function notSentAfterDoubt({ email }: PersonRef): Failure {
  return {
    code: "aborted",
    message: `this person was not asked for, because it is not known whether ${email} was added`,
  };
}
