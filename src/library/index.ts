export type * from "../log/summary.ts";
export type * from "../model/accept.ts";
export type * from "../model/action.ts";
export type * from "../model/address.ts";
export type * from "../model/allowance.ts";
export type * from "../model/audit.ts";
export type * from "../model/capabilities.ts";
export type * from "../model/declare.ts";
export type * from "../model/drift.ts";
export type * from "../model/event.ts";
export type * from "../model/fact.ts";
export type * from "../model/finding.ts";
export type * from "../model/guard-names.ts";
export type * from "../model/plan.ts";
export type * from "../model/policy.ts";
export type * from "../model/recorded.ts";
export type * from "../model/result.ts";
export type * from "../model/role-set.ts";
export type * from "../model/roster.ts";
export type * from "../model/snapshot.ts";
export type * from "../model/state.ts";
export type * from "../model/subject.ts";
export type * from "../model/team.ts";
export type * from "../ports/clock.ts";
export type * from "../ports/operator.ts";
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
export { type ErrorReason, LibraryError } from "./error.ts";
export { type LoadedRoster, type LoadRosterOptions, loadRoster, type RosterText } from "./planning/load-roster.ts";
export type { RunWords } from "./planning/policy.ts";
export { type OpenedState, type OpenStateOptions, openState } from "./stores/open-store.ts";
export type { SystemOptions } from "./system.ts";
