import { say } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import { groupBy, multimap } from "../model/collections.ts";
import {
  type Basis,
  declared,
  distinctReasons,
  type Known,
  keySubject,
  memberSubject,
  type Reason,
  reasonAt,
  recorded,
  userSubject,
} from "../model/fact.ts";
import { accountStatus, type DesiredKey, isDeleted, isOpen, shownOwnKey, shownTeam } from "../model/key.ts";
import type { Presence } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { type DesiredTeam, disambiguatedTeamKey, foldName, removesRoles, teamKeyOf } from "../model/team.ts";
import type { Leaver, ObservedUser } from "../model/user.ts";
import { formatRoles, type RoleSet, roleSet, sameRoles, type TeamKey } from "../model/values.ts";
import { formatResolveCommands } from "./consistency-window.ts";
import type { FindingDraft, PlanContext } from "./context.ts";
import { type Identified, isKeyOfTeam, type TeamThatIs, teamCandidates } from "./identify-teams.ts";
import { presenceBasis, unreleasedUsers } from "./identify-users.ts";
import { type KnownKey, knownKey, leaverAddresses } from "./keys.ts";
import type { DesiredRolesResult, KnownKeyUpdate } from "./roles.ts";
import { observedAccount, observedBasis, recordedBasis, type UserKey, unknownBasis } from "./snapshot-index.ts";

/**
 * What calls can do about leavers, and what only people can. `desired`: the roles that the roster wants on keys, leavers apart. Those that
 * it wants on a key that is shown as a leaver's do not count, and are reported. Where only a record or the roster says whose a key is, the
 * two contradict each other, and nothing is done. `otherRoles`: the roles that are wanted on other keys.
 */
export function planLeavers(context: Identified, desired: readonly DesiredRolesResult[]) {
  const leavers = locateLeavers(context);
  const teamOf = leavers.length === 0 ? () => undefined : teamOfKeyLookup(context);
  const leaverRoles = leavers.flatMap((one) => desiredLeaverRoles(...one, context, teamOf));
  const shown = new Map(
    leaverRoles.filter(({ key }) => key.prefix.known === "observed").map((one) => [one.key.prefix.value, one]),
  );
  const otherRoles: DesiredRolesResult[] = [];
  const findings = leavers.flatMap((one) => reportLeaver(...one, context));
  for (const update of desired) {
    const leaver = update?.is === "known" ? shown.get(update.key.prefix.value) : undefined;
    if (update?.is !== "known" || leaver === undefined) otherRoles.push(update);
    else if (update.roles.length > 0) findings.push(leaverKeyConflict(leaver, update));
  }
  return { leavers, leaverRoles, otherRoles, findings };
}

function leaverKeyConflict({ key, holder, because, concern }: KnownKeyUpdate, update: KnownKeyUpdate): FindingDraft {
  const prefix = key.prefix.value;
  const email = holder?.email ?? concern.address ?? "";
  return {
    ...say("conflicting-roles/leaver", { roles: formatRoles(update.roles), prefix, email }),
    subject: keySubject(prefix),
    roles: update.roles,
    because: distinctReasons([...update.because, ...because]),
    concerns: [concern, update.concern],
  };
}

/** Whether the service still has each leaver: under their address, or as the recorded user under another one. In the order of the roster. */
function locateLeavers({ roster, state, facts, names }: PlanContext): readonly (readonly [Leaver, Presence])[] {
  return [...roster.leavers.values()].map((leaver) => {
    const presence = facts.presenceOf(leaver.address);
    const identifier = state.users.get(leaver.address)?.identifier;
    const elsewhere = identifier === undefined ? undefined : facts.userIdentifiedBy(identifier);
    if (elsewhere === undefined || isDeleted(elsewhere)) return [leaver, presence];
    // Somebody that the roster names for their own sake.
    if (names().isNamed(elsewhere.address)) return [leaver, presence];
    const others = presence.is === "present" ? presence.users : [];
    return [leaver, { is: "present", users: [elsewhere, ...others] }];
  });
}

/** That somebody is a leaver, and from which day on: a plan of that day need not be right on the day before. */
function leaverBasis({ address, since, place }: Leaver): Basis {
  const is = since === undefined ? "a leaver" : `a leaver since ${since}`;
  return { about: userSubject(address), ...declared(is, place) };
}

