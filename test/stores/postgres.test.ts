import { afterAll, beforeAll, describe } from "vitest";
import { postgresPlace } from "../support/postgres-place.ts";
import { type PostgresServer, postgresPrograms, serverPassword, startPostgres } from "../support/postgres-server.ts";
import { describeStore } from "../support/store-contract.ts";

const programs = postgresPrograms();
if (programs === undefined) console.warn("PostgreSQL is not installed here: the tests of its state store are skipped.");

describe.skipIf(programs === undefined)("PostgreSQL", () => {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    server = await startPostgres(programs ?? "");
    console.info(`The state store is tested against ${server.version}.`);
  });
  const started = (): PostgresServer => {
    if (server === undefined) throw new Error("the server did not start");
    return server;
  };
  afterAll(() => server?.stop());

  describeStore({
    name: "PostgreSQL",
    place: () => postgresPlace(started()),
    secrets: [serverPassword, encodeURIComponent(serverPassword)],
    deadAfter: 400,
    fencedBy: "unlock",
  });
});
