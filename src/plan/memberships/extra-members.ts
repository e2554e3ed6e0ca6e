import type { Action } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { factValue, isSameReason, type Reason, recorded } from "../../model/fact.ts";
import { createFinding, type Finding } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import { formatRoles, roleSet } from "../../model/role-set.ts";
import { type RosterTeam, removalReason, removesRoles } from "../../model/roster.ts";
import { accountStatus, type ObservedUser } from "../../model/snapshot.ts";
import type { RecordedMembership } from "../../model/state.ts";
import { formatSubject, memberSubject, observedBasis } from "../../model/subject.ts";
import type { TeamKey } from "../../model/team.ts";
import type { PlanContext } from "../context.ts";
import type { FindingDraft } from "../finding-draft.ts";
import {
  type KnownKey,
  type KnownTeam,
  knownKey,
  shownRef,
  showsTeam,
  type TeamIdentities,
  type UnidentifiedTeam,
} from "../identities.ts";
import type { KnownKeyUpdate } from "../keys/desired-roles.ts";
import { observedAccount, type UserKey } from "../snapshot-index.ts";

/** Somebody that a key shows as a member of a team that does not name them. */
interface ExtraMember extends UserKey {
  readonly identity: KnownTeam | UnidentifiedTeam;
}

/** Holders of a team's keys that the roster does not name as its members. Leavers have findings of their own. */
export function listExtraMembers(teams: TeamIdentities, context: PlanContext): readonly ExtraMember[] {
  const isMember = membershipTest(context);
  return [...teams.values()].flatMap((identity) => {
    if (identity.is !== "known" && identity.is !== "unidentified") return [];
    const { open, ended } = identity.team;
    if (open && ended === undefined) return [];
    return teamKeyHolders(identity, context)
      .filter(({ holder }) => !isMember(identity, holder.address) && !context.roster.leavers.has(holder.address))
      .filter(({ holder }) => !open || ended?.has(holder.address) === true)
      .map((held) => ({ identity, ...held }));
  });
}

/** Whether the roster names somebody as a member. People that the service still knows under a former address count as who they are now. */
function membershipTest({
  roster,
}: PlanContext): (identity: KnownTeam | UnidentifiedTeam, address: EmailKey) => boolean {
  const later = new Map<EmailKey, EmailKey>();
  for (const { address, previously } of roster.users.values())
    for (const { value } of previously) later.set(value, address);
  const named = new Map<TeamKey, ReadonlySet<EmailKey>>();
  const membersOf = ({ key, members }: RosterTeam) => {
    const known = named.get(key) ?? new Set(members.map(({ address }) => address));
    named.set(key, known);
    return known;
  };
  return ({ team }, address) => {
    const members = membersOf(team);
    return members.has(address) || members.has(later.get(address) ?? address);
  };
}

/** No call removes a member. */
export function findExtraMembers(extra: readonly ExtraMember[], { state }: PlanContext): readonly FindingDraft[] {
  return extra.map((one) => {
    const { team } = one.identity;
    const until = team.ended?.get(one.holder.address)?.value;
    if (removalReason(team, one.holder.address) === undefined) return extraMemberFinding(one, advice);
    if (one.key.roles?.length === 0)
      return memberWithoutRolesFinding(one, until === undefined ? revoked : ended(until));
    const isEmptied = state.keys.get(one.key.prefix)?.put.length === 0;
    const next = until === undefined ? toBeDisarmed : ending(until);
    return extraMemberFinding(one, isEmptied ? formatKeptRoles(one) : next);
  });
}

