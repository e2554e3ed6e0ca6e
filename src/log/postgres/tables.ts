import { decodeJournal } from "../../codec/journal.ts";
import { decodeState } from "../../codec/state.ts";
import type { RunEvent } from "../../model/event.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { emptyState, type State } from "../../model/state.ts";
import type { StoreVerification, UnfinishedRuns } from "../../ports/state-store.ts";
import { withOtherPlace } from "../audit-failure.ts";
import { applyEvents } from "../fold.ts";
import { openCallsPart } from "../session.ts";
import type { DatabasePlace } from "./address.ts";
import {
  countOf,
  type DatabaseConnection,
  type DatabaseRow,
  databaseFailure,
  grantAuditSql,
  grantsSql,
  notAllowed,
  textAt,
  trailFailure,
  wholeAt,
} from "./connection.ts";

/** The version of the tables that this program makes, and the newest that it uses. */
const tablesVersion = 1;

/** A row a record of an audit trail. It may be missing where tables of the same version were made before there were audit trails. */
const auditTableSql = `CREATE TABLE IF NOT EXISTS roster_audit (
  name text NOT NULL,
  record bigint NOT NULL,
  line text NOT NULL,
  written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (name, record)
);`;

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
${auditTableSql}
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
    hint: "use the version of roster that created them, or a newer one",
  });
}

/** Makes the tables where they are missing. Several may do so at once: one makes them, the others find them. */
export async function makeTables(database: DatabaseConnection, place: DatabasePlace): Promise<Result<void, Failure>> {
  const found = await findTables(database, place);
  if (!found.ok) return found;
  if (found.value === "there") return success(undefined);
  const made = await createAlone(database, tablesSql);
  if (made.ok) return success(undefined);
  const failure = databaseFailure(made.error, "kept", place);
  return problem(made.error.code === notAllowed ? withoutRight(failure, place) : failure);
}

/** Two that create one table at once fail each other, whatever IF NOT EXISTS says. */
function createAlone(database: DatabaseConnection, sql: string) {
  return database.run(`SELECT pg_advisory_xact_lock(hashtextextended('roster tables', 0));\n${sql}`);
}

function withoutRight(failure: Failure, { user, shown }: DatabasePlace): Failure {
  return {
    ...failure,
    message: `the state could not be stored at ${shown}: it has no tables of roster, and ${user} cannot create them`,
    hint: `ask a database administrator to run this once:\n${tablesSql}\n${grantsSql({ user })}`,
  };
}

/** Makes the table of audit trails, if it is missing. */
export async function makeAuditTable(
  database: DatabaseConnection,
  place: DatabasePlace,
): Promise<Result<void, Failure>> {
  const made = await createAlone(database, auditTableSql);
  if (made.ok) return success(undefined);
  const failure = trailFailure(made.error, "written", place);
  if (made.error.code !== notAllowed) return problem(failure);
  const { user, shown } = place;
  return problem({
    ...failure,
    message: `the audit trail could not be written at ${shown}: it has no table there, and ${user} cannot create one`,
    hint: `${withOtherPlace("ask a database administrator to run the SQL below once")}\n${auditTableSql}\n${grantAuditSql({ user })}`,
  });
}

/** What the tables hold of one state. */
export interface StoredRows {
  /** The saved state with its journal folded in. Its lineage is empty where nothing was ever kept. */
  readonly state: State;
  /** Whether a run has ever saved the state. */
  readonly saved: boolean;
  /** How many lines its journal has; the first one says which version of the state it continues. */
  readonly lines: number;
  /** Absent where it has none. */
  readonly unfinished?: UnfinishedRuns;
}

/** Reads saved state and journal as they were at one instant. */
export async function readStoredRows(
  database: DatabaseConnection,
  place: DatabasePlace,
): Promise<Result<StoredRows, Failure>> {
  const answers = await inOneSnapshot(database, place.name);
  if (!answers.ok) return problem(databaseFailure(answers.error, "read", place));
  const [saved, journal] = answers.value;
  const state = saved[0] === undefined ? success(undefined) : savedState(saved[0], place);
  if (!state.ok) return state;
  if (journal.length > 0) return withJournal(state.value, journal, place);
  return success({ state: state.value ?? emptyState(""), saved: state.value !== undefined, lines: 0 });
}

