import { emptyState } from "../../model/state.ts";
import type { StoreVerification } from "../../ports/state-store.ts";
import type { StoredRows } from "./stored-rows.ts";

/** Says what was read of the tables, for whoever checks a state. */
export function reportOf(rows: StoredRows | "no tables"): StoreVerification {
  if (rows === "no tables") return { state: emptyState(""), parts: ["the database has no tables of roster yet"] };
  const { state, saved, lines } = rows;
  const { lineage, serial, open } = state;
  const kept = saved
    ? `roster_state holds version ${serial} of ${lineage}`
    : "roster_state holds nothing: no run has saved it";
  const journal = lines > 0 ? [journalPart(lines - 1, serial)] : [];
  return { state, parts: [kept, ...journal, openPart(open.length)] };
}

function journalPart(events: number, serial: number): string {
  return `roster_journal holds ${events === 1 ? "1 event" : `${events} events`} after version ${serial}`;
}

function openPart(calls: number): string {
  if (calls === 0) return "no announced call is without its outcome";
  return calls === 1 ? "1 announced call is without its outcome" : `${calls} announced calls are without their outcome`;
}