/** The plan once a run has done its part: an extra member whose team key has lost its roles meanwhile blocks no more. */
export function withDisarmedMembers(plan: Plan, isEmptied: (prefix: string) => boolean): Plan {
  const removals = plan.actions.flatMap(removalBy).filter(({ prefix }) => isEmptied(prefix));
  if (removals.length === 0) return plan;
  const findings = plan.findings.map((finding) => {
    const prefix = removals.find((removal) => isAbout(finding, removal))?.prefix;
    if (prefix === undefined) return finding;
    const { subject, because, restsOn, ownership } = finding;
    const message = `roster removed the roles of key ${prefix} of the ${formatSubject(subject)}. ${revoked}`;
    const left = { code: "extra-member", notice: true, subject, message, because, restsOn } as const;
    return createFinding(ownership === undefined ? left : { ...left, ownership });
  });
  return { ...plan, findings };
}

/** An action that takes the roles of the team key of an extra member. */
interface Removal {
  readonly prefix: string;
  readonly address: EmailKey;
  readonly because: readonly Reason[];
}

function removalBy(action: Action): readonly Removal[] {
  if (action.kind !== "replace-roles" || action.rule !== "extra-member-roles-removed" || action.key.of !== "prefix")
    return [];
  const prefix = factValue(action.key.prefix);
  const address = action.owner?.address;
  return prefix === undefined || address === undefined ? [] : [{ prefix, address, because: action.because }];
}

/** Both say in which team, by its entry in the roster. */
function isAbout({ code, blocking, subject, because }: Finding, removal: Removal): boolean {
  if (code !== "extra-member" || !blocking || subject.kind !== "member" || subject.address !== removal.address)
    return false;
  return because.some((entry) => removal.because.some((link) => isSameReason(link, entry)));
}

function memberByKey(prefix: string): string {
  return `member by key ${prefix}`;
}

function teamKeyHolders(identity: KnownTeam | UnidentifiedTeam, { facts }: PlanContext): readonly UserKey[] {
  const named = [...identity.names].flatMap((name) => facts.byTeamName.get(name) ?? []);
  const identified = identity.is === "known" ? (facts.byTeamIdentifier.get(identity.identifier) ?? []) : [];
  const holders = new Map<ObservedUser, UserKey>();
  for (const held of [...identified, ...named]) {
    if (showsTeam(held.key, identity) !== "yes" || holders.has(held.holder) || !grantsAccess(held)) continue;
    const account = observedAccount(held.holder, facts);
    const isElsewhere =
      held.key.team !== "none" &&
      held.key.team?.identifier === undefined &&
      account !== undefined &&
      account !== identity.team.account;
    if (!isElsewhere) holders.set(held.holder, held);
  }
  return [...holders.values()];
}

/** A person that the service bars, and a key that it has switched off, have no access that a roster could deny. */
function grantsAccess({ holder, key }: UserKey): boolean {
  const word = accountStatus(holder.status);
  return word !== "barred" && word !== "deleted" && accountStatus(key.status) !== "barred";
}

const advice =
  "The API cannot remove members. Remove them in the service, or add them to the roster. `open: true` allows extra members.";

const toBeDisarmed =
  "The team has `onRemoval: revoke`, so apply removes the roles of this key. The API cannot remove members. Remove them in the service, or add them to the roster.";

const revoked =
  "The key has no roles, because the team has `onRemoval: revoke`. The API cannot remove members. To hide this notice, remove the member in the service.";

function ending(until: string): string {
  return `Their membership ended on ${until}, so apply removes the roles of this key. The API cannot remove members. Remove them in the service.`;
}

function ended(until: string): string {
  return `The key has no roles, because the membership ended on ${until}. The API cannot remove members. To hide this notice, remove the member in the service.`;
}

function formatKeptRoles({ key: { roles } }: ExtraMember): string {
  const kept = roles === undefined ? "the service does not show its roles now" : `it still has ${roles.join(", ")}`;
  return `roster removed the roles of this key, but ${kept}. The API cannot remove members. Remove them in the service, or add them to the roster.`;
}

/** Nothing is left to them but the place. */
function memberWithoutRolesFinding({ key: { roles: _, ...key }, ...one }: ExtraMember, rest: string): FindingDraft {
  return { ...extraMemberFinding({ ...one, key }, rest), notice: true };
}

