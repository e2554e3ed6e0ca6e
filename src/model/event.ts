import type { ActionId, Profile } from "./action.ts";
import type { FoldedAddress } from "./address.ts";
import type { Capabilities, WriteBehaviour } from "./capabilities.ts";
import type { TodoChange, TodoFact } from "./drift.ts";
import type { Finding } from "./finding.ts";
import type { RefusalKey, RequestDigest } from "./refusal.ts";
import type { Failure } from "./result.ts";
import type { RoleSet } from "./role-set.ts";
import type { Ownership } from "./subject.ts";
import type { TeamKey } from "./team.ts";

/**
 * Everything that happens in a run, in order. State, journal, screen, summary and exit code are folds over
 * this stream. `at` is ISO 8601.
 */
export type RunEvent =
  | RunStarted
  | Sequenced
  | PlanFileBegun
  | RosterApplied
  | RecordsMoved
  | EpochStarted
  | PeopleSeen
  | AccessSeen
  | ServiceLearned
  | WritesLearned
  | RefusalsReviewed
  | FindingsSeen
  | Intended
  | Declined
  | Settled
  | Succeeded
  | Failed
  | MemberRefused
  | UnknownOutcome
  | Skipped
  | Stale
  | Unneeded
  | KeyLearned
  | TeamIdentified
  | KeyRead
  | Found
  | Waiting
  | Verified
  | RunFinished;

export interface RunStarted {
  readonly type: "run-started";
  readonly at: string;
  readonly run: string;
  readonly plan: string;
  readonly service: string;
  readonly actions: number;
}

/** An apply named its place among all applies: a whole number that only grows, such as that of a pipeline's run. */
export interface Sequenced {
  readonly type: "sequenced";
  readonly at: string;
  readonly sequence: number;
}

/** A plan file is about to be applied. Durable before the first call of it: no file is applied twice. */
export interface PlanFileBegun {
  readonly type: "plan-file-begun";
  readonly at: string;
  /** The id of the file. */
  readonly file: string;
}

/** A roster is applied as a whole. Durable before the first call of it: nobody whom it names is forgotten if they are dropped. */
export interface RosterApplied {
  readonly type: "roster-applied";
  readonly at: string;
  readonly digest: string;
  /** Its users, and those who were dropped before and are still to be settled. */
  readonly people: readonly { readonly address: FoldedAddress; readonly email: string }[];
}

/** People have another address by now, or teams another name: what was recorded of them counts for who they are now. */
export interface RecordsMoved {
  readonly type: "records-moved";
  readonly at: string;
  readonly people: readonly { readonly from: FoldedAddress; readonly to: FoldedAddress; readonly email: string }[];
  readonly teams: readonly { readonly from: TeamKey; readonly to: TeamKey; readonly name: string }[];
}

/** A person says that the service starts anew: what was recorded of people, teams, members and keys counts no more. Open calls stay open. */
export interface EpochStarted {
  readonly type: "epoch-started";
  readonly at: string;
  /** The base address of the service. */
  readonly service: string;
}

/** People and teams of the roster, leavers among them, whom this run met in the service and whom the state did not know as such. */
export interface PeopleSeen {
  readonly type: "people-seen";
  readonly at: string;
  /** The base address of the service where they were met. */
  readonly service: string;
  readonly people: readonly {
    readonly address: FoldedAddress;
    readonly email: string;
    readonly account: string;
    readonly identifier?: string;
  }[];
  readonly teams: readonly {
    readonly team: TeamKey;
    readonly name: string;
    readonly account: string;
    readonly identifier?: string;
  }[];
}

/**
 * Members and keys that the roster names and a complete read showed, where the state knew nothing of them or the read equals the roster.
 * Later reads are compared with it.
 */
export interface AccessSeen {
  readonly type: "access-seen";
  readonly at: string;
  /** The base address of the service. */
  readonly service: string;
  /** Users whom a run created, and whom no read had shown yet. */
  readonly users: readonly FoldedAddress[];
  /** Members whom no read had shown yet, with the prefix of their team key. */
  readonly members: readonly { readonly team: TeamKey; readonly address: FoldedAddress; readonly prefix: string }[];
  readonly keys: readonly { readonly prefix: string; readonly address: FoldedAddress; readonly roles: RoleSet }[];
}

/** What the reads of this run have shown of the service, where the state knew less or otherwise. */
export interface ServiceLearned {
  readonly type: "service-learned";
  readonly at: string;
  /** The base address of the service. */
  readonly service: string;
  readonly capabilities: Capabilities;
}