/** The keys of the roster's list, apart from those of leavers, which count as theirs: they have no roles, and may be gone. */
export function listedKeysInUse({ roster, facts }: PlanContext): readonly DesiredKey[] {
  return roster.keys.filter(({ prefix, owner }) => {
    if (owner === undefined || !roster.leavers.has(owner.value)) return true;
    const holder = facts.keyPrefixed(prefix)?.holder.address;
    return holder !== undefined && holder !== owner.value;
  });
}

/**
 * No roles on any key of a leaver: on those that the service shows and has not switched off, then on those that only records or the
 * roster name, as long as nothing shows that they are gone or somebody else's.
 */
function desiredLeaverRoles(
  leaver: Leaver,
  presence: Presence,
  context: PlanContext,
  teamOf: (prefix: string) => TeamKey | undefined,
): readonly KnownKeyUpdate[] {
  if (presence.is === "absent") return [];
  const { address, because } = leaver;
  const users = presence.is === "present" ? presence.users : [];
  const declaredKeys = declaredKeysOf(leaver, context);
  const places = multimap(declaredKeys.map(({ prefix, reason }) => [prefix.value, reason]));
  const isAllShown = users.length > 0 && users.every(({ keys }) => keys !== undefined);
  const unshown = isAllShown ? [] : unshownKeys(leaver, declaredKeys, context);
  const keys: readonly Pick<KnownKeyUpdate, "key" | "holder">[] = [
    ...users.flatMap((holder) => {
      return (holder.keys ?? []).filter(isOpen).map((key) => ({ key: knownKey(key, holder), holder }));
    }),
    ...unshown.map((prefix) => ({ key: { prefix }, holder: users[0] ?? leaver })),
  ];
  return keys.map(({ key, holder }) => {
    const prefix = key.prefix.value;
    const team = teamOf(prefix);
    const isOwn = team === undefined && isOwnKeyOfLeaver(leaver, prefix, context) ? true : undefined;
    const reasons = [...because, ...(places.get(prefix) ?? [])];
    const rest = { because: reasons, concern: { address }, restsOn: [leaverBasis(leaver)] };
    return { is: "known", asks: "leaver", roles: [], key, team, isOwn, holder, ...rest };
  });
}

function declaredKeysOf(
  { address, key, teamKeys }: Leaver,
  { roster }: PlanContext,
): readonly (KnownKey & { readonly reason: Reason })[] {
  const own = [key ?? [], teamKeys].flat().map((one) => ({ ...one, as: "known-prefix" }) as const);
  const listed = roster.keys.filter(({ owner }) => owner?.value === address);
  const all = [...own, ...listed.map(({ prefix: value, place }) => ({ value, place, as: "key" }) as const)];
  return all.map(({ value, place, as }) => ({ prefix: declared(value, place), reason: reasonAt(place, as) }));
}

/** Keys of a leaver that no read shows, by record first. */
function unshownKeys(
  leaver: Leaver,
  declaredKeys: readonly KnownKey[],
  { state, facts, roster }: PlanContext,
): readonly Known<string>[] {
  const { address } = leaver;
  const { key, createdAt, seenAt } = state.users.get(address) ?? {};
  const at = createdAt ?? seenAt;
  const inTeams = [...state.memberships.values()].flatMap((held) =>
    held.address === address && held.prefix !== undefined ? [recorded(held.prefix, held.at)] : [],
  );
  const theirs = leaverAddresses(leaver, roster.leavers);
  const isOfAnother = (prefix: string) => facts.recordedHolders(prefix).some((one) => !theirs.includes(one.address));
  const prefixes = [
    ...(key === undefined || at === undefined ? [] : [recorded(key, at)]),
    ...inTeams,
    ...declaredKeys.flatMap(({ prefix }) => (isOfAnother(prefix.value) ? [] : [prefix])),
  ].filter(({ value }) => facts.keyPrefixed(value) === undefined);
  return [...groupBy(prefixes, ({ value }) => value).values()].map(([first]) => first);
}

/** Whether a key of a leaver is known to be their own: as the service shows it, by our record of their creation, or by the roster. */
function isOwnKeyOfLeaver({ address, key }: Leaver, prefix: string, { facts, state }: PlanContext): boolean {
  const held = facts.keyPrefixed(prefix);
  if (held !== undefined && shownOwnKey(held.holder)?.prefix === prefix) return true;
  if (held !== undefined && shownTeam(held.key) !== undefined) return false;
  const record = state.users.get(address);
  const isRecorded = record?.key === prefix && record.createdTeam === undefined && record.createdAt !== undefined;
  return isRecorded || key?.value === prefix;
}

