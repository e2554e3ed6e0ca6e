import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/library/environment.ts";
import type { Lease } from "../../src/log/port.ts";
import { connect, type DatabaseConnection } from "../../src/log/postgres/connection.ts";
import { breakLock, findHolder, takeLock } from "../../src/log/postgres/lock.ts";
import { leaseOf } from "../../src/log/postgres/store.ts";
import { makeTables } from "../../src/log/postgres/tables.ts";
import { creationIntent, intended, noon, openIntent, runStarted } from "../support/event-builders.ts";
import { clockAt } from "../support/fixed-ports.ts";
import { type PostgresPlace, postgresPlace, storeAt } from "../support/postgres-place.ts";
import { postgresPrograms, serverOfThisFile } from "../support/postgres-server.ts";
import { aRun, creation, failureOf, thrownBy, unwrap } from "../support/state-place.ts";
import { held, locked, saving } from "../support/store-kind.ts";
import { readWhole } from "../support/whole-log.ts";

const programs = postgresPrograms();
const first = [runStarted("r1"), intended("r1", "c", creationIntent("ada"))];
const patience = { connect: 5000, statement: 10_000 };

/** Lines whose store looks at no more than their positions. */
function linesOf(...positions: readonly number[]): string {
  return positions.map((position) => `{"position":${position},"previous":"…"}\n`).join("");
}