/** How the service takes writes, where this run has learned more of it. */
export interface WritesLearned {
  readonly type: "writes-learned";
  readonly at: string;
  readonly writes: WriteBehaviour;
}

/** What the roster and the reads of this run say of refusals that are remembered. */
export interface RefusalsReviewed {
  readonly type: "refusals-reviewed";
  readonly at: string;
  /** Nobody asks for these any more, or they are as wanted by now. */
  readonly over: readonly RefusalKey[];
  /** What was seen for the first time of those whom a refused request is about, digested. */
  readonly seen: readonly { readonly refusal: RefusalKey; readonly facts: string }[];
}

/** What a look at the service has shown to differ from the roster, where the state did not know it yet, and what no longer does. */
export interface FindingsSeen {
  readonly type: "findings-seen";
  readonly at: string;
  /** The base address of the service. */
  readonly service: string;
  /** For the first time, what matters most first. */
  readonly seen: readonly SeenFinding[];
  /** Fingerprints. */
  readonly gone: readonly string[];
  /** Of what the state knows: what it rests on now, where that is new or has changed. */
  readonly facts?: readonly { readonly fingerprint: string; readonly facts: readonly TodoFact[] }[];
}

/** Something that differed from the roster when a run looked, and still does as far as is known. */
export interface Sighting {
  /** ISO 8601, when it was first seen. */
  readonly since: string;
  /** The code of the finding, or the kind of the action. */
  readonly code: string;
  readonly subject: string;
  /** People have to do it. */
  readonly task?: true;
  /** What it rests on, where people have to do it and a read has shown all of it. */
  readonly facts?: readonly TodoFact[];
  /** The last change of its facts. */
  readonly changed?: TodoChange;
}

export interface SeenFinding extends Omit<Sighting, "since" | "changed"> {
  readonly fingerprint: string;
}

/** A time by a clock that is not this machine's: of the account service, or of the store that keeps the state. */
export interface ServerDate {
  readonly by: "service" | "store";
  /** ISO 8601. */
  readonly at: string;
}

/** Durable before its call is sent. */
export interface Intended {
  readonly type: "intended";
  readonly at: string;
  /** Until when the call may be on its way, at the latest; absent where no server tells its time. */
  readonly dated?: ServerDate;
  /** ISO 8601, until when the call may be sent, where that is not at once. */
  readonly until?: string;
  readonly run: string;
  readonly action: ActionId;
  readonly intent: Intent;
}

/** All that is needed to settle a call by reading, without its plan. */
export type Intent =
  | CreationIntent
  | {
      readonly kind: "add-members";
      readonly team: TeamKey;
      readonly name: string;
      readonly account: string;
      readonly identifier: string;
      readonly addresses: readonly FoldedAddress[];
      /** What the plan asks for each of them. */
      readonly requests?: readonly MemberRequest[];
      /** Whose their memberships are. */
      readonly ownerships?: readonly MemberOwnership[];
    }
  | {
      readonly kind: "replace-roles";
      readonly prefix: string;
      readonly roles: RoleSet;
      readonly owner?: FoldedAddress;
      /** The team of the key, and its name, where the plan knows them. */
      readonly team?: TeamKey;
      readonly name?: string;
      /** The roles that the key was observed with before. */
      readonly before?: RoleSet;
      readonly request?: RequestDigest;
      readonly ownership?: Ownership;
    };

export interface CreationIntent {
  readonly kind: "create-user";
  readonly address: FoldedAddress;
  readonly email: string;
  readonly account: string;
  readonly sent: Profile;
  readonly founds?: {
    readonly team: TeamKey;
    readonly name: string;
    readonly accessKeyRoles: RoleSet;
    /** The administrator, where that is somebody else. */
    readonly admin?: FoldedAddress;
  };
  readonly request?: RequestDigest;
  readonly ownership?: Ownership;
}

export interface MemberRequest extends RequestDigest {
  readonly address: FoldedAddress;
}

export interface MemberOwnership {
  readonly address: FoldedAddress;
  readonly ownership: Ownership;
}

/**
 * The service would not create the user, and may have meant that somebody is there already. Durable before that is read:
 * a user who is found after a crash was met, and not created by this call.
 */
export interface Declined {
  readonly type: "declined";
  readonly at: string;
  readonly action: ActionId;
  readonly failure: Failure;
}

/** The outcome of a call of an earlier run, or of a lost answer of this one, learned by reading. */
export interface Settled {
  readonly type: "settled";
  readonly at: string;
  /** The run that announced the call. */
  readonly run: string;
  readonly action: ActionId;
  readonly as: { readonly done: true; readonly learned: LearnedOutcome } | { readonly done: false };
  /** People of an add-members call of whom reading could not tell yet: for them the call stays open. Never empty. */
  readonly except?: readonly FoldedAddress[];
}

