import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { emptyState } from "../../model/state.ts";
import type { LockHolder, StateStore } from "../../ports/state-store.ts";
import { notHeldBy } from "../lock-failures.ts";
import { connect, type DatabaseConnection } from "./connection.ts";
import { databaseFailure } from "./failure.ts";
import { breakLock, findHolder, shownHolder } from "./lock.ts";
import { type LockingOptions, lockState } from "./session.ts";
import { readStoredRows, reportOf } from "./stored-rows.ts";
import { findTables } from "./tables.ts";

/** Keeps the state in tables of a PostgreSQL database, under a lock of the session that writes it. */
export function postgresStore(options: LockingOptions): StateStore {
  const { place } = options;
  const endings = new Set<() => Promise<void>>();
  return {
    address: place.shown,
    async read() {
      const rows = await asking(options, (database) => readStoredRows(database, place));
      if (!rows.ok) return rows;
      return success(rows.value === "no tables" ? emptyState("") : rows.value.state);
    },
    lock: (run, wishes = {}) => lockState(options, { run, wishes, endings }),
    async holder() {
      const holder = await asking(options, (database) => findHolder(database, place));
      if (!holder.ok) return holder;
      return success(holder.value === "no tables" || holder.value === "nobody" ? "nobody" : shownHolder(holder.value));
    },
    async unlock(id) {
      const unlocked = await asking(options, (database) => unlock(database, options, id));
      if (!unlocked.ok) return unlocked;
      return unlocked.value === "no tables" ? problem(notHeldBy(place.shown, id, "nobody")) : success(unlocked.value);
    },
    async verify() {
      const rows = await asking(options, (database) => readStoredRows(database, place));
      return rows.ok ? success(reportOf(rows.value)) : rows;
    },
    async close() {
      await Promise.all([...endings].map((end) => end()));
    },
  };
}

/** Works with a session of the database for as long as it takes. Nothing is created where the tables are missing. */
async function asking<T>(
  { place, patience }: LockingOptions,
  work: (database: DatabaseConnection) => Promise<Result<T, Failure>>,
): Promise<Result<T | "no tables", Failure>> {
  const database = await connect(place, patience);
  if (!database.ok) return problem(databaseFailure(database.error, "reached", place));
  try {
    const tables = await findTables(database.value, place);
    if (!tables.ok) return tables;
    return tables.value === "missing" ? success("no tables") : await work(database.value);
  } finally {
    await database.value.close();
  }
}

async function unlock(
  database: DatabaseConnection,
  options: LockingOptions,
  id: string,
): Promise<Result<LockHolder, Failure>> {
  const { place } = options;
  const found = await findHolder(database, place);
  if (!found.ok) return found;
  if (found.value === "nobody") return problem(notHeldBy(place.shown, id, "nobody"));
  if (found.value.id !== id) return problem(notHeldBy(place.shown, id, shownHolder(found.value)));
  const broken = await breakLock(database, options, { holder: found.value, silentFor: 0 });
  if (!broken.ok) return broken;
  return broken.value === "broken" ? success(shownHolder(found.value)) : problem(notHeldBy(place.shown, id, "nobody"));
}
