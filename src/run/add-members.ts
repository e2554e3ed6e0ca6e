import { keysOf } from "../log/state-draft.ts";
import type { IntentOf } from "../model/call.ts";
import type { AddedMember } from "../model/event.ts";
import { factValue, unknown } from "../model/fact.ts";
import type { Failure } from "../model/failure.ts";
import { type AddMembers, creationId } from "../model/plan.ts";
import type { TeamIdentity } from "../model/team.ts";
import { type Addition, contradictsAddition, readAdditionAnswer } from "./addition-answer.ts";
import { addressesAdded, effectsOf, membersAdded, membershipOf, resolvedBy } from "./assess.ts";
import type { MemberNaming } from "./knowledge.ts";
import {
  type ActionResult,
  type CallTimes,
  learnWrites,
  missingKeys,
  readMissingFacts,
  readOutcome,
  recordFailure,
  recordSkipped,
  recordSuccess,
  recordUnknown,
  resolveByReading,
  type SendResult,
  send,
} from "./send.ts";
import { queryOf, type RunSession, readPeople } from "./session.ts";

/**
 * Adds people to a team in one call, and learns the keys that later calls need. `leftOut`: people of the plan that the
 * call leaves out, and why; they are recorded with its outcome.
 */
export async function addMembers(
  action: AddMembers,
  leftOut: readonly AddedMember[],
  session: RunSession,
): Promise<ActionResult> {
  const { id, team, firstMember } = action;
  const { journal, knowledge, plan } = session;
  const { name, account } = plan.teams.get(team) ?? { name: team, account: "" };
  const identifier = knowledge.teamIdentifier(team, firstMember);
  if (identifier === undefined) {
    const cause = firstMember && creationId(firstMember);
    return recordSkipped(session, id, cause, `the identifier of the team ${name} is unknown`);
  }
  const addition: Addition = { action, team: { team, name, account, identifier } };
  // A user that a creation found, and did not make, may be a member already: nobody is mailed on a doubt.
  const met = action.members.flatMap((member) => metOutcome(member, addition.team, session));
  const known = new Set(met.map(({ address }) => address));
  const members = action.members.filter(({ address }) => !known.has(address));
  const unsent = [...met, ...leftOut];
  if (members.length === 0) return recordAddition(addition, unsent, session);
  const by = knowledge.naming;
  const call = { action: id, intent: additionIntent(addition, members) };
  const sent = await sendAddition(addition, members, by, session);
  switch (sent.is) {
    case "not-started":
      return sent;
    case "done": {
      const outcomes = [...sent.answer, ...unsent];
      const told = new Set(sent.answer.map(({ address }) => address));
      const except = members.flatMap(({ address }) => (told.has(address) ? [] : [address]));
      if (except.length === 0) return recordAddition(addition, outcomes, session);
      const names = except.map((address) => queryOf(address, plan).email).join(", ");
      const failure: Failure = { code: "service-error", message: `The answer names other users, and not ${names}` };
      recordUnknown(session, call, { failure, times: sent.times });
      const as = { done: true, learned: { kind: "add-members", team, members: outcomes } } as const;
      journal.record([resolvedBy({ run: journal.run, ...call }, { as, except }, journal.now())]);
      return continueAddition(addition, outcomes, session);
    }
    case "refused": {
      const refusal = sent.failure;
      // Whether it may be the fault of one of its people, or of how they were named.
      const mayConcernOne = ["conflict", "not-found", "refused"].includes(refusal.code);
      if (!mayConcernOne) return recordFailure(session, id, refusal);
      return addIndividually(addition, members, unsent, refusal, by, session);
    }
    case "unknown": {
      const { failure } = sent;
      const verdict = await resolveByReading(session, call, sent);
      if (verdict === undefined) return { is: "not-done", failure };
      if (!verdict.as.done) {
        const message = `${failure.message}. The service shows that no member was added`;
        return recordFailure(session, id, { ...failure, message });
      }
      const outcomes = [...membersAdded(verdict), ...unsent];
      return verdict.except === undefined && unsent.length > 0
        ? recordAddition(addition, outcomes, session)
        : continueAddition(addition, outcomes, session);
    }
  }
}

/** What a read has shown of somebody whom a creation met; nothing where they are to be sent. */
function metOutcome({ address }: Member, team: TeamIdentity, { knowledge, plan }: RunSession): readonly AddedMember[] {
  if (!knowledge.met.has(address)) return [];
  const user = knowledge.met.get(address);
  const member = user === undefined ? "unknown" : membershipOf(user, team);
  if (member === "absent") return [];
  if (member !== "unknown") return [member];
  const message = `${queryOf(address, plan).email} existed before this run, and roster cannot know if this user is in ${team.name} already`;
  const hint = "roster does not invite a user in doubt. Plan again; the finding shows what to write or allow";
  return [{ address, outcome: { added: false, failure: { code: "stale", message, hint } } }];
}

