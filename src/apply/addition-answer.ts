import type { PersonRef } from "../model/action.ts";
import { type FoldedAddress, foldAddress } from "../model/address.ts";
import type { AddedMember } from "../model/run-event.ts";
import type { AddMemberResult, AddMembersResponse } from "../ports/account-service.ts";
import { type AnswerContext, contradictsMember, contradictsTeam, type KeyChoice, newTeamKey } from "./judge-answers.ts";
import type { KnownHolders } from "./known-holders.ts";

/** Somebody of a call, and every name by which an answer may name them: what the call named them with comes first. */
export interface Named {
  readonly person: PersonRef;
  readonly names: readonly string[];
}

/** What an answer to an addition shows of the people in the call. */
export interface ShownMembers {
  readonly shown: readonly AddedMember[];
  /** Whom the answer does not name. */
  readonly unshown: readonly PersonRef[];
}

export function readAnswer(named: readonly Named[], answer: AddMembersResponse, choice: KeyChoice): ShownMembers {
  const shown: AddedMember[] = [];
  const unshown: PersonRef[] = [];
  for (const { person, shows } of matched(named, answer)) {
    if (shows === undefined) unshown.push(person);
    else shown.push(outcomeOf(person.address, shows, choice));
  }
  return { shown, unshown };
}

/** Why an answer to an addition is about another team or other people; undefined where it is not. */
export function contradictsAddition(
  named: readonly Named[],
  answer: AddMembersResponse,
  { team, identifier, known, forbidden }: Pick<KeyChoice, "team" | "identifier"> & AnswerContext,
): string | undefined {
  const otherTeam = contradictsTeam(team, identifier, answer.team);
  if (otherTeam !== undefined) return otherTeam;
  const people = matched(named, answer);
  const isAboutOthers = answer.members.every((member) => isAnother(member, named, known));
  if (answer.members.length > 0 && isAboutOthers) return "it names other people than were sent";
  return people
    .map(({ person, shows }) => shows && contradictsMember(person, shows, { known, forbidden }))
    .find((contradiction) => contradiction !== undefined);
}

/** Whether an answer shows somebody who is surely none of those who were sent. */
function isAnother({ email, identifier }: AddMemberResult, named: readonly Named[], known: KnownHolders): boolean {
  const isSent = (address: FoldedAddress) => named.some(({ person }) => person.address === address);
  if (email !== undefined) return !isSent(foldAddress(email));
  if (identifier === undefined || named.some(({ names }) => names.includes(identifier))) return false;
  if (identifier.includes("@")) return !isSent(foldAddress(identifier));
  const owner = known.personWith(identifier);
  return owner === undefined ? named.every(({ names }) => names.length > 1) : !isSent(owner);
}

function matched(named: readonly Named[], answer: AddMembersResponse) {
  const find = finder(answer.members);
  return named.map((one) => ({ person: one.person, shows: find(one) }));
}

function outcomeOf(address: FoldedAddress, person: AddMemberResult, choice: KeyChoice): AddedMember {
  if (person.failure !== undefined) return { address, outcome: { added: false, failure: person.failure } };
  const key = newTeamKey(address, person, choice);
  return {
    address,
    outcome: { added: true },
    ...(key === undefined ? {} : { prefix: key.prefix }),
    ...(key?.roles === undefined ? {} : { roles: key.roles }),
  };
}

/** An answer may name people by identifier, by address, or by what the call named them with. */
function finder(people: readonly AddMemberResult[]) {
  const byIdentifier = new Map<string, AddMemberResult>();
  const byAddress = new Map<FoldedAddress, AddMemberResult>();
  for (const person of people) {
    if (person.identifier !== undefined) byIdentifier.set(person.identifier, person);
    const address = person.email ?? person.identifier;
    if (address !== undefined) byAddress.set(foldAddress(address), person);
  }
  return ({ person, names }: Named): AddMemberResult | undefined =>
    names.map((name) => byIdentifier.get(name)).find((found) => found !== undefined) ?? byAddress.get(person.address);
}
