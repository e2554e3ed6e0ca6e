import { Client } from "pg";
import { onTestFinished } from "vitest";
import { systemClock, systemRandomness } from "../../src/library/environment.ts";
import type { RosterLog } from "../../src/log/port.ts";
import { type DatabasePlace, readDatabaseAddress } from "../../src/log/postgres/address.ts";
import { postgresStore } from "../../src/log/postgres/store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { type PostgresServer, serverPassword, serverUser } from "./postgres-server.ts";
import type { StorePlace } from "./store-kind.ts";

/** A log of its own in the server's database, with a session that looks and meddles. */
export interface PostgresPlace extends StorePlace {
  readonly name: string;
  readonly address: string;
  readonly place: DatabasePlace;
  sql(statement: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  open(how?: { readonly heartbeat: number }): Promise<RosterLog>;
}

let places = 0;

export function addressOf(port: number, name: string, user = serverUser, password = serverPassword): string {
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/roster?name=${name}`;
}

export function placeAt(address: string): DatabasePlace {
  const place = readDatabaseAddress(address, {});
  if (!place.ok) throw new Error(place.error);
  return place.value;
}

export function storeAt(place: DatabasePlace, heartbeat: number, clock: Clock = systemClock, page?: number): RosterLog {
  const owner = { who: "ada@build-7", host: "build-7" };
  const patience = { connect: 5000, statement: 10_000 };
  return postgresStore({ place, owner, clock, randomness: systemRandomness, patience, heartbeat, page });
}

export async function postgresPlace(server: PostgresServer): Promise<PostgresPlace> {
  places += 1;
  const name = `place-${places}`;
  const address = addressOf(server.port, name);
  const place = placeAt(address);
  const client = new Client({ connectionString: address.replace(/\?.*/u, "") });
  await client.connect();
  const stores: RosterLog[] = [];
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await client.end();
  });
  const sql = async (statement: string, values: readonly unknown[] = []) =>
    (await client.query(statement, [...values])).rows as readonly Record<string, unknown>[];
  const opened = (heartbeat: number, at = place) => {
    const store = storeAt(at, heartbeat);
    stores.push(store);
    return store;
  };
  return {
    name,
    address,
    place,
    sql,
    open: async ({ heartbeat } = { heartbeat: 50 }) => opened(heartbeat),
    openSilent: async () => opened(3_600_000),
    openUnreachable: async () => opened(50, placeAt(address.replace(`:${server.port}/`, ":1/"))),
    pass: (milliseconds) => systemClock.wait(milliseconds),
    kill: (store) => store.close(),
    async content() {
      const [there] = await sql("SELECT to_regclass('roster_schema')::text AS found");
      if (there?.["found"] === null) return "";
      const kept = [
        ...(await sql("SELECT * FROM roster_log WHERE name = $1 ORDER BY position", [name])),
        ...(await sql("SELECT * FROM roster_checkpoint WHERE name = $1", [name])),
      ];
      return kept.length === 0 ? "" : JSON.stringify(kept);
    },
    async damage() {
      const behind = "(SELECT position + 1 FROM roster_checkpoint WHERE name = $1)";
      await sql(`UPDATE roster_log SET line = '[]' WHERE name = $1 AND position = ${behind}`, [name]);
    },
  };
}
