import { stateError } from "../store-error.ts";
import { type DatabaseConnection, DatabaseError, grantsSql, notAllowed, textAt, wholeAt } from "./connection.ts";

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

export async function hasTables(database: DatabaseConnection): Promise<boolean> {
  const { shown } = database.place;
  const there = await database.run("found", "SELECT to_regclass('roster_schema')::text AS found");
  if (textAt(there.rows[0], "found") === undefined) return false;
  const version = await database.run("found", "SELECT coalesce(max(version), 0)::int AS version FROM roster_schema");
  const found = wholeAt(version.rows[0], "version");
  if (found === tablesVersion) return true;
  throw stateError(
    shown,
    `the tables of roster at ${shown} have version ${found}; this roster supports version ${tablesVersion}`,
    "use the version of roster that created them, or another database",
  );
}

/** Makes the tables where they are missing. Several may do so at once: one makes them, the others find them. */
export async function makeTables(database: DatabaseConnection): Promise<void> {
  if (await hasTables(database)) return;
  try {
    // Two that create one table at once fail each other, whatever IF NOT EXISTS says.
    const alone = "SELECT pg_advisory_xact_lock(hashtextextended('roster tables', 0))";
    await database.run("kept", `${alone};\n${tablesSql}`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== notAllowed) throw error;
    const { user, shown } = database.place;
    throw new DatabaseError(error.code, {
      ...error.failure,
      message: `the log could not be kept at ${shown}: it has no tables of roster, and ${user} cannot create them`,
      hint: `ask a database administrator to run this once:\n${tablesSql}\n${grantsSql({ user })}`,
    });
  }
}

/** No more is read as one text, in bytes. */
export const largestCheckpoint = 256 * 1024 * 1024;

/** A checkpoint that can be read, and the lines from its last one on. One statement sees one instant, whatever is written meanwhile. */
const firstPageSql = `WITH kept AS (SELECT position, text FROM roster_checkpoint
    WHERE name = $1 AND $3 AND octet_length(text) <= ${largestCheckpoint})
  SELECT 'checkpoint' AS what, position, text FROM kept
  UNION ALL
  (SELECT 'line', position, line FROM roster_log
    WHERE name = $1 AND position >= coalesce((SELECT position FROM kept), 0) ORDER BY position LIMIT $2)
  ORDER BY position, what`;

const nextPageSql = `SELECT 'line' AS what, position, line AS text FROM roster_log
  WHERE name = $1 AND position > $3::bigint ORDER BY position LIMIT $2`;

export interface LogPage {
  readonly checkpoint?: string | undefined;
  readonly lines: string;
  /** The last position, where more lines may stand behind it. */
  readonly last: number | undefined;
}

export async function readPage(
  database: DatabaseConnection,
  from: "checkpoint" | "start" | number,
  size: number,
): Promise<LogPage> {
  const { name, shown } = database.place;
  const isFirst = typeof from === "string";
  const values = [name, size, isFirst ? from === "checkpoint" : from];
  const { rows } = await database.run("read", isFirst ? firstPageSql : nextPageSql, values);
  const [first] = rows;
  const checkpoint = textAt(first, "what") === "checkpoint" ? textAt(first, "text") : undefined;
  const kept = checkpoint === undefined ? rows : rows.slice(1);
  const known = checkpoint === undefined ? 0 : wholeAt(first, "position");
  if (known !== 0 && wholeAt(kept[0], "position") !== known) {
    const message = `a part of the log at ${shown} is missing: no row has the position of its checkpoint`;
    throw stateError(shown, message, restore);
  }
  let lines = "";
  // The line at the checkpoint's position is in it. Whether lines follow one another is found by whoever reads what they say.
  for (const row of known === 0 ? kept : kept.slice(1)) {
    const line = textAt(row, "text");
    if (line === undefined || line.includes("\n")) {
      const position = wholeAt(row, "position");
      throw stateError(shown, `the log at ${shown} was changed by hand: position ${position} is not one line`, restore);
    }
    lines += `${line}\n`;
  }
  return { checkpoint, lines, last: kept.length < size ? undefined : wholeAt(kept.at(-1), "position") };
}

const restore = "restore the rows of this name in roster_log and roster_checkpoint from one copy of the database";
