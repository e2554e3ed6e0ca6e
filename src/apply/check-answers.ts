import type { AddMembers, CreateUser, PersonRef } from "../model/action.ts";
import { type FoldedAddress, foldAddress } from "../model/address.ts";
import type { Visibility } from "../model/capabilities.ts";
import type { AddedMember } from "../model/event.ts";
import type { ObservedKey, ObservedTeam } from "../model/snapshot.ts";
import { foldName, isDisambiguatedTeamKey, type KindWords, keyBelongsToTeam, withClearKind } from "../model/team.ts";
import type { AddMemberResult, AddMembersResponse, CreateUserResponse } from "../ports/account-service.ts";
import type { KnownHolders } from "./learned-facts.ts";

/** What an answer of success is compared with. */
interface AnswerContext {
  readonly holders: KnownHolders;
  /** Prefixes that no new key can have: that of the key in use, and those that nothing may touch. */
  readonly forbiddenKeys: ReadonlySet<string>;
  /** When the answer came, in milliseconds since the epoch; absent where it is not known when what it shows was created. */
  readonly answeredAt?: number;
}

/** When a created user came to be, on the clock of this machine. */
function birthOf({ age }: CreateUserResponse, { answeredAt }: AnswerContext): number | undefined {
  return age === undefined || answeredAt === undefined ? undefined : answeredAt - age;
}

/** Why an answer to a creation is about somebody or something else than was asked for; undefined where it is not. */
export function contradictsCreation(
  action: CreateUser,
  answer: CreateUserResponse,
  context: AnswerContext,
): string | undefined {
  const { email, identifier, team, shownKeys = [] } = answer;
  const { holders } = context;
  const born = birthOf(answer, context);
  const mine = ownAddresses(action);
  if (email !== undefined && !mine.has(foldAddress(email))) return `it shows the user ${email}`;
  const owner = identifier === undefined ? undefined : holders.personWith(identifier, born);
  if (owner !== undefined && !mine.has(owner)) return `it shows the identifier of ${owner}`;
  for (const { prefix } of shownKeys) {
    const strange = foreignKey(prefix, mine, context, born);
    if (strange !== undefined) return strange;
  }
  if (action.founds === undefined) return undefined;
  const { name } = action.founds;
  const teams = [team, ...shownKeys.map((key) => (key.team === "none" ? undefined : key.team))];
  return teams.map((shown) => contradictsFounding(name, shown, holders, born)).find((why) => why !== undefined);
}

function ownAddresses({ address, formerly = [] }: CreateUser): ReadonlySet<FoldedAddress> {
  return new Set([address, ...formerly]);
}

function foreignKey(
  prefix: string,
  mine: ReadonlySet<FoldedAddress>,
  { holders, forbiddenKeys }: AnswerContext,
  born?: number | undefined,
): string | undefined {
  if (forbiddenKeys.has(prefix)) return `it shows the key ${prefix}, which a guard protects`;
  const holder = holders.holderOf(prefix, born)?.address;
  return holder === undefined || mine.has(holder) ? undefined : `it shows the key ${prefix} of ${holder}`;
}

function contradictsFounding(
  wanted: string,
  team: ObservedTeam | undefined,
  holders: KnownHolders,
  born: number | undefined,
): string | undefined {
  if (team?.name !== undefined && foldName(team.name) !== foldName(wanted)) return `it shows the team ${team.name}`;
  const there = team?.identifier === undefined ? undefined : holders.teamWith(team.identifier, born);
  return there === undefined ? undefined : `it shows the team ${team?.identifier}, which existed before`;
}

/** A user who is older than this, by the service's own clock, was not created by the call that is answered. */
const maxNewUserAge = 5 * 60_000;

/** What shows that the service had this very user before the call; undefined where nothing does. */
export function showsEarlierUser(
  action: CreateUser,
  answer: CreateUserResponse,
  context: AnswerContext,
): string | undefined {
  const { identifier, age, shownKeys = [] } = answer;
  const { holders } = context;
  const born = birthOf(answer, context);
  const mine = ownAddresses(action);
  const isMine = (address: FoldedAddress | undefined) => address !== undefined && mine.has(address);
  if (age !== undefined && age > maxNewUserAge) return "the answer shows an earlier creation date";
  if (identifier !== undefined && isMine(holders.personWith(identifier, born)))
    return `the user ${identifier} existed before`;
  const before = shownKeys.find(({ prefix }) => isMine(holders.holderOf(prefix, born)?.address));
  return before === undefined ? undefined : `the key ${before.prefix} existed before`;
}

