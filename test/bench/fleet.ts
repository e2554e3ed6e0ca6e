import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "pg";
import { fleetOfOrigins } from "../fleet/fleet-of-origins.ts";
import { postgresPrograms, serverPassword, serverUser, startPostgres } from "../support/postgres-server.ts";

const [size = 200, people = 20] = process.argv.slice(2, 4).map(Number);
const wanted = process.argv.slice(4);
const everyCommand = ["plan", "apply --auto-approve", "apply --auto-approve", "drift", "drift", "drift --no-record"];
const parallelism = 16;

/**
 * Prints what a target of a fleet costs, with states in PostgreSQL: `node --import tsx test/bench/fleet.ts TARGETS PEOPLE COMMAND…`.
 * A run of one target is taken off, so that the start of the process does not count. `8 workers` is a command too (Node 22.12 or later).
 */
async function main(): Promise<void> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error("PostgreSQL is not installed");
  const cwd = await mkdtemp(join(tmpdir(), "roster-bench-"));
  const postgres = await startPostgres(programs, { maxConnections: 300 });
  const undo: (() => void | Promise<void>)[] = [() => rm(cwd, { recursive: true, force: true }), () => postgres.stop()];
  const login = { host: "127.0.0.1", port: postgres.port, user: serverUser, password: serverPassword };
  const client = new Client({ ...login, database: "roster" });
  try {
    await client.connect();
    undo.push(() => client.end());
    const origins = Array.from({ length: 8 }, (_, at) => ({ name: `origin${at}`, answers: {} }));
    const state = `postgres://${serverUser}@127.0.0.1:${postgres.port}/roster`;
    const { servers } = await fleetOfOrigins(cwd, { origins, size, people, state }, (step) => undo.push(step));
    const calls = () => [...servers.values()].reduce((sum, { requests }) => sum + requests.length, 0);
    console.log(`${size} targets of ${people} people, over 8 services, ${parallelism} at a time\n`);
    console.log(
      "| command | CPU a target | most memory | calls a target | sessions a target | transactions a target | most sessions |",
    );
    console.log("|---|---|---|---|---|---|---|");
    for (const words of wanted.length > 0 ? wanted : everyCommand) {
      if (words.endsWith(" workers")) {
        console.log(await workersLine(cwd, client, state, Number.parseInt(words, 10)));
        continue;
      }
      const start = await cost(cwd, `${words} --include origin0-001`).ended;
      const before = { calls: calls(), ...(await counts(client)) };
      const peak = watchSessions(client);
      const { cpu, memory } = await cost(cwd, `${words} --parallelism ${parallelism}`).ended;
      const most = await peak();
      const after = { calls: calls(), ...(await counts(client)) };
      const each = (name: keyof typeof after) => ((after[name] - before[name]) / size).toFixed(1);
      const own = ((cpu - start.cpu) / (size - 1)).toFixed(1);
      console.log(
        `| \`${words}\` | ${own} ms | ${memory} MiB | ${each("calls")} | ${each("sessions")} | ${each("transactions")} | ${most} |`,
      );
    }
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

const tells =
  'data:text/javascript,import{writeSync}from"node:fs";process.on("exit",()=>writeSync(3,JSON.stringify(process.resourceUsage())))';

/** A drift of every target by so many workers. Their start counts. */
async function workersLine(cwd: string, client: Client, queue: string, count: number): Promise<string> {
  const env = { ROSTER_QUEUE: queue, ROSTER_COMMIT: "bench" };
  await cost(cwd, "enqueue --round bench", env).ended;
  const workers = Array.from({ length: count }, () => cost(cwd, "worker --parallelism 8", env));
  const jobs = "FROM roster_queue.job WHERE name = 'roster-fleet' AND data->>'round' = 'bench'";
  const left = async () =>
    (await client.query(`SELECT count(*)::int AS left ${jobs} AND completed_on IS NULL`)).rows[0].left;
  while ((await left()) > 0) await new Promise((passed) => setTimeout(passed, 500));
  for (const { child } of workers) child.kill("SIGTERM");
  const ends = await Promise.all(workers.map(({ ended }) => ended));
  const took = `SELECT extract(epoch FROM max(completed_on) - min(started_on))::float8 AS seconds, count(*)::int AS jobs,
    count(*) FILTER (WHERE output->>'status' <> 'failed')::int AS checked,
    string_agg(DISTINCT output->'error'->>'message', '; ') AS failures ${jobs}`;
  const { seconds, jobs: all, checked, failures } = (await client.query(took)).rows[0];
  if (failures !== null) console.error(failures);
  const cpu = ends.reduce((sum, end) => sum + end.cpu, 0) / all;
  const memory = Math.max(...ends.map((end) => end.memory));
  return `| ${count} workers: drift | ${cpu.toFixed(1)} ms | ${memory} MiB | ${checked} of ${all} checked in ${seconds.toFixed(0)} s: ${(all / seconds).toFixed(1)} jobs a second |`;
}

/** Processor time in milliseconds and memory in MiB of a whole process, once it has ended. */
function cost(cwd: string, words: string, own: Readonly<Record<string, string>> = {}) {
  const args = ["--import", tells, resolve("dist/main.js"), "fleet", ...words.split(" ")];
  const env = { PATH: process.env["PATH"], HOME: cwd, PGPASSWORD: serverPassword, ...own };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "ignore", "ignore", "pipe"] });
  return { child, ended: costOf(child) };
}

async function costOf(child: ChildProcess): Promise<{ readonly cpu: number; readonly memory: number }> {
  let text = "";
  child.stdio[3]?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await new Promise((ended) => child.on("close", ended));
  const { userCPUTime, systemCPUTime, maxRSS }: NodeJS.ResourceUsage = JSON.parse(text);
  return { cpu: (userCPUTime + systemCPUTime) / 1000, memory: Math.round(maxRSS / 1024) };
}

/** What the database counted so far. It takes note of a session a moment after it has ended. */
async function counts(client: Client): Promise<{ readonly sessions: number; readonly transactions: number }> {
  await new Promise((passed) => setTimeout(passed, 1500));
  const { rows } = await client.query(
    "SELECT sessions::int, (xact_commit + xact_rollback)::int AS transactions FROM pg_stat_database WHERE datname = 'roster'",
  );
  return rows[0];
}

/** How many sessions of roster there were at most, once it is asked. */
function watchSessions(client: Client): () => Promise<number> {
  let most = 0;
  let looking = Promise.resolve();
  const look = async () => {
    const { rows } = await client.query(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'roster'",
    );
    most = Math.max(most, rows[0].count);
  };
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, 50);
  return async () => {
    clearInterval(timer);
    await looking;
    return most;
  };
}

await main();
