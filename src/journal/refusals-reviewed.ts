import type { FoldedAddress } from "../model/address.ts";
import type { RefusalsReviewed } from "../model/event.ts";
import {
  additionRefusalFacts,
  creationRefusalFacts,
  type RecordedRefusal,
  type RefusedPart,
  refusalKeyOf,
  roleRefusalFacts,
} from "../model/refusal.ts";
import { type RoleSet, sameRoles } from "../model/role-set.ts";
import type { Roster, RosterTeam } from "../model/roster.ts";
import { accountStatus, type ObservedKey, type ObservedUser, type Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { membershipKeyOf, shownTeamKey, type TeamKey } from "../model/team.ts";

type RefusedPartOf<Of extends RefusedPart["of"]> = Extract<RefusedPart, { readonly of: Of }>;

interface ReviewContext {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly teams: ReadonlyMap<TeamKey, RosterTeam>;
  /** Without addresses that two users share, and without deleted users. */
  readonly users: ReadonlyMap<FoldedAddress, ObservedUser>;
  readonly keys: ReadonlyMap<string, { readonly holder: ObservedUser; readonly key: ObservedKey }>;
}

/**
 * Which remembered refusals are over, because the roster does not ask for them any more or has what it asked for; and
 * what was seen for the first time of those whom the others are about. Undefined where there is nothing of either.
 */
export function refusalsReviewed(
  roster: Roster,
  snapshot: Snapshot,
  state: State,
  { at, digest }: { readonly at: string; readonly digest: (text: string) => string },
): RefusalsReviewed | undefined {
  if (state.refusals.size === 0) return undefined;
  const ground = buildReviewContext(roster, snapshot, state);
  const refusals = [...state.refusals.values()];
  const over = refusals.filter(({ part }) => isOver(part, ground));
  const unseen = refusals.filter((one) => one.request.facts === undefined && !over.includes(one));
  const seen = unseen.flatMap((refusal) => {
    const facts = currentFacts(refusal, ground);
    return facts === undefined ? [] : [{ refusal: refusalKeyOf(refusal.part), facts: digest(facts).slice(0, 16) }];
  });
  if (over.length + seen.length === 0) return undefined;
  return { type: "refusals-reviewed", at, over: over.map(({ part }) => refusalKeyOf(part)), seen };
}

function buildReviewContext(roster: Roster, snapshot: Snapshot, state: State): ReviewContext {
  const users = new Map<FoldedAddress, ObservedUser>();
  const shared = new Set<FoldedAddress>();
  for (const user of snapshot.users) {
    if (users.has(user.address)) shared.add(user.address);
    if (accountStatus(user.status) !== "deleted") users.set(user.address, user);
  }
  for (const address of shared) users.delete(address);
  return {
    roster,
    snapshot,
    state,
    teams: new Map(roster.teams.map((team) => [team.key, team])),
    users,
    keys: new Map(
      snapshot.users.flatMap((holder) => (holder.keys ?? []).map((key) => [key.prefix, { holder, key }] as const)),
    ),
  };
}

function isOver(part: RefusedPart, ground: ReviewContext): boolean {
  switch (part.of) {
    case "creation":
      return !ground.roster.users.has(part.address) || ground.users.has(part.address);
    case "founding":
      return isOverForFounder(part, ground);
    case "addition":
      return isOverForMember(part, ground);
    case "roles":
      return isOverForKey(part, ground);
  }
}

function isOverForFounder(
  { address, team }: RefusedPartOf<"founding">,
  { teams, users, state }: ReviewContext,
): boolean {
  const wanted = teams.get(team);
  const isThere = wanted?.identifier !== undefined || state.teams.has(team) || users.has(address);
  return isThere || wanted === undefined || !hasMember(wanted, address);
}

function isOverForMember(part: RefusedPartOf<"addition">, { teams, users, state }: ReviewContext): boolean {
  const { address, team, name, identifier } = part;
  const wanted = teams.get(team);
  if (wanted === undefined || !hasMember(wanted, address)) return true;
  if (state.memberships.has(membershipKeyOf(team, address))) return true;
  const user = users.get(address);
  return user !== undefined && shownTeamKey(user, { team, name, identifier }).is === "shown";
}

function isOverForKey({ prefix, roles, owner }: RefusedPartOf<"roles">, { roster, keys }: ReviewContext): boolean {
  const shown = keys.get(prefix)?.key.roles;
  if (shown !== undefined && sameRoles(shown, roles)) return true;
  const asks = (wanted: RoleSet | undefined) => wanted !== undefined && sameRoles(wanted, roles);
  if (roster.keys.some((key) => key.prefix === prefix && asks(key.roles))) return false;
  if (roles.length === 0 && mayLoseRoles(prefix, owner, { roster, keys })) return false;
  if (owner === undefined) return true;
  if (asks(roster.users.get(owner)?.ownKeyRoles?.value)) return false;
  const places = roster.teams.flatMap(({ members }) => members.filter(({ address }) => address === owner));
  return !places.some((member) => asks(member.roles));
}

/** A leaver has no roles on any key, nor has a member too many where a team says so. */
function mayLoseRoles(
  prefix: string,
  owner: FoldedAddress | undefined,
  { roster, keys }: Pick<ReviewContext, "roster" | "keys">,
): boolean {
  if (owner !== undefined && roster.leavers.has(owner)) return true;
  const { team } = keys.get(prefix)?.key ?? {};
  return team !== undefined && team !== "none" && roster.teams.some(({ onRemoval }) => onRemoval === "disarm");
}

function hasMember({ members }: RosterTeam, address: FoldedAddress): boolean {
  return members.some((member) => member.address === address);
}

/** Undefined where they are not there to be seen. */
function currentFacts({ part }: RecordedRefusal, { snapshot, users, keys, teams }: ReviewContext): string | undefined {
  switch (part.of) {
    case "creation":
      return creationRefusalFacts(snapshot.accounts.get(part.account));
    case "founding": {
      const admin = teams.get(part.team)?.admin?.value;
      const account = snapshot.accounts.get(part.account);
      if (admin === undefined || admin === part.address) return creationRefusalFacts(account);
      const shown = users.get(admin);
      return shown === undefined ? undefined : creationRefusalFacts(account, shown);
    }
    case "addition": {
      const user = users.get(part.address);
      return user === undefined ? undefined : additionRefusalFacts(user);
    }
    case "roles": {
      const held = keys.get(part.prefix);
      const holder = held?.holder ?? (part.owner === undefined ? undefined : users.get(part.owner));
      return roleRefusalFacts(part.roles, { roles: snapshot.roles, holder, key: held?.key });
    }
  }
}
