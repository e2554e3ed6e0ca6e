import type { PersonRef } from "../model/action.ts";
import { type FoldedAddress, foldAddress } from "../model/address.ts";
import type { AddedMember } from "../model/event.ts";
import type { AddMemberResult, AddMembersResponse } from "../ports/account-service.ts";
import {
  type AnswerContext,
  contradictsMember,
  contradictsTeam,
  type NewKeyContext,
  newTeamKey,
} from "./judge-answers.ts";
import type { KnownHolders } from "./known-holders.ts";

/** Somebody of a call, and every name by which an answer may name them: what the call named them with comes first. */
export interface RequestedMember {
  readonly person: PersonRef;
  readonly names: readonly string[];
}

/** What an answer to an addition shows of the people in the call. */
export interface ShownMembers {
  readonly shown: readonly AddedMember[];
  /** Whom the answer does not name. */
  readonly unshown: readonly PersonRef[];
}

export function readAdditionAnswer(
  named: readonly RequestedMember[],
  answer: AddMembersResponse,
  choice: NewKeyContext,
): ShownMembers {
  const shown: AddedMember[] = [];
  const unshown: PersonRef[] = [];
  for (const { person, shows } of matchMembers(named, answer)) {
    if (shows === undefined) unshown.push(person);
    else shown.push(memberOutcome(person.address, shows, choice));
  }
  return { shown, unshown };
}

/** Why an answer to an addition is about another team or other people; undefined where it is not. */
export function contradictsAddition(
  named: readonly RequestedMember[],
  answer: AddMembersResponse,
  { team, identifier, known, forbidden }: Pick<NewKeyContext, "team" | "identifier"> & AnswerContext,
): string | undefined {
  const otherTeam = contradictsTeam(team, identifier, answer.team);
  if (otherTeam !== undefined) return otherTeam;
  const people = matchMembers(named, answer);
  const isAboutOthers = answer.members.every((member) => isStranger(member, named, known));
  if (answer.members.length > 0 && isAboutOthers) return "it names other people than were sent";
  return people
    .map(({ person, shows }) => shows && contradictsMember(person, shows, { known, forbidden }))
    .find((contradiction) => contradiction !== undefined);
}

/** Whether an answer shows somebody who is surely none of those who were sent. */
function isStranger(
  { email, identifier }: AddMemberResult,
  named: readonly RequestedMember[],
  known: KnownHolders,
): boolean {
  const isSent = (address: FoldedAddress) => named.some(({ person }) => person.address === address);
  if (email !== undefined) return !isSent(foldAddress(email));
  if (identifier === undefined || named.some(({ names }) => names.includes(identifier))) return false;
  if (identifier.includes("@")) return !isSent(foldAddress(identifier));
  const owner = known.personWith(identifier);
  return owner === undefined ? named.every(({ names }) => names.length > 1) : !isSent(owner);
}

function matchMembers(named: readonly RequestedMember[], answer: AddMembersResponse) {
  const find = answerLookup(answer.members);
  return named.map((one) => ({ person: one.person, shows: find(one) }));
}

function memberOutcome(address: FoldedAddress, person: AddMemberResult, choice: NewKeyContext): AddedMember {
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
function answerLookup(people: readonly AddMemberResult[]) {
  const byIdentifier = new Map<string, AddMemberResult>();
  const byAddress = new Map<FoldedAddress, AddMemberResult>();
  for (const person of people) {
    if (person.identifier !== undefined) byIdentifier.set(person.identifier, person);
    const address = person.email ?? person.identifier;
    if (address !== undefined) byAddress.set(foldAddress(address), person);
  }
  return ({ person, names }: RequestedMember): AddMemberResult | undefined =>
    names.map((name) => byIdentifier.get(name)).find((found) => found !== undefined) ?? byAddress.get(person.address);
}
