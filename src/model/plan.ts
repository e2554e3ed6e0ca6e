import type { FindingCode } from "../codes/findings.ts";
import type { GuardName } from "../codes/guards.ts";
import { action, foldedTeam, textFact } from "./action.ts";
import type { EmailKey } from "./address.ts";
import * as t from "./declare.ts";
import type { EventOf } from "./event.ts";
import { foldedAddress, type Reason } from "./fact.ts";
import { finding, isOpenProblem } from "./finding.ts";
import type { AccountStatus } from "./key.ts";
import { address, type TeamKey } from "./recorded.ts";
import type { RoleSet } from "./role-set.ts";
import type { Snapshot } from "./snapshot.ts";
import { allowance, allowanceReason, type State } from "./state.ts";
import type { Basis } from "./subject.ts";

const text = t.string();

const userInCalls = t.object("How calls name a user.", {
  email: t.string("The address as it is sent."),
  identifier: t.described(
    textFact,
    "The service's identifier of the person. Where it is not known, the address is sent.",
  ),
});
const teamInCalls = t.object("How calls name a team.", {
  name: text,
  account: text,
  identifier: t.described(textFact, "The service's identifier of the team."),
});

export type PlanCounts = t.Static<typeof summary>;
export const summary = t.object("The plan in numbers.", {
  createUsers: t.count(),
  createTeams: t.count("Creations that create a team too."),
  addMembers: t.count("Teams that gain members."),
  replaceRoles: t.count("Keys that get other roles."),
  mails: t.count("People times teams that they are added to: the only mails that the interface shows."),
  calls: t.object("Requests.", {
    reads: t.count("Requests that reading for this plan took."),
    writes: t.count("Writes that will be sent if every answer is as asked."),
    atMost: t.count("The maximum number of writes."),
  }),
  findings: t.count(),
  blockingFindings: t.count(),
});

export type RosterCounts = t.Static<typeof rosterCounts>;
export const rosterCounts = t.object({
  files: t.count(),
  users: t.count(),
  leavers: t.count("One for each address of a user whose `until` has come."),
  teams: t.count(),
  keys: t.count("Keys managed by prefix."),
});

/** What documents have of a plan. */
export const planFields = {
  planId: t.string(
    "Digest of the planned changes. The same changes have the same id, at any time and in any order of reads.",
  ),
  service: t.string("The base address of the service that the plan is for."),
  summary,
  actions: t.list(action, "What an apply would do, in an order that respects every dependency."),
  users: t.named(
    "address",
    foldedAddress,
    userInCalls,
    "The users of the actions. Actions name them by their addresses.",
  ),
  teams: t.named("team", foldedTeam, teamInCalls, "The teams of the actions."),
  findings: t.list(finding, "Tasks and notices."),
  forbids: t.optional(
    t.object(
      "Keys and people that guards forbid: calls about keys that only a run learns are judged by it. Absent where nothing is forbidden.",
      {
        keys: t.list(t.string({ minLength: 1 }), "Prefixes."),
        people: t.list(t.inPlace(address), "Folded addresses."),
      },
    ),
  ),
  allowed: t.optional(
    t.list(t.inPlace(allowance), "What a person has allowed of this plan. Absent where nothing was allowed."),
  ),
  reason: t.optional(t.inPlace(allowanceReason)),
};

export type PlanFields = t.ObjectOf<typeof planFields>;

/** What `apply` would do, in an order that respects every dependency, and what nobody can do by a call. */
export interface Plan extends Omit<PlanFields, "planId" | "summary"> {
  /** The same for the same change, whatever the time or the order of the reads. */
  readonly id: string;
  readonly calls: CallEstimate;
}

export type NamesInCalls = Pick<Plan, "users" | "teams">;

export type CallEstimate = PlanCounts["calls"];

/** Sorted, so that the same is said in the same words. */
export type ForbiddenTargets = NonNullable<Plan["forbids"]>;

/** A plan as documents have it. */
export function planFieldsOf({ id, calls, ...plan }: Plan): PlanFields {
  return { planId: id, ...plan, summary: countPlan({ id, calls, ...plan }) };
}

/** The plan that a valid document has. */
export function readPlan(document: unknown): Plan {
  const { planId, summary, ...plan } = t.readPublished(t.object(planFields), document);
  return { id: planId, calls: summary.calls, ...plan };
}

export function countPlan({ actions, calls, findings }: Plan): PlanCounts {
  const creations = actions.filter((action) => action.kind === "create-user");
  const additions = actions.filter((action) => action.kind === "add-members");
  return {
    createUsers: creations.length,
    createTeams: creations.filter(({ createsTeam }) => createsTeam !== undefined).length,
    addMembers: additions.length,
    replaceRoles: actions.length - creations.length - additions.length,
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
