import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { passwordFromFile, readDatabaseAddress } from "../../../../src/log/postgres/address.ts";

/** The password that a file of this text gives; one that nobody else may read. */
async function passwordIn(text: string, lines: "all" | "named", wanted: typeof sought, mode = 0o600) {
  const directory = await mkdtemp(join(tmpdir(), "roster-pgpass-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, "pgpass");
  await writeFile(path, text, { mode });
  return passwordFromFile({ path, lines }, wanted);
}

const sought = { host: "db.acme.example", port: 5432, database: "roster", user: "ada" };

describe("the file of passwords", () => {
  test.each([
    ["the line that names everything", "db.acme.example:5432:roster:ada:secret", "secret"],
    ["the first line that fits", "db.acme.example:*:*:ada:one\n*:*:*:*:two", "one"],
    ["a line for everything", "elsewhere:5432:roster:ada:no\n*:*:*:*:secret", "secret"],
    ["a password with colons and backslashes", "*:*:*:*:a\\:b\\\\c:d", "a:b\\c:d"],
    ["a line that ends as on Windows", "*:*:*:*:secret\r\n", "secret"],
    ["no line that is commented out", "#*:*:*:*:secret", undefined],
    ["no line for another port", "db.acme.example:5433:roster:ada:secret", undefined],
    ["no line for another user", "db.acme.example:5432:roster:bo:secret", undefined],
    ["no line that is cut short", "db.acme.example:5432:roster:ada", undefined],
  ])("gives %s", async (_, text, password) => {
    expect(await passwordIn(text, "all", sought)).toBe(password);
  });

  test("finds a user whose name holds a colon", async () => {
    expect(await passwordIn("*:*:*:a\\:b:secret", "all", { ...sought, user: "a:b" })).toBe("secret");
  });

  test("knows whoever comes by a socket as this machine", async () => {
    expect(await passwordIn("localhost:5432:roster:ada:secret", "all", { ...sought, host: "/run/postgresql" })).toBe(
      "secret",
    );
  });

  test("gives no password for every host to a host that somebody else has chosen", async () => {
    expect(await passwordIn("*:*:*:*:secret", "named", sought)).toBeUndefined();
    expect(await passwordIn("db.acme.example:*:*:*:secret", "named", sought)).toBe("secret");
  });

  test("counts as empty where others may read it, or where it is none", async () => {
    expect(await passwordIn("*:*:*:*:secret", "all", sought, 0o640)).toBeUndefined();
    expect(await passwordFromFile({ path: tmpdir(), lines: "all" }, sought)).toBeUndefined();
    expect(await passwordFromFile({ path: "/nowhere/pgpass", lines: "all" }, sought)).toBeUndefined();
  });
});

const badName = "has an invalid name; use up to 100 letters, digits, dots, dashes, underscores and slashes";
const ada = { USER: "ada" };
const usual = {
  host: "db.acme.example",
  port: 5432,
  database: "roster",
  user: "ada",
  tls: { mode: "off" },
  name: "roster",
};

function placeOf(address: string, environment: Readonly<Record<string, string>> = ada) {
  const place = readDatabaseAddress(address, environment);
  return place.ok ? place.value : place.error;
}

describe("the address of a database", () => {
  test.each<[string, string, Readonly<Record<string, string>>, object]>([
    ["names host and database", "postgres://db.acme.example/roster", ada, usual],
    ["may be written postgresql", "postgresql://db.acme.example/roster", ada, usual],
    [
      "gives user, password, port and name",
      "postgres://bo:p%40ss%2Fword@db.acme.example:6543/roster?name=team/blue",
      ada,
      { ...usual, user: "bo", password: "p@ss/word", passwordFrom: "address", port: 6543, name: "team/blue" },
    ],
    [
      "leaves the rest to the variables of PostgreSQL",
      "postgres:///roster",
      { PGHOST: "db.acme.example", PGPORT: "7000", PGUSER: "cy", PGPASSWORD: "secret", PGSSLMODE: "require" },
      { ...usual, port: 7000, user: "cy", password: "secret", passwordFrom: "PGPASSWORD", tls: { mode: "verified" } },
    ],
    ["is of this machine where nothing says otherwise", "postgres:///roster", ada, { ...usual, host: "localhost" }],
    ["may lead to a socket", "postgres:///roster?host=/run/postgresql", ada, { ...usual, host: "/run/postgresql" }],
    ["may be one of IPv6", "postgres://[::1]/roster", ada, { ...usual, host: "::1" }],
    [
      "leads to the file of passwords",
      "postgres://db.acme.example/roster",
      { ...ada, HOME: "/home/ada" },
      { ...usual, passwordFile: { path: "/home/ada/.pgpass", lines: "all" } },
    ],
    [
      "leads to another file of passwords",
      "postgres://db.acme.example/roster",
      { ...ada, HOME: "/home/ada", PGPASSFILE: "/run/secrets/pgpass" },
      { ...usual, passwordFile: { path: "/run/secrets/pgpass", lines: "all" } },
    ],
    [
      "wants TLS as soon as it names a certificate",
      "postgres://db.acme.example/roster?sslrootcert=ca.pem&sslcert=me.pem&sslkey=me.key",
      ada,
      { ...usual, tls: { mode: "verified", rootCertificate: "ca.pem", certificate: "me.pem", key: "me.key" } },
    ],
    ["may want no TLS", "postgres://db.acme.example/roster?sslmode=disable", { ...ada, PGSSLMODE: "require" }, usual],
    [
      "may trust whoever answers",
      "postgres://db.acme.example/roster?sslmode=no-verify",
      ada,
      { ...usual, tls: { mode: "unverified" } },
    ],
  ])("%s", (_, address, environment, expected) => {
    expect(placeOf(address, environment)).toEqual({ ...expected, shown: expect.any(String) });
  });

  test.each([
    ["postgres://bo:secret@db.acme.example/roster", "postgres://db.acme.example:5432/roster?name=roster"],
    ["postgres://bo:secret@[::1]:1/roster?name=a", "postgres://[::1]:1/roster?name=a"],
    ["postgres://bo:secret@/my%20base?host=/run/sql", "postgres:///run/sql:5432/my%20base?name=roster"],
  ])("%s is shown without its credentials", (address, shown) => {
    expect(placeOf(address)).toMatchObject({ shown });
  });

  test.each([
    [
      "postgres://bo:sec/ret@db.acme.example/roster",
      "is not an address; write postgres://USER@HOST/DATABASE?name=NAME",
    ],
    [
      "postgres://bo:sec#ret@db.acme.example/roster",
      "is not an address; write postgres://USER@HOST/DATABASE?name=NAME",
    ],
    ["postgres:roster", "is not an address; write postgres://USER@HOST/DATABASE?name=NAME"],
    ["postgres://bo@db.acme.example/roster#x", "contains a #; in a password write it as %23"],
    ["postgres://bo:sec%ret@db.acme.example/roster", "contains a % that starts no escape; write it as %25"],
    ["postgres://bo:secret@db.acme.example", "names no database; write postgres://USER@HOST/DATABASE?name=NAME"],
    ["postgres://bo:secret@db.acme.example/roster?name=a%20b", badName],
    ["postgres://bo:secret@db.acme.example/roster?name=", badName],
    ["postgres://bo:secret@db.acme.example:0/roster", "has an invalid port"],
    [
      "postgres://bo:secret@db.acme.example/roster?pool=secret",
      "has an unknown parameter; the known ones are name, host, sslmode, sslrootcert, sslcert, sslkey",
    ],
    ["postgres://bo:secret@db.acme.example/roster?name=a&name=b", "has the parameter name twice"],
    [
      "postgres://bo:secret@db.acme.example/roster?sslmode=allow",
      "has an unknown sslmode; the known ones are disable, prefer, require, verify-ca, verify-full, no-verify",
    ],
  ])("%s is refused, and nothing of it is quoted", (address, error) => {
    expect(placeOf(address)).toBe(error);
    expect(error).not.toMatch(/sec(?:ret)?(?!\w)/u);
  });

  test("nobody is found where neither address nor environment name a user", () => {
    expect(placeOf("postgres://db.acme.example/roster", {})).toContain("names no user, and PGUSER is not set");
  });
});