function extraMemberFinding({ identity: { team }, holder, key }: ExtraMember, rest: string): FindingDraft {
  const subject = memberSubject(holder.address, team.key);
  return {
    code: "extra-member",
    subject,
    ...(key.roles === undefined ? {} : { roles: key.roles }),
    message: `${holder.email} has the key ${key.prefix} of ${team.name}${formatKeyRoles(key)}, but is not a member in the roster${formatStart(team, holder.address)}. ${rest}`,
    because: team.because.slice(0, 1),
    restsOn: [observedBasis(subject, memberByKey(key.prefix), holder.by)],
    concerns: [{ address: holder.address, team: team.key }],
  };
}

function formatStart({ upcoming }: RosterTeam, address: EmailKey): string {
  const from = upcoming?.get(address)?.value;
  return from === undefined ? "" : ` before ${from}`;
}

/** What can be done with the key, where that is shown. */
function formatKeyRoles({ roles }: ExtraMember["key"]): string {
  return roles === undefined ? "" : ` with ${formatRoles(roles)}`;
}

/** No roles on the key of a member too many, where the team says so; by record where the service does not show keys. */
export function desiredRemovalRoles(
  extra: readonly ExtraMember[],
  teams: TeamIdentities,
  context: PlanContext,
): readonly KnownKeyUpdate[] {
  const shown = extra
    .filter(({ identity, holder }) => removalReason(identity.team, holder.address) !== undefined)
    .map(({ identity, holder, key }) => removalUpdate(identity, holder, knownKey(key, holder)));
  return [...shown, ...recordedRemovals(teams, context)];
}

function recordedRemovals(teams: TeamIdentities, context: PlanContext): readonly KnownKeyUpdate[] {
  const isMember = membershipTest(context);
  return [...teams.values()].flatMap((identity) => {
    if (identity.is !== "known" && identity.is !== "unidentified") return [];
    if (!removesRoles(identity.team)) return [];
    const held = [...context.state.memberships.values()].filter(({ team }) => identity.recordKeys.includes(team));
    return held.flatMap((record) => {
      const { address, prefix, at } = record;
      const holder = holderWithoutKeys(record, context);
      if (prefix === undefined || holder === undefined || isMember(identity, address)) return [];
      if (removalReason(identity.team, address) === undefined) return [];
      return [removalUpdate(identity, holder, { prefix: recorded(prefix, at), value: prefix })];
    });
  });
}

/** The recorded member, where the service shows them without their keys, and lets them in. */
function holderWithoutKeys({ address, prefix }: RecordedMembership, context: PlanContext): ObservedUser | undefined {
  const { facts, state, roster } = context;
  const [user, another] = facts.people.get(address) ?? [];
  if (user === undefined || another !== undefined || user.keys !== undefined || roster.leavers.has(address))
    return undefined;
  const known = state.users.get(address)?.identifier;
  const isAnother = known !== undefined && user.identifier !== undefined && known !== user.identifier;
  const isAnothers = prefix !== undefined && facts.keyPrefixed(prefix) !== undefined;
  const word = accountStatus(user.status);
  return isAnother || isAnothers || word === "barred" || word === "deleted" ? undefined : user;
}

function removalUpdate(
  { team, ...identity }: KnownTeam | UnidentifiedTeam,
  holder: ObservedUser,
  key: KnownKey,
): KnownKeyUpdate {
  return {
    is: "known",
    asks: "removal",
    roles: roleSet([]),
    key,
    holder: shownRef(holder),
    because: removalReasons(team, holder.address),
    concern: { address: holder.address, team: team.key },
    ...(identity.is === "known" ? { team: identity.ref } : {}),
  };
}

/** The `until` or the `onRemoval`, where it is written, and the team. */
function removalReasons(team: RosterTeam, address: EmailKey): readonly Reason[] {
  const [own] = team.because;
  const reason = removalReason(team, address);
  return [...(reason === undefined || reason === own ? [] : [reason]), ...team.because.slice(0, 1)];
}
