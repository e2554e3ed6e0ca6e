import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { StoredLog } from "../../ports/log.ts";
import type { DatabasePlace } from "./address.ts";
import {
  countOf,
  type DatabaseConnection,
  type DatabaseRow,
  databaseFailure,
  grantsSql,
  notAllowed,
  textAt,
  wholeAt,
} from "./connection.ts";

/** The version of the tables that this program makes and uses. */
const tablesVersion = 2;

/** The tables in which logs are kept: one row a line, one for the checkpoint of a log, one for its lock. */
const tablesSql = `CREATE TABLE IF NOT EXISTS roster_schema (
  version integer PRIMARY KEY
);
CREATE TABLE IF NOT EXISTS roster_log (
  name text NOT NULL,
  position bigint NOT NULL,
  line text NOT NULL,
  written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (name, position)
);
CREATE TABLE IF NOT EXISTS roster_checkpoint (
  name text PRIMARY KEY,
  position bigint NOT NULL,
  text text NOT NULL,
  written_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE IF NOT EXISTS roster_lock (
  name text PRIMARY KEY,
  id text,
  who text NOT NULL,
  host text NOT NULL,
  operation text NOT NULL,
  since timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  fence bigint NOT NULL,
  pid integer NOT NULL
);
INSERT INTO roster_schema (version) VALUES (${tablesVersion}) ON CONFLICT DO NOTHING;`;

/** Whether the tables are there, in a version that this program uses. */
export async function findTables(
  database: DatabaseConnection,
  place: DatabasePlace,
): Promise<Result<"there" | "missing", Failure>> {
  const there = await database.run("SELECT count(to_regclass('roster_schema'))::int AS count");
  if (!there.ok) return problem(databaseFailure(there.error, "found", place));
  if (countOf(there.value) === 0) return success("missing");
  const version = await database.run("SELECT coalesce(max(version), 0)::int AS count FROM roster_schema");
  if (!version.ok) return problem(databaseFailure(version.error, "found", place));
  const found = countOf(version.value);
  if (found === tablesVersion) return success("there");
  return problem({
    code: "state",
    message: `the tables of roster at ${place.shown} have version ${found}; this roster supports version ${tablesVersion}`,
    request: place.shown,
    hint: "use the version of roster that created them, or another database",
  });
}

/** Makes the tables where they are missing. Several may do so at once: one makes them, the others find them. */
export async function makeTables(database: DatabaseConnection, place: DatabasePlace): Promise<Result<void, Failure>> {
  const found = await findTables(database, place);
  if (!found.ok) return found;
  if (found.value === "there") return success(undefined);
  // Two that create one table at once fail each other, whatever IF NOT EXISTS says.
  const alone = "SELECT pg_advisory_xact_lock(hashtextextended('roster tables', 0))";
  const made = await database.run(`${alone};\n${tablesSql}`);
  if (made.ok) return success(undefined);
  const failure = databaseFailure(made.error, "kept", place);
  return problem(made.error.code === notAllowed ? withoutRight(failure, place) : failure);
}

function withoutRight(failure: Failure, { user, shown }: DatabasePlace): Failure {
  return {
    ...failure,
    message: `the log could not be kept at ${shown}: it has no tables of roster, and ${user} cannot create them`,
    hint: `ask a database administrator to run this once:\n${tablesSql}\n${grantsSql({ user })}`,
  };
}

/**
 * A checkpoint, and the lines from its last one on. One statement sees one instant, whatever is written meanwhile. The checkpoint
 * comes first: no line that is read stands before it.
 */
const readSql = `WITH kept AS (SELECT position, text FROM roster_checkpoint WHERE name = $1 AND $2)
  SELECT 'checkpoint' AS what, position, text FROM kept
  UNION ALL
  SELECT 'line', position, line FROM roster_log
  WHERE name = $1 AND position >= coalesce((SELECT position FROM kept), 0)
  ORDER BY position, what`;

/** Reads the lines behind the checkpoint, or all. */
export async function readRows(
  database: DatabaseConnection,
  place: DatabasePlace,
  from: "checkpoint" | "start",
): Promise<Result<StoredLog, Failure>> {
  const read = await database.run(readSql, [place.name, from === "checkpoint"]);
  if (!read.ok) return problem(databaseFailure(read.error, "read", place));
  const [first, ...rest] = read.value.rows;
  if (first === undefined || textAt(first, "what") === "line") return joined(read.value.rows, place);
  const [last, ...behind] = rest;
  if (last === undefined || wholeAt(last, "position") !== wholeAt(first, "position")) return problem(cutOff(place));
  const lines = joined(behind, place);
  return lines.ok ? success({ checkpoint: textAt(first, "text"), lines: lines.value.lines }) : lines;
}

/** Whether they follow one another is found by whoever reads what they say. */
function joined(rows: readonly DatabaseRow[], place: DatabasePlace): Result<StoredLog, Failure> {
  let lines = "";
  for (const row of rows) {
    const line = textAt(row, "text");
    if (line === undefined || line.includes("\n")) return problem(notALine(row, place));
    lines += `${line}\n`;
  }
  return success({ lines: linesOf(lines) });
}

export async function* linesOf(text: string): AsyncGenerator<Result<string, Failure>> {
  if (text !== "") yield success(text);
}

const restore = "restore the rows of this name in roster_log and roster_checkpoint from one copy of the database";

function notALine(row: DatabaseRow, { shown }: DatabasePlace): Failure {
  const message = `the log at ${shown} was changed by hand: position ${wholeAt(row, "position")} is not one line`;
  return { code: "state", message, request: shown, hint: restore };
}

function cutOff({ shown }: DatabasePlace): Failure {
  const message = `a part of the log at ${shown} is missing: it has no line at the position of its checkpoint`;
  return { code: "state", message, request: shown, hint: restore };
}
