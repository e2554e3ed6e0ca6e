import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import type { ReferenceServer } from "../../src/reference-server/server.ts";
import { type AtEnd, emptyDirectory, prompt, roster } from "../support/command.ts";
import { type Dice, diceOf } from "../support/dice.ts";
import { type PostgresServer, serverPassword, serverUser } from "../support/postgres-server.ts";
import { type FleetMember, fleetOfOrigins, keeperOf, teamName, teamRoles } from "./fleet-of-origins.ts";
import { type IndexedJob, indexedJob } from "./indexed-job.ts";

const completions = 4;

/** Of two rounds that overlap. */
const mostKills = 12;

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

const heldTwiceSql = `SELECT classid::text || '/' || objid::text AS lock FROM pg_locks
  WHERE locktype = 'advisory' AND granted GROUP BY classid, objid HAVING count(*) > 1`;

/** Milliseconds, the least and the most. */
const lags = [500, 2000] as const;

/** A target whose service runs. */
interface LiveTarget {
  readonly member: FleetMember;
  readonly server: ReferenceServer;
}

type Differences = Readonly<Record<"privileged_gains" | "changes" | "problems", number>>;

/** Starts the services and the database's client, and from the first round on kills a process every 10 seconds. */
export async function startProof(
  { postgres, seed, size }: { readonly postgres: PostgresServer; readonly seed: number; readonly size: number },
  atEnd: AtEnd,
) {
  const cwd = emptyDirectory(atEnd);
  const database = `postgres://${serverUser}@127.0.0.1:${postgres.port}/roster`;
  const dice = diceOf(seed);
  const origins = originsOf(dice);
  const { targets, servers } = await fleetOfOrigins(cwd, { origins, size, people: 3, state: database }, atEnd);
  const env = { ...prompt, PGPASSWORD: serverPassword };
  const live = targets.flatMap((member): readonly LiveTarget[] => {
    const server = servers.get(member.origin);
    return server === undefined ? [] : [{ member, server }];
  });
  const victims = dice.some([0, 1, 2, 3], completions);
  const pods = Array.from({ length: completions }, (_, index) =>
    targets.filter((_target, at) => at % completions === index).flatMap(({ name }) => ["--only", name]),
  );
  const jobs: IndexedJob[] = [];
  let ticks = 0;
  let kills = 0;
  // Each index in its turn: a process that is started again begins with its first target, and needs the time to come to its last.
  // On a machine that is too slow for that, no round would end: after some kills there are no more.
  const killer = setInterval(() => {
    if (kills >= mostKills * (jobs.length / 2)) return;
    const victim = victims[ticks % completions];
    ticks += 1;
    const pod = dice.one(jobs.flatMap((job) => job.running()).filter(({ index }) => index === victim));
    if (pod === undefined) return;
    kills += 1;
    pod.kill();
  }, 10_000);
  atEnd(() => {
    clearInterval(killer);
    for (const job of jobs) job.stop();
  });

  async function sql(statement: string) {
    const { port } = postgres;
    const client = new Client({
      host: "127.0.0.1",
      port,
      user: serverUser,
      password: serverPassword,
      database: "roster",
    });
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

  function summaries(round: string) {
    const files = pods.map((_, index) => join(cwd, "reports", round, String(index), "summary.json"));
    const read = files.map((file): SummaryFile => JSON.parse(readFileSync(file, "utf8")));
    return {
      reports: reportsOf(round),
      targets: read.flatMap(({ fleet }) => fleet.targets.map(shownTarget)).sort((a, b) => (a.name < b.name ? -1 : 1)),
    };
  }

  const reportsOf = (round: string) =>
    pods
      .flatMap((_, index) => filesIn(join(cwd, "reports", round, String(index), "targets")))
      .flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -".json".length)] : []))
      .sort();

  return {
    names: targets.map(({ name }) => name).sort(),
    live,
    sql,
    summaries,
    kills: () => kills,
    /** Locks that were seen in two sessions of the database at the same time. */
    heldTwice: () => [...heldTwice],
    /** Starts a process for each index. Those of several rounds run at the same time. */
    round(name: string, words: string): IndexedJob {
      const args = ["fleet", ...words.split(" "), "--parallelism", "8"];
      const job = indexedJob({
        completions,
        backoffLimitPerIndex: 2,
        start: (index, started) =>
          roster([...args, ...(pods[index] ?? []), "--report", `json=reports/${name}/${index}`], {
            cwd,
            env,
            started: (child) => started(() => void child.kill("SIGKILL")),
          }),
      });
      jobs.push(job);
      return job;
    },
    /** How much of what is to be created is there. */
    createdShare() {
      const there = [...servers.values()].reduce((sum, { world }) => sum + world.users.length, 0) - live.length;
      return there / live.reduce((sum, { member }) => sum + member.people.length, 0);
    },
    /** How many targets of a round have a report. */
    reported: (round: string) => reportsOf(round).length,
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
    /** What happened, for whoever reads a failure. */
    report(rounds: Readonly<Record<string, IndexedJob>>) {
      for (const [name, { attempts }] of Object.entries(rounds))
        console.log(name, attempts.map(({ index, code, signal }) => `${index}:${signal ?? code}`).join(" "));
      console.log(`${kills} kills`);
    },
  };
}

export type Proof = Awaited<ReturnType<typeof startProof>>;

function filesIn(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

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

/** As the summaries are written. */
interface SummaryFile {
  readonly fleet: {
    readonly targets: readonly (Differences & {
      readonly name: string;
      readonly status: string;
      readonly exit_code?: number;
      readonly error?: { readonly code: string };
    })[];
  };
}

function shownTarget(target: SummaryFile["fleet"]["targets"][number]) {
  const { name, status, exit_code, error, privileged_gains, changes, problems } = target;
  return { name, status, exit_code, error: error?.code, privileged_gains, changes, problems };
}

/** Without differences: the service did not answer. */
function expectedTarget(name: string, found: Differences | undefined): ReturnType<typeof shownTarget> {
  const nothing = { privileged_gains: 0, changes: 0, problems: 0 };
  if (found === undefined) return { name, status: "failed", exit_code: 1, error: "unreachable", ...nothing };
  const status = found.changes + found.privileged_gains > 0 ? "changes" : found.problems > 0 ? "problems" : "clean";
  const exit_code = { changes: 2, problems: 9, clean: 0 }[status];
  return { name, status, exit_code, error: undefined, ...found };
}
