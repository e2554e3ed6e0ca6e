import { setImmediate as turn } from "node:timers/promises";
import pLimit from "p-limit";
import type { Capabilities } from "../model/capabilities.ts";
import { factValue } from "../model/fact.ts";
import { rolesWithout } from "../model/role-set.ts";
import type { ObservedKey, Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { shownTeams } from "../model/team.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { Clock } from "../ports/clock.ts";
import type { RouteName } from "../reference-server/fault-triggers.ts";
import { type InProcessServer, openInProcess } from "../reference-server/in-process.ts";
import type { Knobs } from "../reference-server/knobs/registry.ts";
import { teamRole } from "../reference-server/world.ts";
import { ApiKey } from "../service/api-key.ts";
import { accountServiceClient, headersOf } from "../service/client.ts";
import type { Transport } from "../service/retry.ts";
import { type KnownService, seedWorld } from "./seed-world.ts";

interface RehearsalServiceOptions {
  readonly clock: Clock;
  /** Milliseconds that each call takes. */
  readonly latency: number;
  /** Calls at once. */
  readonly parallelism: number;
  /** Ways that differ from those that were seen. */
  readonly knobs?: Partial<Knobs>;
}

/** A service in memory that holds and answers what is known of another one, under the address of that one. */
interface RehearsalService {
  readonly service: AccountService;
  /** Requests so far, by route. */
  readonly asked: ReadonlyMap<RouteName, number>;
  /** Mails so far. */
  mails(): number;
}

/** Opens no connection and keeps nothing. */
export function rehearsalService(ground: KnownService, options: RehearsalServiceOptions): RehearsalService {
  const { clock, latency, parallelism: connections, knobs } = options;
  const asked = new Map<RouteName, number>();
  const endpoint = new URL(ground.snapshot.service);
  const prefix = endpoint.pathname.replace(/\/+$/u, "");
  const server = openInProcess({
    fill: (world) => seedWorld(ground, world),
    origin: endpoint.origin,
    knobs: { ...inferKnobs(ground), ...knobs },
    onRequest: (route) => asked.set(route, (asked.get(route) ?? 0) + 1),
    now: () => clock.now(),
  });
  const memory = memoryTransport(server, { clock, latency, connections, prefix });
  const transport: Transport = { ...memory, send: (call, _key, signal) => memory.send(call, server.key, signal) };
  const key = new ApiKey(`${ground.keyInUse ?? "rehearsal"}.rehearsal`);
  const service = accountServiceClient(transport, { endpoint, key, clock, randomness: steady });
  return { service, asked, mails: () => server.outbox.length };
}

/** The same input makes the same rehearsal. */
const steady = { fraction: () => 0.5, identifier: () => "rehearsal" };

interface MemoryTransportOptions {
  readonly clock: Clock;
  /** Milliseconds that each call takes. */
  readonly latency: number;
  /** Calls at once. */
  readonly connections: number;
  /** The path of the service's address, without a trailing slash. */
  readonly prefix: string;
}

/** Carries calls to a service in this process, each in the same time. @internal */
export function memoryTransport(server: InProcessServer, options: MemoryTransportOptions): Transport {
  const { clock, latency, connections, prefix } = options;
  const connection = pLimit(connections);
  return {
    send: ({ method, path, body }, key, signal) =>
      connection(async () => {
        await clock.wait(latency, signal);
        if (signal?.aborted) return { is: "no-answer", why: "aborted", sent: false, cause: "the run was stopped" };
        const inner = path.startsWith(prefix) ? path.slice(prefix.length) : path;
        const request = { method, path: inner, headers: headersOf(key, body) };
        const answer = server.answer(body === undefined ? request : { ...request, body });
        if (answer !== "lost") return { is: "answer", ...answer };
        return { is: "no-answer", why: "unreachable", sent: true, cause: "the connection was ended" };
      }),
    close: async () => {},
  };
}

interface Timer {
  readonly due: number;
  readonly ring: () => void;
}

/**
 * A clock that stands still while anything is under way and jumps to whatever is due next once nothing is: what waits for
 * minutes takes no time. Only for work that waits for this clock and for nothing outside the process.
 */
export function virtualClock(start: number): Clock {
  const timers = new Set<Timer>();
  let now = start;
  let isRunning = false;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (timers.size > 0) {
      // Whatever was set going until now has come to a wait before the next turn of the event loop.
      await turn();
      ringDue();
    }
    isRunning = false;
  }

  /** All that are due at one moment, in the order in which they were set. */
  function ringDue(): void {
    const next = [...timers].reduce((first, { due }) => Math.min(first, due), Number.POSITIVE_INFINITY);
    if (timers.size > 0) now = Math.max(now, next);
    for (const timer of [...timers]) {
      if (timer.due > now) continue;
      timers.delete(timer);
      timer.ring();
    }
  }

  return {
    now: () => now,
    monotonic: () => now,
    wait(milliseconds, signal) {
      if (signal?.aborted || milliseconds <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = { due: now + milliseconds, ring };
        const stop = () => {
          timers.delete(timer);
          ring();
        };
        function ring(): void {
          signal?.removeEventListener("abort", stop);
          resolve();
        }
        timers.add(timer);
        signal?.addEventListener("abort", stop, { once: true });
        void run();
      });
    },
  };
}

