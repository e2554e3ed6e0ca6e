import type { SecondWays } from "./second-ways.ts";
import { type Key, newestRoles, type Person, storedAddress, type Team, type World } from "./second-world.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** What is undefined is left out when the answer is written. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** A key as one read or answer shows it. */
export interface ShownKey {
  readonly key: Key;
  readonly roles: readonly string[];
}

export function keysAsTheyAre(person: Person): readonly ShownKey[] {
  return person.keys.map(keyAsItIs);
}

export function keyAsItIs(key: Key): ShownKey {
  return { key, roles: newestRoles(key) };
}

/** The keys of a person that reads with this lag show. Keys have a lag of their own. */
export function keysAfter(world: World, person: Person, lag: number): readonly ShownKey[] {
  const until = world.now() - Math.max(lag, world.ways.keysLag);
  return person.keys
    .filter((key) => key.since <= until)
    .map((key) => ({ key, roles: key.roles.findLast(({ since }) => since <= until)?.roles ?? [] }));
}

export function peopleAfter(world: World, lag: number): readonly Person[] {
  const until = world.now() - lag;
  return world.people.filter((person) => person.since <= until);
}

/** One user as lists, searches, account details and whole answers show them; without keys where those are hidden. */
export function userRow(world: World, person: Person, keys: readonly ShownKey[] | undefined): JsonObject {
  const { ways } = world;
  const teams = keys?.flatMap(({ key }) => (key.team === undefined ? [] : [teamRow(ways, key.team)]));
  return {
    ...naming(ways, person),
    firstName: person.firstName,
    lastName: person.lastName,
    title: person.title ?? null,
    externalIdentifier: person.externalIdentifier ?? null,
    ...statusField(ways, person.status),
    ...accountFields(world),
    ...(keys === undefined ? {} : { [ways.keysField]: keys.map((key) => keyRow(ways, key)) }),
    ...(ways.teamsOnUsers === "shown" && teams !== undefined ? { teams } : {}),
  };
}

/** A user who is only named in an answer that is about something else. */
export function namedUser(world: World, person: Person): JsonObject {
  const { ways } = world;
  if (ways.peopleInAnswers === "whole") return userRow(world, person, undefined);
  return ways.peopleInAnswers === "identifier" ? identifierOf(ways, person) : addressOf(ways, person);
}

function naming(ways: SecondWays, person: Person): JsonObject {
  return { ...identifierOf(ways, person), ...addressOf(ways, person) };
}

function identifierOf(ways: SecondWays, person: Person): JsonObject {
  return { [ways.identifierField]: shownIdentifier(ways, person.identifier) };
}

function addressOf(ways: SecondWays, person: Person): JsonObject {
  return { [ways.addressField]: storedAddress(ways, person.email) };
}

export function shownIdentifier(ways: SecondWays, identifier: string): Json {
  return ways.identifiers === "numbers" ? Number(identifier) : identifier;
}

export function keyRow(ways: SecondWays, { key, roles }: ShownKey): JsonObject {
  return {
    prefix: key.prefix,
    ...(ways.statusWords === "flag" ? {} : statusField(ways, "active")),
    ...kindField(ways, key),
    ...rolesField(ways, roles),
    ...(key.team === undefined && ways.teamOfOwnKeys === "absent" ? {} : teamFields(ways, ways.keyTeams, key.team)),
  };
}

function kindField(ways: SecondWays, { kind }: Key): JsonObject {
  if (ways.keyKinds === "hidden") return {};
  if (ways.keyKinds === "default-flag") return { isDefault: kind === "own" };
  return { keyType: kind === "own" ? "user" : kind };
}

function rolesField(ways: SecondWays, roles: readonly string[]): JsonObject {
  if (ways.keyRoles === "hidden") return {};
  return { roles: ways.keyRoles === "names" ? roles : roles.map(roleRow) };
}

export function roleRow(identifier: string): JsonObject {
  return { identifier, name: identifier.toLowerCase().replaceAll("_", " ") };
}

export function teamRow(ways: SecondWays, { identifier, name }: Team): JsonObject {
  return { identifier: shownIdentifier(ways, identifier), name };
}

/** The team of a key or of a creation, nested or flat, whole or in part; null where there is none. */
export function teamFields(
  ways: SecondWays,
  form: SecondWays["keyTeams"] | SecondWays["teamInCreations"],
  team: Team | undefined,
): JsonObject {
  const identifier = team === undefined ? null : shownIdentifier(ways, team.identifier);
  const name = team?.name ?? null;
  switch (form) {
    case "hidden":
      return {};
    case "nested":
      return { team: team === undefined ? null : { identifier, name } };
    case "nested-identifier":
      return { team: team === undefined ? null : { identifier } };
    case "nested-name":
      return { team: team === undefined ? null : { name } };
    case "other-word":
      return { group: team === undefined ? null : { identifier, name } };
    case "flat":
      return { teamIdentifier: identifier, teamName: name };
    case "flat-id":
      return { teamId: identifier, teamName: name };
    case "flat-identifier":
      return { teamIdentifier: identifier };
    case "flat-name":
      return { teamName: name };
  }
}

export function statusField(ways: SecondWays, word: "active" | "invited"): JsonObject {
  switch (ways.statusWords) {
    case "hidden":
      return {};
    case "flag":
      return { active: true };
    case "lower":
      return { status: word };
    case "upper":
      return { status: word.toUpperCase() };
    case "capitalised":
      return { status: `${word.charAt(0).toUpperCase()}${word.slice(1)}` };
  }
}

function accountFields({ ways, account }: World): JsonObject {
  if (ways.accountOnUsers === "hidden") return {};
  return ways.accountOnUsers === "flat"
    ? { accountIdentifier: account }
    : { account: { identifier: account, name: accountName } };
}

export const accountName = "Acme";

const hour = 3_600_000;

/** The service's own clock, which may be wrong. */
export function clockOf({ ways }: World, time: number): number {
  return ways.clock === "right" ? time : time - hour;
}
