export type { RunSummary } from "../journal/summary.ts";
export type { Action } from "../model/action.ts";
export type { Drift, DriftItem, Todo } from "../model/drift.ts";
export type { RunEvent } from "../model/event.ts";
export type { Finding } from "../model/finding.ts";
export type { Plan } from "../model/plan.ts";
export type { Diagnostic, Result } from "../model/result.ts";
export type { Roster } from "../model/roster.ts";
export type { State } from "../model/state.ts";
export type { Clock, Randomness } from "../ports/clock.ts";
export {
  type ApplyError,
  type ApplyOptions,
  type ApplyResult,
  type ApplyRun,
  apply,
  type DriftOptions,
  type DriftResult,
  drift,
  type LockWaitOptions,
} from "./api/apply.ts";
export { type GuardOptions, type PlanResult, plan, type WorkOptions } from "./api/plan.ts";
export { type ConnectOptions, connect, type Service } from "./connect.ts";
export type { LibraryError } from "./error.ts";
export { type LoadedRoster, type LoadRosterOptions, loadRoster, type RosterText } from "./planning/load-roster.ts";
export { type OpenedState, type OpenStateOptions, openState } from "./stores/open-store.ts";
export type { SystemOptions } from "./system.ts";
