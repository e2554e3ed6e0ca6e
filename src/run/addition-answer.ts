import { type EmailKey, foldAddress } from "../model/address.ts";
import type { AddedMember } from "../model/event.ts";
import { keyBelongsToTeam, type ObservedKey, withClearKind } from "../model/key.ts";
import type { AddMembers } from "../model/plan.ts";
import { hasOtherName, type TeamIdentity } from "../model/team.ts";
import type { AddMemberResult, AddMembersResponse } from "../service/port.ts";
import type { RunKnowledge } from "./knowledge.ts";
import { forbiddenKeys, type RunSession } from "./session.ts";

export interface Addition {
  readonly action: AddMembers;
  readonly team: TeamIdentity & { readonly account: string; readonly identifier: string };
}

/** Somebody of a call, and every name by which an answer may name them: what the call named them with comes first. */
export interface NamedMember {
  readonly person: AddMembers["members"][number];
  readonly names: readonly [string, ...string[]];
}

/** Why an answer to an addition is about another team or other people; undefined where it is not. */
export function contradictsAddition(
  { team }: Addition,
  named: readonly NamedMember[],
  answer: AddMembersResponse,
  session: RunSession,
): string | undefined {
  const { knowledge } = session;
  const shownTeam = answer.team?.identifier;
  if (shownTeam !== undefined && shownTeam !== team.identifier) return `it shows the team ${shownTeam}`;
  if (shownTeam === undefined && hasOtherName(answer.team, team.name)) return `it shows the team ${answer.team?.name}`;
  // A list may show the whole team, but a user who is refused was sent.
  const strangers = answer.members.filter((member) => isStranger(member, named, knowledge));
  const isAboutOthers = strangers.length === answer.members.length || strangers.some(({ failure }) => failure);
  if (strangers.length > 0 && isAboutOthers) return "it names other users than the call";
  const forbidden = forbiddenKeys(session);
  const sent = named.map(({ person }) => person.address);
  const unnamed = (answer.keys ?? []).map(({ prefix }) => knowledge.foreignKey(prefix, sent, forbidden));
  // A list may show the keys of the whole team.
  if (!unnamed.includes(undefined) && unnamed.length > 0) return unnamed[0];
  const people = matchMembers(named, answer);
  const shared = sharedKey(people.flatMap(({ shows }) => shows ?? []));
  if (shared !== undefined) return `it shows the key ${shared} for two users`;
  const [strange] = people.flatMap(({ person, shows }) => {
    // A list may show every key of the person, also one that is not to be touched.
    const untouchable = shows?.keys?.are === "named" ? forbidden : new Set<string>();
    const shown = shows?.keys?.shown ?? [];
    return shown.flatMap(({ prefix }) => knowledge.foreignKey(prefix, [person.address], untouchable) ?? []);
  });
  return strange;
}

/** Every key is one user's. */
function sharedKey(members: readonly AddMemberResult[]): string | undefined {
  const prefixes = [...new Set(members)].flatMap(({ keys }) => [...new Set(keys?.shown.map(({ prefix }) => prefix))]);
  return prefixes.find((prefix, index) => prefixes.indexOf(prefix) !== index);
}

/** Whether an answer shows somebody who is surely none of those who were sent. */
function isStranger({ email, identifier }: AddMemberResult, named: readonly NamedMember[], knowledge: RunKnowledge) {
  const isSent = (address: EmailKey) => named.some(({ person }) => person.address === address);
  if (email !== undefined) return !isSent(foldAddress(email));
  if (identifier === undefined || named.some(({ names }) => names.includes(identifier))) return false;
  if (identifier.includes("@")) return !isSent(foldAddress(identifier));
  const owner = knowledge.personWith(identifier);
  return owner === undefined ? named.every(({ names }) => names.length > 1) : !isSent(owner);
}

/** What an answer shows of each person of the call. It may name people by identifier, by address, or by what the call named them with. */
function matchMembers(named: readonly NamedMember[], { members }: AddMembersResponse) {
  const byIdentifier = new Map<string, AddMemberResult>();
  const byAddress = new Map<EmailKey, AddMemberResult>();
  for (const member of members) {
    if (member.identifier !== undefined) byIdentifier.set(member.identifier, member);
    const address = member.email ?? member.identifier;
    if (address !== undefined) byAddress.set(foldAddress(address), member);
  }
  return named.map(({ person, names }) => {
    const byName = names.map((name) => byIdentifier.get(name)).find((found) => found !== undefined);
    return { person, shows: byName ?? byAddress.get(person.address) };
  });
}

/**
 * What an answer to an addition shows of the people in the call, and those that it does not name. `namesAll`: each user that it names as
 * added is one of these people, so that nobody else of them is there under a name that is not known yet.
 */
export function readAdditionAnswer(
  { action, team }: Addition,
  named: readonly NamedMember[],
  answer: AddMembersResponse,
  session: RunSession,
) {
  const shown: AddedMember[] = [];
  const unnamed: NamedMember["person"][] = [];
  const people = matchMembers(named, answer);
  for (const { person, shows } of people) {
    const { address } = person;
    if (shows === undefined) unnamed.push(person);
    else if (shows.failure !== undefined) shown.push({ address, outcome: { added: false, failure: shows.failure } });
    else {
      const { prefix, roles } = newTeamKey(address, shows, team, session) ?? {};
      const provisional = prefix === undefined ? undefined : session.knowledge.provisional(action.id);
      shown.push({ address, outcome: { added: true }, prefix, roles, provisional });
    }
  }
  const known = new Set(people.map(({ shows }) => shows));
  return { shown, unnamed, namesAll: answer.members.every((one) => one.failure !== undefined || known.has(one)) };
}

/**
 * The key that an addition gave, among those that its answer shows for the person; undefined where none of them is surely it. A key
 * that the person had before is not, nor is the key in use, nor one of another team, nor one without a team where this service shows
 * teams on keys.
 */
export function newTeamKey(
  address: EmailKey,
  { keys }: AddMemberResult,
  team: TeamIdentity,
  session: RunSession,
): ObservedKey | undefined {
  const { knowledge, capabilities, kinds } = session;
  const forbidden = forbiddenKeys(session);
  const fitOf = (key: ObservedKey) => {
    if (key.team === "none") return capabilities.teamsOnKeys === "shown" ? "no" : "unknown";
    return keyBelongsToTeam(withClearKind(key, kinds), team);
  };
  const isFresh = ({ prefix }: ObservedKey) =>
    knowledge.holderOf(prefix)?.address !== address && !forbidden.has(prefix);
  const fresh = (keys?.shown ?? []).filter(isFresh);
  const [sure, another] = fresh.filter((key) => fitOf(key) === "yes");
  if (sure !== undefined) return another === undefined ? sure : undefined;
  const [possible, ...more] = fresh.filter((key) => fitOf(key) === "unknown");
  const isSingledOut = keys?.are === "named" || knowledge.keysKnown.has(address);
  return isSingledOut && more.length === 0 ? possible : undefined;
}
