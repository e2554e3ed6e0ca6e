import type { Knobs } from "../../../src/reference-server/knobs/registry.ts";
import { builtInRoles } from "../../../src/reference-server/load-seed.ts";
import type { Key, World } from "../../../src/reference-server/world.ts";
import { type InProcessOptions, openInProcess } from "../in-process-server.ts";
import { callerEmail } from "./company.ts";
import type { DrawnSeed, DrawnService, LoggedWrite, WireOutcome, WireRequest } from "./drawn-service.ts";

export interface ReferenceServiceOptions {
  readonly knobs: Partial<Knobs>;
  readonly seed: DrawnSeed;
  /** Where callers believe to reach it, without a path. */
  readonly origin: string;
  readonly now: () => number;
}

const prefixOfCaller = "rootKeyInUse00000000";

/** The reference server as a service that a test draws, with a log of its writes and a view of its world. */
export function referenceService({ seed, ...rest }: ReferenceServiceOptions): DrawnService {
  return filledService({ ...rest, fill: (world) => fill(world, seed) });
}

/** The same, with whatever is put into its world. `fill` returns the key in use. */
function filledService(options: InProcessOptions): DrawnService {
  const { now } = options;
  const held: { world?: World } = {};
  const server = openInProcess({
    ...options,
    fill(world) {
      held.world = world;
      return options.fill(world);
    },
  });
  const { world } = held;
  if (world === undefined) throw new Error("the reference server was opened without being filled");
  const writes: LoggedWrite[] = [];
  return {
    key: server.key,
    keyPrefix: server.key.slice(0, server.key.indexOf(".")),
    writes,
    answer(request) {
      const before = traceOf(world, server.outbox.length);
      const answer = server.answer(request);
      const outcome: WireOutcome =
        answer === "lost" ? { is: "lost" } : { is: "answer", ...answer, headers: Object.fromEntries(answer.headers) };
      const after = traceOf(world, server.outbox.length);
      if (request.method !== "GET" && !/\/users\/search(?:\?|$)/u.test(request.path)) {
        writes.push({
          at: now(),
          method: request.method,
          path: request.path,
          body: bodyOf(request),
          tookEffect: !before.every((value, index) => value === after[index]),
          answered: outcome.is === "lost" ? "lost" : outcome.status,
        });
      }
      return outcome;
    },
    get people() {
      return world.userList.map(({ identifier, email, account, keys }) => ({
        identifier,
        email,
        account: account.identifier,
        keys: [...keys].map(keyOf),
      }));
    },
    get teams() {
      return [...world.teams.values()].map(({ identifier, name, account, members }) => ({
        identifier,
        name,
        account: account.identifier,
        members: [...members.keys()].map((member) => member.identifier),
      }));
    },
    get mails() {
      return server.outbox.map(({ at, address, team }) => ({ at: Date.parse(at), email: address, team }));
    },
  };
}

function fill(world: World, seed: DrawnSeed): Key {
  const account = world.addAccount(seed.account, "Acme", "Active");
  for (const role of builtInRoles) world.roles.set(role.identifier, role);
  const own = seed.people.map(({ email, firstName, lastName, ownRoles }) => {
    const owner = world.addUser({ account, email, firstName, lastName });
    const inUse = { prefix: prefixOfCaller, secret: "s3cretOfTheKeyInUse" };
    return world.addKey({ ...(email === callerEmail ? inUse : {}), kind: "user", owner, roles: ownRoles });
  });
  const caller = own.find(({ owner }) => owner.email === callerEmail);
  if (caller === undefined) throw new Error(`the seed lacks ${callerEmail}, who holds the key in use`);
  for (const { name, admin, members } of seed.teams) {
    const team = world.addTeam({ account, name, admin: world.usersByAddress(admin)[0] ?? caller.owner });
    for (const { email, roles } of members) {
      const owner = world.usersByAddress(email)[0];
      if (owner !== undefined) world.addKey({ kind: "team", owner, team, roles });
    }
  }
  return caller;
}

function keyOf({ prefix, kind, team, roles }: Key): DrawnService["people"][number]["keys"][number] {
  return {
    prefix,
    kind: kind === "user" ? "own" : kind,
    ...(team === undefined ? {} : { team: team.identifier }),
    roles,
  };
}

/** What a write may change: how many people, keys and mails there are, and how often anything was changed but by the end of a key in use. */
function traceOf({ userList, keys, changes }: World, mails: number): readonly number[] {
  const ended = [...keys.values()].filter(({ status }) => status !== "Active").length;
  return [userList.length, keys.size, mails, changes - ended];
}

function bodyOf({ body = "" }: WireRequest): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
