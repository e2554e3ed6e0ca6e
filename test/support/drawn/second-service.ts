import type { DrawnSeed, DrawnService, LoggedWrite, WireOutcome, WireRequest } from "./drawn-service.ts";
import {
  type Answer,
  accountDetails,
  additionAnswer,
  clockOf,
  creationAnswer,
  errorAnswer,
  listAccounts,
  listRoles,
  listUsers,
  refusalAnswer,
  replacementAnswer,
  searchUsers,
} from "./second-answers.ts";
import type { SecondWays } from "./second-ways.ts";
import {
  type Added,
  addMembers,
  type Created,
  createUser,
  type Done,
  decodeIdentifiers,
  folded,
  isObject,
  type Key,
  keyInUse,
  keyWithPrefix,
  makeWorld,
  newestRoles,
  type Person,
  type Refused,
  type Replaced,
  replaceRoles,
  type World,
  worldPeople,
  worldTeams,
} from "./second-world.ts";

interface SecondServiceInput {
  readonly ways: SecondWays;
  readonly seed: DrawnSeed;
  /** The test's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: () => number;
}

/** A service that was written from the interface alone, and answers in the ways that were drawn for it. */
export function secondService({ ways, seed, now, random }: SecondServiceInput): DrawnService {
  const world = makeWorld(ways, seed, now, random);
  const { key } = keyInUse(world);
  const writes: LoggedWrite[] = [];
  const write = writer(world, writes);
  return {
    key: `${key.prefix}.${key.secret}`,
    keyPrefix: key.prefix,
    answer(request) {
      const call = toCall(request);
      const refusal = accessRefusal(world, call);
      if (call.is === "read") return toOutcome(world, refusal ?? faultOfRead(world) ?? read(world, call));
      return write(call, refusal);
    },
    writes,
    get people() {
      return worldPeople(world);
    },
    get teams() {
      return worldTeams(world);
    },
    mails: world.mails,
  };
}

interface Call {
  readonly is: "read" | "write";
  readonly method: string;
  /** What was asked for, with its query. */
  readonly target: string;
  readonly query: URLSearchParams;
  readonly route: Route;
  readonly authorization: string | undefined;
  /** The part of the path that names an account, a team or a key. */
  readonly named: string;
  readonly body: unknown;
}

type Route =
  | "accounts"
  | "details"
  | "search"
  | "create"
  | "add"
  | "roles"
  | "replace"
  | "users"
  | "wrong-method"
  | "unknown";

const routes: readonly { readonly method: string; readonly path: RegExp; readonly route: Route }[] = [
  { method: "GET", path: /^accounts$/u, route: "accounts" },
  { method: "GET", path: /^accounts\/([^/]+)$/u, route: "details" },
  { method: "POST", path: /^users\/search$/u, route: "search" },
  { method: "POST", path: /^accounts\/([^/]+)\/users$/u, route: "create" },
  { method: "POST", path: /^teams\/([^/]+)\/members$/u, route: "add" },
  { method: "GET", path: /^roles$/u, route: "roles" },
  { method: "PUT", path: /^access-keys\/([^/]+)\/roles$/u, route: "replace" },
  { method: "GET", path: /^users$/u, route: "users" },
];

const root = "/api/accounting/";

function toCall({ method, path: target, headers, body }: WireRequest): Call {
  const [path = "", query = ""] = target.split("?", 2);
  const below = path.startsWith(root) ? path.slice(root.length) : "";
  const matching = routes.filter((one) => one.path.test(below));
  const matched = matching.find((one) => one.method === method);
  const route = matched?.route ?? (matching.length > 0 ? "wrong-method" : "unknown");
  return {
    is: method === "GET" || route === "search" ? "read" : "write",
    method,
    target,
    route,
    authorization: headers["authorization"],
    named: decodePart(matched?.path.exec(below)?.[1] ?? ""),
    body: decodeBody(body),
    query: new URLSearchParams(query),
  };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A body that is no JSON has no shape that any route takes. */
function decodeBody(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}

function accessRefusal(world: World, { authorization }: Call): Answer | undefined {
  const { key } = keyInUse(world);
  const isRight = authorization === `ApiKey ${key.prefix}.${key.secret}`;
  if (!isRight) return errorAnswer(401, "The API key is missing or wrong");
  const administers = newestRoles(key).some((role) => role === "ACCOUNT_ADMIN" || role === "SYSTEM_OWNER");
  return administers ? undefined : errorAnswer(403, "This API key may not manage users");
}

function read(world: World, call: Call): Answer {
  switch (call.route) {
    case "accounts":
      return listAccounts(world);
    case "details":
      return accountDetails(world, call.named);
    case "search":
      return searchUsers(world, call.query, call.body);
    case "roles":
      return listRoles(world);
    case "users":
      return listUsers(world, call.query);
    default:
      return unknownRoute(call);
  }
}

function unknownRoute({ route }: Call): Answer {
  return route === "wrong-method" ? errorAnswer(405, "Wrong method") : errorAnswer(404, "No such route");
}

type Result = Done | Refused;

function perform(world: World, { route, named, body }: Call): Result | undefined {
  switch (route) {
    case "create":
      return createUser(world, named, body);
    case "add":
      return addMembers(world, named, body);
    case "replace":
      return replaceRoles(world, named, body);
    default:
      return undefined;
  }
}

function answerTo(world: World, result: Result): Answer {
  switch (result.is) {
    case "created":
      return creationAnswer(world, result);
    case "added":
      return additionAnswer(world, result);
    case "replaced":
      return replacementAnswer(world, result);
    case "refused":
      return refusalAnswer(world, result);
  }
}

function writer(world: World, writes: LoggedWrite[]): (call: Call, refusal: Answer | undefined) => WireOutcome {
  /** What answers told, the newest last, so that a request can get the answer of another. */
  const told: Done[] = [];
  let created = 0;
  let added = 0;

  const arrived = { create: 0, add: 0, replace: 0 };

  const isCached = ({ route }: Call): boolean => {
    if (route === "create" || route === "add" || route === "replace") arrived[route] += 1;
    switch (world.ways.cachedAnswer) {
      case "never":
        return false;
      case "second-creation":
        return route === "create" && arrived.create === 2;
      case "first-addition":
        return route === "add" && arrived.add === 1;
      case "second-addition":
        return route === "add" && arrived.add === 2;
      case "first-replacement":
        return route === "replace" && arrived.replace === 1;
      case "second-replacement":
        return route === "replace" && arrived.replace === 2;
    }
  };

  const isShownWithOtherKey = (result: Created | Added): boolean => {
    switch (world.ways.otherKeyShown) {
      case "never":
        return false;
      case "first-creation":
        return result.is === "created" && created === 1;
      case "first-addition":
        return result.is === "added" && added === 1;
      case "second-addition":
        return result.is === "added" && added === 2;
    }
  };

  const afterEffect = (result: Done, number: number): Instead => {
    if (result.is === "created") created += 1;
    if (result.is === "added") added += 1;
    const fault = faultAfter(world, number);
    if (fault !== undefined) return fault;
    if (result.is === "created" && world.ways.conflictThoughCreated === created) {
      return errorAnswer(409, "A user with this address already exists");
    }
    if (world.ways.crossedAnswer === number) return answerTo(world, crossedResult(world, told, result));
    told.push(result);
    const hasOtherKey = result.is !== "replaced" && isShownWithOtherKey(result);
    return answerTo(world, hasOtherKey ? withOtherKey(world, result) : result);
  };

  const outcome = (call: Call, number: number): { readonly sent: Instead; readonly tookEffect: boolean } => {
    const fault = faultBefore(world, number);
    if (fault !== undefined) return { sent: fault, tookEffect: false };
    const cached = isCached(call) ? cachedResult(world, told, call) : undefined;
    if (cached !== undefined) return { sent: answerTo(world, cached), tookEffect: false };
    const result = perform(world, call);
    if (result === undefined) return { sent: unknownRoute(call), tookEffect: false };
    if (result.is === "refused") {
      return { sent: faultAfter(world, number) ?? answerTo(world, result), tookEffect: false };
    }
    const tookEffect = result.is !== "added" || result.members.length > 0;
    return { sent: afterEffect(result, number), tookEffect };
  };

  return (call, refusal) => {
    const at = world.now();
    const { method, target, body } = call;
    const { sent, tookEffect } =
      refusal === undefined ? outcome(call, writes.length + 1) : { sent: refusal, tookEffect: false };
    const answered = sent === "lost" ? "lost" : sent.status;
    writes.push({ at, method, path: target, body, tookEffect, answered });
    return sent === "lost" ? { is: "lost" } : toOutcome(world, sent);
  };
}

function toOutcome(world: World, { status, headers = {}, body }: Answer): WireOutcome {
  const date = world.ways.dateHeader === "shown" ? { date: new Date(clockOf(world, world.now())).toUTCString() } : {};
  if (body === undefined) return { is: "answer", status, headers: { ...date, ...headers }, body: "" };
  const [type, text] = "json" in body ? ["application/json", JSON.stringify(body.json)] : [body.type, body.text];
  return { is: "answer", status, headers: { ...date, "content-type": type, ...headers }, body: text };
}

type Instead = Answer | "lost";

/** The fault that keeps write number n from having any effect. */
function faultBefore(world: World, number: number): Instead | undefined {
  const { ways } = world;
  if (ways.lostBeforeEffect === number) return "lost";
  if (ways.failedBeforeEffect === number) return failure(world);
  return ways.throttled.endsWith("-after-effect") ? undefined : throttle(world, number);
}

/** The fault that hides what write number n did. */
function faultAfter(world: World, number: number): Instead | undefined {
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
function faultOfRead(world: World): Answer | undefined {
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
function crossedResult(world: World, told: readonly Done[], own: Done): Done {
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

interface WriteRequest {
  readonly route: string;
  readonly named: string;
  readonly body: unknown;
}

/**
 * Whose answer a write gets that does not reach the service, because something between answers as it answered another one: the newest
 * one that was told, or one about the key in use. Only an answer by which the client can see that it is not its own.
 */
function cachedResult(world: World, told: readonly Done[], request: WriteRequest): Done | undefined {
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
function withOtherKey(world: World, done: Created | Added): Created | Added {
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
