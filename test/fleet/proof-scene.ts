import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import type { ReferenceServer } from "../../src/reference-server/server.ts";
import { type AtEnd, emptyDirectory, prompt, roster } from "../support/command.ts";
import { type Dice, diceOf } from "../support/dice.ts";
import { type PostgresServer, serverPassword, serverUser } from "../support/postgres-server.ts";
import { type FleetMember, fleetOfOrigins, keeperOf, setDefaults, teamName, teamRoles } from "./fleet-of-origins.ts";
import { startWorker, type WorkerProcess } from "./worker-processes.ts";

const workerCount = 4;

/** Each origin gets so many calls at most in a second, from all workers together. */
export const callsPerSecond = 40;
/**
 * Eight quick services, a slow one, and one that nobody runs. Those that run take the same address twice, and show new
 * users and keys only after a while: so neither their answers nor a search hides a user that is sent twice.
 */
function originsOf(dice: Dice) {
  const answersAfter = (latencyMs: number) => {
    const [searchLagMs, listLagMs] = [dice.between(...lags), dice.between(...lags)];
    return { conflict: "second-user", latencyMs, searchLagMs, listLagMs, detailLagMs: listLagMs } as const;
  };
  return [
    ...["alfa", "bravo", "delta", "echo", "golf", "hotel", "india", "juliet"].map((name) => {
      return { name, answers: answersAfter(dice.between(5, 50)) };
    }),
    { name: "kilo", answers: answersAfter(500) },
    { name: "lima", answers: "dead" },
  ] as const;
}

export function jobsOf(...rounds: readonly string[]): string {
  const names = rounds.map((round) => `'${round}'`).join(", ");
  return `FROM roster_queue.job WHERE name = 'roster-fleet' AND data->>'round' IN (${names})`;
}

const heldTwiceSql = `SELECT classid::text || '/' || objid::text AS lock FROM pg_locks
  WHERE locktype = 'advisory' AND granted GROUP BY classid, objid HAVING count(*) > 1`;

/** Milliseconds, the least and the most. */
const lags = [500, 2000] as const;

interface LiveTarget {
  readonly member: FleetMember;
  readonly server: ReferenceServer;
}

type Differences = Readonly<Record<"privileged_gains" | "changes" | "problems", number>>;

