import { describe, expect, test } from "vitest";
import { readDatabaseAddress } from "../../../../src/log/postgres/address.ts";
import type { DatabaseConnection } from "../../../../src/log/postgres/connection.ts";
import { readPage } from "../../../../src/log/postgres/tables.ts";
import { outcomeOf } from "../../../../src/log/store-error.ts";

const read = readDatabaseAddress("postgres://ada@db.acme.example/roster", {});
if (!read.ok) throw new Error(read.error);
const place = read.value;

function answering(...rows: readonly Readonly<Record<string, unknown>>[]): DatabaseConnection {
  return {
    place,
    run: async () => ({ rows, count: rows.length }),
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
    ["as many lines as were asked for", [line(1), line(2), line(3)], { lines: "line 1\nline 2\nline 3\n", last: 3 }],
    ["a checkpoint of all lines", [checkpoint, line(2)], { checkpoint: "of 2", lines: "" }],
    ["a checkpoint and what is behind it", [checkpoint, line(2), line(3)], { checkpoint: "of 2", lines: "line 3\n" }],
    [
      "a checkpoint and as many lines as were asked for, from its last one on",
      [checkpoint, line(2), line(3), line(4)],
      { checkpoint: "of 2", lines: "line 3\nline 4\n", last: 4 },
    ],
  ])("are %s", async (_, rows, value) => {
    expect(await readPage(answering(...rows), "checkpoint", 3)).toEqual(value);
  });

  test.each([
    ["a checkpoint without any line", [checkpoint], "is missing: no row has the position of its checkpoint"],
    [
      "a checkpoint without its last line",
      [checkpoint, line(3)],
      "is missing: no row has the position of its checkpoint",
    ],
    ["a line that is none", [line(1), line(2, null)], "position 2 is not one line"],
    ["a line that is two", [line(1, "one\ntwo")], "position 1 is not one line"],
  ])("are refused with %s", async (_, rows, message) => {
    expect(await outcomeOf(() => readPage(answering(...rows), "checkpoint", 10))).toEqual({
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
