import { type Answer, errorAnswer } from "./second-answers.ts";
import { clockOf } from "./second-rows.ts";
import type { SecondWays } from "./second-ways.ts";
import { folded, type Key, keyInUse, keyWithPrefix, newestRoles, type Person, type World } from "./second-world.ts";
import { type Added, type Created, type Done, decodeIdentifiers, isObject, type Replaced } from "./second-writes.ts";

/** What a fault sends in place of the answer. */
export type Instead = Answer | "lost";

/** The fault that keeps write number n from having any effect. */
export function faultBefore(world: World, number: number): Instead | undefined {
  const { ways } = world;
  if (ways.lostBeforeEffect === number) return "lost";
  if (ways.failedBeforeEffect === number) return failure(world);
  return ways.throttled.endsWith("-after-effect") ? undefined : throttle(world, number);
}

/** The fault that hides what write number n did. */
export function faultAfter(world: World, number: number): Instead | undefined {
  const { ways } = world;
  if (ways.lostAfterEffect === number) return "lost";
  if (ways.failedAfterEffect === number) return failure(world);
  return ways.throttled.endsWith("-after-effect") ? throttle(world, number) : undefined;
}

function failure(world: World): Answer {
  return errorAnswer(Number(world.ways.failureStatus), "Something went wrong");
}

function throttle(world: World, number: number): Answer | undefined {
  const { throttled } = world.ways;
  if (throttled === "never" || !isThrottled(world, number)) return undefined;
  return throttledAnswer(world, Number.parseInt(throttled, 10));
}

function isThrottled({ ways, random }: World, number: number): boolean {
  switch (ways.throttledWrites) {
    case "first":
      return number === 1;
    case "second-and-third":
      return number === 2 || number === 3;
    case "every-third":
      return number % 3 === 0;
    case "quarter":
      return random() < 0.25;
  }
}

/** One read of ten is disturbed, where the service does that. */
export function faultOfRead(world: World): Answer | undefined {
  const { disturbedReads } = world.ways;
  if (disturbedReads === "never" || world.random() >= 0.1) return undefined;
  return disturbedReads === "throttled" ? throttledAnswer(world, 429) : failure(world);
}

function throttledAnswer(world: World, status: number): Answer {
  return errorAnswer(status, "Too many requests", retryAfter(world, status));
}

/** Without the header only 429 means throttled. */
function retryAfter(world: World, status: number): Readonly<Record<string, string>> {
  const { ways, now } = world;
  switch (ways.retryAfter) {
    case "1":
    case "30":
      return { "retry-after": ways.retryAfter };
    case "date":
      return { "retry-after": new Date(clockOf(world, now()) + 30_000).toUTCString() };
    case "absent":
      return status === 429 ? {} : { "retry-after": "1" };
  }
}

/**
 * Whose answer a crossed request gets: the newest one of the same kind that was told and is about something else, or one about
 * the key in use. The client knows both, so it can see that the answer is not its own.
 */
export function crossedResult(world: World, told: readonly Done[], own: Done): Done {
  const other = told.findLast((one) => one.is === own.is && subjectOf(one) !== subjectOf(own));
  if (other !== undefined) return other;
  const { person, key } = keyInUse(world);
  switch (own.is) {
    case "created":
      return { is: "created", person };
    case "added": {
      const team = world.teams.find((one) => one !== own.team) ?? own.team;
      return { is: "added", team, members: [{ person, key }], failures: [] };
    }
    case "replaced":
      return { is: "replaced", person, key };
  }
}

/** A write as it was asked for. */
export interface WriteRequest {
  readonly route: string;
  /** The team or the key in the path. */
  readonly named: string;
  readonly body: unknown;
}

/**
 * Whose answer a write gets that does not reach the service, because something between answers as it answered another one: the newest
 * one that was told, or one about the key in use. Only an answer by which the client can see that it is not its own.
 */
export function cachedResult(world: World, told: readonly Done[], request: WriteRequest): Done | undefined {
  const { person, key } = keyInUse(world);
  const usual: readonly Done[] = [
    { is: "created", person },
    ...world.teams.map((team): Done => ({ is: "added", team, members: [{ person, key }], failures: [] })),
    { is: "replaced", person, key },
  ];
  return [...told.toReversed(), ...usual].find((one) => isVisiblyAnother(world, one, request));
}

