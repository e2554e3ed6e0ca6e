import type { AddMembers, PersonRef } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import type { AddedMember, Intent, MemberRequest } from "../model/run-event.ts";
import type { AddedMembers } from "../ports/account-service.ts";
import { readAnswer } from "./addition-answer.ts";
import type { RunContext } from "./run-context.ts";
import { type Sent, send } from "./send.ts";
import { type Doubt, readUntold } from "./settle-in-run.ts";

/** An addition to a team whose identifier is known. */
export interface Addition {
  readonly action: AddMembers;
  readonly identifier: string;
  readonly context: RunContext;
}

export function intentFor({ action, identifier }: Addition, members: readonly PersonRef[]): Intent {
  const { team, name, account } = action.team;
  const addresses = members.map(({ address }) => address);
  const asked = requestsOf(action, new Set(addresses));
  const again = action.again === undefined ? {} : { again: action.again };
  return { kind: "add-members", team, name, account, identifier, addresses, ...again, ...asked };
}

function requestsOf(
  { members }: AddMembers,
  asked: ReadonlySet<FoldedAddress>,
): { readonly requests?: readonly MemberRequest[] } {
  const requests = members.flatMap(({ address, request }) =>
    request === undefined || !asked.has(address) ? [] : [{ address, ...request }],
  );
  return requests.length === 0 ? {} : { requests };
}

export function doubtAbout(addition: Addition, members: readonly PersonRef[]): Doubt {
  return { action: addition.action.id, intent: intentFor(addition, members), people: members };
}

/** One call for these people. An answer tells of every one of them, as far as it and reading can. */
export async function sendAddition(
  addition: Addition,
  members: readonly PersonRef[],
): Promise<Sent<readonly AddedMember[]>> {
  const { action, identifier, context } = addition;
  const names = members.map((member) => context.facts.nameOf(member));
  const call = () => context.service.addMembers(identifier, names, context.signal);
  const sent = await send(context, { action: action.id, intent: intentFor(addition, members), call });
  if (sent.is !== "answered") return sent;
  return { is: "answered", answer: await everybodyIn(addition, members, names, sent.answer) };
}

/** Whom the answer does not name is looked up where a read can tell; else they count as added, to mail nobody twice. */
async function everybodyIn(
  addition: Addition,
  members: readonly PersonRef[],
  names: readonly string[],
  answer: AddedMembers,
): Promise<readonly AddedMember[]> {
  const { told, untold } = readAnswer(members, names, answer);
  if (untold.length === 0) return told;
  const read = await readMembers(addition, untold);
  const byRead = new Map(read.map((member) => [member.address, member]));
  const rest = untold.map(({ address }): AddedMember => byRead.get(address) ?? { address, outcome: { added: true } });
  return [...told, ...rest];
}

async function readMembers(addition: Addition, untold: readonly PersonRef[]): Promise<readonly AddedMember[]> {
  const { context } = addition;
  const { keysOnUsers, teamsOnKeys } = context.work.capabilities ?? {};
  if (context.facts.keysAreHidden || keysOnUsers === "hidden" || teamsOnKeys === "hidden") return [];
  const why = "the answer does not name everybody who was to be added, and reading does not show them yet";
  const verdict = await readUntold(context, doubtAbout(addition, untold), { at: context.clock.now(), why });
  if (verdict === undefined) return [];
  if (verdict.as.done) return verdict.as.learned.kind === "add-members" ? verdict.as.learned.members : [];
  const message = "the service answered without naming this person, and reads show that they were not added";
  return untold.map(({ address }) => ({ address, outcome: { added: false, failure: { code: "refused", message } } }));
}
