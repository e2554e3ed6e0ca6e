import type { PersonRef } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import type { AddedMember } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import { type Failure, stopsTheRun } from "../model/result.ts";
import { resolvedEvents } from "./assess.ts";
import { membershipOf } from "./effect.ts";
import { resolveByReading } from "./resolve.ts";
import {
  type Addition,
  additionIntent,
  hasOneName,
  type MemberNaming,
  sendAddition,
  usualNaming,
} from "./send-addition.ts";
import type { RunSession } from "./session.ts";

/** The outcomes of people who were added one by one. */
interface IndividualOutcomes {
  readonly members: readonly AddedMember[];
  /** The person whose outcome is not known; nobody was added after them. */
  readonly doubtful?: PersonRef;
}

/** After so many refusals in the same words, and nobody added, the people are not the cause. */
const maxIdenticalRefusals = 3;

/**
 * Adds people one by one where the service refused them all because of one. A person who is a member by now is not sent again. Nor is
 * one who may have been added: neither reads nor the refusal say otherwise. The first person is tried under the other name first: where
 * that is taken, the service knows people by it. Each outcome is durable before the next call.
 */
export async function addIndividually(
  addition: Addition,
  members: readonly PersonRef[],
  /** Why the whole call was refused, and by which name it named its people. */
  { refusal, by }: { readonly refusal: Failure; readonly by: MemberNaming },
  session: RunSession,
): Promise<IndividualOutcomes> {
  const memberships = await readMemberships(addition, members, session);
  const stateOf = ({ address }: PersonRef) => memberships.get(address) ?? "unknown";
  const present = [...memberships.values()].flatMap((one) => (typeof one === "string" ? [] : [one]));
  const open = members.filter((person) => typeof stateOf(person) === "string");
  const isClear = (person: PersonRef) =>
    members.length === 1 || stateOf(person) === "absent" || isNamedIn(refusal, person);
  const clear = open.filter(isClear);
  const before = [...present, ...open.filter((one) => !isClear(one)).map((one) => notAdded(one, refusal))];
  const usual = usualNaming(session);
  const goOn = (done: readonly AddedMember[], people: readonly PersonRef[], name: MemberNaming) =>
    addSequentially(addition, people, { before: done, refusal, by: name }, session);
  // Another addition has shown meanwhile by which name this service takes people.
  if (usual !== by) return goOn(before, clear, usual);
  const [first] = clear;
  const isProven = session.knowledge.writes.membersNamedBy !== undefined;
  if (first !== undefined && refusal.code !== "conflict" && !isProven && !hasOneName(session, first)) {
    const other = usual === "identifier" ? "email" : "identifier";
    const renamed = await addOneMember(addition, first, other, session);
    if (renamed === "doubtful") return stopAfterDoubt(before, clear);
    if (renamed.outcome.added) return goOn([...before, renamed], clear.slice(1), other);
  }
  if (members.length === 1) return { members: [...present, ...clear.map((one) => notAdded(one, refusal))] };
  return goOn(before, clear, usual);
}

async function addSequentially(
  addition: Addition,
  people: readonly PersonRef[],
  {
    before,
    refusal,
    by,
  }: { readonly before: readonly AddedMember[]; readonly refusal: Failure; readonly by: MemberNaming },
  session: RunSession,
): Promise<IndividualOutcomes> {
  const done: AddedMember[] = [];
  const isNobodyIn = !before.some(({ outcome }) => outcome.added);
  for (const [index, person] of people.entries()) {
    const left = people.slice(index);
    if (isNobodyIn && areIdenticalRefusals(done, refusal))
      return { members: [...before, ...done, ...left.map((one) => notAdded(one, refusal))] };
    const outcome = await addOneMember(addition, person, by, session);
    if (outcome === "doubtful") return stopAfterDoubt([...before, ...done], left);
    done.push(outcome);
  }
  return { members: [...before, ...done] };
}

/** It is not known whether the first person was added: the others are not sent. */
function stopAfterDoubt(done: readonly AddedMember[], [doubtful, ...others]: readonly PersonRef[]): IndividualOutcomes {
  if (doubtful === undefined) return { members: done };
  const message = `roster did not add this user, because the outcome for ${doubtful.email} is unknown`;
  return { members: [...done, ...others.map((one) => notAdded(one, { code: "aborted", message }))], doubtful };
}

function areIdenticalRefusals(done: readonly AddedMember[], refusal: Failure): boolean {
  const refused = done.flatMap(({ outcome }) => (outcome.added ? [] : [outcome.failure]));
  if (refused.length < done.length || refused.length < maxIdenticalRefusals) return false;
  return refused.every(({ code, serviceSays }) => code === refusal.code && serviceSays === refusal.serviceSays);
}

function notAdded({ address }: PersonRef, failure: Failure): AddedMember {
  return { address, outcome: { added: false, failure } };
}

/** What stands in no address and in no identifier. */
const nameSeparators = /[^\p{L}\p{N}._%+@'-]+/u;

/** A name at the end of a sentence, or in quotes, is the same name. */
function withoutPunctuation(word: string): readonly string[] {
  return [word, word.replace(/^['.]+|['.]+$/gu, "")];
}

function isNamedIn({ serviceSays = "" }: Failure, { email, identifier }: PersonRef): boolean {
  const words = new Set(serviceSays.toLowerCase().split(nameSeparators).flatMap(withoutPunctuation));
  return [email, factValue(identifier)].some((name) => name !== undefined && words.has(name.toLowerCase()));
}

/** For each person who was read: a member by now, surely none, or not known. */
async function readMemberships(
  { team }: Addition,
  members: readonly PersonRef[],
  { journal, look }: RunSession,
): Promise<ReadonlyMap<EmailKey, AddedMember | "absent" | "unknown">> {
  const read = await look(members);
  if (!read.ok) {
    if (stopsTheRun(read.error)) journal.stop(read.error);
    return new Map();
  }
  return new Map(
    members.map(({ address }) => {
      const found = read.value(address);
      return [address, found.is === "present" ? membershipOf(found.user, team) : found.is];
    }),
  );
}

/** One call for one person, and its outcome, recorded. */
async function addOneMember(
  addition: Addition,
  person: PersonRef,
  by: MemberNaming,
  session: RunSession,
): Promise<AddedMember | "doubtful"> {
  const { journal } = session;
  const { address, email } = person;
  const call = { action: addition.action.id, intent: additionIntent(addition, [person]) };
  const recordRefused = (failure: Failure) => {
    journal.record([{ type: "member-refused", at: journal.now(), action: call.action, address, failure }]);
    return notAdded(person, failure);
  };
  const sent = await sendAddition(addition, [person], by, session);
  switch (sent.is) {
    case "not-started":
      return notAdded(person, { code: "aborted", message: "the run stopped before it added this user" });
    case "refused":
      return recordRefused(sent.failure);
    case "done": {
      const [member = { address, outcome: { added: true } }] = sent.answer;
      if (!member.outcome.added) return recordRefused(member.outcome.failure);
      const learned = { kind: "add-members", team: addition.team.team, members: [member] } as const;
      journal.record(resolvedEvents({ run: journal.run, ...call }, { as: { done: true, learned } }, journal.now()));
      return member;
    }
    case "unknown": {
      const verdict = await resolveByReading(session, call, sent);
      if (verdict === undefined) return "doubtful";
      const learned = verdict.as.done && verdict.as.learned.kind === "add-members" ? verdict.as.learned.members : [];
      const message = `${sent.failure.message}. Reads show that ${email} was not added`;
      return learned[0] ?? notAdded(person, { ...sent.failure, message });
    }
  }
}
