import { addressesAdded, derivedEvents, memberWith } from "../journal/settle.ts";
import type { AddMembers, PersonRef } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import type { AddedMember, Intent, MemberOwnership, MemberRequest } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import { type Failure, stopsTheRun } from "../model/result.ts";
import { shownTeamKey } from "../model/team.ts";
import type { AddMembersResponse } from "../ports/account-service.ts";
import type { ApplySession } from "./apply-session.ts";
import { contradictsAddition, type NewKeyContext, type RequestedMember, readAdditionAnswer } from "./check-answers.ts";
import type { LearnedFacts } from "./learned-facts.ts";
import type { RunJournal } from "./run-journal.ts";
import { type SendResult, send } from "./send.ts";
import { type CallTimes, readOutcome, settleByReading, type UncertainCall } from "./settle-by-reading.ts";
import type { AcknowledgedWrites } from "./write-behaviour.ts";

/** An addition to a team whose identifier is known. */
export interface Addition {
  readonly action: AddMembers;
  readonly identifier: string;
}

export function additionIntent({ action, identifier }: Addition, members: readonly PersonRef[]): Intent {
  const { team, name, account } = action.team;
  const addresses = members.map(({ address }) => address);
  const asked = additionDetails(action, new Set(addresses));
  return { kind: "add-members", team, name, account, identifier, addresses, ...asked };
}

function additionDetails(
  { members }: AddMembers,
  asked: ReadonlySet<FoldedAddress>,
): { readonly requests?: readonly MemberRequest[]; readonly ownerships?: readonly MemberOwnership[] } {
  const sent = members.filter(({ address }) => asked.has(address));
  const requests = sent.flatMap(({ address, request }) => (request === undefined ? [] : [{ address, ...request }]));
  const ownerships = sent.flatMap(({ address, ownership }) =>
    ownership === undefined ? [] : [{ address, ownership }],
  );
  return {
    ...(requests.length === 0 ? {} : { requests }),
    ...(ownerships.length === 0 ? {} : { ownerships }),
  };
}

export function uncertainAddition(addition: Addition, members: readonly PersonRef[]): UncertainCall {
  return { action: addition.action.id, intent: additionIntent(addition, members), people: members };
}

/** What a call names its people by. */
export type MemberNaming = "identifier" | "email";

/** By which name this service takes people, as far as is known: by their identifiers until it has shown otherwise. */
export function usualNaming({ writes }: Pick<ApplySession, "writes">): MemberNaming {
  return writes.behaviour.known.membersNamedBy ?? "identifier";
}

/** Whether both ways of naming a person say the same. */
function hasOneName(learned: LearnedFacts, person: PersonRef): boolean {
  return learned.namesInCalls(person).length === 1;
}

/** One call for these people. The outcomes are those of all of them, as far as the answer and reading show them. */
export async function sendAddition(
  addition: Addition,
  members: readonly PersonRef[],
  session: ApplySession,
  by: MemberNaming,
): Promise<SendResult<readonly AddedMember[]>> {
  const { action, identifier } = addition;
  const { writes, learned, limits } = session;
  const named = members.map((person) => nameMember(person, by, learned));
  const names = named.map(({ names: [first] }) => first);
  const choice = newKeyContext(addition, session);
  const sent = await send(session, {
    action: action.id,
    intent: additionIntent(addition, members),
    people: members,
    call: (announced) => writes.service.addMembers(identifier, names, writes.signal, announced),
    contradiction: (answer) => contradictsAddition(named, answer, { ...choice, forbiddenKeys: limits.forbiddenKeys }),
  });
  if (sent.is !== "answered") return sent;
  const outcomes = await completeOutcomes(addition, named, sent, session);
  recordAcknowledgedMembers(addition, members, outcomes, sent.times, writes.acknowledged);
  if (members.some((person) => !hasOneName(learned, person)) && outcomes.some(({ outcome }) => outcome.added)) {
    writes.behaviour.learnMemberNames(by);
  }
  return { ...sent, answer: outcomes };
}

type NamedMember = RequestedMember & { readonly names: readonly [string, ...string[]] };

function nameMember(person: PersonRef, by: MemberNaming, learned: LearnedFacts): NamedMember {
  const [first, second] = learned.namesInCalls(person);
  if (second === undefined) return { person, names: [first] };
  return { person, names: by === "identifier" ? [first, second] : [second, first] };
}

function newKeyContext({ action, identifier }: Addition, { reads, learned }: ApplySession): NewKeyContext {
  const { teamsOnKeys = "unknown" } = reads.capabilities ?? {};
  return { team: action.team, identifier, teamsOnKeys, kinds: reads.kinds, holders: learned.holders };
}

