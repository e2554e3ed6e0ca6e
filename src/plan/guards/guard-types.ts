import type { Action } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import type { MembershipKey } from "../../model/membership.ts";
import type { NamesInCalls } from "../../model/plan.ts";
import type { TeamKey } from "../../model/recorded.ts";
import type { PruneTarget } from "../actions.ts";
import type { PlanContext } from "../context.ts";
import type { FindingDraft } from "../finding-draft.ts";
import type { TeamIdentities } from "../identities.ts";

export interface GuardInput extends NamesInCalls {
  readonly context: PlanContext;
  /** Holds see every action that is asked for, stops those that would be done, in the same order. */
  readonly actions: readonly Action[];
  readonly identities: TeamIdentities;
  /** The prefixes of the keys whose roles the roster manages, and of which it is known what they carry. */
  readonly knownKeys: ReadonlySet<string>;
}

export interface Hold
  extends Pick<FindingDraft, "subject" | "roles" | "message" | "because" | "restsOn" | "suggestedYaml"> {
  readonly withholds: readonly HoldTarget[];
  /** What an allowance of it covers. Empty where nobody can allow it. */
  readonly facts: readonly string[];
}

/** What a hold withholds. People and teams that are not there yet are left out before first members are chosen. */
export type HoldTarget =
  | { readonly of: "person"; readonly address: EmailKey }
  | { readonly of: "team"; readonly team: TeamKey }
  | { readonly of: "privilege"; readonly place: MembershipKey }
  | ({ readonly of: "part" } & Omit<PruneTarget<unknown>, "cause">);

/** What a hold withholds of one action. */
export interface Withheld {
  readonly action: Action;
  readonly target: HoldTarget;
  /** What an allowance of it covers. */
  readonly facts: readonly string[];
}

export interface Stop {
  /** What it has against the plan, with the numbers and the people, in sentences. */
  readonly message: string;
  /** The list that it is about: an allowance covers each part of it. */
  readonly facts: readonly string[];
}
