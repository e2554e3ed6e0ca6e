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
  type LockWaitOptions,
} from "./api/apply.ts";
export { type ConnectOptions, connect, type Service } from "./api/connect.ts";
export { type DriftOptions, type DriftResult, drift } from "./api/drift.ts";
export type { SystemOptions } from "./api/environment.ts";
export type { LibraryError } from "./api/errors.ts";
export { type LoadRosterOptions, loadRoster, type RosterText } from "./api/load-roster.ts";
export { type OpenedState, type OpenStateOptions, openState } from "./api/open-state.ts";
export type { GuardOptions, WorkOptions } from "./api/options.ts";
export { type PlanResult, plan } from "./api/plan.ts";
export type { LoadedRoster } from "./planning/load-roster.ts";
