import type { AddMembers, PersonRef } from "../model/action.ts";
import { type FoldedAddress, foldAddress } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import type { AddedMember, Intent, Learned } from "../model/run-event.ts";
import type { AddedPerson, AddedMembers as Answer } from "../ports/account-service.ts";
import type { ActionEnd } from "./action-end.ts";
import { learnKeys, type MissingKey } from "./learn-by-reading.ts";
import type { RunContext } from "./run-context.ts";
import { send } from "./send.ts";

/**
 * Adds people to a team in one call, and learns the keys that later calls need. `left`: people of the plan whom the
 * call leaves out, and why; they are told with its outcome.
 */
export async function addMembers(
  action: AddMembers,
  left: readonly AddedMember[],
  context: RunContext,
): Promise<ActionEnd> {
  const { team, members } = action;
  const identifier = context.facts.teamIdentifier(team);
  if (identifier === undefined) return skipWithoutTeam(action, context);
  const names = members.map((member) => context.facts.nameOf(member));
  const sent = await send(context, {
    action: action.id,
    intent: intentOf(action, identifier),
    call: () => context.service.addMembers(identifier, names, context.signal),
    learn: (answer) => learnedOf(action, answer, names, left),
  });
  if (sent.is !== "done") return sent;
  const outcomes = sent.learned.kind === "add-members" ? sent.learned.members : [];
  remember(action, identifier, outcomes, context);
  await learnKeys(context, missingKeys(action, identifier, outcomes, context), action.because);
  const without = outcomes.flatMap(({ address, outcome }) => (outcome.added ? [] : [address]));
  return { is: "ended", ended: { done: true, without } };
}

async function skipWithoutTeam({ id, team }: AddMembers, context: RunContext): Promise<ActionEnd> {
  const why = `the identifier of the team ${team.name} is not known`;
  const cause = team.foundedBy === undefined ? {} : { cause: team.foundedBy };
  await context.record([{ type: "skipped", at: context.now(), action: id, ...cause, why }]);
  return { is: "ended", ended: { done: false, cause: { action: team.foundedBy ?? id, why } } };
}

function intentOf({ team, members }: AddMembers, identifier: string): Intent {
  const addresses = members.map(({ address }) => address);
  return { kind: "add-members", team: team.team, name: team.name, account: team.account, identifier, addresses };
}

function learnedOf(
  { team, members }: AddMembers,
  answer: Answer,
  names: readonly string[],
  left: readonly AddedMember[],
): Learned {
  const find = finder(answer.members);
  const told = members.map((member, index) => outcomeOf(member.address, find(member, names[index])));
  return { kind: "add-members", team: team.team, members: [...told, ...left] };
}

/** Whom the answer does not name counts as added: to take them for left out would be to invite them again. */
function outcomeOf(address: FoldedAddress, person: AddedPerson | undefined): AddedMember {
  if (person?.failure !== undefined) return { address, outcome: { added: false, failure: person.failure } };
  const key = person?.key;
  return {
    address,
    outcome: { added: true },
    ...(key === undefined ? {} : { prefix: key.prefix }),
    ...(key?.roles === undefined ? {} : { roles: key.roles }),
  };
}

/** An answer may name people by identifier, by address, or by what the call named them with. */
function finder(people: readonly AddedPerson[]) {
  const byIdentifier = new Map<string, AddedPerson>();
  const byAddress = new Map<FoldedAddress, AddedPerson>();
  for (const person of people) {
    if (person.identifier !== undefined) byIdentifier.set(person.identifier, person);
    const address = person.email ?? person.identifier;
    if (address !== undefined) byAddress.set(foldAddress(address), person);
  }
  return ({ address, identifier }: PersonRef, name: string | undefined): AddedPerson | undefined =>
    byIdentifier.get(name ?? "") ?? byIdentifier.get(factValue(identifier) ?? "") ?? byAddress.get(address);
}

function remember(
  { team, members }: AddMembers,
  identifier: string,
  outcomes: readonly AddedMember[],
  { facts, touched }: RunContext,
): void {
  const emails = new Map(members.map(({ address, email }) => [address, email]));
  for (const { address, outcome, prefix, roles } of outcomes) {
    if (!outcome.added) continue;
    const key = prefix === undefined ? undefined : { prefix, ...(roles === undefined ? {} : { roles }) };
    facts.learnKey({ address, team: team.team }, key);
    const email = emails.get(address) ?? address;
    touched.expect({ of: "membership", address, email, team: { name: team.name, identifier } });
  }
}

function missingKeys(
  { id, team, members }: AddMembers,
  identifier: string,
  outcomes: readonly AddedMember[],
  { needs, facts }: RunContext,
): readonly MissingKey[] {
  const needed = needs.keysOf(id);
  const added = new Set(outcomes.flatMap(({ address, outcome }) => (outcome.added ? [address] : [])));
  return members
    .filter(({ address }) => added.has(address) && needed.has(address))
    .filter(({ address }) => facts.key({ address, team: team.team }) === undefined)
    .map((person) => ({ person, team: { team: team.team, name: team.name, identifier } }));
}