/** Ends every session of the database but the one that asks. */
async function endSessions(place: PostgresPlace): Promise<void> {
  await place.sql(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE application_name = 'roster' AND pid <> pg_backend_pid()`);
}

function connected(place: PostgresPlace): Promise<DatabaseConnection> {
  return connect(place.place, patience);
}

describe.skipIf(programs === undefined)("the sessions of a log in PostgreSQL", () => {
  const server = serverOfThisFile(programs);

  test("a run whose session ends in the middle records nothing more, and the next one finds what it had recorded", async () => {
    const place = await postgresPlace(server());
    const run = await locked(await place.open());
    await run.append(first);
    await endSessions(place);
    await expect(run.append([runStarted("r1")])).rejects.toThrow(/connection to the database was lost/u);
    await expect(run.append([runStarted("r1")])).rejects.toThrow(/connection to the database was lost/u);
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
    await saving(other, creation);
    await expect(run.append(first)).rejects.toThrow("the log could not be written");
  });

  test("tables that several make at once are made once", async () => {
    const place = await postgresPlace(server());
    for (let round = 0; round < 3; round += 1) {
      await place.sql("DROP TABLE IF EXISTS roster_schema, roster_log, roster_checkpoint, roster_lock");
      const connections = await Promise.all(Array.from({ length: 12 }, () => connected(place)));
      await Promise.all(connections.map(makeTables));
      await Promise.all(connections.map((connection) => connection.close()));
    }
    expect(await place.sql("SELECT version FROM roster_schema")).toEqual([{ version: 2 }]);
  });

  test("a line is a row, under its position, and a checkpoint says how many lines are in it", async () => {
    const place = await postgresPlace(server());
    const dying = await place.open();
    await (await locked(dying)).append(first);
    await place.kill(dying);
    await saving(await place.open(), [runStarted("r2")]);
    const one = ["log-started", "command-started", "run-started", "intended"];
    const two = ["command-started", "run-started", "command-ended", "checkpoint-taken"];
    expect(
      await place.sql("SELECT position, line FROM roster_log WHERE name = $1 ORDER BY position", [place.name]),
    ).toEqual(
      [...one, ...two].map((type, index) => {
        const line = `^\\{"position":${index + 1},"previous":"[0-9a-f]{64}","type":"${type}",`;
        return { position: String(index + 1), line: expect.stringMatching(new RegExp(line, "u")) };
      }),
    );
    const kept = await place.sql("SELECT position FROM roster_checkpoint WHERE name = $1", [place.name]);
    expect(kept).toEqual([{ position: "6" }]);
  });

  test("a reader sees one instant, whatever is appended and saved while it reads", async () => {
    const place = await postgresPlace(server());
    let last = await saving(await place.open(), creation);
    const reader = await place.open();
    const writing = (async () => {
      for (let round = 0; round < 10; round += 1) last = await saving(await place.open(), [runStarted(`r${round}`)]);
      return "done";
    })();
    let seen = 0;
    while ((await Promise.race([writing, Promise.resolve()])) !== "done") {
      const { serial } = unwrap(await reader.read());
      expect(serial).toBeGreaterThanOrEqual(seen);
      seen = serial;
    }
    expect(unwrap(await reader.read())).toEqual(last);
  });

  test("thousands of lines come back in their order, at once or one after the other", async () => {
    const place = await postgresPlace(server());
    const session = await locked(await place.open());
    const names = Array.from({ length: 6000 }, (_, index) => `Zoë "${index}" \\`);
    await session.append(names.slice(0, 5000).map(runStarted));
    for (let from = 5000; from < 6000; from += 100) await session.append(names.slice(from, from + 100).map(runStarted));
    unwrap(await session.close());
    for (const page of [7000, 6004, 1000, 997]) {
      const { events } = unwrap(await readWhole(storeAt(place.place, 50, systemClock, page)));
      const runs = events.flatMap(({ event }) => (event.type === "run-started" ? [event.run] : []));
      expect(runs).toEqual(names);
    }
  });

  /** A lease that is made by hand, over a connection that may be another than the one that has the lock. */
  async function leased(
    place: PostgresPlace,
    over: (database: DatabaseConnection) => DatabaseConnection = (database) => database,
    clock = clockAt(noon),
  ): Promise<Lease> {
    const database = await connected(place);
    await makeTables(database);
    const lock = await takeLock(database, clock, { id: "one", who: "ada@a", host: "a", operation: "apply" });
    return leaseOf({ database: over(database), lock }, clock, () => database.close());
  }

  test.each([
    ["a line that is not the last", [2, 3]],
    ["no line, where there are some", [1]],
    ["a line that is not there", [4]],
  ])("nothing is added behind %s", async (_, positions) => {
    const place = await postgresPlace(server());
    const lease = await leased(place);
    await lease.append(linesOf(1, 2));
    const before = await place.content();
    expect(await thrownBy(lease.append(linesOf(...positions)))).toMatchObject({
      message: expect.stringContaining("was changed by hand while this run held its lock"),
      hint: "find out what else writes to roster_log, then run again",
    });
    expect(await place.content()).toBe(before);
    await lease.append(linesOf(3));
    await lease.release();
  });

  test("a lease that was given back or taken over keeps neither lines nor a checkpoint", async () => {
    const place = await postgresPlace(server());
    const lease = await leased(place);
    await lease.append(linesOf(1));
    await lease.checkpoint(linesOf(1));
    await place.sql("UPDATE roster_lock SET fence = fence + 1 WHERE name = $1", [place.name]);
    const before = await place.content();
    for (const asked of [lease.append(linesOf(2)), lease.checkpoint(linesOf(2))]) {
      expect((await thrownBy(asked)).message).toContain("the lock of this run was taken over");
    }
    expect(await place.content()).toBe(before);
    await lease.release();
  });

  test("a pooler that gives a session to several is noticed by whoever comes second", async () => {
    const place = await postgresPlace(server());
    const shared = await connected(place);
    await makeTables(shared);
    const taker = { id: "one", who: "ada@a", host: "a", operation: "apply" };
    await takeLock(shared, systemClock, taker);
    expect(await thrownBy(takeLock(shared, systemClock, { ...taker, id: "two" }))).toMatchObject({
      code: "state",
      message: expect.stringContaining("a pooler spreads one connection over several database sessions"),
    });
    await shared.close();
  });

  test("a pooler that changes the session under a run is noticed before anything is recorded", async () => {
    const place = await postgresPlace(server());
    const other = await connected(place);
    const lease = await leased(place, () => other);
    for (const asked of [lease.append(linesOf(1)), lease.checkpoint(linesOf(1))]) {
      expect(await thrownBy(asked)).toMatchObject({
        message: expect.stringContaining("a pooler spreads one connection over several database sessions"),
      });
    }
    expect(await place.content()).toBe("");
    await lease.release();
    await other.close();
  });

  test.each([
    ["is told so where its lock was broken in the meantime", "broken"],
    ["goes on where it still has its lock", "kept"],
  ])("a process that sleeps while its lines become durable %s", async (_, lock) => {
    const place = await postgresPlace(server());
    const clock = clockAt(noon);
    const person = await place.open();
    const sleeping = (database: DatabaseConnection): DatabaseConnection => ({
      ...database,
      async run(doing, statement, values) {
        const answer = await database.run(doing, statement, values);
        if (!statement.includes("INSERT INTO roster_log")) return answer;
        clock.move(3_600_000);
        if (lock === "broken") unwrap(await person.breakLease("one"));
        return answer;
      },
    });
    const lease = await leased(place, sleeping, clock);
    const appended = lease.append(linesOf(1));
    if (lock === "kept") await appended;
    else expect((await thrownBy(appended)).message).toContain("the log could not be kept locked");
    await lease.release();
  });

  test("a raised fence alone stops a run, whose session goes on", async () => {
    const place = await postgresPlace(server());
    const run = await locked(await place.open());
    await run.append(first);
    await place.sql("UPDATE roster_lock SET fence = fence + 1 WHERE name = $1", [place.name]);
    await expect(run.append([runStarted("r1")])).rejects.toThrow("the lock of this run was taken over by ada@build-7");
    expect((await run.close()).ok).toBe(false);
    expect(await place.sql("SELECT FROM roster_log WHERE name = $1", [place.name])).toHaveLength(4);
  });

  test("a holder who gives a sign of life right before it is ended is left alone", async () => {
    const place = await postgresPlace(server());
    const run = await locked(await place.open());
    const database = await connected(place);
    const holder = await findHolder(database);
    if (holder === undefined) throw new Error("nobody holds the lock");
    expect(await breakLock(database, systemClock, holder, 60_000)).toBe(false);
    await run.append(first);
    unwrap(await run.close());
    await database.close();
  });

  test("a lock that somebody took by hand is told, and broken by the id that names its session", async () => {
    const place = await postgresPlace(server());
    await saving(await place.open(), creation);
    const stranger = await connected(place);
    await stranger.run("locked", "SELECT pg_advisory_lock(hashtextextended('roster:' || $1, 0))", [place.name]);
    const store = await place.open();
    const failure = await failureOf(store.lock(aRun, { breakStaleAfter: 0 }));
    expect(failure).toMatchObject({
      code: "locked",
      message: "the log is locked by an unknown run",
    });
    const { id } = await held(store);
    expect(id).toMatch(/^session-\d+$/u);
    expect(unwrap(await store.breakLease(id))).toEqual({ id });
    expect(unwrap(await store.holder())).toBe("nobody");
    await stranger.close();
  });

  test("a log that is written by hand while a run holds it is not written over", async () => {
    const place = await postgresPlace(server());
    await saving(await place.open(), creation);
    const run = await locked(await place.open());
    const [ended] = await place.sql("SELECT max(position) AS last FROM roster_log WHERE name = $1", [place.name]);
    const position = Number(ended?.["last"]) + 1;
    await place.sql("INSERT INTO roster_log (name, position, line) VALUES ($1, $2, '{}')", [place.name, position]);
    await expect(run.append(first)).rejects.toThrow("was changed by hand while this run held its lock");
    const before = await place.content();
    expect(await failureOf(run.close())).toMatchObject({ message: expect.stringContaining("was changed by hand") });
    expect(await place.content()).toBe(before);
  });
});
