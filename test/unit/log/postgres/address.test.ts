import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { passwordFromFile, readDatabaseAddress } from "../../../../src/log/postgres/address.ts";
import { plainText } from "../../../support/plain-text.ts";
import { testTextCases } from "../../../support/text-cases.ts";

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

testTextCases(new URL("./address.txt", import.meta.url), (_, [address = "", environment = "{USER: ada}"]) => {
  const place = readDatabaseAddress(address, parse(environment));
  if (place.ok) return plainText(place.value);
  // What may be a part of a password is not quoted.
  expect(place.error).not.toMatch(/sec(?:ret)?(?!\w)/u);
  return `refused: ${place.error}`;
});
