export type * from "../codes/findings.ts";
export type * from "../codes/guards.ts";
export type * from "../codes/row.ts";
export type * from "../log/audit-records.ts";
export type { LockHolder } from "../log/port.ts";
export type { LearnedKey } from "../log/state-draft.ts";
export type * from "../log/summary.ts";
export type * from "../model/address.ts";
export type * from "../model/call.ts";
export type * from "../model/capabilities.ts";
export type * from "../model/collections.ts";
export type * from "../model/declare.ts";
export type * from "../model/event.ts";
export type * from "../model/fact.ts";
export type * from "../model/failure.ts";
export type * from "../model/finding.ts";
export type * from "../model/key.ts";
export type * from "../model/plan.ts";
export type * from "../model/policy.ts";
export type * from "../model/result.ts";
export type * from "../model/roster.ts";
export type * from "../model/snapshot.ts";
export type * from "../model/state.ts";
export type * from "../model/team.ts";
export type * from "../model/user.ts";
export type * from "../model/values.ts";
export type * from "../ports/clock.ts";
export type * from "../ports/operator.ts";
export type * from "../report/access/access-map.ts";
export type * from "../report/doctor/examination.ts";
export type { Pointer, Shapes } from "../service/decode/json.ts";
export { type AccessOptions, access, type RecordedAccessOptions, recordedAccess } from "./access.ts";
export {
  type ApplyOptions,
  type ApplyRun,
  type ApplySavedOptions,
  apply,
  applySaved,
  type RunOptions,
} from "./apply.ts";
export { type AuditOptions, audit } from "./audit.ts";
export { type ConnectOptions, connect, type Service } from "./connect.ts";
export { type DriftOptions, type DriftResult, drift } from "./drift.ts";
export type { SystemOptions } from "./environment.ts";
export { type ApplyResult, type DriftFound, type ErrorReason, RosterError } from "./error.ts";
export { type ExamineOptions, examine } from "./examine.ts";
export { type LoadedRoster, type LoadRosterOptions, loadRoster, type RosterText } from "./load-roster.ts";
export { type LockOptions, type Log, type OpenLogOptions, openLog, type StartedBy } from "./log.ts";
export { type PlanOptions, type PlanResult, plan } from "./plan.ts";
export { type GuardOptions, type PolicyOptions, type RunFlags, readPolicy } from "./policy.ts";
export { readSavedPlan, type SavedPlan, type SavedText, type SavePlanOptions, savePlan } from "./saved-plan.ts";