function recordAcknowledgedMembers(
  { action: { team }, identifier }: Addition,
  members: readonly PersonRef[],
  outcomes: readonly AddedMember[],
  { announced }: CallTimes,
  acknowledged: AcknowledgedWrites,
): void {
  const added = addressesAdded(outcomes);
  const named = { team: team.team, name: team.name, identifier };
  for (const { address, email } of members.filter((person) => added.has(person.address))) {
    acknowledged.note({ kind: "addition", person: { address, email }, team: named, begun: announced });
  }
}

/** People who are not in the answer are looked up where a read can tell. Others count as added, so that nobody is mailed twice. */
async function completeOutcomes(
  addition: Addition,
  named: readonly NamedMember[],
  { answer, times }: { readonly answer: AddMembersResponse; readonly times: CallTimes },
  session: ApplySession,
): Promise<readonly AddedMember[]> {
  const { shown, unshown } = readAdditionAnswer(named, answer, newKeyContext(addition, session));
  if (unshown.length === 0) return shown;
  const people = named.map(({ person }) => person);
  recordAcknowledgedMembers(addition, people, shown, times, session.writes.acknowledged);
  const read = await readUnnamedMembers(addition, unshown, times, session);
  const byRead = new Map(read.map((member) => [member.address, member]));
  const rest = unshown.map(({ address }): AddedMember => byRead.get(address) ?? { address, outcome: { added: true } });
  return [...shown, ...rest];
}

async function readUnnamedMembers(
  addition: Addition,
  unshown: readonly PersonRef[],
  times: CallTimes,
  session: ApplySession,
): Promise<readonly AddedMember[]> {
  const { keysOnUsers, teamsOnKeys } = session.reads.capabilities ?? {};
  if (session.learned.keysAreHidden || keysOnUsers === "hidden" || teamsOnKeys === "hidden") return [];
  const why = "the answer does not name all new members, and reads do not show them yet";
  const verdict = await readOutcome(session, uncertainAddition(addition, unshown), { times, why });
  if (verdict === undefined) return [];
  if (verdict.as.done) return verdict.as.learned.kind === "add-members" ? verdict.as.learned.members : [];
  const message = "the answer does not name this user, and reads show that they were not added";
  return unshown.map(({ address }) => ({ address, outcome: { added: false, failure: { code: "refused", message } } }));
}

/** The outcomes of people who were added one by one. */
interface IndividualOutcomes {
  readonly members: readonly AddedMember[];
  /** The person whose outcome is not known; nobody was added after them. */
  readonly doubtful?: PersonRef;
}

/** After so many refusals in the same words, and nobody added, the people are not the cause. */
const maxIdenticalRefusals = 3;

/** Why a whole call was refused, and by which name it named its people. */
export interface RefusedAddition {
  readonly refusal: Failure;
  readonly by: MemberNaming;
}

/**
 * Adds people one by one where the service refused them all because of one. A person who is a member by now is not sent again. Nor is
 * one who may have been added: neither reads nor the refusal say otherwise. The first person is tried under the other name first: where
 * that is taken, the service knows people by it. Each outcome is durable before the next call.
 */
export async function addIndividually(
  addition: Addition,
  members: readonly PersonRef[],
  { refusal, by }: RefusedAddition,
  session: ApplySession,
): Promise<IndividualOutcomes> {
  const places = await readCurrentMemberships(addition, members, session);
  const placeOf = ({ address }: PersonRef) => places.get(address) ?? "unknown";
  const there = [...places.values()].flatMap((place) => (typeof place === "string" ? [] : [place]));
  const open = members.filter((person) => typeof placeOf(person) === "string");
  const isClear = (person: PersonRef) =>
    members.length === 1 || placeOf(person) === "no-member" || isNamedInRefusal(refusal, person);
  const clear = open.filter(isClear);
  const unclear = open.filter((person) => !isClear(person)).map((person) => notAddedMember(person, refusal));
  const before = [...there, ...unclear];
  const usual = usualNaming(session);
  // Another addition has shown meanwhile by which name this service takes people.
  if (usual !== by) return addSequentially(addition, clear, { before, refusal, by: usual }, session);
  const renamed = await tryOtherNaming(addition, clear, refusal, session);
  if (renamed === "doubtful") return stopAfterDoubt(before, clear);
  if (renamed?.outcome.added === true) {
    const begun = { before: [...before, renamed], refusal, by: otherNaming(usual) };
    return addSequentially(addition, clear.slice(1), begun, session);
  }
  if (members.length === 1) return { members: [...there, ...clear.map((person) => notAddedMember(person, refusal))] };
  return addSequentially(addition, clear, { before, refusal, by: usual }, session);
}

