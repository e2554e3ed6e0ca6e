import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { AuditTrail } from "../../ports/state-store.ts";
import { grownTrail } from "../audit-failure.ts";
import type { DatabasePlace } from "./address.ts";
import {
  connect,
  type DatabaseConnection,
  type DatabaseFault,
  type DatabaseRow,
  type Timeouts,
  textAt,
  trailFailure,
  wholeAt,
} from "./connection.ts";
import { makeAuditTable } from "./tables.ts";

interface DatabaseTrailOptions {
  readonly place: DatabasePlace;
  readonly patience: Timeouts;
}

/** Keeps an audit trail in rows of a PostgreSQL database, in a session of its own that lasts until the trail is closed. */
export function postgresAuditTrail({ place, patience }: DatabaseTrailOptions): AuditTrail {
  let session: DatabaseConnection | undefined;

  async function withSession<T>(
    doing: "read" | "written",
    work: (database: DatabaseConnection) => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure>> {
    const connected = session === undefined ? await connect(place, patience) : success(session);
    if (!connected.ok) return problem(trailFailure(connected.error, doing, place));
    session = connected.value;
    return work(session);
  }

  return {
    address: place.shown,
    last: () => withSession("read", (database) => lastLine(database, place)),
    append: (lines, after) => withSession("written", (database) => addLines(database, place, { lines, after })),
    read: () => withSession("read", (database) => readEveryLine(database, place)),
    async close() {
      await session?.close();
      session = undefined;
    },
  };
}

const lastSql = "SELECT line FROM roster_audit WHERE name = $1 ORDER BY record DESC LIMIT 1";

async function lastLine(
  database: DatabaseConnection,
  place: DatabasePlace,
): Promise<Result<string | undefined, Failure>> {
  const rows = await rowsOf(database, place, { statement: lastSql, values: [place.name] });
  return rows.ok ? success(textAt(rows.value[0], "line")) : rows;
}

/** Rows that are read at once. */
const page = 10_000;

const pageSql = `SELECT record::text, line FROM roster_audit WHERE name = $1 AND record > $2::bigint
  ORDER BY roster_audit.record LIMIT ${page}`;

async function readEveryLine(
  database: DatabaseConnection,
  place: DatabasePlace,
): Promise<Result<readonly string[], Failure>> {
  const lines: string[] = [];
  let after: number | undefined = -1;
  while (after !== undefined) {
    const read: Result<readonly DatabaseRow[], Failure> = await rowsOf(database, place, {
      statement: pageSql,
      values: [place.name, after],
    });
    if (!read.ok) return read;
    for (const row of read.value) lines.push(textAt(row, "line") ?? "");
    after = read.value.length < page ? undefined : wholeAt(read.value.at(-1), "record");
  }
  return success(lines);
}

/** The rows of a trail; none where nothing was ever written. */
async function rowsOf(
  database: DatabaseConnection,
  place: DatabasePlace,
  { statement, values }: { readonly statement: string; readonly values: readonly unknown[] },
): Promise<Result<readonly DatabaseRow[], Failure>> {
  const found = await database.run(statement, values);
  if (found.ok) return success(found.value.rows);
  return isTableMissing(found.error) ? success([]) : problem(trailFailure(found.error, "read", place));
}

/** Nothing is added where the last record is another one. Of two runs that add the same record, the key lets only one. */
const appendSql = `INSERT INTO roster_audit (name, record, line)
  SELECT $1, $2::bigint + line.number, line.text FROM unnest($3::text[]) WITH ORDINALITY AS line (text, number)
  WHERE $2::bigint = coalesce((SELECT max(record) FROM roster_audit WHERE name = $1), $2::bigint)`;

/** All of the lines are durable, or none. */
async function addLines(
  database: DatabaseConnection,
  place: DatabasePlace,
  { lines, after }: { readonly lines: readonly string[]; readonly after: number },
): Promise<Result<void, Failure>> {
  const append = () => database.run(appendSql, [place.name, after, lines]);
  let added = await append();
  if (!added.ok && isTableMissing(added.error)) {
    const made = await makeAuditTable(database, place);
    if (!made.ok) return made;
    added = await append();
  }
  if (!added.ok)
    return problem(
      added.error.code === alreadyThere ? grownTrail(place.shown) : trailFailure(added.error, "written", place),
    );
  return added.value.count === lines.length ? success(undefined) : problem(grownTrail(place.shown));
}

/** SQLSTATE of a row whose key is there. */
const alreadyThere = "23505";

/** SQLSTATE of a table that is not there. */
function isTableMissing({ code }: DatabaseFault): boolean {
  return code === "42P01";
}
