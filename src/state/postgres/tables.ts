import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { DatabasePlace } from "./address.ts";
import { countOf, type DatabaseConnection } from "./connection.ts";
import { databaseFailure, notAllowed } from "./failure.ts";

/** The version of the tables that this program makes, and the newest that it uses. */
const tablesVersion = 1;

/** The tables in which states are kept: one row a state, one a line of its journal, one for its lock. */
const tablesSql = `CREATE TABLE IF NOT EXISTS roster_schema (
  version integer PRIMARY KEY
);
CREATE TABLE IF NOT EXISTS roster_state (
  name text PRIMARY KEY,
  lineage text NOT NULL,
  serial bigint NOT NULL,
  document text NOT NULL,
  saved_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE IF NOT EXISTS roster_journal (
  name text NOT NULL,
  lineage text NOT NULL,
  serial bigint NOT NULL,
  position bigint NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (name, position)
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
    message: `the tables of roster at ${place.shown} are of version ${found}, and this roster uses version ${tablesVersion}`,
    request: place.shown,
    hint: "use the version of roster that made them, or a newer one",
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
    message: `the state could not be kept at ${shown}: the tables of roster are not there, and ${user} may not create them`,
    hint: `let somebody who may run this in the database once:\n${tablesSql}\nGRANT SELECT, INSERT, UPDATE, DELETE ON roster_schema, roster_state, roster_journal, roster_lock TO ${quoted(user)};`,
  };
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
