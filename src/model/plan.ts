import type { FindingCode } from "../codes/findings.ts";
import type { GuardName } from "../codes/guards.ts";
import type { Action } from "./action.ts";
import type { EmailKey } from "./address.ts";
import type { Allowance, AllowanceReason } from "./allowance.ts";
import type { EventOf } from "./event.ts";
import type { Fact, Reason } from "./fact.ts";
import { type Finding, isOpenProblem } from "./finding.ts";
import type { AccountStatus } from "./key.ts";
import type { TeamKey } from "./recorded.ts";
import type { RoleSet } from "./role-set.ts";
import type { Snapshot } from "./snapshot.ts";
import type { State } from "./state.ts";
import type { Basis } from "./subject.ts";

/** What `apply` would do, in an order that respects every dependency, and what nobody can do by a call. */
export interface Plan {
  /** Digest of what would be done: the same for the same change, whatever the time or the order of the reads. */
  readonly id: string;
  readonly service: string;
  readonly actions: readonly Action[];
  /** How its calls name people and teams. Of those whom it creates no identifier is known yet. */
  readonly users: ReadonlyMap<EmailKey, { readonly email: string; readonly identifier: Fact<string> }>;
  readonly teams: ReadonlyMap<
    TeamKey,
    { readonly name: string; readonly account: string; readonly identifier: Fact<string> }
  >;
  readonly findings: readonly Finding[];
  readonly calls: CallEstimate;
  /** What its guards forbid: calls about keys that only the run learns are judged by it. */
  readonly forbids?: ForbiddenTargets | undefined;
  readonly allowed?: readonly Allowance[] | undefined;
  readonly reason?: AllowanceReason | undefined;
}

/** Sorted, so that the same is said in the same words. */
export interface ForbiddenTargets {
  /** Prefixes: of the key in use, of protected keys, and of keys of protected people. */
  readonly keys: readonly string[];
  readonly people: readonly EmailKey[];
}

export type NamesInCalls = Pick<Plan, "users" | "teams">;

export interface CallEstimate {
  readonly reads: number;
  /** Writes that will be sent if every answer is as asked. */
  readonly writes: number;
  readonly atMost: number;
}

export type PlanCounts = ReturnType<typeof countPlan>;

export function countPlan({ actions, calls, findings }: Plan) {
  const creations = actions.filter((action) => action.kind === "create-user");
  const additions = actions.filter((action) => action.kind === "add-members");
  return {
    createUsers: creations.length,
    createTeams: creations.filter(({ createsTeam }) => createsTeam !== undefined).length,
    addMembers: additions.length,
    replaceRoles: actions.length - creations.length - additions.length,
    /** People times teams that they are added to: the only mails that the interface shows. */
    mails: additions.reduce((sum, { members }) => sum + members.length, 0),
    calls,
    findings: findings.length,
    blockingFindings: findings.filter(isOpenProblem).length,
  };
}

export type PlanRefusal = InvalidSelection | GuardRefusal;

/** A selection, or another wish of this run, that cannot be honoured without harm: there is no plan. */
export interface InvalidSelection {
  readonly code: "not-selected" | "unknown-selector";
  readonly message: string;
  readonly hint: string;
}

/** Guards that stop have something against the plan, which is shown and not applied. */
export interface GuardRefusal {
  readonly code: "guard";
  readonly message: string;
  readonly hint: string;
  readonly plan: Plan;
  /** Never empty. */
  readonly stops: readonly GuardViolation[];
}

export interface GuardViolation {
  readonly code: GuardName | FindingCode;
  readonly message: string;
  readonly allow?: string | undefined;
}

export interface InSync {
  readonly says: string;
  readonly basis?: Basis | undefined;
  readonly because: readonly Reason[];
  readonly address?: EmailKey | undefined;
  readonly team?: TeamKey | undefined;
  readonly prefix?: string | undefined;
}

export interface RosterCounts {
  readonly files: number;
  readonly users: number;
  readonly leavers: number;
  readonly teams: number;
  readonly keys: number;
}

/** An event that planning alone has taught: it tells of no call. */
export type PlanningEvent = EventOf<
  "roster-applied" | "records-moved" | "epoch-started" | "users-observed" | "service-learned"
>;

/** What one run has read of a service, kept for plans that are made without a key: all that they rest on but the roster. */
export interface SnapshotFile {
  readonly madeAt: string;
  readonly madeBy: string;
  /** `all`: the accounts of the snapshot are all that the key in use could see. */
  readonly accounts: "all" | "named";
  /** The public prefix of the key in use, where the service itself shows it among somebody's keys. */
  readonly keyInUse?: string | undefined;
  readonly snapshot: Snapshot;
  /** What planning needs of the state, as it was read: calls that were open are open. */
  readonly state: State;
}

/** What a plan has to know of a snapshot that was not read for it. */
export interface SnapshotSource {
  /** People whose absence no search has shown: the complete list lacks them, and that is all. */
  readonly unsearched: ReadonlySet<EmailKey>;
}

export interface KeyRoles {
  /** Undefined where nobody is known to hold the key. */
  readonly address?: EmailKey | undefined;
  /** Undefined of a key that comes with a call. */
  readonly prefix?: string | undefined;
  readonly team?: string | undefined;
  /** Undefined of a key that was read. */
  readonly teamKey?: TeamKey | undefined;
  readonly status?: AccountStatus | undefined;
  /** The roster alone says whose key it is. */
  readonly declared?: true | undefined;
  /** `no-key`: the key comes with a call of the plan. */
  readonly before: RoleSet | "unknown" | "no-key";
  readonly after: RoleSet | "unknown";
}
