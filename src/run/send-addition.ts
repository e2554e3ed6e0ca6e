import type { AddMembers, MemberRef, PersonRef } from "../model/action.ts";
import type { AddedMember, Intent } from "../model/event.ts";
import type { TeamIdentity } from "../model/team.ts";
import type { AddMembersResponse } from "../ports/account-service.ts";
import { type AdditionContext, contradictsAddition, type NamedMember, readAdditionAnswer } from "./answers.ts";
import { effectsOf } from "./effect.ts";
import { namesInCalls } from "./knowledge.ts";
import { type CallTimes, readOutcome } from "./resolve.ts";
import { learnWrites, type SendResult, send } from "./send.ts";
import { forbiddenKeys, type RunSession } from "./session.ts";

/** An addition to a team whose identifier is known. */
export interface Addition {
  readonly action: AddMembers;
  readonly team: TeamIdentity & { readonly identifier: string };
}

/** What is announced of an addition of these people. */
export function additionIntent(
  { action, team }: Addition,
  members: readonly PersonRef[],
): Extract<Intent, { readonly kind: "add-members" }> {
  const addresses = members.map(({ address }) => address);
  const asked = new Set(addresses);
  const sent: readonly MemberRef[] = action.members.filter(({ address }) => asked.has(address));
  const requests = sent.flatMap(({ address, request }) => (request === undefined ? [] : [{ address, request }]));
  const ownerships = sent.flatMap(({ address, ownership }) =>
    ownership === undefined ? [] : [{ address, ownership }],
  );
  return {
    kind: "add-members",
    team: team.team,
    name: team.name,
    account: action.team.account,
    identifier: team.identifier,
    addresses,
    ...(requests.length === 0 ? {} : { requests }),
    ...(ownerships.length === 0 ? {} : { ownerships }),
  };
}

/** What a call names its people by. */
export type MemberNaming = "identifier" | "email";

/** By which name this service takes people, as far as is known: by their identifiers until it has shown otherwise. */
export function usualNaming({ knowledge }: RunSession): MemberNaming {
  return knowledge.writes.membersNamedBy ?? "identifier";
}

/** Whether both ways of naming a person say the same. */
export function hasOneName({ knowledge }: RunSession, person: PersonRef): boolean {
  return namesInCalls(knowledge, person).length === 1;
}

/** One call for these people. The outcomes are those of all of them, as far as the answer and reading show them. */
export async function sendAddition(
  addition: Addition,
  members: readonly PersonRef[],
  by: MemberNaming,
  session: RunSession,
): Promise<SendResult<readonly AddedMember[]>> {
  const { action, team } = addition;
  const { service, signal, knowledge, capabilities, kinds } = session;
  const named = members.map((person): NamedMember => {
    const [first, second] = namesInCalls(knowledge, person);
    if (second === undefined) return { person, names: [first] };
    return { person, names: by === "identifier" ? [first, second] : [second, first] };
  });
  const names = named.map(({ names: [first] }) => first);
  const { teamsOnKeys = "unknown" } = capabilities;
  const known = { team: action.team, identifier: team.identifier, teamsOnKeys, kinds, knowledge };
  const context = (): AdditionContext => ({ ...known, forbiddenKeys: forbiddenKeys(session) });
  const sent = await send(session, {
    action: action.id,
    intent: additionIntent(addition, members),
    call: (announced) => service.addMembers(team.identifier, names, signal, announced),
    contradiction: (answer) => contradictsAddition(named, answer, context()),
  });
  if (sent.is !== "done") return sent;
  const outcomes = await completeOutcomes(addition, named, sent, context(), session);
  const isTelling = members.some((person) => !hasOneName(session, person));
  if (isTelling && outcomes.some(({ outcome }) => outcome.added)) learnWrites(session, { membersNamedBy: by });
  return { ...sent, answer: outcomes };
}

/** People who are not in the answer are looked up where a read can tell. Others count as added, so that nobody is mailed twice. */
async function completeOutcomes(
  addition: Addition,
  named: readonly NamedMember[],
  { answer, times }: { readonly answer: AddMembersResponse; readonly times: CallTimes },
  context: AdditionContext,
  session: RunSession,
): Promise<readonly AddedMember[]> {
  const { shown, unshown } = readAdditionAnswer(named, answer, context);
  acknowledge(addition, named, shown, times, session);
  if (unshown.length === 0) return shown;
  const read = await readUnnamedMembers(addition, unshown, times, session);
  const byRead = new Map(read.map((member) => [member.address, member]));
  const rest = unshown.map(({ address }): AddedMember => byRead.get(address) ?? { address, outcome: { added: true } });
  acknowledge(addition, named, rest, times, session);
  return [...shown, ...rest];
}

function acknowledge(
  addition: Addition,
  named: readonly NamedMember[],
  members: readonly AddedMember[],
  { announced: begun }: CallTimes,
  { knowledge }: RunSession,
): void {
  const { team } = addition.team;
  const people = named.map(({ person }) => person);
  for (const effect of effectsOf(additionIntent(addition, people), { kind: "add-members", team, members }))
    knowledge.acknowledge({ kind: "addition", effect, begun });
}

async function readUnnamedMembers(
  addition: Addition,
  unshown: readonly PersonRef[],
  times: CallTimes,
  session: RunSession,
): Promise<readonly AddedMember[]> {
  const { keysOnUsers, teamsOnKeys } = session.capabilities;
  if (session.knowledge.keysAreHidden || keysOnUsers === "hidden" || teamsOnKeys === "hidden") return [];
  const why = "the answer does not name all new members, and reads do not show them yet";
  const verdict = await readOutcome(session, additionIntent(addition, unshown), { times, why });
  if (verdict === undefined) return [];
  if (verdict.as.done) return verdict.as.learned.kind === "add-members" ? verdict.as.learned.members : [];
  const message = "the answer does not name this user, and reads show that they were not added";
  return unshown.map(({ address }) => ({ address, outcome: { added: false, failure: { code: "refused", message } } }));
}
