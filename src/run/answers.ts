import { type EmailKey, foldAddress } from "../model/address.ts";
import type { AddedMember } from "../model/event.ts";
import { keyBelongsToTeam, type ObservedKey, shownTeams, withClearKind } from "../model/key.ts";
import type { AddMembers, CreateUser } from "../model/plan.ts";
import { foldName, type ObservedTeam, type TeamIdentity } from "../model/team.ts";
import type { AddMemberResult, AddMembersResponse, CreateUserResponse } from "../service/port.ts";
import type { RunKnowledge } from "./knowledge.ts";
import { forbiddenKeys, type RunSession } from "./session.ts";

/** Why an answer to a creation is about somebody or something else than was asked for; undefined where it is not. */
export function contradictsCreation(
  { address, formerly = [], createsTeam }: CreateUser,
  answer: CreateUserResponse,
  session: RunSession,
): string | undefined {
  const { email, team, shownKeys = [] } = answer;
  const { knowledge } = session;
  const shared = knowledge.sharedAnswer(address, answer);
  if (shared !== undefined) return shared;
  const { born, user } = shownUser(answer, session);
  const mine = [address, ...formerly];
  if (email !== undefined && !mine.includes(foldAddress(email))) return `it shows the user ${email}`;
  if (user !== undefined && !mine.includes(user)) return `it shows the identifier of ${user}`;
  const forbidden = forbiddenKeys(session);
  const [strange] = shownKeys.flatMap(({ prefix }) => foreignKey(prefix, mine, forbidden, knowledge, born) ?? []);
  if (strange !== undefined || createsTeam === undefined) return strange;
  for (const shown of [team ?? {}, ...shownTeams(shownKeys)]) {
    if (isOtherName(createsTeam.name, shown)) return `it shows the team ${shown.name}`;
    const { identifier } = shown;
    if (identifier !== undefined && knowledge.teamWith(identifier, born) !== undefined)
      return `it shows the team ${identifier}, which existed before`;
  }
  return undefined;
}

/** Whom the identifier of an answer is known to be of, and when what it shows was created: what is recorded from before is another thing. */
function shownUser({ age, identifier }: CreateUserResponse, { knowledge, clock }: RunSession) {
  const born = age === undefined ? undefined : clock.now() - age;
  return { born, user: identifier === undefined ? undefined : knowledge.personWith(identifier, born) };
}

function foreignKey(
  prefix: string,
  mine: readonly EmailKey[],
  forbidden: ReadonlySet<string>,
  knowledge: RunKnowledge,
  born?: number,
): string | undefined {
  if (forbidden.has(prefix)) return `it shows the key ${prefix}, which a guard protects`;
  const holder = knowledge.holderOf(prefix, born)?.address;
  return holder === undefined || mine.includes(holder) ? undefined : `it shows the key ${prefix} of ${holder}`;
}

function isOtherName(wanted: string, team: ObservedTeam | undefined): boolean {
  return team?.name !== undefined && foldName(team.name) !== foldName(wanted);
}

/** A user who is older than this, by the service's own clock, was not created by the call that is answered. */
const maxNewUserAge = 5 * 60_000;

/** What shows that the service had this very user before the call; undefined where nothing does. */
export function showsEarlierUser(
  { address, formerly = [] }: CreateUser,
  answer: CreateUserResponse,
  session: RunSession,
): string | undefined {
  const { identifier, age, shownKeys = [] } = answer;
  const { born, user } = shownUser(answer, session);
  const isMine = (one: EmailKey | undefined) => one !== undefined && [address, ...formerly].includes(one);
  if (age !== undefined && age > maxNewUserAge) return "the answer shows an earlier creation date";
  if (isMine(user)) return `the user ${identifier} existed before`;
  const before = shownKeys.find(({ prefix }) => isMine(session.knowledge.holderOf(prefix, born)?.address));
  return before === undefined ? undefined : `the key ${before.prefix} existed before`;
}

/** Why an answer to a replacement is about another key; undefined where it is not. */
export function contradictsReplacement(prefix: string, shown: { readonly prefix?: string }): string | undefined {
  return shown.prefix === undefined || shown.prefix === prefix ? undefined : `it shows the key ${shown.prefix}`;
}

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
  if (shownTeam === undefined && isOtherName(team.name, answer.team)) return `it shows the team ${answer.team?.name}`;
  // A list may show the whole team, but whoever is refused was sent.
  const strangers = answer.members.filter((member) => isStranger(member, named, knowledge));
  const isAboutOthers = strangers.length === answer.members.length || strangers.some(({ failure }) => failure);
  if (strangers.length > 0 && isAboutOthers) return "it names other users than the call";
  const forbidden = forbiddenKeys(session);
  const sent = named.map(({ person }) => person.address);
  const unnamed = (answer.keys ?? []).map(({ prefix }) => foreignKey(prefix, sent, forbidden, knowledge));
  // A list may show the keys of the whole team.
  if (!unnamed.includes(undefined) && unnamed.length > 0) return unnamed[0];
  const people = matchMembers(named, answer);
  const shared = sharedKey(people.flatMap(({ shows }) => shows ?? []));
  if (shared !== undefined) return `it shows the key ${shared} for two users`;
  const [strange] = people.flatMap(({ person, shows }) => {
    // A list may show every key of the person, also one that is not to be touched.
    const untouchable = shows?.keys?.are === "named" ? forbidden : new Set<string>();
    const shown = shows?.keys?.shown ?? [];
    return shown.flatMap(({ prefix }) => foreignKey(prefix, [person.address], untouchable, knowledge) ?? []);
  });
  return strange;
}

/** Every key is one user's. */
function sharedKey(members: readonly AddMemberResult[]): string | undefined {
  const prefixes = [...new Set(members)].flatMap(({ keys }) => [...new Set(keys?.shown.map(({ prefix }) => prefix))]);
  return prefixes.find((prefix, index) => prefixes.indexOf(prefix) !== index);
}

/** Whether an answer shows somebody who is surely none of those who were sent. */
function isStranger(
  { email, identifier }: AddMemberResult,
  named: readonly NamedMember[],
  knowledge: RunKnowledge,
): boolean {
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
 * What an answer to an addition shows of the people in the call, and those of whom it shows nothing. `namesAll`: everybody whom it names as
 * added is one of the people, so that the others are not among them under a name that is not known yet.
 */
export function readAdditionAnswer(
  { action, team }: Addition,
  named: readonly NamedMember[],
  answer: AddMembersResponse,
  session: RunSession,
) {
  const shown: AddedMember[] = [];
  const unshown: NamedMember["person"][] = [];
  const people = matchMembers(named, answer);
  for (const { person, shows } of people) {
    const { address } = person;
    if (shows === undefined) unshown.push(person);
    else if (shows.failure !== undefined) shown.push({ address, outcome: { added: false, failure: shows.failure } });
    else {
      const { prefix, roles } = newTeamKey(address, shows, team, session) ?? {};
      const provisional = prefix === undefined ? undefined : session.knowledge.provisional(action.id);
      shown.push({ address, outcome: { added: true }, prefix, roles, provisional });
    }
  }
  const known = new Set(people.map(({ shows }) => shows));
  return { shown, unshown, namesAll: answer.members.every((one) => one.failure !== undefined || known.has(one)) };
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
