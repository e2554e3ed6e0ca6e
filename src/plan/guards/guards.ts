import { type FindingTexts, joinList, messageOf, say, truncateList, yamlScalar } from "../../codes/message.ts";
import { type EmailKey, isLongerThan, isWithinOneEdit, localPartOf, maxNameLength } from "../../model/address.ts";
import { byCodeUnit, groupBy, latest, multimap } from "../../model/collections.ts";
import {
  type Basis,
  declared,
  distinctReasons,
  factValue,
  formatSubject,
  keySubject,
  namesIn,
  type Subject,
  teamSubject,
  userSubject,
} from "../../model/fact.ts";
import { isDeleted, shownTeam } from "../../model/key.ts";
import {
  type Action,
  type CreateUser,
  lostRoles,
  type NamesInCalls,
  peopleOf,
  prefixOf,
  type ReplaceRoles,
} from "../../model/plan.ts";
import type { GuardSettings, LocatedSetting } from "../../model/policy.ts";
import { knownAddresses, type Roster } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import { type DesiredTeam, type MembershipKey, membershipKeyOf, teamKeyOf } from "../../model/team.ts";
import type { ObservedUser } from "../../model/user.ts";
import { formatRoles, type RoleSet, roleSet, rolesWithout, type TeamKey } from "../../model/values.ts";
import type { PruneTarget } from "../actions.ts";
import { type FindingDraft, type PlanContext, roleLines } from "../context.ts";
import type { TeamIdentities } from "../identify-teams.ts";
import { unreleasedUsers } from "../identify-users.ts";
import { holdsAny, rolesByUser } from "../roles-before-after.ts";
import { observedAccount, observedBasis, recordedBasis } from "../snapshot-index.ts";

export interface GuardInput extends NamesInCalls {
  readonly context: PlanContext;
  /** Holds see every action that is asked for, stops those that would be done, in the same order. */
  readonly actions: readonly Action[];
  readonly identities: TeamIdentities;
  /** The prefixes of the keys whose roles the roster manages, and of which it is known what they carry. */
  readonly knownKeys: ReadonlySet<string>;
}

export interface Hold
  extends Pick<FindingDraft, "subject" | "roles" | "message" | "allowAt" | "because" | "restsOn" | "suggestedYaml"> {
  readonly blocks: readonly HoldTarget[];
  /** What an allowance of it covers. Empty where nobody can allow it. */
  readonly facts: readonly string[];
}

/** What a hold blocks. People and teams that are not there yet are left out before first members are chosen. */
type HoldTarget =
  | { readonly of: "person"; readonly address: EmailKey }
  | { readonly of: "team"; readonly team: TeamKey }
  | { readonly of: "privilege"; readonly place: MembershipKey }
  | ({ readonly of: "part" } & Omit<PruneTarget<unknown>, "cause">);

