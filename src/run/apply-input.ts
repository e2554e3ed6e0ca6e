import type { LeasedLog } from "../log/port.ts";
import type { EmailKey } from "../model/address.ts";
import type { Capabilities } from "../model/capabilities.ts";
import type { ActionId, Plan } from "../model/plan.ts";
import type { Policy } from "../model/policy.ts";
import type { MembershipKey } from "../model/team.ts";
import type { AddressedUser, ObservedUser } from "../model/user.ts";
import type { Clock, Moment } from "../ports/clock.ts";
import type { AccountService, UserReader } from "../service/port.ts";

/** What a person says of throttling counts until it was learned that a throttled write took effect. */
export interface ApplyInput extends Pick<Policy, "privilegedRoles" | "consistency" | "throttling" | "resolve"> {
  readonly plan: Plan;
  readonly run: string;
  /** When the oldest read of the plan began; absent where another run read it: then no fact is taken as it is. */
  readonly factsRead?: Moment | undefined;
  /** What does not fit any more although the service may show nothing of it. */
  readonly stale?: StaleActions | undefined;
  /** What the service's reads show, as far as the plan's reads could tell. */
  readonly capabilities?: Capabilities;
  /** The users that the reads of the plan showed; none where another run read them. */
  readonly shown?: readonly ObservedUser[];
  /** Users who show the identifiers of teams that people are added to, where another run read them. */
  readonly teamMembers?: readonly AddressedUser[] | undefined;
  /** Recorded users who are gone, as the reads of the plan proved; none where another run read them. */
  readonly former?: readonly EmailKey[];
}

/** Actions, and people of additions, that do not fit any more, each with the reason. */
export interface StaleActions {
  readonly actions: ReadonlyMap<ActionId, string>;
  readonly members: ReadonlyMap<MembershipKey, string>;
}

export interface ApplyPorts {
  readonly service: AccountService;
  /** Reads people again, as carefully as the plan read them. */
  readonly people: UserReader;
  readonly session: LeasedLog;
  readonly clock: Clock;
  readonly parallelism: number;
  /** Aborted when no new action may start. A call under way is never aborted. */
  readonly signal?: AbortSignal;
  /** Aborted, before the signal, once the time that the run was given is over: then the run counts as stopped, not as interrupted. */
  readonly deadline?: AbortSignal;
}
