import { describe, expect, test } from "vitest";
import { readDatabaseAddress } from "../../../../src/log/postgres/address.ts";
import { databaseError } from "../../../../src/log/postgres/connection.ts";

const read = readDatabaseAddress("postgres://ada:s3cr3t@db.acme.example/roster", {});
if (!read.ok) throw new Error(read.error);
const place = read.value;

const failureOf = (error: unknown) => databaseError(error, "read", place).failure;
const withCode = (code: string, message = "words of the database") => Object.assign(new Error(message), { code });

describe("what a database does not do", () => {
  test("is told with where, why, its own words and what to do", () => {
    expect(failureOf(withCode("53100", "could not extend file"))).toEqual({
      code: "state",
      message:
        "the log could not be read at postgres://db.acme.example:5432/roster?name=roster: the database has no space, or its disk fails",
      request: "postgres://db.acme.example:5432/roster?name=roster",
      serviceSays: "could not extend file",
      hint: "free some space there and run again: earlier records are kept",
    });
  });

  test.each<[Error, string]>([
    [withCode("28P01"), "the database rejects the login of ada"],
    [withCode("3D000"), "the database roster does not exist"],
    [withCode("42501"), "ada has no permission for the tables of roster"],
    [withCode("ENOTFOUND"), "the host name db.acme.example is unknown"],
    [withCode("ECONNREFUSED", ""), "no answer from db.acme.example, port 5432"],
    [new Error("timeout expired"), "no answer from db.acme.example, port 5432"],
    [withCode("CERT_HAS_EXPIRED"), "no encrypted connection to a verified server was possible"],
    [new Error("The server does not support SSL connections"), "no encrypted connection"],
    [withCode("57P01"), "the connection to the database was lost"],
    [new Error("Connection terminated unexpectedly"), "the connection to the database was lost"],
    [new Error("Query read timeout"), "the database took too long"],
    [withCode("57014"), "the database took too long"],
    [withCode("53300"), "the database accepts no more connections now"],
    [withCode("25006"), "the database is read-only"],
    [withCode("42883"), "tables or functions that roster needs are missing or different"],
    [withCode("XX000"), "the database refuses the statement"],
  ])("%s is explained", (error, why) => {
    expect(failureOf(error).message).toContain(why);
    expect(failureOf(error).hint).toMatch(/./u);
  });

  test("is told without the password, in one line and in short", () => {
    const { serviceSays } = failureOf(new Error(`no\nentry for s3cr3t ${"x".repeat(9999)}`));
    expect(serviceSays).toMatch(/^no entry for \[redacted\] x+…$/u);
    expect(serviceSays?.length).toBe(301);
  });

  test("is never a mistake of the program's own", () => {
    expect(() => failureOf("no error")).toThrow("no error");
    expect(() => failureOf(new TypeError("x is not a function"))).toThrow("x is not a function");
  });
});