/** The team whose key a prefix is, as the service shows it, or by record where it does not show the key; undefined where nobody can say. */
function teamOfKeyLookup(identified: Identified): (prefix: string) => TeamKey | undefined {
  const { teams, facts, state } = identified;
  const known = [...teams.values()].filter((identity) => identity.is === "known");
  const byName = multimap(known.flatMap((identity) => [...identity.names].map((name) => [name, identity] as const)));
  const byIdentifier = groupBy(known, ({ identifier }) => identifier);
  const byRecord = new Map(
    known.toReversed().flatMap(({ recordKeys, team }) => recordKeys.map((key) => [key, team.key])),
  );
  const places = new Map([...state.memberships.values()].map(({ prefix, team }) => [prefix, team]));
  return (prefix) => {
    const held = facts.keyPrefixed(prefix);
    if (held === undefined) {
      const team = places.get(prefix);
      const isIdentified = team !== undefined && state.teams.get(team)?.identifier !== undefined;
      return (team && byRecord.get(team)) ?? (isIdentified ? team : undefined);
    }
    const team = shownTeam(held.key);
    if (team === undefined) return undefined;
    const { identifier, name } = team;
    const near = (identifier === undefined ? byName.get(foldName(name ?? "")) : byIdentifier.get(identifier)) ?? [];
    const [one, ...others] = near.filter((identity) => isKeyOfTeam(identity, held, facts));
    if (one !== undefined) return others.length === 0 ? one.team.key : undefined;
    return teamShownByKey(held, identified);
  };
}

/** A team that the roster does not name, where enough of it is shown to tell it from every other. */
function teamShownByKey({ holder, key }: UserKey, { teams, facts }: Identified): TeamKey | undefined {
  const account = observedAccount(holder, facts);
  const { identifier, name } = shownTeam(key) ?? {};
  if (account === undefined || identifier === undefined || name === undefined) return undefined;
  const plain = teamKeyOf(account, name);
  const isTwin = teams.has(plain) || teamCandidates(foldName(name), account, () => false, facts).length > 1;
  return isTwin ? disambiguatedTeamKey(account, name, identifier) : plain;
}

/** What the API cannot end about a leaver, and which calls may still bring them in; nothing of those who are gone. */
function reportLeaver(leaver: Leaver, presence: Presence, context: PlanContext): readonly FindingDraft[] {
  const { address, email, since, because } = leaver;
  const subject = userSubject(address);
  const about = { subject, because, concerns: [{ address }] };
  const findings: FindingDraft[] = [];
  const opens = context.state.open.filter(({ intent }) => {
    if (intent.kind === "add-members") return intent.addresses.includes(address);
    return intent.kind === "create-user" && intent.address === address;
  });
  if (opens.length > 0) {
    const sent = opens.map(({ intent, at }) =>
      intent.kind === "add-members" ? `to add this user to ${intent.name} (${at})` : `to create this user (${at})`,
    );
    const resolve = formatResolveCommands(opens, context);
    const texts = say("unknown-outcome/leaver", { email, since, sent, resolve });
    const announced = opens.map(({ run, at }) => recordedBasis(subject, `call announced by run ${run}`, at));
    findings.push({ ...about, ...texts, restsOn: [leaverBasis(leaver), ...announced] });
  }
  if (presence.is === "unknown") {
    const texts = say("leaver-remains/unproven", { email, since, why: presence.why });
    const restsOn = [leaverBasis(leaver), unknownBasis(subject, presence.why)];
    findings.push({ ...about, ...texts, aspect: "unproven", restsOn });
  }
  if (presence.is === "present") {
    const { users } = presence;
    const { remains, roles } = residualAccess(leaver, users, context);
    const restsOn = [leaverBasis(leaver), ...users.map(presenceBasis)];
    const common = { ...about, roles, restsOn };
    if (users.every(({ status }) => accountStatus(status) === "barred")) {
      const statuses = [...new Set(users.map(({ status }) => status ?? ""))];
      const texts = say("leaver-remains/disabled", { email, since, statuses, remains });
      findings.push({ ...common, ...texts, kind: "notice" });
    } else {
      const created = [...context.state.teams.values()].filter(({ firstMember }) => firstMember === address);
      const texts = say("leaver-remains/present", {
        email,
        since,
        users: users.map((user) => describeUser(user, leaver, context)),
        remains,
        count: users.length,
        created: created.map(({ name }) => name),
        teams: created.length,
      });
      findings.push({ ...common, ...texts });
    }
  }
  return findings;
}