/** The knobs by which the reference service answers as the service was seen to. What no read could tell is as usual. */
function inferKnobs({ snapshot, state }: KnownService): Partial<Knobs> {
  const keys = snapshot.users.flatMap((user) => user.keys ?? []);
  const known = knownCapabilities(snapshot, state);
  const { paging, totals } = known;
  return {
    pageBase: pageBases[paging.firstPage],
    ...(paging.largestPage === undefined ? {} : { maxPerPage: paging.largestPage }),
    total: totals === "hidden" ? "none" : "both",
    showKeys: known.keysOnUsers === "hidden" ? "none" : "accessKeys",
    showKeyRoles: known.rolesOnKeys === "hidden" ? "none" : "objects",
    showKeyKinds: keys.length > 0 && keys.every(({ kind }) => kind === undefined) ? "none" : "kind",
    showTeams: showTeams(keys, known),
    showTitles: known.titles === "hidden" ? "no" : "yes",
    accountDetails: accountDetails(snapshot),
    roleList: (factValue(snapshot.roles) ?? []).every(({ name, type }) => name === undefined && type === undefined)
      ? "R2"
      : "R1",
    putRoles: putRoles(state),
  };
}

const pageBases = {
  "0": "zero",
  "1": "one-empty",
  "0-and-1-alike": "one-alias",
  unknown: "one-alias",
} as const;

/** Where nobody was shown who could tell, an earlier run may know. */
function knownCapabilities({ capabilities }: Snapshot, { capabilities: recorded }: State): Capabilities {
  const earlier = recorded?.learned;
  if (earlier === undefined) return capabilities;
  const { keysOnUsers, rolesOnKeys, teamsOnKeys, titles, totals, paging } = capabilities;
  return {
    keysOnUsers: keysOnUsers === "unknown" ? earlier.keysOnUsers : keysOnUsers,
    rolesOnKeys: rolesOnKeys === "unknown" ? earlier.rolesOnKeys : rolesOnKeys,
    teamsOnKeys: teamsOnKeys === "unknown" ? earlier.teamsOnKeys : teamsOnKeys,
    titles: titles === "unknown" ? earlier.titles : titles,
    totals: totals === "unknown" ? earlier.totals : totals,
    paging: paging.firstPage === "unknown" ? earlier.paging : paging,
  };
}

/** Where no key that is read shows its team, the answer that founds a team is taken to show it all the same. */
function showTeams(keys: readonly ObservedKey[], { teamsOnKeys }: Capabilities): Knobs["showTeams"] {
  const shown = shownTeams(keys);
  const saysNone = keys.some(({ team }) => team === "none");
  if (shown.length === 0) return teamsOnKeys === "hidden" && !saysNone ? "created-only" : "full";
  if (shown.every(({ name }) => name === undefined)) return "identifier";
  return shown.every(({ identifier }) => identifier === undefined) ? "name" : "full";
}

function accountDetails({ accounts }: Snapshot): Knobs["accountDetails"] {
  const details = [...accounts.values()];
  if (details.length > 0 && details.every(({ members }) => members === undefined)) return "no-users";
  if (details.some(({ membersCut }) => membersCut === true)) return "A3-truncated";
  const named = details.filter(({ members = [] }) => members.length > 0);
  return named.length > 0 && named.every(({ memberStatuses }) => memberStatuses === undefined) ? "A2" : "A1";
}

/** What earlier replacements left on their keys. */
function putRoles({ keys }: State): Knobs["putRoles"] {
  const kept = [...keys.values()].flatMap(({ put, readAs }) =>
    readAs === undefined ? [] : [rolesWithout(readAs, put)],
  );
  if (kept.some((roles) => roles.some((role) => role !== teamRole))) return "merge";
  return kept.some((roles) => roles.length > 0) ? "keep-TEAM_ROLE" : "replace";
}