async function addSequentially(
  addition: Addition,
  people: readonly PersonRef[],
  {
    before,
    refusal,
    by,
  }: { readonly before: readonly AddedMember[]; readonly refusal: Failure; readonly by: MemberNaming },
  session: ApplySession,
): Promise<IndividualOutcomes> {
  const done: AddedMember[] = [];
  const all = () => [...before, ...done];
  const isNobodyIn = !before.some(({ outcome }) => outcome.added);
  for (const [index, person] of people.entries()) {
    if (isNobodyIn && areIdenticalRefusals(done, refusal)) {
      return { members: [...all(), ...people.slice(index).map((one) => notAddedMember(one, refusal))] };
    }
    const outcome = await addOneMember(addition, person, by, session);
    if (outcome === "doubtful") return stopAfterDoubt(all(), people.slice(index));
    done.push(outcome);
  }
  return { members: all() };
}

/** It is not known whether the first person was added: the others are not sent. */
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
  session: ApplySession,
): Promise<AddedMember | "doubtful" | undefined> {
  const isProven = session.writes.behaviour.known.membersNamedBy !== undefined;
  if (person === undefined || code === "conflict" || isProven || hasOneName(session.learned, person)) return undefined;
  return addOneMember(addition, person, otherNaming(usualNaming(session)), session);
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

/** A member by now, surely none, or not known. */
type CurrentMembership = AddedMember | "no-member" | "unknown";

async function readCurrentMemberships(
  { action, identifier }: Addition,
  members: readonly PersonRef[],
  { journal, reads }: ApplySession,
): Promise<ReadonlyMap<FoldedAddress, CurrentMembership>> {
  const shown = await reads.forSettling(members);
  if (!shown.ok) {
    if (stopsTheRun(shown.error)) journal.stop(shown.error);
    return new Map();
  }
  const { team, name } = action.team;
  return new Map(
    members.map(({ address }): readonly [FoldedAddress, CurrentMembership] => {
      const found = shown.value(address);
      if (found.is !== "user") return [address, found.is === "absent" ? "no-member" : "unknown"];
      const key = shownTeamKey(found.user, { team, name, identifier });
      if (key.is !== "shown") return [address, key.is === "absent" ? "no-member" : "unknown"];
      return [address, memberWith(address, key.key)];
    }),
  );
}

async function addOneMember(
  addition: Addition,
  person: PersonRef,
  by: MemberNaming,
  session: ApplySession,
): Promise<AddedMember | "doubtful"> {
  const { action } = addition;
  const { journal } = session;
  const sent = await sendAddition(addition, [person], session, by);
  switch (sent.is) {
    case "not-started":
      return notAddedMember(person, { code: "aborted", message: "the run stopped before it added this user" });
    case "refused":
      return recordRefusedMember(action, person, sent.failure, journal);
    case "answered": {
      const member = sent.answer[0] ?? { address: person.address, outcome: { added: true } };
      if (!member.outcome.added) return recordRefusedMember(action, person, member.outcome.failure, journal);
      recordAddedMember(addition, person, member, journal);
      return member;
    }
    case "unknown": {
      const verdict = await settleByReading(session, uncertainAddition(addition, [person]), sent);
      if (verdict === undefined) return "doubtful";
      const learned = verdict.as.done && verdict.as.learned.kind === "add-members" ? verdict.as.learned.members : [];
      const message = `${sent.failure.message}. Reads show that ${person.email} was not added`;
      return learned[0] ?? notAddedMember(person, { ...sent.failure, message });
    }
  }
}

function recordAddedMember(addition: Addition, person: PersonRef, member: AddedMember, journal: RunJournal): void {
  const { id, team } = addition.action;
  const at = journal.now();
  const learned = { kind: "add-members", team: team.team, members: [member] } as const;
  const settled = { type: "settled", at, run: journal.run, action: id, as: { done: true, learned } } as const;
  journal.record([settled, ...derivedEvents(additionIntent(addition, [person]), learned, at)]);
}

function recordRefusedMember(
  { id }: AddMembers,
  { address }: PersonRef,
  failure: Failure,
  journal: RunJournal,
): AddedMember {
  journal.record([{ type: "member-refused", at: journal.now(), action: id, address, failure }]);
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
    message: `roster did not add this user, because the outcome for ${email} is unknown`,
  };
}
