import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresPrograms, serverOfThisFile } from "../support/postgres-server.ts";
import { appliedOnce, differencesOf, readAccount } from "./independent-reading.ts";
import { callsPerSecond, jobsOf, type Proof, shownTarget, startProof } from "./proof-scene.ts";

const programs = postgresPrograms();
const seed = Number(process.env["FLEET_SEED"] ?? 20_261_123);
const size = Number(process.env["FLEET_TARGETS"] ?? 400);

describe.skipIf(programs === undefined)(`a fleet of ${size} targets and 4 workers, with FLEET_SEED=${seed}`, () => {
  const postgres = serverOfThisFile(programs, { maxConnections: 200 });
  const undo: (() => void | Promise<void>)[] = [];
  let proof: Proof;
  beforeAll(async () => {
    proof = await startProof({ postgres: postgres(), seed, size }, (step) => undo.push(step));
  });
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });

  /** Of each round, how often each target is there, and whether a worker has brought it to its end. */
  async function expectOnce(round: string, names: readonly string[]): Promise<void> {
    const rows = await proof.sql(
      `SELECT singleton_key AS target, completed_on IS NOT NULL AS done ${jobsOf(round)} ORDER BY target`,
    );
    expect(rows).toEqual(names.map((target) => ({ target, done: true })));
  }

  test("applies and checks that overlap send each write once, though workers and the database die", async () => {
    const applies = await proof.enqueueApplies();
    proof.start();
    await proof.fleet("enqueue --round checks");
    await proof.fleet("enqueue --round checks");
    await proof.until(() => proof.createdShare() > 0.1);
    const woken = proof.stopAndWake();
    await proof.until(() => proof.createdShare() > 0.4);
    await postgres().restart(2000);
    await Promise.all([proof.finished(applies.round, "checks"), woken]);
    await expectOnce(applies.round, applies.names);
    // What a dead worker has left is another plan, which has to be approved again. Nobody dies meanwhile.
    proof.endKills();
    for (let rest = await proof.enqueueApplies(); rest.names.length > 0; rest = await proof.enqueueApplies())
      await proof.finished(rest.round);
    console.log(`${proof.kills()} kills`);
    expect(proof.kills()).toBeGreaterThan(0);
    expect(proof.heldTwice()).toEqual([]);
    const found = proof.live.map(({ member, server }) => ({ name: member.name, ...readAccount(server, member) }));
    const wanted = proof.live.map(({ member }) => ({ name: member.name, ...appliedOnce(member) }));
    expect(found).toEqual(wanted);
    await expectOnce("checks", proof.names);
  });

  test("two rounds of checks that overlap find what others have changed, and the status is true", async () => {
    proof.tamper();
    await proof.fleet("enqueue --round first");
    await proof.fleet("enqueue --round second");
    await proof.finished("first", "second");
    for (const round of ["first", "second"]) await expectOnce(round, proof.names);
    const { targets, queue } = await proof.status();
    expect(targets.map(shownTarget).sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      proof.expected(({ member, server }) => differencesOf(readAccount(server, member), member)),
    );
    const dead = proof.names.filter((name) => !proof.live.some(({ member }) => member.name === name));
    expect(queue).toMatchObject({ waiting: 0, running: [], given_up: dead });
  });

  test("no second has more calls to one service than it may have", () => {
    const most = proof.mostCallsInASecond();
    console.log(`most calls in a second, of each service: ${most.join(" ")}`);
    expect(Math.max(...most)).toBeLessThanOrEqual(callsPerSecond);
  });

  test("the workers end in order, and nothing is locked or connected afterwards", async () => {
    expect(await proof.end()).toEqual([143, 143, 143, 143]);
    expect(await proof.sql("SELECT name FROM roster_lock WHERE id IS NOT NULL")).toEqual([]);
    expect(await proof.sql("SELECT pid FROM pg_locks WHERE locktype = 'advisory'")).toEqual([]);
    expect(await proof.sql("SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'roster%'")).toEqual([]);
  });
});
