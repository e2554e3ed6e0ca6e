import type { FoldedAddress } from "./address.ts";
import type { RoleSet } from "./role-set.ts";

/** What a person says for this run alone: selection, assumptions, guards. */
export interface Policy {
  readonly include: readonly Selector[];
  readonly exclude: readonly Selector[];
  /** Folded names of teams that a person says are not there; `all` for every team that needs the word. */
  readonly assumeAbsentTeams: readonly string[] | "all";
  /** Memberships that a person says are not there; `all` for every membership that needs the word. */
  readonly assumeAbsentMembers: readonly AbsentMember[] | "all";
  /** People whom the state knows as gone and whom a person wants created again. */
  readonly recreate: readonly FoldedAddress[];
  /** Send once more what the service has refused, although nothing of it has changed. */
  readonly retryRefused: boolean;
  /** Report the people whom the roster does not name. */
  readonly reportUnmanaged: boolean;
  readonly privilegedRoles: RoleSet;
}

/** One person who is not in one team, named by its folded name. */
export interface AbsentMember {
  readonly team: string;
  readonly address: FoldedAddress;
}

export type Selector =
  | { readonly kind: "user"; readonly address: FoldedAddress; readonly written: string }
  | { readonly kind: "team"; readonly name: string; readonly written: string };
