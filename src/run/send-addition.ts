import type { Intent } from "../model/call.ts";
import type { AddedMember } from "../model/event.ts";
import type { AddMembers } from "../model/plan.ts";
import type { TeamIdentity } from "../model/team.ts";
import { type AdditionContext, contradictsAddition, type NamedMember, readAdditionAnswer } from "./answers.ts";
import { membersAdded } from "./assess.ts";
import { effectsOf } from "./expected-effect.ts";
import type { MemberNaming } from "./knowledge.ts";
import { type CallTimes, readOutcome } from "./resolve.ts";
import { learnWrites, type SendResult, send } from "./send.ts";
import { forbiddenKeys, type RunSession } from "./session.ts";

export interface Addition {
  readonly action: AddMembers;
  readonly team: TeamIdentity & { readonly account: string; readonly identifier: string };
}

export type Member = AddMembers["members"][number];

export function additionIntent(
  { team }: Addition,
  members: readonly Member[],
): Extract<Intent, { readonly kind: "add-members" }> {
  const requests = members.flatMap(({ address, request }) => (request === undefined ? [] : [{ address, request }]));
  const ownerships = members.flatMap(({ address, ownership }) =>
    ownership === undefined ? [] : [{ address, ownership }],
  );
  return {
    kind: "add-members",
    team: team.team,
    name: team.name,
    account: team.account,
    identifier: team.identifier,
    addresses: members.map(({ address }) => address),
    ...(requests.length === 0 ? {} : { requests }),
    ...(ownerships.length === 0 ? {} : { ownerships }),
  };
}

/** One call for these people. The outcomes are those whom the answer and reading tell of: where others are missing, it is not known of them. */
export async function sendAddition(
  addition: Addition,
  members: readonly Member[],
  by: MemberNaming,
  session: RunSession,
): Promise<SendResult<readonly AddedMember[]>> {
  const { action, team } = addition;
  const { service, signal, knowledge, capabilities, kinds } = session;
  const named = members.map((person): NamedMember => {
    const [first, second] = knowledge.namesInCalls(person.address);
    if (second === undefined) return { person, names: [first] };
    return { person, names: by === "identifier" ? [first, second] : [second, first] };
  });
  const { teamsOnKeys = "unknown" } = capabilities;
  const known = { team, teamsOnKeys, kinds, knowledge };
  const context = (): AdditionContext => ({ ...known, forbiddenKeys: forbiddenKeys(session) });
  const intent = additionIntent(addition, members);
  const sent = await send(session, {
    action: action.id,
    intent,
    call: (announced) => {
      const names = named.map((one) => one.names[0]);
      return service.addMembers(team.identifier, names, signal, announced);
    },
    contradiction: (answer) => contradictsAddition(named, answer, context()),
  });
  if (sent.is !== "done") return sent;
  const { shown, unshown, namesAll } = readAdditionAnswer(named, sent.answer, {
    ...context(),
    provisional: knowledge.provisional(action.id),
  });
  const isListing = sent.answer.listsAdded === true || shown.some(({ outcome }) => outcome.added);
  const listed = namesAll && isListing ? shown : undefined;
  const rest = unshown.length === 0 ? [] : await readUnnamedMembers(addition, unshown, listed, sent.times, session);
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
  unshown: readonly Member[],
  listed: readonly AddedMember[] | undefined,
  times: CallTimes,
  session: RunSession,
): Promise<readonly AddedMember[]> {
  const { teamsOnKeys } = session.capabilities;
  const { team } = addition.team;
  const isReadable = !session.knowledge.keysAreHidden && teamsOnKeys !== "hidden";
  const why = "the answer does not name all new members, and reads do not show them yet";
  const intent = additionIntent(addition, unshown);
  const witnesses = listed === undefined ? [] : effectsOf(intent, { kind: "add-members", team, members: listed });
  // An answer to a call for all of them says that it was done; a read that shows other writes says only that these are late.
  const neighbours = listed === undefined ? "prove-nothing" : "prove";
  const verdict = isReadable ? await readOutcome(session, intent, { times, why, neighbours, witnesses }) : undefined;
  const message = "the answer does not name this user, and reads show that they were not added";
  return unshown.flatMap(({ address }): readonly AddedMember[] => {
    if (verdict?.as.done === false)
      return [{ address, outcome: { added: false, failure: { code: "refused", message } } }];
    const read = membersAdded(verdict).filter((one) => one.address === address);
    return read.length > 0 || listed !== undefined ? read : [{ address, outcome: { added: true } }];
  });
}
