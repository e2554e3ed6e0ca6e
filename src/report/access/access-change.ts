import type { Action, ActionId, RuleName, TeamRef } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { factValue, type Place, type Reason } from "../../model/fact.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { type TeamKey, teamKeyOf } from "../../model/team.ts";

/** What one person, or whoever holds one key, gains and loses by a plan. */
export interface PersonAccess {
  readonly who: AccessHolder;
  /** Never empty; in the order of the plan. */
  readonly changes: readonly AccessChange[];
}

export type AccessHolder =
  | {
      readonly is: "person";
      readonly address: FoldedAddress;
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

/** The person comes into a team, or is mailed once more about a place there. */
export interface MembershipChange extends ChangeOrigin {
  readonly is: "membership";
  readonly team: TeamLabel;
  /** `founder`: the team comes into being with the person, and no mail tells of it. */
  readonly how: "founder" | "added" | "invited-again";
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
  /** `at-least`: the service may add to it. `whatever-comes`: nobody asks for any, and the service gives what it gives. */
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
interface PrivilegeChange {
  readonly gains: RoleSet;
  readonly loses: RoleSet;
  readonly forAMoment: RoleSet;
}

export function privilegeChange(change: RoleChange, privileged: RoleSet): PrivilegeChange {
  const of = (roles: RoleSet) => roles.filter((role) => privileged.includes(role));
  // What a key has for a moment was called a privilege by whoever made the plan.
  return { gains: of(change.gains), loses: of(change.loses), forAMoment: change.forAMoment };
}

/** What changes for somebody, the first for what a reviewer has to look at most. */
export const accessRanks = ["gains-privilege", "privilege-for-a-moment", "loses-privilege", "loses", "other"] as const;

export type AccessRank = (typeof accessRanks)[number];

/** The rank of the change that a reviewer has to look at most. */
export function highestRank(changes: readonly AccessChange[], privileged: RoleSet): AccessRank {
  const ranks = new Set(changes.map((change) => rankOfChange(change, privileged)));
  return accessRanks.find((rank) => ranks.has(rank)) ?? "other";
}

/** Whether a change gives or takes a privileged role, be it for a moment. */
export function isPrivilegedChange(change: AccessChange, privileged: RoleSet): boolean {
  const rank = rankOfChange(change, privileged);
  return rank !== "loses" && rank !== "other";
}

function rankOfChange(change: AccessChange, privileged: RoleSet): AccessRank {
  if (change.is !== "roles") return "other";
  const { gains, loses, forAMoment } = privilegeChange(change, privileged);
  if (gains.length > 0) return "gains-privilege";
  if (forAMoment.length > 0) return "privilege-for-a-moment";
  if (loses.length > 0) return "loses-privilege";
  return losesRoles(change) ? "loses" : "other";
}

/** A key of which nobody knows what it had loses whatever is not asked for. */
function losesRoles({ loses, before, after }: RoleChange): boolean {
  return loses.length > 0 || (before.known === "not-known" && after === "exactly");
}

/** The account of each team that actions are about; of none where all of them are about one account. */
export function accountsToShow(actions: readonly Action[]): ReadonlyMap<TeamKey, string> {
  const byTeam = new Map(actions.flatMap(teamOf));
  const created = actions.flatMap((action) => (action.kind === "create-user" ? [action.account] : []));
  return new Set([...byTeam.values(), ...created]).size > 1 ? byTeam : new Map();
}

/** A change with the account of its team, where that is to be told. */
export function withTeamAccount(change: AccessChange, accounts: ReadonlyMap<TeamKey, string>): AccessChange {
  return accounts.size === 0 ? change : mapTeamLabel(change, (team) => addAccount(team, accounts));
}

/** The account of the most teams among those whose account is to be told. */
export function mostCommonAccount(accounts: ReadonlyMap<TeamKey, string>): string | undefined {
  const counts = new Map<string, number>();
  for (const account of accounts.values()) counts.set(account, (counts.get(account) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** A change whose team is told without its account where that is the one that goes without saying. */
export function withoutCommonAccount(change: AccessChange, usual: string | undefined): AccessChange {
  return mapTeamLabel(change, (team) => dropCommonAccount(team, usual));
}

function dropCommonAccount({ account, ...team }: TeamLabel, usual: string | undefined): TeamLabel {
  return account === undefined || account === usual ? team : { ...team, account };
}

function addAccount(team: TeamLabel, accounts: ReadonlyMap<TeamKey, string>): TeamLabel {
  const account = accounts.get(team.team);
  return account === undefined ? team : { ...team, account };
}

function teamOf(action: Action): readonly (readonly [TeamKey, string])[] {
  switch (action.kind) {
    case "create-user":
      return action.founds === undefined ? [] : [[action.founds.team, action.account]];
    case "add-members":
      return [accountOf(action.team)];
    case "replace-roles":
      return action.key.of === "own-key" || action.key.team === undefined ? [] : [accountOf(action.key.team)];
  }
}

function accountOf({ team, account }: TeamRef): readonly [TeamKey, string] {
  return [team, account];
}

/** The identifier of each team that shares its name with another one of its account that actions are about. */
export function identifiersToShow(actions: readonly Action[]): ReadonlyMap<TeamKey, string> {
  const teams = new Map(actions.flatMap(teamsOf).map((team) => [team.team, team]));
  const named = new Map<TeamKey, number>();
  for (const team of teams.values()) named.set(plainKey(team), (named.get(plainKey(team)) ?? 0) + 1);
  return new Map(
    [...teams.values()].flatMap((team) => {
      const identifier = factValue(team.identifier);
      const isTwin = (named.get(plainKey(team)) ?? 0) > 1;
      return isTwin && identifier !== undefined ? [[team.team, identifier] as const] : [];
    }),
  );
}

/** A change with the identifier of its team, where that is to be told. */
export function withTeamIdentifier(change: AccessChange, identifiers: ReadonlyMap<TeamKey, string>): AccessChange {
  return identifiers.size === 0 ? change : mapTeamLabel(change, (team) => addIdentifier(team, identifiers));
}

function addIdentifier(team: TeamLabel, identifiers: ReadonlyMap<TeamKey, string>): TeamLabel {
  const identifier = identifiers.get(team.team);
  return identifier === undefined ? team : { ...team, identifier };
}

function plainKey({ account, name }: TeamRef): TeamKey {
  return teamKeyOf(account, name);
}

/** Of a team that the plan founds nobody knows an identifier, and no other has its name. */
function teamsOf(action: Action): readonly TeamRef[] {
  switch (action.kind) {
    case "create-user":
      return [];
    case "add-members":
      return [action.team];
    case "replace-roles":
      return action.key.of === "own-key" || action.key.team === undefined ? [] : [action.key.team];
  }
}

/** A change with its team named in another way; as it is where it is about none. */
function mapTeamLabel(change: AccessChange, naming: (team: TeamLabel) => TeamLabel): AccessChange {
  if (change.is === "account") return change;
  if (change.is === "membership") return { ...change, team: naming(change.team) };
  const { key } = change;
  return key.of === "team-key" ? { ...change, key: { ...key, team: naming(key.team) } } : change;
}
