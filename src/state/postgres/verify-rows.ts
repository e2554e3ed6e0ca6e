import { emptyState } from "../../model/state.ts";
import type { StoredReport } from "../../ports/state-store.ts";
import type { StoredRows } from "./stored-rows.ts";

/** Says what was read of the tables, for whoever checks a state. */
export function reportOf(rows: StoredRows | "no tables"): StoredReport {
  if (rows === "no tables") return { state: emptyState(""), parts: ["the database has no tables of roster yet"] };
  const { state, saved, lines } = rows;
  const { lineage, serial, open } = state;
  const kept = saved
    ? `roster_state holds version ${serial} of ${lineage}`
    : "roster_state holds nothing: no run has saved it";
  const events = lines > 0 ? [`roster_journal holds ${counted(lines - 1, "event")} after version ${serial}`] : [];
  const left =
    open.length === 0
      ? "no announced call is"
      : `${counted(open.length, "announced call")} ${open.length === 1 ? "is" : "are"}`;
  return { state, parts: [kept, ...events, `${left} without its outcome`] };
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
