import type { EmailKey } from "../model/address.ts";
import type { AddedMember } from "../model/event.ts";
import { factValue, unknown } from "../model/fact.ts";
import { type Failure, stopsTheRun } from "../model/failure.ts";
import { membersAdded, resolvedBy } from "./assess.ts";
import { membershipOf } from "./expected-effect.ts";
import type { MemberNaming } from "./knowledge.ts";
import { resolveByReading } from "./resolve.ts";
import type { SendResult } from "./send.ts";
import { type Addition, additionIntent, type Member, sendAddition } from "./send-addition.ts";
import { queryOf, type RunSession } from "./session.ts";

interface IndividualOutcomes {
  readonly members: readonly AddedMember[];
  /** The person whose outcome is not known; nobody was added after them. */
  readonly doubtful?: Member;
}

/** Why a whole call was refused, and by which name it named its people. */
interface RefusedAddition {
  readonly refusal: Failure;
  readonly by: MemberNaming;
}

/** After so many refusals in the same words, and nobody added, the people are not the cause. */
const maxIdenticalRefusals = 3;

/**
 * Adds people one by one where the service refused them all because of one. A person who is a member by now is not sent again. Nor is
 * one who may have been added: neither reads nor the refusal say otherwise. Each outcome is durable before the next call.
 */
export async function addIndividually(
  addition: Addition,
  members: readonly Member[],
  refused: RefusedAddition,
  session: RunSession,
): Promise<IndividualOutcomes> {
  const { refusal } = refused;
  const memberships = await readMemberships(addition, members, session);
  const stateOf = ({ address }: Member) => memberships.get(address) ?? "unknown";
  const mayBeSent = (person: Member) =>
    members.length === 1 || stateOf(person) === "absent" || isNamedIn(refusal, person, session);
  const present = [...memberships.values()].flatMap((one) => (typeof one === "string" ? [] : [one]));
  const open = members.filter((person) => typeof stateOf(person) === "string");
  const before = [...present, ...open.filter((one) => !mayBeSent(one)).map((one) => notAdded(one, refusal))];
  const clear = open.filter(mayBeSent);
  const done: AddedMember[] = [];
  for (const [index, person] of clear.entries()) {
    const left = clear.slice(index);
    if (present.length === 0 && areIdenticalRefusals(done, refusal))
      return { members: [...before, ...done, ...left.map((one) => notAdded(one, refusal))] };
    const outcome = await addOneMember(addition, person, { ...refused, isAlone: members.length === 1 }, session);
    if (outcome === "doubtful") {
      const message = `roster did not add this user, because the outcome for ${queryOf(person.address, session.plan).email} is unknown`;
      const others = left.slice(1).map((one) => notAdded(one, { code: "aborted", message }));
      return { members: [...before, ...done, ...others], doubtful: person };
    }
    done.push(outcome);
  }
  return { members: [...before, ...done] };
}

function areIdenticalRefusals(done: readonly AddedMember[], refusal: Failure): boolean {
  const isIdentical = ({ outcome }: AddedMember) =>
    !outcome.added && outcome.failure.code === refusal.code && outcome.failure.serviceSays === refusal.serviceSays;
  return done.length >= maxIdenticalRefusals && done.every(isIdentical);
}

function notAdded({ address }: Member, failure: Failure): AddedMember {
  return { address, outcome: { added: false, failure } };
}

function isNamedIn({ serviceSays = "" }: Failure, { address }: Member, { plan }: RunSession): boolean {
  const { email, identifier } = plan.users.get(address) ?? { email: address, identifier: unknown<string>("") };
  // What stands in no address and in no identifier parts them; a name at the end of a sentence, or in quotes, is the same name.
  const parts = serviceSays.toLowerCase().split(/[^\p{L}\p{N}._%+@'-]+/u);
  const words = new Set(parts.flatMap((word) => [word, word.replace(/^['.]+|['.]+$/gu, "")]));
  return [email, factValue(identifier)].some((name) => name !== undefined && words.has(name.toLowerCase()));
}

/** For each person who was read: a member by now, surely none, or not known. */
async function readMemberships(
  { team }: Addition,
  members: readonly Member[],
  { journal, look, plan }: RunSession,
): Promise<ReadonlyMap<EmailKey, AddedMember | "absent" | "unknown">> {
  const read = await look(members.map(({ address }) => queryOf(address, plan)));
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

/**
 * One call for one person, or one under each name while nobody knows by which of them this service takes people: a refusal under one
 * name says nothing of the other. `isAlone`: the refused call named nobody else.
 */
async function addOneMember(
  addition: Addition,
  person: Member,
  { refusal, by, isAlone }: RefusedAddition & { readonly isAlone: boolean },
  session: RunSession,
): Promise<AddedMember | "doubtful"> {
  const { journal } = session;
  let failure: Failure | undefined = isAlone ? refusal : undefined;
  let isSent = false;
  for (const name of namesToTry(person, refusal, session)) {
    if (isAlone && name === by) continue;
    if (failure?.code === "conflict") break;
    isSent = true;
    const sent = await sendAddition(addition, [person], name, session);
    const refused = refusalOf(sent);
    if (refused === undefined) return outcomeOfOne(addition, person, sent, session);
    // What is told is the refusal under the usual name.
    failure = name === session.knowledge.naming ? refused : (failure ?? refused);
  }
  const { address } = person;
  const action = addition.action.id;
  failure ??= refusal;
  if (isSent) journal.record([{ type: "member-refused", at: journal.now(), action, address, failure }]);
  return notAdded(person, failure);
}

function namesToTry({ address }: Member, { code }: Failure, { knowledge }: RunSession): readonly MemberNaming[] {
  const usual = knowledge.naming;
  if (knowledge.writes.membersNamedBy !== undefined || knowledge.namesInCalls(address).length === 1) return [usual];
  const other = usual === "identifier" ? "email" : "identifier";
  return code === "conflict" ? [usual, other] : [other, usual];
}

function refusalOf(sent: SendResult<readonly AddedMember[]>): Failure | undefined {
  if (sent.is === "refused") return sent.failure;
  const outcome = sent.is === "done" ? sent.answer[0]?.outcome : undefined;
  return outcome?.added === false ? outcome.failure : undefined;
}

/** What became of a call for one person that was not refused; recorded. */
async function outcomeOfOne(
  addition: Addition,
  person: Member,
  sent: SendResult<readonly AddedMember[]>,
  session: RunSession,
): Promise<AddedMember | "doubtful"> {
  const { journal } = session;
  const call = { action: addition.action.id, intent: additionIntent(addition, [person]) };
  switch (sent.is) {
    case "not-started":
      return notAdded(person, { code: "aborted", message: "the run stopped before it added this user" });
    case "refused":
      return notAdded(person, sent.failure);
    case "done": {
      const [member = { address: person.address, outcome: { added: true } }] = sent.answer;
      const learned = { kind: "add-members", team: addition.team.team, members: [member] } as const;
      journal.record([resolvedBy({ run: journal.run, ...call }, { as: { done: true, learned } }, journal.now())]);
      return member;
    }
    case "unknown": {
      const verdict = await resolveByReading(session, call, sent);
      if (verdict === undefined) return "doubtful";
      const message = `${sent.failure.message}. Reads show that ${queryOf(person.address, session.plan).email} was not added`;
      return membersAdded(verdict)[0] ?? notAdded(person, { ...sent.failure, message });
    }
  }
}
