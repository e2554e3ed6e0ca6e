import type { PersonRef } from "../model/action.ts";
import { type FoldedAddress, foldAddress } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import type { AddedMember } from "../model/run-event.ts";
import type { AddedMembers, AddedPerson } from "../ports/account-service.ts";

/** What an answer to an addition tells of the people in the call. */
export interface ToldMembers {
  readonly told: readonly AddedMember[];
  /** Whom the answer does not name. */
  readonly untold: readonly PersonRef[];
}

/** `names`: what the call named the people with, in their order. */
export function readAnswer(members: readonly PersonRef[], names: readonly string[], answer: AddedMembers): ToldMembers {
  const find = finder(answer.members);
  const told: AddedMember[] = [];
  const untold: PersonRef[] = [];
  for (const [index, member] of members.entries()) {
    const person = find(member, names[index]);
    if (person === undefined) untold.push(member);
    else told.push(outcomeOf(member.address, person));
  }
  return { told, untold };
}

function outcomeOf(address: FoldedAddress, { failure, key }: AddedPerson): AddedMember {
  if (failure !== undefined) return { address, outcome: { added: false, failure } };
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