/** Why an answer to an addition is about another team; undefined where it is not. */
function contradictsTeam(
  { name }: AddMembers["team"],
  asked: string,
  shown: ObservedTeam | undefined,
): string | undefined {
  if (shown?.identifier !== undefined)
    return shown.identifier === asked ? undefined : `it shows the team ${shown.identifier}`;
  const isOther = shown?.name !== undefined && foldName(shown.name) !== foldName(name);
  return isOther ? `it shows the team ${shown.name}` : undefined;
}

/** Why what an answer says of one added person is about somebody else; undefined where it is not. */
function contradictsMember(
  { address }: PersonRef,
  { keys }: AddMemberResult,
  { holders, forbiddenKeys }: AnswerContext,
): string | undefined {
  const mine = new Set([address]);
  // A list may show every key of the person, also one that is not to be touched.
  const untouchable = keys?.are === "named" ? forbiddenKeys : new Set<string>();
  return (keys?.shown ?? [])
    .map(({ prefix }) => foreignKey(prefix, mine, { holders, forbiddenKeys: untouchable }))
    .find((strange) => strange !== undefined);
}

/** The team and what is known of the person and the service, for choosing the new key among those that an answer shows. */
export interface NewKeyContext {
  readonly team: AddMembers["team"];
  readonly identifier: string;
  readonly teamsOnKeys: Visibility;
  readonly kinds: KindWords;
  readonly holders: KnownHolders;
}

/**
 * The key that an addition gave, among those that its answer shows for the person; undefined where none of them is surely it. A key
 * that the person had before is not, nor is one of another team, nor one without a team where this service shows teams on keys.
 * @internal
 */
export function newTeamKey(
  address: FoldedAddress,
  { keys }: AddMemberResult,
  choice: NewKeyContext,
): ObservedKey | undefined {
  const { team, identifier, teamsOnKeys, kinds, holders } = choice;
  const wanted = { names: new Set([foldName(team.name)]), identifier, isTwin: isDisambiguatedTeamKey(team.team) };
  const fitOf = (key: ObservedKey) => {
    if (key.team === "none") return teamsOnKeys === "shown" ? "no" : "unknown";
    return keyBelongsToTeam(withClearKind(key, kinds), wanted);
  };
  const fresh = (keys?.shown ?? []).filter(({ prefix }) => !holders.hadKey(address, prefix));
  const [sure, another] = fresh.filter((key) => fitOf(key) === "yes");
  if (sure !== undefined) return another === undefined ? sure : undefined;
  const [possible, ...more] = fresh.filter((key) => fitOf(key) === "unknown");
  const isSingledOut = keys?.are === "named" || holders.areKeysKnown(address);
  return isSingledOut && more.length === 0 ? possible : undefined;
}

/** Why an answer to a replacement is about another key; undefined where it is not. */
export function contradictsReplacement(prefix: string, shown: { readonly prefix?: string }): string | undefined {
  return shown.prefix === undefined || shown.prefix === prefix ? undefined : `it shows the key ${shown.prefix}`;
}

/** Somebody of a call, and every name by which an answer may name them: what the call named them with comes first. */
export interface RequestedMember {
  readonly person: PersonRef;
  readonly names: readonly string[];
}

/** What an answer to an addition shows of the people in the call. */
interface ShownMembers {
  readonly shown: readonly AddedMember[];
  /** People who were sent, and are not in the answer. */
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
  { team, identifier, holders, forbiddenKeys }: Pick<NewKeyContext, "team" | "identifier"> & AnswerContext,
): string | undefined {
  const otherTeam = contradictsTeam(team, identifier, answer.team);
  if (otherTeam !== undefined) return otherTeam;
  const people = matchMembers(named, answer);
  const isAboutOthers = answer.members.every((member) => isStranger(member, named, holders));
  if (answer.members.length > 0 && isAboutOthers) return "it names other users than the call";
  const sent = new Set(named.map(({ person }) => person.address));
  const unnamed = (answer.keys ?? []).map(({ prefix }) => foreignKey(prefix, sent, { holders, forbiddenKeys }));
  // A list may show the keys of the whole team.
  if (!unnamed.includes(undefined) && unnamed.length > 0) return unnamed[0];
  return people
    .map(({ person, shows }) => shows && contradictsMember(person, shows, { holders, forbiddenKeys }))
    .find((contradiction) => contradiction !== undefined);
}

/** Whether an answer shows somebody who is surely none of those who were sent. */
function isStranger(
  { email, identifier }: AddMemberResult,
  named: readonly RequestedMember[],
  holders: KnownHolders,
): boolean {
  const isSent = (address: FoldedAddress) => named.some(({ person }) => person.address === address);
  if (email !== undefined) return !isSent(foldAddress(email));
  if (identifier === undefined || named.some(({ names }) => names.includes(identifier))) return false;
  if (identifier.includes("@")) return !isSent(foldAddress(identifier));
  const owner = holders.personWith(identifier);
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