/** Starts the services, the database's client and the workers. One of them is killed every 10 seconds. */
export async function startProof(
  { postgres, seed, size }: { readonly postgres: PostgresServer; readonly seed: number; readonly size: number },
  atEnd: AtEnd,
) {
  const cwd = emptyDirectory(atEnd);
  const database = `postgres://${serverUser}@127.0.0.1:${postgres.port}/roster`;
  const dice = diceOf(seed);
  const origins = originsOf(dice);
  const { targets, servers } = await fleetOfOrigins(cwd, { origins, size, people: 3, state: database }, atEnd);
  setDefaults(cwd, `callsPerSecond: ${callsPerSecond}`);
  const env = { ...prompt, PGPASSWORD: serverPassword, ROSTER_QUEUE: database, ROSTER_COMMIT: "c0ffee" };
  const live = targets.flatMap((member): readonly LiveTarget[] => {
    const server = servers.get(member.origin);
    return server === undefined ? [] : [{ member, server }];
  });
  const workers: WorkerProcess[] = [];
  let isEnding = false;
  let kills = 0;
  const startOne = (place: number) => {
    const args = ["--parallelism", "8"];
    const worker = startWorker(args, { cwd, env }, atEnd);
    workers[place] = worker;
    void worker.ended.then((how) => {
      if (isEnding) return;
      if (how !== "SIGKILL") console.log(`worker ${place} ended by ${how}: ${worker.said().slice(-500)}`);
      setTimeout(() => startOne(place), 500);
    });
  };
  let zombie: number | undefined;
  const killer = setInterval(() => {
    const place = dice.below(workerCount);
    if (isEnding || place === zombie) return;
    kills += 1;
    workers[place]?.kill("SIGKILL");
  }, 10_000);
  atEnd(() => {
    isEnding = true;
    clearInterval(killer);
  });

  async function sql(statement: string) {
    const login = { user: serverUser, password: serverPassword, database: "roster" };
    const client = new Client({ host: "127.0.0.1", port: postgres.port, ...login });
    // Said also where the database dies between two statements.
    client.on("error", () => {});
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(statement);
      return rows;
    } finally {
      await client.end();
    }
  }

  // What two sessions hold at the same time, each look by a new connection: the database dies once.
  let looking = Promise.resolve();
  const heldTwice = new Set<unknown>();
  const watcher = setInterval(() => {
    looking = looking.then(async () => {
      const held = await sql(heldTwiceSql).catch(() => []);
      for (const { lock } of held) heldTwice.add(lock);
    });
  }, 500);
  atEnd(async () => {
    clearInterval(watcher);
    await looking;
  });

  async function fleet(words: string): Promise<string> {
    const { code, stdout, stderr } = await roster(["fleet", ...words.split(" ")], { cwd, env });
    if (stdout === "") throw new Error(`fleet ${words} ended with ${code}: ${stderr}`);
    return stdout;
  }

  async function status(): Promise<StatusDocument["fleet"]> {
    const document: StatusDocument = JSON.parse(await fleet("status --format json"));
    return document.fleet;
  }

  let applied = 0;
  /** When a plan of the whole fleet was made, by one process and not by the workers, in milliseconds since the epoch. */
  const plans: { readonly from: number; readonly to: number }[] = [];

  return {
    names: targets.map(({ name }) => name).sort(),
    live,
    servers,
    sql,
    fleet,
    status,
    kills: () => kills,
    endKills: () => clearInterval(killer),
    /** Locks that were seen in two sessions of the database at the same time. */
    heldTwice: () => [...heldTwice],
    start() {
      for (let place = 0; place < workerCount; place += 1) startOne(place);
    },
    async enqueueApplies() {
      applied += 1;
      const round = `applies-${applied}`;
      const from = Date.now();
      await fleet(`plan --parallelism 16 --report json=${round}`);
      plans.push({ from, to: Date.now() });
      await fleet(`enqueue ${round} --round ${round}`);
      const rows = await sql(`SELECT singleton_key AS target ${jobsOf(round)} ORDER BY target`);
      return { round, names: rows.map(({ target }) => String(target)) };
    },
    /** Stops a worker for two minutes. It wakes up when others have its targets. */
    async stopAndWake() {
      zombie = 0;
      workers[0]?.kill("SIGSTOP");
      await pause(120_000);
      workers[0]?.kill("SIGCONT");
      await pause(10_000);
      zombie = undefined;
    },
    /** The most calls that the workers sent to each service in a second. */
    mostCallsInASecond() {
      return [...servers.values()].map(({ requests }) => {
        const times = requests.map(({ at }) => Date.parse(at)).sort((a, b) => a - b);
        const ofWorkers = times.filter((time) => !plans.some(({ from, to }) => time >= from && time <= to));
        return Math.max(
          ...ofWorkers.map((time, at) => ofWorkers.findLastIndex((other) => other < time + 1000) - at + 1),
        );
      });
    },
    async finished(...rounds: readonly string[]) {
      for (;;) {
        const sent = `SELECT count(*)::int AS left ${jobsOf(...rounds)} AND completed_on IS NULL`;
        const [row] = await sql(sent).catch(() => []);
        if (row?.["left"] === 0) return;
        await pause(1000);
      }
    },
    async end() {
      isEnding = true;
      for (const { kill } of workers) kill("SIGTERM");
      return Promise.all(workers.map(({ ended }) => ended));
    },
    createdShare() {
      const there = [...servers.values()].reduce((sum, { world }) => sum + world.users.length, 0) - live.length;
      return there / live.reduce((sum, { member }) => sum + member.people.length, 0);
    },
    async until(holds: () => boolean) {
      while (!holds()) await pause(100);
    },
    /** What others do to some targets: a role too many, a role too few, a member too many. */
    tamper() {
      const [gain = [], loss = [], members = []] = [0, 1, 2].map(() => dice.some(live, 4));
      for (const target of gain) setTeamKey(target, 0, [...teamRoles, "ACCOUNT_ADMIN"]);
      for (const target of loss) setTeamKey(target, 1, ["TEAM_ROLE"]);
      for (const { member, server } of new Set(members))
        server.world.addMember(teamOf({ member, server }), keeperOf(member.name));
    },
    /** What a summary should say of each target, where `differences` says what its service and its roster differ in. */
    expected(differences: (target: LiveTarget) => Differences) {
      const found = new Map(live.map((target) => [target.member.name, differences(target)]));
      return targets
        .map(({ name }) => expectedTarget(name, found.get(name)))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

export type Proof = Awaited<ReturnType<typeof startProof>>;

function setTeamKey({ member, server }: LiveTarget, person: number, roles: readonly string[]): void {
  const user = server.world.users.find(({ email }) => email === member.people[person]);
  const key = user?.accessKeys.find(({ team }) => team !== null);
  if (key === undefined) throw new Error(`${member.people[person]} has no team key`);
  server.world.setKeyRoles(key.prefix, roles);
}

function teamOf({ member, server }: LiveTarget): string {
  const team = server.world.teams.find(({ account, name }) => account === member.account && name === teamName);
  if (team === undefined) throw new Error(`${member.name} has no team`);
  return team.identifier;
}

interface StatusDocument {
  readonly fleet: {
    readonly queue: {
      readonly waiting: number;
      readonly running: readonly unknown[];
      readonly given_up: readonly string[];
    };
    readonly targets: readonly (Differences & {
      readonly name: string;
      readonly status: string;
      readonly exit_code?: number;
      readonly error?: { readonly code: string };
    })[];
  };
}

export function shownTarget(target: StatusDocument["fleet"]["targets"][number]) {
  const { name, status, exit_code, error, privileged_gains, changes, problems } = target;
  return { name, status, exit_code, error: error?.code, privileged_gains, changes, problems };
}

function expectedTarget(name: string, found: Differences | undefined): ReturnType<typeof shownTarget> {
  const nothing = { privileged_gains: 0, changes: 0, problems: 0 };
  if (found === undefined) return { name, status: "failed", exit_code: 1, error: "unreachable", ...nothing };
  const status = found.changes + found.privileged_gains > 0 ? "changes" : found.problems > 0 ? "problems" : "clean";
  const exit_code = { changes: 2, problems: 9, clean: 0 }[status];
  return { name, status, exit_code, error: undefined, ...found };
}
