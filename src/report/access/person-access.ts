import type { ActionId, RuleName } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import type { Place, Reason } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import type { TeamKey } from "../../model/recorded.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { teamKeyOf } from "../../model/team.ts";
import { teamsOfPlan } from "../document/actions.ts";

/** What one person, or the unknown owner of one key, gains and loses by a plan. */
export interface PersonAccess {
  readonly who: AccessHolder;
  /** Never empty; in the order of the plan. */
  readonly changes: readonly AccessChange[];
}

export type AccessHolder =
  | {
      readonly is: "person";
      readonly address: EmailKey;
      /** As written. */
      readonly email: string;
      /** First and last name, where the plan creates the person. */
      readonly name?: string;
    }
  /** A key whose owner the plan does not name. */
  | { readonly is: "key"; readonly prefix: string };

export type AccessChange = AccountChange | MembershipChange | RoleChange;

/** Where a change comes from. */
export interface ChangeOrigin {
  /** The call by which it happens. */
  readonly action: ActionId;
  readonly rule: RuleName;
  /** The lines that ask for it, the first for the most. */
  readonly because: readonly Reason[];
}

/** The person is created. */
interface AccountChange extends ChangeOrigin {
  readonly is: "account";
  readonly account: string;
}

/** The person comes into a team. */
export interface MembershipChange extends ChangeOrigin {
  readonly is: "membership";
  readonly team: TeamLabel;
  /** `firstMember`: the person is created together with the team, and no mail is sent. */
  readonly how: "first-member" | "added";
}

/** The roles of one key change, or a key comes with roles. */
export interface RoleChange extends ChangeOrigin {
  readonly is: "roles";
  readonly key: ChangedKey;
  /** What it has afterwards and had not, or may not have had, before. */
  readonly gains: RoleSet;
  /** What it is known to have had, and has no more. */
  readonly loses: RoleSet;
  readonly keeps: RoleSet;
  readonly before: RolesBefore;
  /** `at-least`: the service may add to it. `whatever-comes`: the roster asks for none, and the service decides. */
  readonly after: "exactly" | "at-least" | "whatever-comes";
  /** Privileged roles that it carries until it is made exact. */
  readonly forAMoment: RoleSet;
}

export type RolesBefore =
  | { readonly known: "shown" }
  | { readonly known: "recorded"; readonly at: string }
  | { readonly known: "declared"; readonly place: Place }
  /** The key comes with this plan. */
  | { readonly known: "new-key" }
  | { readonly known: "not-known"; readonly why: string };

export type ChangedKey =
  | { readonly of: "team-key"; readonly team: TeamLabel; readonly prefix?: string }
  | { readonly of: "own-key"; readonly prefix?: string }
  | { readonly of: "key"; readonly prefix: string };

export interface TeamLabel {
  readonly team: TeamKey;
  readonly name: string;
  /** Where the plan is about more than one account. */
  readonly account?: string;
  /** Where the plan is about another team of this name in this account. */
  readonly identifier?: string;
}

/** What of a change of roles is about privileged ones. */
type PrivilegeChange = Pick<RoleChange, "gains" | "loses" | "forAMoment">;

export function privilegeChange(change: RoleChange, privileged: RoleSet): PrivilegeChange {
  const of = (roles: RoleSet) => roles.filter((role) => privileged.includes(role));
  // The plan has decided already that what a key has for a moment is privileged.
  return { gains: of(change.gains), loses: of(change.loses), forAMoment: change.forAMoment };
}

/** What changes for a person, the most important for a reviewer first. */
export const accessRanks = ["gains-privilege", "temporary-privilege", "loses-privilege", "loses", "other"] as const;

export type AccessRank = (typeof accessRanks)[number];

/** The rank of the most important change. */
export function highestRank(changes: readonly AccessChange[], privileged: RoleSet): AccessRank {
  const ranks = new Set(changes.map((change) => rankOfChange(change, privileged)));
  return accessRanks.find((rank) => ranks.has(rank)) ?? "other";
}

/** Whether a change gives or takes a privileged role, even for a moment. */
export function isPrivilegedChange(change: AccessChange, privileged: RoleSet): boolean {
  const rank = rankOfChange(change, privileged);
  return rank !== "loses" && rank !== "other";
}

function rankOfChange(change: AccessChange, privileged: RoleSet): AccessRank {
  if (change.is !== "roles") return "other";
  const { gains, loses, forAMoment } = privilegeChange(change, privileged);
  if (gains.length > 0) return "gains-privilege";
  if (forAMoment.length > 0) return "temporary-privilege";
  if (loses.length > 0) return "loses-privilege";
  return losesRoles(change) ? "loses" : "other";
}

/** A key whose roles were not known loses every role that is not asked for. */
function losesRoles({ loses, before, after }: RoleChange): boolean {
  return loses.length > 0 || (before.known === "not-known" && after === "exactly");
}

/** The account of each team that actions are about; of none where all of them are about one account. */
export function accountsToShow(plan: Plan): ReadonlyMap<TeamKey, string> {
  const teams = teamsOfPlan(plan);
  const created = plan.actions.flatMap((action) => (action.kind === "create-user" ? [action.account] : []));
  const accounts = new Set([...teams.map(({ account }) => account), ...created]);
  return accounts.size > 1 ? new Map(teams.map(({ team, account }) => [team, account])) : new Map();
}

/** How each team is named: with its account where a plan is about several, with its identifier where two teams share a name. */
export function teamLabels(plan: Plan): ReadonlyMap<TeamKey, TeamLabel> {
  const accounts = accountsToShow(plan);
  const teams = teamsOfPlan(plan);
  const sameName = new Map<TeamKey, number>();
  for (const { account, name } of teams) {
    const key = teamKeyOf(account, name);
    sameName.set(key, (sameName.get(key) ?? 0) + 1);
  }
  return new Map(
    teams.map(({ team, name, account: of, identifier: own }) => {
      const account = accounts.get(team);
      const isTwin = (sameName.get(teamKeyOf(of, name)) ?? 0) > 1;
      const identifier = isTwin ? own : undefined;
      const label = { team, name, ...(identifier === undefined ? {} : { identifier }) };
      return [team, account === undefined ? label : { ...label, account }];
    }),
  );
}