export interface Succeeded {
  readonly type: "succeeded";
  readonly at: string;
  readonly action: ActionId;
  readonly learned: LearnedOutcome;
}

/** What an answer, or a read that settled a call, has shown. */
export type LearnedOutcome =
  | {
      readonly kind: "create-user";
      readonly address: FoldedAddress;
      /** The call created nobody: the service had this user already. */
      readonly was?: "there-before";
      readonly identifier?: string;
      readonly prefix?: string;
      readonly roles?: RoleSet;
      readonly answered: Profile;
      /** The identifier of the founded team. */
      readonly teamIdentifier?: string;
    }
  | { readonly kind: "add-members"; readonly team: TeamKey; readonly members: readonly AddedMember[] }
  | { readonly kind: "replace-roles"; readonly prefix: string; readonly roles?: RoleSet };

/** One person's outcome of an add-members call. */
export interface AddedMember {
  readonly address: FoldedAddress;
  readonly outcome: { readonly added: true } | { readonly added: false; readonly failure: Failure };
  readonly prefix?: string;
  readonly roles?: RoleSet;
}

/** The service refused, or the call was never sent: it had no effect. */
export interface Failed {
  readonly type: "failed";
  readonly at: string;
  readonly action: ActionId;
  readonly failure: Failure;
}

/** One person of an addition was refused, in a call of their own. The end of the action is told later. */
export interface MemberRefused {
  readonly type: "member-refused";
  readonly at: string;
  readonly action: ActionId;
  readonly address: FoldedAddress;
  readonly failure: Failure;
}

/** The call was sent and its outcome is not known. It is settled by reading, never by sending again. */
export interface UnknownOutcome {
  readonly type: "unknown-outcome";
  readonly at: string;
  readonly action: ActionId;
  readonly failure: Failure;
  /** The service took the call and may do it later. */
  readonly accepted?: true;
  /** When it had ended, at the latest; absent where no server tells its time. */
  readonly dated?: ServerDate;
  /** ISO 8601, from when on another run may take it as not done, if reads do not show it by then. */
  readonly decidedFrom?: string;
}

export interface Skipped {
  readonly type: "skipped";
  readonly at: string;
  readonly action: ActionId;
  /** The action whose end is the cause; absent where the run itself was stopped. */
  readonly cause?: ActionId;
  readonly why: string;
}

/** A fact that the action rests on has moved. */
export interface Stale {
  readonly type: "stale";
  readonly at: string;
  readonly action: ActionId;
  readonly why: string;
}

export interface Unneeded {
  readonly type: "unneeded";
  readonly at: string;
  readonly action: ActionId;
  readonly why: string;
  /** The key that was shown with exactly the roles that the action asks for. */
  readonly shown?: { readonly prefix: string; readonly roles: RoleSet };
}

export interface KeyLearned {
  readonly type: "key-learned";
  readonly at: string;
  readonly address: FoldedAddress;
  /** Absent for the user's own key. */
  readonly team?: TeamKey;
  readonly prefix: string;
}

export interface TeamIdentified {
  readonly type: "team-identified";
  readonly at: string;
  readonly team: TeamKey;
  readonly name: string;
  readonly account: string;
  readonly identifier: string;
}

/** What a key read as after our replacement of its roles. */
export interface KeyRead {
  readonly type: "key-read";
  readonly at: string;
  readonly prefix: string;
  readonly roles: RoleSet;
  /** It was read so soon that it may be what the key had before. */
  readonly early?: true;
}

/** A finding that only the run could make. */
interface Found {
  readonly type: "found";
  readonly at: string;
  readonly finding: Finding;
}

/** The run waits, and why. */
interface Waiting {
  readonly type: "waiting";
  readonly at: string;
  readonly milliseconds: number;
  readonly why: string;
}

/** What was touched, read again. */
export interface Verified {
  readonly type: "verified";
  readonly at: string;
  readonly result: Convergence;
  /** What does not show as asked yet, one sentence each. */
  readonly remarks: readonly string[];
}

/** `pending`: not shown yet. `diverged`: shown otherwise. `unverified`: it could not be read again. */
export type Convergence = "converged" | "pending" | "diverged" | "unverified";

export interface RunFinished {
  readonly type: "run-finished";
  readonly at: string;
  readonly ended: "completed" | "stopped" | "interrupted";
  readonly why?: string;
  /** The service refused our key or our permission, and that ended the run. */
  readonly accessRefused?: true;
}