function describeUser(user: ObservedUser, leaver: Leaver, { facts }: PlanContext): string {
  const account = observedAccount(user, facts);
  const identifier = user.identifier === undefined ? "the user" : `this user (identifier ${user.identifier})`;
  const elsewhere = user.address === leaver.address ? "" : ` as ${user.email}`;
  const pending = accountStatus(user.status) === "pending" ? `, ${user.status},` : "";
  return `${identifier}${elsewhere}${pending}${account === undefined ? "" : ` in ${account}`}`;
}

/** What a leaver has besides the account: in words that name it, and the roles that the service keeps on keys. */
function residualAccess({ address }: Leaver, users: readonly ObservedUser[], { state }: PlanContext) {
  const keys = users.flatMap((user) => user.keys ?? []).filter((key) => !isDeleted(key));
  const isHidden = users.some((user) => user.keys === undefined);
  const recorded = isHidden ? [...state.memberships.values()].filter((held) => held.address === address) : [];
  const kept = [...keys, ...recorded].flatMap((key) => keptRoles(key, state));
  const remains = [
    ...keys.flatMap((key) => {
      const team = shownTeam(key);
      return team === undefined ? [] : describeMembership(team.name ?? "a team", team.identifier, key.prefix);
    }),
    ...recorded.map(({ team, prefix }) => {
      const { name = team, identifier } = state.teams.get(team) ?? {};
      return describeMembership(name, identifier, prefix, "from the state");
    }),
    ...kept.map(({ prefix, roles }) => `${roles.join(", ")} on the key ${prefix}, which the service does not remove`),
    ...(isHidden ? ["keys that the service does not show"] : []),
  ];
  return { remains, roles: roleSet(kept.flatMap(({ roles }) => roles)) };
}

function describeMembership(team: string, identifier?: string, prefix?: string, source?: string): string {
  const known = [identifier, prefix === undefined ? undefined : `key ${prefix}`, source];
  return `a membership in ${team} (${known.filter((one) => one !== undefined).join(", ")})`;
}

/** Roles that are still on a key after we asked for none. */
function keptRoles(
  { prefix, roles }: { readonly prefix?: string | undefined; readonly roles?: RoleSet | undefined },
  { keys }: State,
): readonly { readonly prefix: string; readonly roles: RoleSet }[] {
  const record = prefix === undefined ? undefined : keys.get(prefix);
  if (record?.observedRoles === undefined || record.setRoles.length > 0 || record.observedRoles.length === 0) return [];
  const isStill = roles === undefined || sameRoles(roles, record.observedRoles);
  return isStill ? [{ prefix: record.prefix, roles: record.observedRoles }] : [];
}

type ExistingTeam = TeamThatIs<"known" | "unidentified">;

/**
 * Holders of a team's keys that the roster does not name as its members. No call removes a member, but `removals` leaves their keys no roles
 * where the team says so: by record where the service does not show keys. Leavers have findings of their own.
 */
export function planExtraMembers(context: Identified) {
  const { teams, state } = context;
  const names = context.names();
  const [shown, unshown, findings]: [KnownKeyUpdate[], KnownKeyUpdate[], FindingDraft[]] = [[], [], []];
  const unreleased = new Set(unreleasedUsers(context).map(({ address }) => address));
  const existing = [...teams.values()].filter((one) => one.is === "known" || one.is === "unidentified");
  for (const identity of existing) {
    const { team, recordKeys } = identity;
    const { open, ended } = team;
    const members = new Set(team.members.map(({ address }) => address));
    const isExtra = (address: EmailKey) =>
      !members.has(address) && !members.has(names.userAt(address)?.address ?? address) && !names.isLeaver(address);
    const isUnwelcome = (address: EmailKey) => isExtra(address) && (!open || ended?.has(address) === true);
    for (const held of open && ended === undefined ? [] : teamKeyHolders(identity, isUnwelcome, context)) {
      findings.push(extraMemberFinding(team, held, unreleased, context));
      shown.push(...removal(identity, held.holder, knownKey(held.key, held.holder)));
    }
    for (const { team: of, prefix, at, address } of removesRoles(team) ? state.memberships.values() : []) {
      if (prefix === undefined || !recordKeys.includes(of) || !isExtra(address)) continue;
      const holder = holderWithoutKeys(address, prefix, context);
      if (holder !== undefined) unshown.push(...removal(identity, holder, { prefix: recorded(prefix, at) }));
    }
  }
  return { removals: [...shown, ...unshown], findings };
}