/** Records the outcome of every person, and goes on with those who are members now. An addition of nobody has failed. */
async function recordAddition(
  addition: Addition,
  outcomes: readonly AddedMember[],
  session: RunSession,
): Promise<ActionResult> {
  const { id: action, team } = addition.action;
  const { journal } = session;
  const refused = outcomes.flatMap(({ address, outcome }) =>
    outcome.added ? [] : [{ address, failure: outcome.failure }],
  );
  const [first] = refused;
  if (first !== undefined && refused.length === outcomes.length) {
    journal.record(refused.map((one) => ({ type: "member-refused", at: journal.now(), action, ...one })));
    const others = new Set(refused.map(({ failure }) => failure.message)).size - 1;
    const more = others === 0 ? "" : `; and ${others} other ${others === 1 ? "reason" : "reasons"}`;
    return recordFailure(session, action, { ...first.failure, message: `${first.failure.message}${more}` });
  }
  recordSuccess(session, action, { kind: "add-members", team, members: outcomes });
  return continueAddition(addition, outcomes, session);
}

/** Learns the keys of new members that later calls need, and nothing has shown yet. */
async function continueAddition(
  { action, team }: Addition,
  outcomes: readonly AddedMember[],
  session: RunSession,
): Promise<ActionResult> {
  const { id, members, because } = action;
  const added = addressesAdded(outcomes);
  const missing = await missingKeys(session, id, [...added], team);
  await readMissingFacts(session, missing, { account: team.account, because });
  return { is: "done", without: members.flatMap(({ address }) => (added.has(address) ? [] : [address])) };
}

type Member = AddMembers["members"][number];

export function additionIntent({ team }: Addition, members: readonly Member[]): IntentOf<"add-members"> {
  const requests = members.flatMap(({ address, request }) => (request === undefined ? [] : [{ address, request }]));
  const ownerships = members.flatMap(({ address, ownership }) =>
    ownership === undefined ? [] : [{ address, ownership }],
  );
  return {
    kind: "add-members",
    ...team,
    addresses: members.map(({ address }) => address),
    requests: requests.length === 0 ? undefined : requests,
    ownerships: ownerships.length === 0 ? undefined : ownerships,
  };
}

/** One call for these people. The outcomes are those whom the answer and reading tell of: where others are missing, it is not known of them. */
async function sendAddition(
  addition: Addition,
  members: readonly Member[],
  by: MemberNaming,
  session: RunSession,
): Promise<SendResult<readonly AddedMember[]>> {
  const { action, team } = addition;
  const { service, signal, knowledge } = session;
  const named = members.map((person) => ({ person, names: knowledge.namesInCalls(person.address, by) }));
  const sent = await send(session, {
    action: action.id,
    intent: additionIntent(addition, members),
    call: (announced) => {
      const names = named.map((one) => one.names[0]);
      return service.addMembers(team.identifier, names, signal, announced);
    },
    contradiction: (answer) => contradictsAddition(addition, named, answer, session),
  });
  if (sent.is !== "done") return sent;
  const { shown, unnamed, namesAll } = readAdditionAnswer(addition, named, sent.answer, session);
  const isListing = sent.answer.listsAdded === true || shown.some(({ outcome }) => outcome.added);
  const listed = namesAll && isListing ? shown : undefined;
  const rest = unnamed.length === 0 ? [] : await readUnnamedMembers(addition, unnamed, listed, sent.times, session);
  const answer = [...shown, ...rest];
  const isTelling = named.some(({ names }) => names.length > 1);
  if (isTelling && answer.some(({ outcome }) => outcome.added)) learnWrites(session, { membersNamedBy: by });
  return { ...sent, answer };
}

/**
 * People who are not in the answer, where a read can tell of them. They count as added, so that nobody is mailed twice, unless the answer
 * leaves them out of those whom it lists: `listed`, which is absent where it may mean them too.
 */
async function readUnnamedMembers(
  addition: Addition,
  unnamed: readonly Member[],
  listed: readonly AddedMember[] | undefined,
  times: CallTimes,
  session: RunSession,
): Promise<readonly AddedMember[]> {
  const { teamsOnKeys } = session.capabilities;
  const { team } = addition.team;
  const isReadable = !session.knowledge.keysAreHidden && teamsOnKeys !== "hidden";
  const why = "the answer does not name all new members, and the service does not show the others yet";
  const intent = additionIntent(addition, unnamed);
  // An answer to a call for all of them says that it was done; a read that shows other writes says only that these are late.
  const isDone = listed === undefined;
  const witnesses = isDone ? "prove-nothing" : effectsOf(intent, { kind: "add-members", team, members: listed });
  const verdict = isReadable ? await readOutcome(session, intent, { times, why, witnesses }) : undefined;
  const message = "the answer does not name this user, and the service shows that the user was not added";
  return unnamed.flatMap(({ address }): readonly AddedMember[] => {
    if (verdict?.as.done === false)
      return [{ address, outcome: { added: false, failure: { code: "refused", message } } }];
    const read = membersAdded(verdict).filter((one) => one.address === address);
    return read.length > 0 || listed !== undefined ? read : [{ address, outcome: { added: true } }];
  });
}