async function inOneSnapshot(database: DatabaseConnection, name: string) {
  const begun = await database.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  if (!begun.ok) return begun;
  const saved = await database.run("SELECT lineage, serial::text, document FROM roster_state WHERE name = $1", [name]);
  const journal = await database.run(
    "SELECT lineage, serial::text, position::text, line FROM roster_journal WHERE name = $1 ORDER BY roster_journal.position",
    [name],
  );
  await database.run("COMMIT");
  if (!saved.ok) return saved;
  return journal.ok ? success([saved.value.rows, journal.value.rows] as const) : journal;
}

function savedState(row: DatabaseRow, place: DatabasePlace): Result<State, Failure> {
  const where = `${place.shown} (roster_state)`;
  const document = textAt(row, "document");
  if (document === undefined) return problem(damaged(place, "its row in roster_state has no document"));
  const state = decodeState(document, where);
  if (!state.ok) return state;
  const { lineage, serial } = state.value;
  if (textAt(row, "lineage") === lineage && wholeAt(row, "serial") === serial) return state;
  return problem(damaged(place, `its row in roster_state and its document have different versions`));
}

async function withJournal(
  saved: State | undefined,
  rows: readonly DatabaseRow[],
  place: DatabasePlace,
): Promise<Result<StoredRows, Failure>> {
  const lines: string[] = [];
  for (const [index, row] of rows.entries()) {
    const line = textAt(row, "line");
    if (wholeAt(row, "position") !== index + 1)
      return problem(damaged(place, `line ${index + 1} of its journal is missing`));
    if (line === undefined || line.includes("\n"))
      return problem(damaged(place, `line ${index + 1} of its journal is invalid`));
    lines.push(line);
  }
  const journal = await decodeJournal(`${lines.join("\n")}\n`, `${place.shown} (roster_journal)`);
  if (!journal.ok) return journal;
  const { start, events } = journal.value;
  if (start === undefined) return problem(damaged(place, "its journal does not name the version it continues"));
  const strange = rows.some(
    (row) => textAt(row, "lineage") !== start.lineage || wholeAt(row, "serial") !== start.serial,
  );
  if (strange) return problem(damaged(place, "the rows of its journal have different versions"));
  return folded(saved, start, events, place);
}

function folded(
  saved: State | undefined,
  start: { readonly lineage: string; readonly serial: number },
  events: readonly RunEvent[],
  place: DatabasePlace,
): Result<StoredRows, Failure> {
  const base = saved ?? emptyState(start.lineage);
  if (start.lineage !== base.lineage) return problem(damaged(place, "its journal belongs to another state"));
  if (start.serial !== base.serial) {
    const has = saved === undefined ? "no version is saved" : `version ${saved.serial} is saved`;
    return problem(damaged(place, `its journal continues version ${start.serial}, but ${has}`));
  }
  return success({
    state: applyEvents(base, events),
    saved: saved !== undefined,
    lines: events.length + 1,
    unfinished: { found: base, events },
  });
}

function damaged(place: DatabasePlace, what: string): Failure {
  return {
    code: "state",
    message: `the state at ${place.shown} was changed by hand or restored in part: ${what}`,
    request: place.shown,
    hint: "restore the rows of this name in roster_state and roster_journal from one copy of the database",
  };
}

/** Says what was read of the tables, for a check of the state. */
export function reportOf(rows: StoredRows | "no tables"): StoreVerification {
  if (rows === "no tables") return { state: emptyState(""), parts: ["the database has no tables of roster yet"] };
  const { state, saved, lines } = rows;
  const { lineage, serial, open } = state;
  const kept = saved
    ? `roster_state holds version ${serial} of ${lineage}`
    : "roster_state is empty: no run has saved it";
  const journal = lines > 0 ? [journalPart(lines - 1, serial)] : [];
  return { state, parts: [kept, ...journal, openCallsPart(open.length)] };
}

function journalPart(events: number, serial: number): string {
  return `roster_journal holds ${events === 1 ? "1 event" : `${events} events`} after version ${serial}`;
}
