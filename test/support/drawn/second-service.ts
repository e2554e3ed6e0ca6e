import type { DrawnSeed, DrawnService, LoggedWrite, WireOutcome, WireRequest } from "./drawn-service.ts";
import {
  type Answer,
  additionAnswer,
  creationAnswer,
  errorAnswer,
  refusalAnswer,
  replacementAnswer,
} from "./second-answers.ts";
import {
  cachedResult,
  crossedResult,
  faultAfter,
  faultBefore,
  faultOfRead,
  type Instead,
  withOtherKey,
} from "./second-faults.ts";
import { accountDetails, listAccounts, listRoles, listUsers, searchUsers } from "./second-reads.ts";
import { clockOf } from "./second-rows.ts";
import type { SecondWays } from "./second-ways.ts";
import { keyInUse, makeWorld, newestRoles, type World, worldPeople, worldTeams } from "./second-world.ts";
import {
  type Added,
  addMembers,
  type Created,
  createUser,
  type Done,
  type Refused,
  replaceRoles,
} from "./second-writes.ts";

export interface SecondServiceInput {
  readonly ways: SecondWays;
  readonly seed: DrawnSeed;
  /** The test's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** From 0 to below 1. */
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
