import { describe, expect, test } from "vitest";
import { grantsSql } from "../../src/log/postgres/connection.ts";
import type { Failure } from "../../src/model/failure.ts";
import { creationIntent, intended, runStarted } from "../support/event-builders.ts";
import { addressOf, type PostgresPlace, placeAt, postgresPlace, storeAt } from "../support/postgres-place.ts";
import { postgresPrograms, serverOfThisFile, serverPassword, serverUser } from "../support/postgres-server.ts";
import { aRun, creation, failureOf, unwrap } from "../support/state-place.ts";
import { held, locked, saving } from "../support/store-kind.ts";
import { readWhole } from "../support/whole-log.ts";

const programs = postgresPrograms();

function edited(position: number, line: string): string {
  return `UPDATE roster_log SET line = ${line} WHERE position = ${position}`;
}

describe.skipIf(programs === undefined)("what a log in PostgreSQL says when it is refused", () => {
  const server = serverOfThisFile(programs);

  async function refusal(change: (address: string) => string): Promise<Failure> {
    const store = storeAt(placeAt(change(addressOf(server().port, "refused"))), 1000);
    return failureOf(store.read());
  }

  test.each<[string, (address: string) => string, string, string]>([
    [
      "a wrong password",
      (address) => address.replace(/:[^:@]*@/u, ":wrong@"),
      `the database rejects the login of ${serverUser}`,
      "PGPASSWORD",
    ],
    [
      "no password",
      (address) => address.replace(/:[^:@]*@/u, "@"),
      `the database rejects the login of ${serverUser}`,
      "PGPASS",
    ],
    [
      "another user",
      (address) => address.replace(serverUser, "mallory"),
      "the database rejects the login of mallory",
      "user",
    ],
    [
      "another database",
      (address) => address.replace("/roster?", "/nowhere?"),
      "the database nowhere does not exist",
      "createdb",
    ],
    ["a closed port", (address) => address.replace(/:\d+\//u, ":1/"), "no answer from 127.0.0.1, port 1", "is running"],
    [
      "a name without a machine",
      (address) => address.replace("127.0.0.1", "nowhere.invalid"),
      "the host name nowhere.invalid is unknown",
      "host",
    ],
    [
      "TLS, which this server does not speak",
      (address) => `${address}&sslmode=verify-full`,
      "no encrypted connection to a verified server was possible",
      "sslrootcert",
    ],
    [
      "a file of authorities that is not there",
      (address) => `${address}&sslrootcert=nowhere.pem`,
      "no encrypted connection to a verified server was possible",
      "sslrootcert",
    ],
  ])("%s", async (_, change, why, hint) => {
    const failure = await refusal(change);
    expect(failure).toMatchObject({ code: "state", hint: expect.stringContaining(hint) });
    expect(failure.message).toMatch(/^the log could not be reached at postgres:\/\/[^@]+\?name=refused: /u);
    expect(failure.message).toContain(why);
    expect(JSON.stringify(failure)).not.toContain(serverPassword);
  });

  test("a user who may not create the tables is told what to run: enough to add lines, and not to change one", async () => {
    const place = await postgresPlace(server());
    const store = storeAt(await asUser(place, "reader"), 1000);
    await place.sql("DROP TABLE IF EXISTS roster_schema, roster_log, roster_checkpoint, roster_lock");
    expect(unwrap(await store.read()).serial).toBe(0);
    const failure = await failureOf(store.lock(aRun));
    expect(failure.message).toContain("it has no tables of roster, and reader cannot create them");
    expect(failure.hint).toContain("CREATE TABLE IF NOT EXISTS roster_log (");
    await place.sql(failure.hint?.split("once:\n")[1] ?? "");
    const saved = await saving(store, creation);
    expect(unwrap(await store.read())).toEqual(saved);
    const rights =
      await place.sql(`SELECT string_agg(table_name || ' ' || privilege_type, ', ' ORDER BY privilege_type) AS all
      FROM information_schema.role_table_grants WHERE grantee = 'reader' GROUP BY table_name ORDER BY table_name`);
    expect(rights.map((row) => row["all"])).toEqual([
      "roster_checkpoint INSERT, roster_checkpoint SELECT, roster_checkpoint UPDATE",
      "roster_lock INSERT, roster_lock SELECT, roster_lock UPDATE",
      "roster_log INSERT, roster_log SELECT",
      "roster_schema SELECT",
    ]);
  });

  test("a user who may not use the tables is told who can change that", async () => {
    const place = await postgresPlace(server());
    await saving(await place.open(), creation);
    const store = storeAt(await asUser(place, "stranger"), 1000);
    for (const asked of [store.read(), store.lock(aRun), readWhole(store)]) {
      expect((await failureOf(asked)).hint).toContain("GRANT SELECT, INSERT ON roster_log TO stranger;");
    }
  });

  test("a silent holder whose session may not be ended keeps its lock, and the missing right is named", async () => {
    const place = await postgresPlace(server());
    const user = await asUser(place, "taker");
    await saving(await place.open(), creation);
    await place.sql(grantsSql({ user: "taker" }));
    const former = await locked(await place.open({ heartbeat: 3_600_000 }));
    const taker = storeAt(user, 1000);
    const holder = await held(taker);
    for (const asked of [taker.lock(aRun, { breakStaleAfter: 0 }), taker.breakLease(holder.id)]) {
      const failure = await failureOf(asked);
      expect(failure.code).toBe("locked");
      expect(failure.message).toMatch(
        /^the log is locked by ada@build-7 .*, and taker has no permission to end its database session/u,
      );
      expect(failure.hint).toMatch(/SELECT pg_terminate_backend\(\d+\), .*GRANT pg_signal_backend TO taker/u);
    }
    await former.append([runStarted("r1")]);
    unwrap(await former.close());
  });

  test.each([
    ["a newer", 3],
    ["an older", 1],
  ])("tables that %s roster has made are left alone", async (_, version) => {
    const place = await postgresPlace(server());
    await saving(await place.open(), creation);
    await place.sql("UPDATE roster_schema SET version = $1", [version]);
    const store = await place.open();
    for (const asked of [store.read(), store.lock(aRun)]) {
      const failure = await failureOf(asked);
      expect(failure.message).toContain(`have version ${version}; this roster supports version 2`);
      expect(failure.hint).toContain("use the version of roster that created them");
    }
    await place.sql("UPDATE roster_schema SET version = 2");
  });

  test("a database that is set to read-only says so", async () => {
    const place = await postgresPlace(server());
    const saved = await saving(await place.open(), creation);
    const user = await asUser(place, "standby");
    await place.sql(grantsSql({ user: "standby" }));
    await place.sql("ALTER ROLE standby SET default_transaction_read_only = on");
    const store = storeAt(user, 1000);
    expect(unwrap(await store.read())).toEqual(saved);
    expect((await failureOf(store.lock(aRun))).message).toContain("the database is read-only, such as a standby");
  });

  /** A run that saved, with its checkpoint at position 5, then one that died behind position 7. */
  async function twoRuns(): Promise<PostgresPlace> {
    const place = await postgresPlace(server());
    await saving(await place.open(), creation);
    const dying = await place.open();
    await (await locked(dying)).append([runStarted("r2"), intended("r2", "d", creationIntent("ada"))]);
    await place.kill(dying);
    return place;
  }

  const cutOff = "is missing: no row has the position of its checkpoint";

  test.each<[string, string, string]>([
    ["a line that is missing", "DELETE FROM roster_log WHERE position = 8", "event 8 of the log is missing"],
    ["a line in another's place", "DELETE FROM roster_log WHERE position = 6", "event 6 of the log is missing"],
    ["a line that was edited", edited(9, "replace(line, 'plan-1', 'plan-2')"), "event 9 of the log was changed"],
    ["a line that is two", edited(10, "line || chr(10) || line"), "position 10 is not one line"],
    ["nothing that is a line", edited(7, "'[]'"), "event 7 of the log cannot be read"],
    ["no line where the checkpoint ends", "DELETE FROM roster_log WHERE position = 5", cutOff],
    ["an end before the checkpoint", "DELETE FROM roster_log WHERE position > 4", cutOff],
    ["no line at all", "DELETE FROM roster_log", cutOff],
  ])("rows with %s are told, and left as they are", async (_, change, message) => {
    const place = await twoRuns();
    await place.sql(`${change} ${change.includes(" WHERE ") ? "AND" : "WHERE"} name = $1`, [place.name]);
    const before = await place.content();
    const store = await place.open();
    for (const asked of [store.read(), store.lock(aRun)]) {
      const failure = await failureOf(asked);
      expect(failure).toMatchObject({ code: "state", hint: expect.stringMatching(/restore/iu) });
      expect(failure.message).toContain(message);
    }
    expect(await place.content()).toBe(before);
    expect(unwrap(await store.holder())).toBe("nobody");
  });

  test.each([
    ["missing", "DELETE FROM roster_checkpoint"],
    ["cut off", "UPDATE roster_checkpoint SET text = left(text, 300)"],
    ["in another's place", "UPDATE roster_checkpoint SET position = 6"],
    ["too large to be read", "UPDATE roster_checkpoint SET text = text || repeat(' ', 256 * 1024 * 1024)"],
  ])("a checkpoint that is %s costs nothing but its time, and the next run writes it anew", async (_, change) => {
    const place = await twoRuns();
    const before = unwrap(await (await place.open()).read());
    await place.sql(`${change} WHERE name = $1`, [place.name]);
    expect(unwrap(await (await place.open()).read())).toEqual(before);
    const saved = await saving(await place.open(), [runStarted("r3")]);
    const [kept] = await place.sql("SELECT position, text FROM roster_checkpoint WHERE name = $1", [place.name]);
    expect(kept).toEqual({ position: String(saved.serial - 2), text: expect.stringMatching(/^\{"position":12,/u) });
    expect(unwrap(await (await place.open()).read())).toEqual(saved);
  });

  async function asUser(place: PostgresPlace, user: string) {
    await place.sql(`CREATE ROLE ${user} LOGIN PASSWORD 'of ${user}'`);
    return placeAt(addressOf(server().port, place.name, user, `of ${user}`));
  }
});
