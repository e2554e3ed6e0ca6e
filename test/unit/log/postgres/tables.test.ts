import { describe, expect, test } from "vitest";
import { readDatabaseAddress } from "../../../../src/log/postgres/address.ts";
import type { DatabaseConnection, DatabaseRow } from "../../../../src/log/postgres/connection.ts";
import { readRows } from "../../../../src/log/postgres/tables.ts";
import { textOf } from "../../../support/whole-log.ts";

const read = readDatabaseAddress("postgres://ada@db.acme.example/roster", {});
if (!read.ok) throw new Error(read.error);
const place = read.value;

function answering(...rows: readonly DatabaseRow[]): DatabaseConnection {
  return {
    run: async () => ({ ok: true, value: { rows, count: rows.length } }),
    close: async () => undefined,
  };
}

const checkpoint = { what: "checkpoint", position: "2", text: "of 2" };
const line = (position: number, text: unknown = `line ${position}`) => ({
  what: "line",
  position: `${position}`,
  text,
});

describe("the rows of a log", () => {
  test.each([
    ["nothing, where there are none", [], { lines: "" }],
    ["lines alone", [line(1), line(2)], { lines: "line 1\nline 2\n" }],
    ["a checkpoint of all lines", [checkpoint, line(2)], { checkpoint: "of 2", lines: "" }],
    ["a checkpoint and what is behind it", [checkpoint, line(2), line(3)], { checkpoint: "of 2", lines: "line 3\n" }],
  ])("are %s", async (_, rows, value) => {
    expect(await textOf(await readRows(answering(...rows), place, "checkpoint"))).toEqual({ ok: true, value });
  });

  test.each([
    ["a checkpoint without any line", [checkpoint], "it has no line at the position of its checkpoint"],
    ["a checkpoint without its last line", [checkpoint, line(3)], "it has no line at the position of its checkpoint"],
    ["a line that is none", [line(1), line(2, null)], "position 2 is not one line"],
    ["a line that is two", [line(1, "one\ntwo")], "position 1 is not one line"],
  ])("are refused with %s", async (_, rows, message) => {
    expect(await textOf(await readRows(answering(...rows), place, "checkpoint"))).toEqual({
      ok: false,
      error: {
        code: "state",
        message: expect.stringContaining(message),
        request: "postgres://db.acme.example:5432/roster?name=roster",
        hint: "restore the rows of this name in roster_log and roster_checkpoint from one copy of the database",
      },
    });
  });
});