function isVisiblyAnother(world: World, other: Done, request: WriteRequest): boolean {
  switch (other.is) {
    case "created":
      return request.route === "create" && isAnotherCreation(world.ways, other, request);
    case "added":
      return request.route === "add" && isAnotherAddition(world.ways, other, request);
    case "replaced":
      return request.route === "replace" && isAnotherReplacement(world, other, request);
  }
}

const wholeUsers: readonly SecondWays["creationShape"][] = ["user", "array", "success"];

function isAnotherCreation(ways: SecondWays, { person }: Created, { body }: WriteRequest): boolean {
  const { creationShape, creationStatus, peopleInAnswers } = ways;
  if (creationShape === "text" || creationShape === "acknowledged" || !/^20[012]$/u.test(creationStatus)) return false;
  const showsAddress = wholeUsers.includes(creationShape) || peopleInAnswers !== "identifier";
  return showsAddress && isObject(body) && folded(String(body["email"])) !== folded(person.email);
}

function isAnotherAddition(ways: SecondWays, { team, members }: Added, { named, body }: WriteRequest): boolean {
  const { additionShape, additionStatus, peopleInAnswers } = ways;
  if (additionShape === "empty" || additionShape === "acknowledged" || !/^20[0127]$/u.test(additionStatus))
    return false;
  if (additionShape === "team" && team.identifier !== named) return true;
  const shown = additionShape === "team" ? team.members : members.map(({ person }) => person);
  const sent = new Set(decodeIdentifiers(body)?.map(folded));
  const isSent = ({ identifier, email }: Person) => sent.has(folded(identifier)) || sent.has(folded(email));
  return peopleInAnswers !== "identifier" && shown.length > 0 && !shown.some(isSent);
}

/** Other roles than were sent could be this service's way: the client must be able to read that they are not. */
function isAnotherReplacement(world: World, { key }: Replaced, { named, body }: WriteRequest): boolean {
  const { replacementShape, replacementStatus, keysInSearches, keyRoles } = world.ways;
  const own = keyWithPrefix(world, named)?.key;
  if (own === undefined || own === key || replacementShape === "acknowledged" || !/^20[02]$/u.test(replacementStatus)) {
    return false;
  }
  if (replacementShape === "key") return true;
  const shown = newestRoles(key);
  const sent = decodeIdentifiers(body) ?? [];
  const lacks = sent.some((role) => !shown.includes(role));
  const canBeRead = keysInSearches === "shown" && keyRoles !== "hidden";
  return !isSameSet(shown, newestRoles(own)) && (lacks || (canBeRead && !isSameSet(shown, sent)));
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return [...new Set(some)].sort().join() === [...new Set(others)].sort().join();
}

/** The same result as an answer shows it that has the key of somebody else in the place of each new one. */
export function withOtherKey(world: World, done: Created | Added): Created | Added {
  const other = otherKey(world);
  const shownAs = ({ kind, team }: Key): Key => ({ ...other, kind, ...(team === undefined ? {} : { team }) });
  if (done.is === "added") {
    return { ...done, members: done.members.map(({ person, key }) => ({ person, key: shownAs(key) })) };
  }
  return { ...done, person: { ...done.person, keys: done.person.keys.map(shownAs) } };
}

/** A key that the client knows not to be new: it was given it, the settings protect it, or a search shows its holder. */
function otherKey(world: World): Key {
  const { key } = keyInUse(world);
  const member = world.teams[0]?.members.find(({ isNamed }) => isNamed);
  switch (world.ways.otherKey) {
    case "in-use":
      return key;
    case "protected":
      return world.people.find(({ isProtected }) => isProtected)?.keys[0] ?? key;
    case "of-a-member":
      return (
        (world.ways.keysInSearches === "shown" ? member?.keys.find(({ kind }) => kind === "team") : undefined) ?? key
      );
  }
}

function subjectOf(result: Done): string {
  switch (result.is) {
    case "created":
      return result.person.identifier;
    case "added":
      return [result.team.identifier, ...result.members.map(({ person }) => person.identifier)].join(" ");
    case "replaced":
      return result.key.prefix;
  }
}
