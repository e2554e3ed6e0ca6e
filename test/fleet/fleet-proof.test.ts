import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresPrograms, serverOfThisFile } from "../support/postgres-server.ts";
import { appliedOnce, differencesOf, readAccount } from "./independent-reading.ts";
import { type Proof, startProof } from "./proof-scene.ts";

const programs = postgresPrograms();
const seed = Number(process.env["FLEET_SEED"] ?? 20_261_123);
const size = Number(process.env["FLEET_TARGETS"] ?? 400);

describe.skipIf(programs === undefined)(`a fleet of ${size} targets in 4 processes, with FLEET_SEED=${seed}`, () => {
  const postgres = serverOfThisFile(programs, { maxConnections: 200 });
  const undo: (() => void | Promise<void>)[] = [];
  let proof: Proof;
  beforeAll(async () => {
    proof = await startProof({ postgres: postgres(), seed, size }, (step) => undo.push(step));
  });
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });

  test("two rounds of applies that overlap send each write once, though processes and the database die", async () => {
    const first = proof.round("round-1", "apply --auto-approve");
    const second = proof.round("round-2", "apply --auto-approve --lock-timeout 2m");
    await proof.until(() => proof.createdShare() > 0.3);
    await postgres().restart(2000);
    await Promise.all([first.done, second.done]);
    proof.report({ first, second });
    expect(proof.kills()).toBeGreaterThan(0);
    expect(proof.heldTwice()).toEqual([]);
    const found = proof.live.map(({ member, server }) => ({ name: member.name, ...readAccount(server, member) }));
    const wanted = proof.live.map(({ member }) => ({ name: member.name, ...appliedOnce(member) }));
    expect(found).toEqual(wanted);
  });

  test.each(["round-1", "round-2"])("the summary of %s names each target once, and is true", (round) => {
    const { reports, targets } = proof.summaries(round);
    expect(reports).toEqual(proof.names);
    expect(targets).toEqual(proof.expected(() => ({ privileged_gains: 0, changes: 0, problems: 0 })));
  });

  test("two rounds of checks that overlap find what others have changed, each target once", async () => {
    proof.tamper();
    const first = proof.round("round-3", "drift");
    await proof.until(() => proof.reported("round-3") > proof.names.length / 4);
    const second = proof.round("round-4", "drift");
    await Promise.all([first.done, second.done]);
    proof.report({ first, second });
    const targets = proof.expected(({ member, server }) => differencesOf(readAccount(server, member), member));
    for (const round of ["round-3", "round-4"])
      expect(proof.summaries(round)).toEqual({ reports: proof.names, targets });
  });

  test("nothing is locked or connected in the database afterwards", async () => {
    expect(await proof.sql("SELECT name FROM roster_lock WHERE id IS NOT NULL")).toEqual([]);
    expect(await proof.sql("SELECT pid FROM pg_locks WHERE locktype = 'advisory'")).toEqual([]);
    expect(await proof.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'roster'")).toEqual([]);
    // The journal of a run that was killed stays until a later run has something to record.
    const known = await proof.sql("SELECT DISTINCT name FROM roster_log");
    expect(known.map(({ name }) => name)).toEqual(expect.arrayContaining(proof.live.map(({ member }) => member.name)));
  });
});
