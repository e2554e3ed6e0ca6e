import type { AddMembers, PersonRef } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import type { AddedMember, Intent, MemberOwnership, MemberRequest } from "../model/event.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import { shownTeamKey, type TeamIdentity } from "../model/team.ts";
import type { AddMembersResponse } from "../ports/account-service.ts";
import type { ApplySession } from "./apply-session.ts";
import { contradictsAddition, type NewKeyContext, type RequestedMember, readAdditionAnswer } from "./check-answers.ts";
import type { LearnedFacts } from "./learned-facts.ts";
import { type SendResult, send } from "./send.ts";
import { type CallTimes, readUnreported, type UncertainCall } from "./settle-by-reading.ts";
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
  const again = action.again === undefined ? {} : { again: action.again };
  return { kind: "add-members", team, name, account, identifier, addresses, ...again, ...asked };
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
export function hasOneName(learned: LearnedFacts, person: PersonRef): boolean {
  return learned.namesOf(person).length === 1;
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
    call: () => writes.service.addMembers(identifier, names, writes.signal),
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
  const [first, second] = learned.namesOf(person);
  if (second === undefined) return { person, names: [first] };
  return { person, names: by === "identifier" ? [first, second] : [second, first] };
}

function newKeyContext({ action, identifier }: Addition, { reads, learned }: ApplySession): NewKeyContext {
  const { teamsOnKeys = "unknown" } = reads.capabilities ?? {};
  return { team: action.team, identifier, teamsOnKeys, holders: learned.holders };
}

function recordAcknowledgedMembers(
  { action: { team }, identifier }: Addition,
  members: readonly PersonRef[],
  outcomes: readonly AddedMember[],
  { announced }: CallTimes,
  acknowledged: AcknowledgedWrites,
): void {
  const added = new Set(outcomes.flatMap(({ address, outcome }) => (outcome.added ? [address] : [])));
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
  const verdict = await readUnreported(session, uncertainAddition(addition, unshown), { times, why });
  if (verdict === undefined) return [];
  if (verdict.as.done) return verdict.as.learned.kind === "add-members" ? verdict.as.learned.members : [];
  const message = "the answer does not name this user, and reads show that they were not added";
  return unshown.map(({ address }) => ({ address, outcome: { added: false, failure: { code: "refused", message } } }));
}

/** The people to send, and those whose membership needs no call, or must not get one. */
interface PartitionedMembers {
  readonly members: readonly PersonRef[];
  readonly others: readonly AddedMember[];
}

/** A user that a creation found, and did not make, may be a member already: nobody is mailed on a doubt. */
export function partitionObserved({ action, identifier }: Addition, learned: LearnedFacts): PartitionedMembers {
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
    case "shown": {
      const { prefix, roles } = shown.key;
      return { address, outcome: { added: true }, prefix, ...(roles === undefined ? {} : { roles }) };
    }
    case "unknown": {
      const message = `${email} existed before this run, and roster cannot know if they are in ${team.name} already`;
      const hint = "roster does not invite a user in doubt. Plan again; the finding shows what to write or allow";
      return { address, outcome: { added: false, failure: { code: "unproven", message, hint } } };
    }
  }
}
