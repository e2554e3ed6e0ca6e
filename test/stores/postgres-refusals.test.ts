import { describe, expect, test } from "vitest";
import type { Failure } from "../../src/model/result.ts";
import { creationIntent, intended, runStarted } from "../support/event-builders.ts";
import { addressOf, type PostgresPlace, placeAt, postgresPlace, storeAt } from "../support/postgres-place.ts";
import { postgresPrograms, serverOfThisFile, serverPassword, serverUser } from "../support/postgres-server.ts";
import { aRun, creation, failureOf, unwrap } from "../support/state-place.ts";
import { held, locked, saving } from "../support/store-kind.ts";

const programs = postgresPrograms();

/** Documents of another version, and of another state, in rows that say so too. */
const newer = `UPDATE roster_state SET serial = 5, document = replace(document, '"serial": 1', '"serial": 5')`;
const other = "UPDATE roster_state SET document = replace(document, lineage, 'other'), lineage = 'other'";

describe.skipIf(programs === undefined)("what a state in PostgreSQL says when it is refused", () => {
  const server = serverOfThisFile(programs);

  /** Reads with an address that differs in one thing. */
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
    expect(failure.message).toMatch(/^the state could not be reached at postgres:\/\/[^@]+\?name=refused: /u);
    expect(failure.message).toContain(why);
    expect(JSON.stringify(failure)).not.toContain(serverPassword);
  });

  test("a user who may not create the tables is told what to run, and it is enough", async () => {
    const place = await postgresPlace(server());
    const store = storeAt(await asUser(place, "reader"), 1000);
    await place.sql("DROP TABLE IF EXISTS roster_schema, roster_state, roster_journal, roster_lock, roster_audit");
    expect(unwrap(await store.read()).serial).toBe(0);
    const failure = await failureOf(store.lock(aRun));
    expect(failure.message).toContain("it has no tables of roster, and reader cannot create them");
    expect(failure.hint).toContain("CREATE TABLE IF NOT EXISTS roster_state (");
    await place.sql(failure.hint?.split("once:\n")[1] ?? "");
    expect((await saving(store, creation)).serial).toBe(1);
  });

  test("a user who may not use the tables is told who can change that", async () => {
    const place = await postgresPlace(server());
    await saving(await place.open(), creation);
    const store = storeAt(await asUser(place, "stranger"), 1000);
    for (const asked of [store.read(), store.lock(aRun), store.verify()]) {
      expect((await failureOf(asked)).hint).toContain("GRANT SELECT, INSERT, UPDATE, DELETE ON roster_schema");
    }
  });

  test("a silent holder whose session may not be ended keeps its lock, and the missing right is named", async () => {
    const place = await postgresPlace(server());
    const user = await asUser(place, "taker");
    await saving(await place.open(), creation);
    await place.sql(
      "GRANT SELECT, INSERT, UPDATE, DELETE ON roster_schema, roster_state, roster_journal, roster_lock TO taker",
    );
    const former = await locked(await place.open({ heartbeat: 3_600_000 }));
    const taker = storeAt(user, 1000);
    const holder = await held(taker);
    for (const asked of [taker.lock(aRun, { breakStaleAfter: 0 }), taker.unlock(holder.id)]) {
      const failure = await failureOf(asked);
      expect(failure.code).toBe("locked");
      expect(failure.message).toMatch(
        /^the state is locked by ada@build-7 .*, and taker has no permission to end its database session/u,
      );
      expect(failure.hint).toMatch(/SELECT pg_terminate_backend\(\d+\), .*GRANT pg_signal_backend TO taker/u);
    }
    await former.append([runStarted("r1")]);
    expect(unwrap(await former.close()).serial).toBe(2);
  });

  test("tables that a newer roster has made are left alone", async () => {
    const place = await postgresPlace(server());
    await saving(await place.open(), creation);
    await place.sql("INSERT INTO roster_schema VALUES (2)");
    const store = await place.open();
    const failure = await failureOf(store.lock(aRun));
    expect(failure.message).toContain("have version 2; this roster supports version 1");
    expect(failure.hint).toContain("use the version of roster that created them");
    await place.sql("DELETE FROM roster_schema WHERE version = 2");
  });

  test("a database that is set to read-only says so", async () => {
    const place = await postgresPlace(server());
    await saving(await place.open(), creation);
    const user = await asUser(place, "standby");
    await place.sql(
      "GRANT SELECT, INSERT, UPDATE, DELETE ON roster_schema, roster_state, roster_journal, roster_lock TO standby",
    );
    await place.sql("ALTER ROLE standby SET default_transaction_read_only = on");
    const store = storeAt(user, 1000);
    expect(unwrap(await store.read()).serial).toBe(1);
    expect((await failureOf(store.lock(aRun))).message).toContain("the database is read-only, such as a standby");
  });

  test.each<[string, string, string]>([
    [
      "a version that is not the document's",
      "UPDATE roster_state SET serial = 9",
      "its document have different versions",
    ],
    ["a line that is missing", "DELETE FROM roster_journal WHERE position = 2", "line 2 of its journal is missing"],
    [
      "a first line that is missing",
      "DELETE FROM roster_journal WHERE position = 1",
      "line 1 of its journal is missing",
    ],
    ["a line that was edited", "UPDATE roster_journal SET line = replace(line, 'ada', 'eve')", "has a wrong checksum"],
    [
      "a line that is two",
      "UPDATE roster_journal SET line = line || chr(10) || line",
      "line 1 of its journal is invalid",
    ],
    [
      "lines of another version",
      "UPDATE roster_journal SET serial = 4 WHERE position = 2",
      "the rows of its journal have different versions",
    ],
    ["a state that is missing", "DELETE FROM roster_state", "continues version 1, but no version is saved"],
    ["a state that is newer", newer, "continues version 1, but version 5 is saved"],
    ["a state of another lineage", other, "its journal belongs to another state"],
    ["nothing that is a state", "UPDATE roster_state SET document = '[]'", "is not a state of roster"],
    ["half of a document", "UPDATE roster_state SET document = left(document, 40)", "it was cut off or edited"],
  ])("rows with %s are told, and left as they are", async (_, change, message) => {
    const place = await postgresPlace(server());
    await saving(await place.open(), creation);
    const dying = await place.open();
    await (await locked(dying)).append([runStarted("r2"), intended("r2", "d", creationIntent("ada"))]);
    await place.kill(dying);
    const clause = change.includes(" WHERE ") ? "AND" : "WHERE";
    await place.sql(`${change} ${clause} name = $1`, [place.name]);
    const before = await place.content();
    const store = await place.open();
    for (const asked of [store.read(), store.lock(aRun), store.verify()]) {
      const failure = await failureOf(asked);
      expect(failure).toMatchObject({ code: "state", hint: expect.stringMatching(/restore|keep the file/iu) });
      expect(failure.message).toContain(message);
    }
    expect(await place.content()).toBe(before);
    expect(unwrap(await store.holder())).toBe("nobody");
  });

  async function asUser(place: PostgresPlace, user: string) {
    await place.sql(`CREATE ROLE ${user} LOGIN PASSWORD 'of ${user}'`);
    return placeAt(addressOf(server().port, place.name, user, `of ${user}`));
  }
});
