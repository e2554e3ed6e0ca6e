import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { emptyDirectory, prompt, roster } from "../support/command.ts";
import { integrationYaml, valuesOf } from "../support/integrations.ts";
import { postgresPrograms, serverOfThisFile, serverPassword, serverUser } from "../support/postgres-server.ts";
import { fleetOfOrigins, setDefaults } from "./fleet-of-origins.ts";
import { startWorker } from "./worker-processes.ts";

const programs = postgresPrograms();

describe.skipIf(programs === undefined)("the queue of a fleet", () => {
  const postgres = serverOfThisFile(programs);
  let databases = 0;

  /** Three targets of one service, with a database of their own. */
  async function scene(latencyMs = 0) {
    databases += 1;
    const login = { host: "127.0.0.1", port: postgres().port, user: serverUser, password: serverPassword };
    const admin = new Client({ ...login, database: "roster" });
    await admin.connect();
    await admin.query(`CREATE DATABASE queue${databases}`);
    await admin.end();
    const client = new Client({ ...login, database: `queue${databases}` });
    await client.connect();
    onTestFinished(() => client.end());
    const cwd = emptyDirectory();
    const state = `postgres://${serverUser}@127.0.0.1:${postgres().port}/queue${databases}`;
    const origins = [{ name: "alfa", answers: { latencyMs } }];
    const { servers, targets } = await fleetOfOrigins(cwd, { origins, size: 3, people: 4, state }, onTestFinished);
    const env = { ...prompt, PGPASSWORD: serverPassword, ROSTER_QUEUE: state, ROSTER_COMMIT: "c0ffee" };
    const fleet = (words: string) => roster(["fleet", ...words.split(" ")], { cwd, env });
    const worker = (words = "") => startWorker(words.split(" ").filter(Boolean), { cwd, env }, onTestFinished);
    const rows = async (sql: string) => (await client.query(sql)).rows;
    const until = async (sql: string) => {
      for (;;) {
        const [row] = await rows(sql).catch(() => []);
        if (row !== undefined) return;
        await pause(200);
      }
    };
    const requests = () => [...servers.values()].flatMap((server) => server.requests);
    const writes = () =>
      requests().filter(({ path, method, status }) => {
        return status > 0 && (method === "PUT" || /\/(?:users|members)$/u.test(path)) && method !== "GET";
      }).length;
    return { cwd, env, targets, fleet, worker, rows, until, requests, writes };
  }

  const job = "FROM roster_queue.job WHERE name = 'roster-fleet'";
  const done = `SELECT 1 ${job} HAVING bool_and(completed_on IS NOT NULL)`;

  test("a target has one job in a round, and the status tells what became of it", async () => {
    const { cwd, env, fleet, worker, until, rows } = await scene();
    const never = JSON.parse((await fleet("status --format json")).stdout);
    expect(never.fleet.targets.map(({ error }: { error: unknown }) => error)).toEqual(
      Array.from({ length: 3 }, () => ({ code: "not-checked", message: "never checked" })),
    );
    for (let times = 0; times < 2; times += 1) await fleet("enqueue --round r");
    expect((await fleet("status --format prometheus")).stdout).toContain('_queue_waiting{command="fleet"} 3\n');
    const [query] = valuesOf("query", integrationYaml("kubernetes/fleet-autoscaler/scaled-object.yaml"));
    expect(await rows(String(query))).toEqual([{ count: "3" }]);
    worker();
    await until(done);
    expect(await rows("SELECT state, count(*)::int FROM roster_queue.job GROUP BY state")).toEqual([
      { state: "completed", count: 3 },
    ]);
    const { code, stdout } = await fleet("status --format prometheus");
    expect([code, stdout.match(/^roster_last_success_timestamp_seconds\{.*\} \d+/gmu)?.length]).toEqual([2, 3]);
    expect(stdout).toContain('roster_fleet_queue_waiting{command="fleet"} 0\n');
    await rows(`UPDATE roster_queue.job SET output = output || '{"reports": ["javascript:alert(1)//.html"]}'`);
    expect((await fleet("status --report html=site")).stdout).toContain("Last round: r, 3 of 3 done");
    expect(readFileSync(join(cwd, "site/index.html"), "utf8")).not.toContain("javascript:");
    setDefaults(cwd, "maxAge: 0");
    const late = await fleet("status --format json");
    const [{ last_success: last, error }] = JSON.parse(late.stdout).fleet.targets;
    const message = `last checked at ${last}. \`defaults.maxAge\` of the fleet file is 0s`;
    expect([late.code, error]).toEqual([7, { code: "not-checked", message }]);
    await fleet("enqueue --round s --include alfa-001 --include alfa-002");
    await until(done);
    await rows("UPDATE roster_queue.job SET state = 'failed', output = '{}' WHERE data->>'round' = 's'");
    await rows("UPDATE roster_queue.job SET singleton_key = 'gone' WHERE singleton_key = 'alfa-002'");
    const where = `--fleet fleet.yaml --queue ${env.ROSTER_QUEUE}`;
    const status = await fleet(`status ${where}`);
    expect([status.code, status.stdout]).toEqual([
      7,
      expect.stringContaining("Given up: alfa-001 and gone. Enqueue them again:"),
    ]);
    const [, again = ""] = /^ *roster fleet (enqueue .*)$/mu.exec(status.stdout) ?? [];
    expect(again).toBe(`enqueue --include alfa-001 ${where}`);
    expect((await fleet(again)).stdout).toMatch(/^Enqueued: 1 of 3,/u);
  });

  test("what is enqueued is counted against the whole fleet", async () => {
    const { cwd, fleet, targets } = await scene();
    const git = (words: string) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@x.example", ...words.split(" ")], { cwd });
    for (const words of ["init -q", "add .", "commit -qm one"]) git(words);
    writeFileSync(join(cwd, `rosters/alfa/${targets[1]?.name}/more.yaml`), "version: 1\n");
    for (const words of ["add .", "commit -qm two"]) git(words);
    const enqueue = async (words: string) => (await fleet(`enqueue --round r ${words}`)).stdout;
    expect(await enqueue("--changed-since HEAD~1")).toBe("Enqueued: 1 of 3, round r.\n");
    expect(await enqueue("--changed-since HEAD")).toBe("Enqueued: 0 of 3, round r.\n");
    expect(await enqueue("--include alfa-001 --include alfa-002")).toBe("Enqueued: 2 of 3, round r.\n");
  });

  test("only approved plans of this commit are applied, and jobs of others are refused", async () => {
    const { cwd, fleet, worker, until, rows, writes, targets } = await scene();
    await fleet("plan --report json=plans");
    const [one, two, three] = targets.map(({ name }) => name);
    const plan: { plan_id: string } = JSON.parse(readFileSync(join(cwd, `plans/targets/${one}.json`), "utf8"));
    await fleet("enqueue --include alfa-001 --round other");
    await rows('UPDATE roster_queue.job SET data = data || \'{"commit": "0ther"}\'');
    const insert = (data: object) =>
      rows(`INSERT INTO roster_queue.job (name, data) VALUES ('roster-fleet', '${JSON.stringify(data)}')`);
    const forged = { target: two, command: "apply", commit: "c0ffee", round: "stolen" };
    await insert(forged);
    await insert({ ...forged, round: "allowing", expectedPlan: plan.plan_id, allow: ["x"] });
    await insert({ ...forged, target: "nobody", round: "lost", expectedPlan: plan.plan_id });
    await insert({ ...forged, command: "drift", round: "elsewhere", endpoint: "https://evil.example" });
    await insert({ ...forged, round: "wrong", expectedPlan: "0123456789abcdef" });
    await rows("INSERT INTO roster_queue.job (name, singleton_key) VALUES ('roster-fleet', 'alfa-001')");
    worker();
    await until(done);
    expect(
      await rows(`SELECT data->>'round' AS round, state, output->'error'->>'code' AS code ${job} ORDER BY round`),
    ).toEqual([
      { round: "allowing", state: "failed", code: null },
      { round: "elsewhere", state: "failed", code: null },
      { round: "lost", state: "failed", code: null },
      { round: "other", state: "failed", code: "stale" },
      { round: "stolen", state: "failed", code: null },
      { round: "wrong", state: "completed", code: "stale" },
      { round: null, state: "failed", code: null },
    ]);
    expect(writes()).toBe(0);
    const known = JSON.parse((await fleet("status --format json")).stdout).fleet;
    expect([known.queue.given_up, known.targets[0].error.code]).toEqual([[one], "stale"]);
    expect((await fleet(`enqueue --round ${"r".repeat(201)}`)).code).toBe(3);
    writeFileSync(join(cwd, `plans/targets/${three}.json`), "{}");
    expect((await fleet("enqueue plans --round good")).stdout).toBe("Enqueued: 2 of 3, round good.\n");
    await until(done);
    expect(
      await rows(
        `SELECT singleton_key AS target, output->>'status' AS status ${job} AND data->>'round' = 'good' ORDER BY 1`,
      ),
    ).toEqual([
      { target: one, status: "clean" },
      { target: two, status: "clean" },
    ]);
  });

  test("a pause stops all writes before the next call, and checks go on", async () => {
    const { cwd, fleet, worker, until, rows, writes } = await scene(600);
    setDefaults(cwd, "every: 1m");
    await fleet("plan --report json=plans");
    await fleet("enqueue plans --round applies");
    expect((await fleet("pause")).code).toBe(3);
    worker();
    await until(`SELECT 1 ${job} AND state = 'active'`);
    while (writes() === 0) await pause(50);
    // Until the pause is about to be recorded, no worker learns whether it may write.
    await rows("BEGIN");
    await rows("LOCK TABLE roster_fleet.pause");
    const pausing = fleet("pause --reason wrong-roles");
    const isPause = "relation = 'roster_fleet.pause'::regclass AND mode = 'RowExclusiveLock' AND NOT granted";
    await until(`SELECT 1 FROM pg_locks WHERE ${isPause}`);
    await rows("COMMIT");
    expect((await pausing).code).toBe(0);
    await until(`SELECT 1 ${job} HAVING bool_and(state <> 'active')`);
    await pause(500);
    // A write that is not sent has no turn any more.
    expect(await rows("SELECT sum(cardinality(calls))::int AS turns FROM roster_fleet.origin")).toEqual([{ turns: 0 }]);
    const before = writes();
    await fleet("enqueue --round checks");
    await until(
      `SELECT 1 ${job} AND data->>'round' = 'checks' HAVING bool_and(completed_on IS NOT NULL) AND count(*) = 3`,
    );
    await until(`SELECT 1 ${job} AND data->>'round' LIKE 'drift-%' HAVING count(DISTINCT singleton_key) = 3`);
    expect(writes()).toBe(before);
    expect((await fleet("status")).stdout).toMatch(/Paused by .*: wrong-roles/u);
    await fleet("resume");
    await until(done);
    expect(await rows("SELECT reason FROM roster_fleet.pause ORDER BY at")).toEqual([
      { reason: "wrong-roles" },
      { reason: null },
    ]);
  });

  test("the limit of calls at the same time holds over all workers, for reads and writes", async () => {
    const latency = 300;
    const { cwd, fleet, worker, until, rows, requests, writes } = await scene(latency);
    setDefaults(cwd, "callsPerOrigin: 2");
    await fleet("plan --report json=plans");
    await fleet("enqueue plans");
    const planned = requests().length;
    for (let count = 0; count < 3; count += 1) worker();
    await until(done);
    expect(writes()).toBe(24);
    // A request is under way from when it has come until it is answered. A timer may be a little early.
    const times = requests().map(({ at }) => Date.parse(at));
    const atOnce = times.slice(planned).map((time) => {
      return times.slice(planned).filter((other) => other <= time && other > time - latency + 5).length;
    });
    expect(Math.max(...atOnce)).toBe(2);
    expect(await rows("SELECT calls FROM roster_fleet.origin")).toEqual([{ calls: [] }]);
  });

  test("another worker takes over the targets of a killed one in a minute", async () => {
    const { fleet, worker, until, rows } = await scene(300);
    await fleet("enqueue --round r");
    const first = worker("--parallelism 4");
    await until(`SELECT 1 ${job} HAVING bool_and(state = 'active' AND output ? 'worker') AND count(*) = 3`);
    first.kill("SIGKILL");
    await first.ended;
    const killed = Date.now();
    worker("--parallelism 4");
    await until(`SELECT 1 ${job} HAVING bool_and(state = 'completed' OR retry_count = 1)`);
    expect(Date.now() - killed).toBeLessThan(60_000);
    await until(done);
    expect(await rows(`SELECT DISTINCT state ${job}`)).toEqual([{ state: "completed" }]);
  });

  test("a worker that is asked to end gives its job back, and another one takes it at once", async () => {
    const { fleet, worker, until, rows } = await scene(300);
    await fleet("enqueue --round r");
    const first = worker("--parallelism 4");
    await until(`SELECT 1 ${job} HAVING bool_and(state = 'active' AND output ? 'worker') AND count(*) = 3`);
    first.kill("SIGTERM");
    expect(await first.ended).toBe(143);
    const started = Date.now();
    worker("--parallelism 4");
    await until(done);
    expect(Date.now() - started).toBeLessThan(15_000);
    expect(await rows(`SELECT DISTINCT retry_limit - retry_count AS retries ${job}`)).toEqual([{ retries: 5 }]);
  });

  test("a schedule enqueues a drift of every target", async () => {
    const { cwd, worker, until, rows } = await scene();
    setDefaults(cwd, "every: 1m");
    worker();
    worker();
    await until(done);
    expect(await rows(`SELECT data->>'command' AS command, count(*)::int ${job} GROUP BY 1`)).toEqual([
      { command: "drift", count: 3 },
    ]);
    expect(await rows("SELECT cron FROM roster_queue.schedule")).toEqual([{ cron: "*/1 * * * *" }]);
  });
});