/** What a hold blocks of one action. */
interface BlockedPart {
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

/**
 * Protects from inviting strangers, be it by a slip of the hand in a domain: nobody of another domain is created or added to
 * a team. Off until domains are set; both spellings of an international domain are one, and a domain does not stand for
 * those below it. Can be allowed for one person.
 */
export function allowedEmailDomains({ context, actions }: GuardInput): readonly Hold[] {
  const { guards } = context.policy;
  const { allowedEmailDomains: domains } = guards;
  if (domains === undefined) return [];
  const strangers = actions.flatMap((action) =>
    invitedBy(action)
      .filter((address) => !domains.includes(domainOf(address)))
      .map((address) => [address, blockedPart(address, action, callFacts(action, context, address))] as const),
  );
  const setting = settingBasis("guards.allowed-email-domains", joinList(domains), guards);
  return [...multimap(strangers)].map(([address, blocked]) => {
    const user = context.roster.users.get(address);
    const isCreated = blocked.some(({ target }) => target.of === "person");
    const parts = { email: user?.email ?? address, domain: domainOf(address), allowed: domains };
    const texts = say(isCreated ? "allowed-email-domains/created" : "allowed-email-domains/added", parts);
    return { ...holdOn(userSubject(address), blocked, setting, texts), because: user?.because.slice(0, 1) ?? [] };
  });
}

function domainOf(address: EmailKey): string {
  const at = address.lastIndexOf("@");
  return at < 0 ? "" : address.slice(at + 1);
}

/**
 * Protects from a second account for somebody who is there: a person of the same name, with the same local part or one edit
 * apart, whom the roster does not name or names as a leaver; under whatever address where the roster has just dropped that person,
 * who has then most likely got another one. `distinctFrom` in the roster ends it.
 */
export function nearDuplicate({ context, actions }: GuardInput): readonly Hold[] {
  const { roster, snapshot, policy, names } = context;
  const created = actions.filter((action) => action.kind === "create-user");
  if (policy.guards.nearDuplicate === "off" || created.length === 0) return [];
  const others = groupBy(
    snapshot.users.filter((user) => names().userAt(user.address) === undefined && !isDeleted(user)),
    ({ firstName, lastName }) => foldPersonName(firstName, lastName),
  );
  const dropped = new Set(unreleasedUsers(context).map(({ address }) => address));
  return created.flatMap((creation): Hold | [] => {
    const { address, user } = creation;
    const apart = (roster.users.get(address)?.distinctFrom ?? []).map(({ value }) => value);
    const near = (others.get(foldPersonName(user.firstName, user.lastName) ?? "") ?? [])
      .filter((other) => !apart.includes(other.address))
      .filter((one) => dropped.has(one.address) || isWithinOneEdit(localPartOf(address), localPartOf(one.address)))
      .sort((a, b) => byCodeUnit(a.address, b.address));
    if (near.length === 0) return [];
    const moved = near.filter((one) => dropped.has(one.address));
    const formerly = ({ address: other, email }: ObservedUser) => {
      if (roster.leavers.has(other)) return `${email} is a leaver`;
      return dropped.has(other) ? `The roster no longer has ${email}` : `The roster does not have ${email}`;
    };
    const texts = say("near-duplicate", {
      email: user.email,
      name: `${user.firstName} ${user.lastName}`,
      nearness: moved.length === near.length ? undefined : "similar",
      count: near.length,
      others: near.map(({ email }) => email).sort(),
      formerly: near.map(formerly).join(". "),
      one: (near.length === 1 ? near : moved).find(({ address: other }) => !roster.leavers.has(other))?.email,
    });
    // A person who may only have got another address loses no roles meanwhile, as by `onRemoval: revoke`.
    const kept = actions.filter(
      (one) => one.kind === "replace-roles" && moved.some(({ address: other }) => other === one.key.address),
    );
    return {
      subject: userSubject(address),
      ...texts,
      because: creation.because.slice(0, 1),
      restsOn: near.map((one) => observedBasis(userSubject(one.address), "present", one.by)),
      blocks: [{ of: "person", address }, ...kept.map(({ id }) => ({ of: "part", action: id }) as const)],
      facts: near.map((one) => `near ${one.address}${one.identifier === undefined ? "" : ` (${one.identifier})`}`),
    };
  });
}

/**
 * A person's name for comparison: decomposed, without marks such as accents, in lower case, without regard to runs of white
 * space. Letters that are letters of their own, such as ø, ł or ß, stay what they are. Undefined where nothing is left, and of
 * a name that no roster can have.
 */
export function foldPersonName(firstName = "", lastName = ""): string | undefined {
  if (isLongerThan(maxNameLength, firstName) || isLongerThan(maxNameLength, lastName)) return undefined;
  const whole = `${firstName} ${lastName}`.normalize("NFKD").replace(/\p{M}+/gu, "");
  const folded = whole.toLowerCase().trim().replace(/\s+/gu, " ");
  return folded === "" ? undefined : folded;
}

interface PrivilegeGain extends BlockedPart {
  /** The person, or the key where nobody is known to hold it. */
  readonly subject: Subject;
  readonly who: string;
  readonly roles: RoleSet;
  /** Such as `on the new key in Red`. */
  readonly how: string;
}

/**
 * Protects from giving anybody the power over others in passing: on a key that is given roles, or on one that the creation of a
 * team gives, be it for a moment alone. A person who holds such a role on any key already does not gain it. Who holds a key is
 * what reads show or records say: the roster's word alone makes nobody its holder.
 */
export function privilegedRoles({ context, actions, ...names }: GuardInput): readonly Hold[] {
  const { guards } = context.policy;
  const { privilegedRoles: settings } = guards;
  if (settings === "off") return [];
  const gains = actions.flatMap((action) => {
    if (action.kind === "create-user") return gainByTeamCreation(action, settings.roles, context);
    return action.kind === "replace-roles" ? gainByRoles(action, settings.roles, context, names) : [];
  });
  const setting = settingBasis("guards.privileged-roles", joinList(settings.roles), guards);
  // One hold for each person, however many keys it is about.
  const held = gains.filter(({ subject }) => !settings.people.some((one) => one === namesIn(subject).address));
  return [...groupBy(held, ({ subject }) => formatSubject(subject)).values()].map((group) => {
    const [{ subject, who }] = group;
    const roles = roleSet(group.flatMap((gain) => gain.roles));
    const where = [...new Set(group.map(({ how }) => how))];
    const begins = subject.kind === "user" ? who : who.replace(/^the/u, "The");
    const texts = say("privileged-roles", { who: begins, holder: who, roles, where });
    const hold = holdOn(subject, group, setting, texts);
    const asking = distinctReasons(group.flatMap(({ action }) => action.because));
    return { ...hold, because: distinctReasons([...roleLines(asking, roles, context), ...hold.because]), roles };
  });
}

/** What the first member's key is created with: as wanted, or for a moment because the service has nothing harmless. */
function gainByTeamCreation(action: CreateUser, privileged: RoleSet, context: PlanContext): readonly PrivilegeGain[] {
  const { address, user, createsTeam } = action;
  const roles = (createsTeam?.accessKeyRoles ?? []).filter((role) => privileged.includes(role));
  if (createsTeam === undefined || roles.length === 0) return [];
  const { team, name, temporaryRoles } = createsTeam;
  const isTemporary = roles.every((role) => temporaryRoles.includes(role));
  const what = isTemporary ? `${joinList(roles)} for a short time` : joinList(roles);
  return [
    {
      action,
      subject: userSubject(address),
      who: user.email,
      roles,
      how: `on the new key in ${name}${isTemporary ? " for a short time" : ""}`,
      target: isTemporary ? { of: "team", team } : { of: "privilege", place: membershipKeyOf(team, address) },
      facts: [teamKeyFact(what, address, team, context)],
    },
  ];
}

function gainByRoles(
  action: ReplaceRoles,
  privileged: RoleSet,
  context: PlanContext,
  names: NamesInCalls,
): readonly PrivilegeGain[] {
  const { id, key, before } = action;
  const asked = action.roles.filter((role) => privileged.includes(role));
  if (asked.length === 0) return [];
  const address = knownHolder(action, context);
  const held = address === undefined ? [] : rolesHeldBy(address, context);
  const roles = rolesWithout(asked, [...(factValue(before) ?? []), ...held]);
  if (roles.length === 0) return [];
  const email = key.address && names.users.get(key.address)?.email;
  const blocked = blockedPart(undefined, action, [rolesFact(joinList(roles), action, context)]);
  const gain = { ...blocked, roles, how: `on ${nameOfKey(action, names)}` };
  if (address !== undefined) return [{ ...gain, subject: userSubject(address), who: email ?? address }];
  const prefix = prefixOf(action) ?? id;
  const claim = email === undefined ? "" : ` (only the roster says that this is ${email})`;
  return [{ ...gain, subject: keySubject(prefix), who: `the holder of the key ${prefix}${claim}` }];
}

/** The holder by reads and records: undefined where only the roster names one. */
function knownHolder({ key }: ReplaceRoles, context: PlanContext): EmailKey | undefined {
  if (key.of !== "prefix" || (key.address !== undefined && key.prefix.known !== "declared")) return key.address;
  return holdersOf(key.prefix.value, context)[0];
}

function rolesHeldBy(address: EmailKey, { facts }: PlanContext): RoleSet {
  const keys = (facts.people.get(address) ?? []).flatMap((user) => user.keys ?? []);
  return keys.flatMap((key) => (isDeleted(key) ? [] : (key.roles ?? [])));
}

/**
 * Protects the key in use: without the roles by which it may do anything, no call after that could succeed, and no run
 * could give them back. Always on; nobody can allow it.
 */
export function ownKey({ context, actions }: GuardInput): readonly Hold[] {
  const { keyInUse, policy } = context;
  if (keyInUse === undefined) return [];
  return actions.flatMap((action): readonly Hold[] => {
    if (action.kind !== "replace-roles" || prefixOf(action) !== keyInUse) return [];
    const lost = lostRoles(action, policy.privilegedRoles);
    if (lost.length === 0) return [];
    const texts = say("own-key", { prefix: keyInUse, roles: formatRoles(action.roles), lost });
    const hold = holdOn(keySubject(keyInUse), [blockedPart(undefined, action, [])], [], texts);
    return [{ ...hold, roles: roleSet([...action.roles, ...lost]), because: action.because }];
  });
}

/**
 * Protects the people and keys of the settings' `protect`, such as the account of a last resort. That they are named as a new
 * team's administrator changes nothing about them. Nobody is protected until set; nobody can allow it.
 */
export function protectedResources({ context, actions, teams }: GuardInput): readonly Hold[] {
  const { guards } = context.policy;
  const hold = (subject: Subject, name: string, blocked: readonly BlockedPart[]): readonly Hold[] => {
    if (blocked.length === 0) return [];
    const numbered = (nth: number) => (blocked.length === 1 ? "" : `(${nth + 1}) `);
    const actions = blocked.map(({ action }, nth) => `${numbered(nth)}${describeAction(action, teams)}`);
    const texts = say("protected", { name, count: actions.length, actions });
    return [holdOn(subject, blocked, settingBasis("protect", name, guards), texts)];
  };
  const ofUser = (address: EmailKey) =>
    actions
      .filter((action) => invitedBy(action).includes(address) || isHolder(address, action, context))
      .map((action) => blockedPart(address, action, []));
  const ofKey = (prefix: string) =>
    actions
      .filter((action) => action.kind === "replace-roles" && prefixOf(action) === prefix)
      .map((action) => blockedPart(undefined, action, []));
  return [
    ...guards.protect.users.flatMap((address) => hold(userSubject(address), address, ofUser(address))),
    ...guards.protect.keys.flatMap((prefix) => hold(keySubject(prefix), `the key ${prefix}`, ofKey(prefix))),
  ];
}

/** According to the roster, the service or our records. */
function isHolder(address: EmailKey, action: Action, context: PlanContext): boolean {
  if (action.kind !== "replace-roles") return false;
  return action.key.address === address || holdersOf(prefixOf(action) ?? "", context).includes(address);
}

function describeAction(action: Action, teams: NamesInCalls["teams"]): string {
  switch (action.kind) {
    case "create-user":
      return "create the user";
    case "add-members":
      return `invite the user to team ${teams.get(action.team)?.name ?? action.team}`;
    case "replace-roles": {
      const had = factValue(action.before);
      const from = had === undefined ? "" : `from [${had.join(", ")}] `;
      return `change the roles of ${nameOfKey(action, { teams })} ${from}to [${action.roles.join(", ")}]`;
    }
  }
}

/**
 * Protects from creating a team again under a new name: no team is created whose members are mostly those of a team that our
 * records know, or the service shows, and that the roster has no more. `previously` or `identifier` in the roster ends it.
 */
export function renamedTeam({ context, actions, identities: teams }: GuardInput): readonly Hold[] {
  const created = actions.flatMap((action) => {
    const key = action.kind === "create-user" ? action.createsTeam?.team : undefined;
    return key === undefined ? [] : (teams.get(key)?.team ?? []);
  });
  if (created.length === 0) return [];
  const orphaned = findOrphanedTeams(context, teams);
  return created.flatMap((team) => {
    const likely = likelyRename(team, orphaned, context.roster);
    if (likely === undefined) return [];
    const { names, restsOn, facts } = likely;
    const about = { subject: teamSubject(team.key), because: team.because.slice(0, 1), restsOn, facts };
    return [{ ...say("renamed-team", names), ...about, blocks: [{ of: "team", team: team.key }] }];
  });
}

/** A team that is there, or was, and that no team of the roster is. */
export interface OrphanedTeam {
  readonly account: string;
  readonly name: string;
  readonly identifier?: string | undefined;
  readonly members: ReadonlySet<EmailKey>;
  readonly basis: Basis;
}

/**
 * Names the teams that one of the roster may be under a new name: they have at least two of its members, and at least half. Of a
 * team that only the service shows, half of those who are in it must be among them too, or else any company-wide team would look
 * renamed.
 */
export function likelyRename(team: DesiredTeam, orphaned: readonly OrphanedTeam[], roster: Roster) {
  const members = team.members.map(({ address }) => knownAddresses(address, roster));
  const alike = orphaned
    .filter(({ account }) => account === team.account)
    .map((one) => ({ ...one, both: members.filter((known) => known.some((each) => one.members.has(each))).length }))
    .filter(({ both }) => both >= 2 && both * 2 >= members.length)
    .filter(({ both, basis, members: all }) => basis.known === "recorded" || both * 2 >= all.size);
  if (alike.length === 0) return undefined;
  const ways = alike.flatMap(({ name, identifier }) => {
    const previously = `previously: [${yamlScalar(name)}]`;
    return identifier === undefined ? previously : [previously, `identifier: ${yamlScalar(identifier)}`];
  });
  return {
    names: {
      team: team.name,
      likely: alike.map(({ name, both }) => `${both} of its ${members.length} members are in ${name}`),
      old: alike.map(({ name }) => name),
      ways: ways.join(" # or "),
    },
    restsOn: alike.map(({ basis }) => basis),
    facts: alike.map(
      ({ name, identifier }) => `like ${JSON.stringify(name)}${identifier === undefined ? "" : ` (${identifier})`}`,
    ),
  };
}

/** Recorded teams first; a team that is shown as well is the recorded one, with those who are shown in it. */
export function findOrphanedTeams(context: PlanContext, teams: TeamIdentities): readonly OrphanedTeam[] {
  const { state } = context;
  const wanted = [...teams.values()];
  const keys = new Set(wanted.flatMap(({ recordKeys }) => recordKeys));
  const names = new Set(wanted.flatMap((one) => [...one.names].map((name) => teamKeyOf(one.team.account, name))));
  const identifiers = new Set(wanted.flatMap((one) => (one.is === "known" ? one.identifier : [])));
  const isIdentified = (identifier: string | undefined) => identifier !== undefined && identifiers.has(identifier);
  const shown = shownTeams(context).filter(({ account, name, identifier }) =>
    identifier === undefined ? !names.has(teamKeyOf(account, name)) : !isIdentified(identifier),
  );
  const recordedMembers = groupBy(state.memberships.values(), ({ team }) => team);
  const recorded = [...state.teams.values()]
    .filter(({ team, identifier }) => !keys.has(team) && !isIdentified(identifier))
    .sort((a, b) => byCodeUnit(a.team, b.team))
    .map(({ team, account, name, identifier, at }): OrphanedTeam => {
      const alsoShown = shown.filter((one) => isSameTeam(one, { account, name, identifier }));
      const inRecords = (recordedMembers.get(team) ?? []).map(({ address }) => address);
      const members = new Set([...inRecords, ...alsoShown.flatMap((one) => [...one.members])]);
      return { account, name, identifier, members, basis: recordedBasis(teamSubject(team), "present", at) };
    });
  return [...recorded, ...shown.filter((team) => !recorded.some((one) => isSameTeam(one, team)))];
}

function isSameTeam(one: OrphanedTeam, other: Omit<OrphanedTeam, "members" | "basis">): boolean {
  if (one.identifier !== undefined && one.identifier === other.identifier) return true;
  return teamKeyOf(one.account, one.name) === teamKeyOf(other.account, other.name);
}

/** The teams of keys that are not gone, in the order of their names. */
function shownTeams({ facts, roster, state }: PlanContext): readonly OrphanedTeam[] {
  const byName = [...facts.byTeamName].sort(([a], [b]) => byCodeUnit(a, b));
  const held = byName.flatMap(([folded, keys]) => {
    return keys.flatMap(({ holder, key }) => {
      const team = shownTeam(key);
      const { address } = holder;
      // Where the service does not show the accounts of users, the one that the roster or our records give them.
      const account =
        observedAccount(holder, facts) ?? roster.users.get(address)?.account ?? state.users.get(address)?.account;
      if (team?.name === undefined || account === undefined || isDeleted(key)) return [];
      const { name, identifier } = team;
      return [{ id: JSON.stringify([account, identifier ?? folded]), account, name, identifier, holder }];
    });
  });
  return [...groupBy(held, ({ id }) => id).values()].map((group) => {
    const [{ account, name, identifier, holder }] = group;
    const members = new Set(group.map((one) => one.holder.address));
    const basis = observedBasis(teamSubject(teamKeyOf(account, name)), "present", holder.by);
    return { account, name, identifier, members, basis };
  });
}

/**
 * Protects from creating a crowd by mistake: a wrong export, a merge that nobody read, the roster of another service.
 * Nobody who was created can be deleted. 100 people unless set.
 */
export function maxNewUsers({ context, actions }: GuardInput): Stop | undefined {
  const { maxNewUsers: most } = context.policy.guards;
  const created = actions.filter((action) => action.kind === "create-user");
  if (most === "off" || created.length <= most) return undefined;
  const emails = created.map(({ user }) => user.email);
  const message = messageOf("max-new-users", { count: created.length, most, emails });
  return { message, facts: created.flatMap((action) => callFacts(action, context)) };
}

/**
 * Protects from mailing a crowd by mistake: each person who is added to a team gets a mail, and none can be unsent.
 * 100 additions unless set, a person in two teams counting twice.
 */
export function maxInvitations({ context, actions, teams: names }: GuardInput): Stop | undefined {
  const { maxInvitations: most } = context.policy.guards;
  const teams = actions.flatMap((action) => (action.kind === "add-members" ? [action] : []));
  const mails = teams.reduce((sum, { members }) => sum + members.length, 0);
  if (most === "off" || mails <= most) return undefined;
  const named = teams.map(({ team, members }) => `${names.get(team)?.name ?? team} ${members.length}`);
  const message = messageOf("max-invitations", { count: mails, most, teams: named.length > 1 ? named : undefined });
  return { message, facts: teams.flatMap((action) => callFacts(action, context)) };
}

/**
 * Protects from revoking all roles of a company by mistake: a role set that was emptied, teams that were cut off a file. No more keys may
 * lose roles than a quarter of the managed keys whose roles are known, and ten in any case. Keys that our own runs created
 * and have not yet made exact do not count. Other numbers may be set.
 */
export function maxRoleRemovals({ context, actions, users, knownKeys }: GuardInput): Stop | undefined {
  const { maxRoleRemovals: settings } = context.policy.guards;
  if (settings === "off") return undefined;
  const fresh = freshKeys(context.state);
  const losing = actions.flatMap((action) => {
    if (action.kind !== "replace-roles") return [];
    const { key, before, roles } = action;
    const prefix = prefixOf(action);
    const email = key.address && users.get(key.address)?.email;
    const lost = rolesWithout(factValue(before) ?? [], roles);
    if (prefix === undefined || lost.length === 0 || fresh.has(prefix)) return [];
    const name = email === undefined ? `key ${prefix}` : `${email} (key ${prefix})`;
    const fact = `${prefix}: ${rolesFact(`remove ${JSON.stringify(lost)}`, action, context)}`;
    return [{ prefix, name, fact }];
  });
  const known = new Set([...knownKeys, ...losing.map(({ prefix }) => prefix)]);
  const counted = [...known].filter((prefix) => !fresh.has(prefix)).length;
  const most = Math.max(settings.floor, Math.floor(settings.ratio * counted));
  if (losing.length <= most) return undefined;
  const share = Math.round((losing.length / counted) * 100);
  const keys = losing.map(({ name }) => name);
  const message = messageOf("max-role-removals", { count: losing.length, all: counted, share, most, keys });
  return { message, facts: losing.map(({ fact }) => fact) };
}

/** Prefixes that our creations and additions gave, and that no replacement of ours has made exact yet; not those that were met. */
function freshKeys({ users, memberships, keys }: State): ReadonlySet<string> {
  const given = [
    ...[...users.values()].map(({ createdAt, key }) => (createdAt === undefined ? undefined : key)),
    ...[...memberships.values()].map(({ how, prefix }) => (how === "seen" ? undefined : prefix)),
  ];
  return new Set(given.filter((prefix) => prefix !== undefined).filter((prefix) => !keys.has(prefix)));
}

/**
 * Protects from running out of administrators. Counted are the active people that the plan reads, which is everybody with
 * `--unmanaged` and in `drift`. Off until set.
 */
export function minAdmins(input: GuardInput): Stop | undefined {
  const { minAdmins: settings } = input.context.policy.guards;
  if (settings === "off") return undefined;
  const { role, count } = settings;
  const people = [...rolesByUser(input.context, input)].sort(([a], [b]) => (a < b ? -1 : 1));
  const keep = people.filter(([, { after }]) => holdsAny(after, [role]) === "yes").map(([address]) => address);
  const lose = people
    .filter(([, { before, after }]) => holdsAny(before, [role]) === "yes" && holdsAny(after, [role]) !== "yes")
    .map(([address]) => address);
  if (lose.length === 0 || keep.length >= count) return undefined;
  const left = keep.length === 0 ? "none" : truncateList(keep);
  const { everyone } = input.context.snapshot;
  const unread = {
    complete: undefined,
    incomplete: "The list of users is incomplete.",
    "not-read": "roster did not read users outside the roster. To count them too, add `--unmanaged`.",
  }[everyone.read];
  const message = messageOf("min-admins", { role, lose, left, unread, least: count });
  return { message, facts: roleLossFacts(input, lose) };
}

/**
 * Protects the administrators that the settings name: no plan takes the last privileged role from one of them, nor may it
 * where the service does not show what their keys carry. Off until set.
 */
export function requiredAdmins(input: GuardInput): Stop | undefined {
  const { guards, privilegedRoles } = input.context.policy;
  if (guards.requiredAdmins.length === 0) return undefined;
  const held = rolesByUser(input.context, input);
  const lose = guards.requiredAdmins.filter((address) => {
    const { before, after } = held.get(address) ?? { before: [], after: [] };
    return holdsAny(before, privilegedRoles) !== "no" && holdsAny(after, privilegedRoles) === "no";
  });
  if (lose.length === 0) return undefined;
  const message = messageOf("required-admins", { lose });
  return { message, facts: roleLossFacts(input, lose) };
}

/**
 * Protects from a roster that was lost on its way, such as by a wrong path or a checkout that failed: no plan is made of a
 * roster without users while the state or the service knows people. Whom it names as leavers are not lost: a roster of keys or
 * leavers alone is none that lost its people, unless the last applied one or the state has others. Always on.
 */
export function emptyRoster({ context, actions }: GuardInput): Stop | undefined {
  const { roster, state, snapshot } = context;
  if (roster.users.size > 0) return undefined;
  const others = (known: ReadonlyMap<EmailKey, unknown>) =>
    [...known.keys()].filter((address) => !roster.leavers.has(address)).length;
  const isWithoutPeople = roster.leavers.size > 0 || (roster.keys.length > 0 && roster.teams.length === 0);
  const [found] = [
    { knower: "The last applied roster had", count: others(state.applied?.people ?? new Map()) },
    { knower: "The state has", count: others(state.users) },
    { knower: "The service shows", count: isWithoutPeople ? 0 : snapshot.users.length },
  ].filter(({ count }) => count > 0);
  if (found === undefined) return undefined;
  const message = messageOf("empty-roster", { ...found, except: roster.leavers.size > 0 ? "leavers" : undefined });
  return { message, facts: ["a roster without users", ...actions.flatMap((action) => callFacts(action, context))] };
}

/** The share of the roster's people of whom a plan need not know whether they are there. */
const maxUnprovenShare = 0.5;

/**
 * Protects from going by a service that shows a part of itself, such as with a key that sees one account of three. A person who is
 * neither shown nor proven to be absent is left alone in any case; where these are more than half of the roster's people,
 * what is left of the plan is not to be trusted either. An allowance covers the actions that the plan had, and no others.
 */
export function incompleteSnapshot({ context, actions }: GuardInput): Stop | undefined {
  const { roster, snapshot, facts } = context;
  if (actions.length === 0) return undefined;
  const unproven = [...roster.users.values()].filter(
    ({ address }) => !facts.people.has(address) && snapshot.absences.get(address)?.proven !== true,
  );
  if (unproven.length <= maxUnprovenShare * roster.users.size) return undefined;
  const message = messageOf("incomplete-snapshot", {
    count: unproven.length,
    all: roster.users.size,
    emails: unproven.map(({ email }) => email),
    why: snapshot.everyone.read === "incomplete" ? snapshot.everyone.why : undefined,
    actions: actions.length,
  });
  const calls = actions.flatMap((action) => callFacts(action, context));
  return { message, facts: [...unproven.map(({ address }) => `${address} is not shown`), ...calls] };
}

/** One hold on all that a plan would do about one person or key; each reason and each fact stands once. */
function holdOn(
  subject: Subject,
  blocked: readonly BlockedPart[],
  setting: readonly Basis[],
  { message, allowAt, suggestedYaml }: FindingTexts,
): Hold {
  const restsOn = [...setting, ...blocked.flatMap(basesAbout)];
  return {
    subject,
    message,
    allowAt,
    suggestedYaml,
    facts: blocked.flatMap(({ facts }) => facts),
    because: distinctReasons(blocked.flatMap(({ action }) => action.because.slice(0, 1))),
    restsOn: [...new Map(restsOn.map((basis) => [JSON.stringify(basis), basis])).values()],
    blocks: blocked.map(({ target }) => target),
  };
}

/** What an action rests on, as far as it is about the blocked person. */
function basesAbout({ action, target }: BlockedPart): readonly Basis[] {
  if (action.kind === "replace-roles") return action.restsOn;
  const kind = action.kind === "create-user" ? "user" : "member";
  const who = action.kind === "create-user" ? action.address : target.of === "part" ? target.address : undefined;
  return action.restsOn.filter(({ about }) => about.kind === kind && about.address === who);
}

/** What an action does to one person: a creation, one member of an addition, or the roles of a key. */
function blockedPart(address: EmailKey | undefined, action: Action, facts: readonly string[]): BlockedPart {
  if (action.kind === "create-user") return { action, target: { of: "person", address: action.address }, facts };
  const part = action.kind === "add-members" ? { address } : {};
  return { action, target: { of: "part", action: action.id, ...part }, facts };
}

/** The people that an action creates or adds, without the administrator of a new team. */
function invitedBy(action: Action): readonly EmailKey[] {
  if (action.kind === "create-user") return [action.address];
  return action.kind === "add-members" ? peopleOf(action) : [];
}

/** Who holds a key, by reads, then by records. */
function holdersOf(prefix: string, { facts }: PlanContext): readonly EmailKey[] {
  const shown = facts.keysPrefixed(prefix).map(({ holder }) => holder.address);
  return [...shown, ...facts.recordedHolders(prefix).map(({ address }) => address)];
}

/** Such as `the new key in Red`. */
function nameOfKey(action: ReplaceRoles, { teams }: Pick<NamesInCalls, "teams">): string {
  const { key } = action;
  if (key.of === "own-key") return "the user's own key";
  const team = key.team && (teams.get(key.team)?.name ?? key.team);
  if (key.of === "team-key") return `the new key in ${team}`;
  return `the key ${key.prefix.value}${team === undefined ? "" : ` in ${team}`}`;
}

/** The setting by which a guard holds, with its line; nothing where its default does. */
function settingBasis(setting: LocatedSetting, says: string, { setAt }: GuardSettings): readonly Basis[] {
  const place = setAt?.[setting];
  return place === undefined
    ? []
    : [{ about: { kind: "other", name: `setting ${setting}` }, ...declared(says, place) }];
}

type RecordedCalls = Pick<PlanContext, "state" | "rolesSetAt">;

function roleLossFacts({ actions, context }: GuardInput, people: readonly EmailKey[]): readonly string[] {
  const theirs = actions.filter((one) => one.kind === "replace-roles" && people.some((who) => who === one.key.address));
  return [...people.map((address) => `${address} loses it`), ...theirs.flatMap((action) => callFacts(action, context))];
}

/** A call, or one member of it, as an allowance covers it: with the last that is recorded about the same, so that it is covered once. */
function callFacts(action: Action, recorded: RecordedCalls, member?: EmailKey): readonly string[] {
  const { users, memberships } = recorded.state;
  switch (action.kind) {
    case "create-user":
      return [`create ${action.address}${after(users.get(action.address)?.createdAt)}`];
    case "add-members": {
      const { team } = action;
      const last = (address: EmailKey) => after(memberships.get(membershipKeyOf(team, address))?.at);
      const people = member === undefined ? peopleOf(action) : [member];
      return people.map((address) => `add ${address} to ${JSON.stringify(team)}${last(address)}`);
    }
    case "replace-roles":
      return [rolesFact(`set ${JSON.stringify(action.roles)}`, action, recorded)];
  }
}

/** What is done to a key, which is named by its place: so it is named alike before it is there and afterwards. */
function rolesFact(change: string, action: ReplaceRoles, recorded: RecordedCalls): string {
  const { key } = action;
  const { address } = key;
  const { users, keys } = recorded.state;
  const prefix = prefixOf(action);
  const set = prefix === undefined ? undefined : keys.get(prefix)?.at;
  if (address === undefined) return `${change} on the key ${prefix}${after(set)}`;
  const record = users.get(address);
  const last = after(latest(set, record?.formerRolesAt));
  const isRecordedOwn = record?.key !== undefined && record.key === prefix && record.createdTeam === undefined;
  if (key.of === "own-key" || (key.of === "prefix" && key.own === true) || isRecordedOwn)
    return `${change} on the own key of ${address}${last}`;
  if (key.team === undefined) return `${change} on the key ${prefix}${last}`;
  return teamKeyFact(change, address, key.team, recorded, set);
}

/** A key that somebody took away and another one of the same member count as one: what was allowed of it was sent. */
function teamKeyFact(
  change: string,
  address: EmailKey,
  team: TeamKey,
  { state, rolesSetAt }: RecordedCalls,
  set?: string,
): string {
  const last = latest(set, rolesSetAt.get(membershipKeyOf(team, address)), state.users.get(address)?.formerRolesAt);
  return `${change} on the key of ${address} in ${JSON.stringify(team)}${after(last)}`;
}

function after(at: string | undefined): string {
  return at === undefined ? "" : `, last done at ${at}`;
}
