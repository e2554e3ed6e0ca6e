import type { FoldedAddress } from "./address.ts";
import type { Allowance, GuardSettings } from "./guard.ts";
import type { RoleSet } from "./role-set.ts";

/** What a person says for this run alone: selection, assumptions, guards. */
export interface Policy {
  readonly include: readonly Selector[];
  readonly exclude: readonly Selector[];
  /** Folded names of teams that a person says are not there; `all` for every team that needs the word. */
  readonly assumeAbsentTeams: readonly string[] | "all";
  /** Foundings of unknown outcome that a person says were not done; their teams are among those above. */
  readonly absentFoundings?: readonly AbsentFounding[] | undefined;
  /** Memberships that a person says are not there; `all` for every membership that needs the word. */
  readonly assumeAbsentMembers: readonly AbsentMember[] | "all";
  /** People whom the state knows as gone and whom a person wants created again. */
  readonly recreate: readonly FoldedAddress[];
  /** Send once more what the service has refused, although nothing of it has changed. */
  readonly retryRefused: boolean;
  /** Report the people whom the roster does not name. */
  readonly reportUnmanaged: boolean;
  /** Roles that let their holder administer others. */
  readonly privilegedRoles: RoleSet;
  readonly guards: GuardSettings;
  /** Plans that a person lets pass a guard. */
  readonly allowed: readonly Allowance[];
  /** People who left the roster and are nobody's matter from now on. */
  readonly released: readonly FoldedAddress[];
  /** The day in UTC, as in `2026-11-20`. */
  readonly today: string;
  /** How many days an invitation may wait before that is more than a notice. */
  readonly invitationDays: number;
  /** Milliseconds within which reads of this service may not show a write, where a person has set it. */
  readonly consistency?: number | undefined;
  /** Whether users are created whose domain has no dot. */
  readonly singleLabelDomains: boolean;
}

export const defaultInvitationDays = 14;

/** A call that was to found a team, named by its short id. */
export interface AbsentFounding {
  /** Folded. */
  readonly team: string;
  readonly call: string;
}

/** One person who is not in one team, named by its folded name. */
export interface AbsentMember {
  readonly team: string;
  readonly address: FoldedAddress;
}

export type Selector =
  | { readonly kind: "user"; readonly address: FoldedAddress; readonly written: string }
  | { readonly kind: "team"; readonly name: string; readonly written: string };
