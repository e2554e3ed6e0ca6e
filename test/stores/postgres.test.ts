import { beforeAll, describe } from "vitest";
import { postgresPlace } from "../support/postgres-place.ts";
import { postgresPrograms, serverOfThisFile, serverPassword } from "../support/postgres-server.ts";
import { describeStore } from "../support/store-contract.ts";

const programs = postgresPrograms();
if (programs === undefined) console.warn("PostgreSQL is not installed here: the tests of its store are skipped.");

describe.skipIf(programs === undefined)("a log in PostgreSQL", () => {
  const server = serverOfThisFile(programs);
  beforeAll(() => console.info(`The store is tested against ${server().version}.`));

  describeStore({
    name: "PostgreSQL",
    place: () => postgresPlace(server()),
    secrets: [serverPassword, encodeURIComponent(serverPassword)],
    deadAfter: 400,
  });
});