/** After so many refusals in the same words, and nobody added, the people are not the cause. */
const maxIdenticalRefusals = 3;

/**
 * Adds people one by one where the service refused them all because of one. A person who is a member by now is not sent again. Nor is
 * one who may have been added: neither reads nor the refusal say otherwise. Each outcome is durable before the next call, and nobody is
 * added after a person whose outcome is not known. `unsent`: outcomes of people that the call did not name. `by`: how it named the others.
 */
async function addIndividually(
  addition: Addition,
  members: readonly Member[],
  unsent: readonly AddedMember[],
  refusal: Failure,
  by: MemberNaming,
  session: RunSession,
): Promise<ActionResult> {
  const { journal, plan, look } = session;
  const { team } = addition;
  const isAlone = members.length === 1;
  const people = members.map(({ address }) => queryOf(address, plan));
  const shown = await readPeople(journal, look, people);
  const present: AddedMember[] = [];
  const unclear: AddedMember[] = [];
  const toSend: Member[] = [];
  for (const person of members) {
    const found = shown?.(person.address);
    const member = found?.is === "present" ? membershipOf(found.user, team) : found?.is;
    if (typeof member === "object") present.push(member);
    else if (isAlone || member === "absent" || isNamedIn(refusal, person, session)) toSend.push(person);
    else unclear.push(notAdded(person, refusal));
  }
  const known = [...present, ...unclear];
  const done: AddedMember[] = [];
  for (const [index, person] of toSend.entries()) {
    const left = toSend.slice(index);
    if (present.length === 0 && areIdenticalRefusals(done, refusal)) {
      done.push(...left.map((one) => notAdded(one, refusal)));
      break;
    }
    const outcome = await addOneMember(addition, person, refusal, isAlone ? by : undefined, session);
    if (outcome === "doubtful") {
      const message = `roster did not add this user, because the outcome for ${queryOf(person.address, plan).email} is unknown`;
      const others = left.slice(1).map((one) => notAdded(one, { code: "aborted", message }));
      const outcomes = [...known, ...done, ...others];
      const keys = keysOf({ kind: "add-members", team: team.team, members: outcomes });
      journal.record(keys.map((key) => ({ type: "key-learned", at: journal.now(), ...key })));
      return continueAddition(addition, outcomes, session);
    }
    done.push(outcome);
  }
  return recordAddition(addition, [...known, ...done, ...unsent], session);
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

/**
 * One call for one person, or one under each name while nobody knows by which of them this service takes people: a refusal under one
 * name says nothing of the other. `tried`: under which name the refused call named this person alone.
 */
async function addOneMember(
  addition: Addition,
  person: Member,
  refusal: Failure,
  tried: MemberNaming | undefined,
  session: RunSession,
): Promise<AddedMember | "doubtful"> {
  const { journal, knowledge, plan } = session;
  const { address } = person;
  const call = { action: addition.action.id, intent: additionIntent(addition, [person]) };
  let failure = tried && refusal;
  let isSent = false;
  for (const name of namesToTry(person, refusal, session).filter((one) => one !== tried)) {
    if (failure?.code === "conflict") break;
    isSent = true;
    const sent = await sendAddition(addition, [person], name, session);
    if (sent.is === "not-started")
      return notAdded(person, { code: "aborted", message: "the run stopped before it added this user" });
    if (sent.is === "unknown") {
      const verdict = await resolveByReading(session, call, sent);
      if (verdict === undefined) return "doubtful";
      const message = `${sent.failure.message}. The service shows that ${queryOf(address, plan).email} was not added`;
      return membersAdded(verdict)[0] ?? notAdded(person, { ...sent.failure, message });
    }
    const answered: readonly AddedMember[] = sent.is === "done" ? sent.answer : [notAdded(person, sent.failure)];
    const [member = { address, outcome: { added: true } }] = answered;
    if (member.outcome.added) {
      const learned = { kind: "add-members", team: addition.team.team, members: [member] } as const;
      journal.record([resolvedBy({ run: journal.run, ...call }, { as: { done: true, learned } }, journal.now())]);
      return member;
    }
    // What is told is the refusal under the usual name.
    failure = name === knowledge.naming ? member.outcome.failure : (failure ?? member.outcome.failure);
  }
  failure ??= refusal;
  if (isSent) journal.record([{ type: "member-refused", at: journal.now(), action: call.action, address, failure }]);
  return notAdded(person, failure);
}

function namesToTry({ address }: Member, { code }: Failure, { knowledge }: RunSession): readonly MemberNaming[] {
  const usual = knowledge.naming;
  if (knowledge.writes.membersNamedBy !== undefined || knowledge.namesInCalls(address, usual).length === 1)
    return [usual];
  const other = usual === "identifier" ? "email" : "identifier";
  return code === "conflict" ? [usual, other] : [other, usual];
}
