import { describe, expect, test } from "vitest";
import { addressOf, placeAt, storeAt } from "../support/postgres-place.ts";
import { postgresPrograms, serverOfThisFile } from "../support/postgres-server.ts";
import { creation, failureOf } from "../support/state-place.ts";
import { saving } from "../support/store-kind.ts";
import { certificates } from "../support/tls-front.ts";

const programs = postgresPrograms();
const [certificate, key] = [`${certificates}/private.pem`, `${certificates}/key.pem`];

describe.skipIf(programs === undefined)("a log in PostgreSQL over TLS", () => {
  const server = serverOfThisFile(programs, { tls: { certificate, key } });

  function store(query: string, host = "localhost") {
    return storeAt(placeAt(`${addressOf(server().port, "secured").replace("127.0.0.1", host)}&${query}`), 1000);
  }

  test.each([
    ["the authority that it names", `sslmode=verify-full&sslrootcert=${certificate}`],
    ["the authority that it names, where the mode follows from that", `sslrootcert=${certificate}`],
    ["nobody, where it says so", "sslmode=no-verify"],
  ])("is trusted by an address on the word of %s", async (_, query) => {
    expect((await saving(store(query), creation)).serial).toBeGreaterThan(0);
  });

  test.each(["prefer", "require", "verify-ca", "verify-full"])(
    "is not trusted with sslmode=%s, where no authority of its certificate is known",
    async (mode) => {
      const failure = await failureOf(store(`sslmode=${mode}`).read());
      expect(failure.message).toContain("no encrypted connection to a verified server was possible");
      expect(failure.serviceSays).toBe("self-signed certificate");
    },
  );

  test("is not trusted under a name that its certificate does not have", async () => {
    const failure = await failureOf(store(`sslrootcert=${certificates}/accounts.pem`).read());
    expect(failure.message).toContain("no encrypted connection to a verified server was possible");
  });
});