function teamKeyHolders(
  identity: ExistingTeam,
  isAsked: (address: EmailKey) => boolean,
  { facts }: PlanContext,
): readonly UserKey[] {
  const named = [...identity.names].flatMap((name) => facts.byTeamName.get(name) ?? []);
  const identified = identity.is === "known" ? (facts.byTeamIdentifier.get(identity.identifier) ?? []) : [];
  // A person that the service bars, and a key that it has switched off, have no access that a roster could deny.
  const held = [...identified, ...named].filter(
    (one) => isAsked(one.holder.address) && isKeyOfTeam(identity, one, facts) && isOpen(one.holder) && isOpen(one.key),
  );
  return [...groupBy(held, ({ holder }) => holder).values()].map(([first]) => first);
}

/** The recorded member, where the service shows them without their keys, and lets them in. */
function holderWithoutKeys(address: EmailKey, prefix: string, { facts, state }: PlanContext): ObservedUser | undefined {
  const [user, another] = facts.people.get(address) ?? [];
  if (user === undefined || another !== undefined || user.keys !== undefined || !isOpen(user)) return undefined;
  const known = state.users.get(address)?.identifier;
  const isAnotherUser = known !== undefined && user.identifier !== undefined && known !== user.identifier;
  return isAnotherUser || facts.keyPrefixed(prefix) !== undefined ? undefined : user;
}

function removal(identity: ExistingTeam, holder: ObservedUser, key: KnownKey): readonly KnownKeyUpdate[] {
  const { key: team, because } = identity.team;
  const reason = removalReason(identity.team, holder.address);
  if (reason === undefined) return [];
  const reasons = [...(reason === because[0] ? [] : [reason]), ...because.slice(0, 1)];
  const of = { holder, team: identity.is === "known" ? team : undefined };
  const concern = { address: holder.address, team };
  return [{ is: "known", asks: "removal", roles: [], key, ...of, because: reasons, concern }];
}

function extraMemberFinding(
  team: DesiredTeam,
  { holder, key }: UserKey,
  unreleased: ReadonlySet<EmailKey>,
  { roster, state }: PlanContext,
): FindingDraft {
  const { address, email } = holder;
  const { prefix, roles } = key;
  const subject = memberSubject(address, team.key);
  const isRemoved = removalReason(team, address) !== undefined;
  // Nothing is left to them but the place.
  const isNotice = isRemoved && roles?.length === 0;
  const isEmptied = isRemoved && state.keys.get(prefix)?.setRoles.length === 0;
  const shown = isNotice || roles === undefined ? undefined : { roles };
  const names = { email, prefix, team: team.name, roles: shown && formatRoles(shown.roles) };
  const users = roster.users.has(address) ? undefined : "users";
  const about = { ...names, users, from: team.upcoming?.get(address)?.value };
  const until = team.ended?.get(address)?.value;
  const texts = () => {
    if (isNotice && until !== undefined) return say("extra-member/revoked-by-date", { ...about, until });
    if (isNotice) return say("extra-member/revoked", about);
    if (isEmptied && roles !== undefined) return say("extra-member/kept", { ...about, left: roles.join(", ") });
    if (isEmptied) return say("extra-member/hidden", about);
    if (until !== undefined) return say("extra-member/ended", { ...about, until });
    if (team.onRemoval !== "revoke" && unreleased.has(address)) return say("extra-member/dropped", about);
    return say(team.onRemoval === "revoke" ? "extra-member/revoke" : "extra-member/reported", about);
  };
  return {
    ...texts(),
    subject,
    ...shown,
    because: team.because.slice(0, 1),
    restsOn: [observedBasis(subject, `member, with the key ${prefix}`, holder.by)],
    concerns: [{ address, team: team.key }],
    kind: isNotice ? "notice" : undefined,
  };
}

/** Why the team key of somebody who is no member is given no roles; undefined where that is only reported. */
export function removalReason(
  { ended, onRemoval, onRemovalAt, because }: DesiredTeam,
  address: EmailKey,
): Reason | undefined {
  const until = ended?.get(address);
  if (until !== undefined) return reasonAt(until.place, "until", { name: until.value });
  return onRemoval === "revoke" ? (onRemovalAt ?? because[0]) : undefined;
}
