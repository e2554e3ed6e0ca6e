import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/library/system.ts";
import { connect, type DatabaseConnection } from "../../src/log/postgres/connection.ts";
import { breakLock, findHolder, takeLock } from "../../src/log/postgres/lock.ts";
import { addLines, postgresSession } from "../../src/log/postgres/store.ts";
import { makeTables, readStoredRows } from "../../src/log/postgres/tables.ts";
import { emptyState } from "../../src/model/state.ts";
import { creationIntent, intended, noon, openIntent, runStarted } from "../support/event-builders.ts";
import { clockAt } from "../support/fixed-ports.ts";
import { type PostgresPlace, postgresPlace } from "../support/postgres-place.ts";
import { postgresPrograms, serverOfThisFile } from "../support/postgres-server.ts";
import { aRun, creation, failureOf, unwrap } from "../support/state-place.ts";
import { held, locked, saving } from "../support/store-kind.ts";

const programs = postgresPrograms();
const first = [runStarted("r1"), intended("r1", "c", creationIntent("ada"))];
const patience = { connect: 5000, statement: 10_000 };

/** Ends every session of the database but the one that asks. */
async function endSessions(place: PostgresPlace): Promise<void> {
  await place.sql(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE application_name = 'roster' AND pid <> pg_backend_pid()`);
}

async function connected(place: PostgresPlace): Promise<DatabaseConnection> {
  const connection = await connect(place.place, patience);
  if (!connection.ok) throw new Error(connection.error.says);
  return connection.value;
}

describe.skipIf(programs === undefined)("the sessions of a state in PostgreSQL", () => {
  const server = serverOfThisFile(programs);

  test("a run whose session ends in the middle records nothing more, and the next one finds what it had recorded", async () => {
    const place = await postgresPlace(server());
    const run = await locked(await place.open());
    await run.append(first);
    await endSessions(place);
    await expect(run.append([runStarted("r1")])).rejects.toThrow(/connection to the database was lost$/u);
    await expect(run.append([runStarted("r1")])).rejects.toThrow(/connection to the database was lost$/u);
    expect(await failureOf(run.close())).toMatchObject({ code: "state", hint: expect.stringContaining("run again") });
    const next = await locked(await place.open());
    expect(next.state.open).toEqual([openIntent("r1", "c", creationIntent("ada"))]);
    await next.close();
  });

  test("a run whose session ends while it does nothing is no unhandled error, and its lock is free", async () => {
    const place = await postgresPlace(server());
    const run = await locked(await place.open({ heartbeat: 3_600_000 }));
    await endSessions(place);
    const other = await place.open();
    expect(unwrap(await other.holder())).toBe("nobody");
    expect((await saving(other, creation)).serial).toBe(1);
    await expect(run.append(first)).rejects.toThrow("the state could not be written");
  });

  test("tables that several make at once are made once", async () => {
    const place = await postgresPlace(server());
    for (let round = 0; round < 3; round += 1) {
      await place.sql("DROP TABLE IF EXISTS roster_schema, roster_state, roster_journal, roster_lock, roster_audit");
      const connections = await Promise.all(Array.from({ length: 12 }, () => connected(place)));
      const made = await Promise.all(connections.map((database) => makeTables(database, place.place)));
      expect(made).toEqual(connections.map(() => ({ ok: true, value: undefined })));
      await Promise.all(connections.map((connection) => connection.close()));
    }
    expect(await place.sql("SELECT version FROM roster_schema")).toEqual([{ version: 1 }]);
  });

  test("what was appended before is read, and saved by the next run, under one number", async () => {
    const place = await postgresPlace(server());
    const dying = await place.open();
    await (await locked(dying)).append(first);
    await place.kill(dying);
    expect(await place.sql("SELECT serial, position, line FROM roster_journal WHERE name = $1", [place.name])).toEqual(
      ["journal-started", "run-started", "intended"].map((type, index) => {
        return { serial: "0", position: String(index + 1), line: expect.stringContaining(`"entry":{"type":"${type}"`) };
      }),
    );
    await saving(await place.open(), [runStarted("r2")]);
    expect(await place.sql("SELECT FROM roster_journal WHERE name = $1", [place.name])).toEqual([]);
    expect(await place.sql("SELECT serial FROM roster_state WHERE name = $1", [place.name])).toEqual([{ serial: "1" }]);
  });

  test("a reader sees one instant, whatever is saved and appended while it reads", async () => {
    const place = await postgresPlace(server());
    const database = await connected(place);
    const saved = await saving(await place.open(), creation);
    const interrupted: DatabaseConnection = {
      ...database,
      async run(statement, values) {
        const answer = await database.run(statement, values);
        if (!statement.includes("FROM roster_state")) return answer;
        await saving(await place.open(), [runStarted("r2")]);
        await (await locked(await place.open())).append(first);
        return answer;
      },
    };
    expect(unwrap(await readStoredRows(interrupted, place.place)).state).toEqual(saved);
    expect(unwrap(await readStoredRows(database, place.place)).state.serial).toBe(saved.serial + 1);
    await database.close();
  });

  test("a pooler that gives a session to several is noticed by whoever comes second", async () => {
    const place = await postgresPlace(server());
    const shared = await connected(place);
    unwrap(await makeTables(shared, place.place));
    const around = { place: place.place, clock: systemClock };
    const wanted = { taker: { id: "one", who: "ada@a", host: "a", operation: "apply" }, lockOptions: {} };
    expect((await takeLock(shared, around, wanted)).ok).toBe(true);
    const second = await failureOf(takeLock(shared, around, { ...wanted, taker: { ...wanted.taker, id: "two" } }));
    expect(second).toMatchObject({
      code: "state",
      message: expect.stringContaining("a pooler spreads one connection over several database sessions"),
    });
    await shared.close();
  });

  test("a pooler that changes the session under a run is noticed before anything is recorded", async () => {
    const place = await postgresPlace(server());
    const [one, other] = [await connected(place), await connected(place)];
    unwrap(await makeTables(one, place.place));
    const around = { place: place.place, clock: systemClock };
    const taker = { id: "one", who: "ada@a", host: "a", operation: "apply" };
    const taken = await takeLock(one, around, { taker, lockOptions: {} });
    if (!taken.ok) throw new Error(taken.error.message);
    const base = { lineage: "l", serial: 0, saved: false };
    const held = { database: other, place: place.place, lock: taken.value, base };
    expect(await failureOf(addLines(held, 0, ["line"]))).toMatchObject({
      message: expect.stringContaining("a pooler spreads one connection over several database sessions"),
    });
    expect(await place.content()).toBe("");
    await Promise.all([one.close(), other.close()]);
  });

  test.each([
    ["is told so where its lock was broken in the meantime", "broken"],
    ["goes on where it still has its lock", "kept"],
  ])("a process that sleeps while its events become durable %s", async (_, lock) => {
    const place = await postgresPlace(server());
    const database = await connected(place);
    unwrap(await makeTables(database, place.place));
    const clock = clockAt(noon);
    const taker = { id: "one", who: "ada@a", host: "a", operation: "apply" };
    const taken = await takeLock(database, { place: place.place, clock }, { taker, lockOptions: {} });
    const person = await place.open();
    const sleeping: DatabaseConnection = {
      ...database,
      async run(statement, values) {
        const answer = await database.run(statement, values);
        if (!statement.includes("INSERT INTO roster_journal")) return answer;
        clock.move(3_600_000);
        if (lock === "broken") unwrap(await person.unlock("one"));
        return answer;
      },
    };
    if (!taken.ok) throw new Error(taken.error.message);
    const base = { lineage: "l", serial: 0, saved: false };
    const held = { database: sleeping, place: place.place, lock: taken.value, base };
    const stored = { state: emptyState("l"), saved: false, lines: 0 };
    const run = postgresSession({ held, stored, clock, end: () => database.close() });
    if (lock === "broken") await expect(run.append(first)).rejects.toThrow("the state could not be kept locked");
    else await run.append(first);
    expect((await run.close()).ok).toBe(lock === "kept");
  });

  test("a raised fence alone stops a run, whose session goes on", async () => {
    const place = await postgresPlace(server());
    const run = await locked(await place.open());
    await run.append(first);
    await place.sql("UPDATE roster_lock SET fence = fence + 1 WHERE name = $1", [place.name]);
    await expect(run.append([runStarted("r1")])).rejects.toThrow("the lock of this run was taken over by ada@build-7");
    expect((await run.close()).ok).toBe(false);
    expect(await place.sql("SELECT FROM roster_journal WHERE name = $1", [place.name])).toHaveLength(3);
  });

  test("a holder who gives a sign of life right before it is ended is left alone", async () => {
    const place = await postgresPlace(server());
    const run = await locked(await place.open());
    const database = await connected(place);
    const holder = unwrap(await findHolder(database, place.place));
    if (holder === "nobody") throw new Error("nobody holds the lock");
    const around = { place: place.place, clock: systemClock };
    const broken = await breakLock(database, around, { holder: { ...holder, silentFor: 90_000 }, silentFor: 60_000 });
    expect(broken).toEqual({ ok: true, value: "moved on" });
    await run.append(first);
    expect(unwrap(await run.close()).serial).toBe(1);
    await database.close();
  });

  test("a lock that somebody took by hand is told, and broken by the id that names its session", async () => {
    const place = await postgresPlace(server());
    await saving(await place.open(), creation);
    const stranger = await connected(place);
    await stranger.run("SELECT pg_advisory_lock(hashtextextended('roster:' || $1, 0))", [place.name]);
    const store = await place.open();
    const failure = await failureOf(store.lock(aRun, { breakStaleAfter: 0 }));
    expect(failure).toMatchObject({
      code: "locked",
      message: "the state is locked by an unknown run",
    });
    const { id } = await held(store);
    expect(id).toMatch(/^session-\d+$/u);
    expect(unwrap(await store.unlock(id))).toEqual({ id });
    expect(unwrap(await store.holder())).toBe("nobody");
    await stranger.close();
  });

  test("a state that is written by hand while a run holds it is not written over", async () => {
    const place = await postgresPlace(server());
    await saving(await place.open(), creation);
    const run = await locked(await place.open());
    await place.sql("UPDATE roster_state SET serial = 7 WHERE name = $1", [place.name]);
    await expect(run.append(first)).rejects.toThrow("was changed by hand while this run held its lock");
    const before = await place.content();
    expect(await failureOf(run.close())).toMatchObject({ message: expect.stringContaining("was changed by hand") });
    expect(await place.content()).toBe(before);
  });
});
