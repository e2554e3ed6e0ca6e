import { formatCount, joinList, say } from "../codes/message.ts";
import { closestMatch, type EmailKey } from "../model/address.ts";
import { byCodeUnit, type Group, groupBy, multimap } from "../model/collections.ts";
import {
  type Basis,
  distinctReasons,
  type Fact,
  factValue,
  formatPlace,
  keySubject,
  type Located,
  memberSubject,
  type OwnedThing,
  partOf,
  type Reason,
  type RoleEnding,
  reasonAt,
  type Subject,
  serviceSubject,
  unknown,
  userSubject,
} from "../model/fact.ts";
import type { DesiredKey, RecordedKey } from "../model/key.ts";
import { type ActionId, creationId, type ReplaceRoles, type RuleName } from "../model/plan.ts";
import { daysBetween } from "../model/roster.ts";
import type { AddressedUser } from "../model/user.ts";
import { formatRoles, type RoleSet, roleSet, rolesWithout, sameRoles, type TeamKey } from "../model/values.ts";
import { additionId, refusalOf, refusedFinding, rolesRequest, type SentRoles } from "./actions.ts";
import { isWithinConsistencyWindow, shownFrom } from "./consistency-window.ts";
import { dateBases, type FindingDraft, keyConcern, type PlanContext, roleLines } from "./context.ts";
import type { Identified } from "./identify-teams.ts";
import { acceptedReplacementBasis, type UserIdentity, userFinding } from "./identify-users.ts";
import {
  currentRoles,
  type KnownKey,
  listedKeyDeclaration,
  resolveDeclaredKey,
  resolveOwnKey,
  rolesBasis,
} from "./keys.ts";
import { type MembershipSlot, memberFinding } from "./memberships.ts";
import {
  type KeyKind,
  kindOfKey,
  observedBasis,
  recordedBasis,
  type SnapshotIndex,
  unknownBasis,
} from "./snapshot-index.ts";

/** The exact roles that the roster wants on a key whose prefix is known. */
export interface KnownKeyUpdate {
  readonly is: "known";
  readonly key: KnownKey;
  readonly roles: RoleSet;
  /** By the roster; where it names nobody, who is shown to hold it. */
  readonly holder?: AddressedUser | undefined;
  readonly team?: TeamKey | undefined;
  /** Of a key that the roster does not ask for by whose it is: it is known to be its holder's own. */
  readonly isOwn?: true | undefined;
  /** What of the roster asks: a member entry, a user's `ownKeyRoles`, the list of keys, a leaver, a team's `onRemoval`. */
  readonly asks: "member" | "user" | "list" | "leaver" | "removal";
  readonly because: readonly Reason[];
  readonly concern: OwnedThing;
  /** What else the update rests on. */
  readonly restsOn?: readonly Basis[];
}

/** An update of a known key, or of one that the plan gives; or why there is none. Undefined where the roster asks for nothing. */
export type DesiredRolesResult =
  | KnownKeyUpdate
  | { readonly is: "given"; readonly action: ReplaceRoles; readonly concern: OwnedThing }
  | { readonly is: "finding"; readonly finding: FindingDraft }
  | undefined;

export function desiredTeamKeyRoles(slot: MembershipSlot, sent: ReadonlyMap<TeamKey, SentRoles>): DesiredRolesResult {
  const { team, member, person } = slot;
  const { address, because } = member;
  const { email } = person.user;
  const concern = { address, team: team.key };
  if (slot.is === "member") {
    const { roles } = member;
    if (roles === undefined) return undefined;
    if (slot.key !== undefined) {
      const restsOn = acceptedReplacementBasis(slot.person, userSubject(address));
      const of = { holder: person.user, team: slot.isIdentified ? team.key : undefined };
      return { is: "known", asks: "member", key: slot.key, roles, ...of, because, concern, restsOn };
    }
    // A membership that no read shows yet has a finding of its own.
    if (slot.pending !== undefined) return undefined;
    const texts = say("key-prefix-unknown/member", { email, team: team.name, key: "PREFIX" });
    return { is: "finding", finding: { ...memberFinding(slot), ...texts, restsOn: [slot.basis] } };
  }
  const isFirst = slot.is === "first-member";
  const roles = isFirst ? sent.get(team.key)?.exact : member.roles;
  if (roles === undefined) return undefined;
  const key = { of: "team-key", address, team: team.key } as const;
  const rule = isFirst ? "roles-of-first-member" : "roles-of-new-key";
  const asked = { id: `replace-roles:${team.key}:${address}`, rule, key, roles, because } as const;
  return { is: "given", action: rolesOfNewKey(asked, isFirst ? creationId(address) : additionId(team.key)), concern };
}

export function desiredOwnKeyRoles(
  person: UserIdentity,
  creations: ReadonlySet<EmailKey>,
  context: PlanContext,
): DesiredRolesResult {
  const { user } = person;
  const { address, ownKeyRoles, email } = user;
  if (ownKeyRoles === undefined || person.is === "blocked") return undefined;
  const roles = ownKeyRoles.value;
  const because = [...ownKeyRoles.because, ...user.because.slice(0, 1)];
  const concern = { address };
  if (person.is === "absent") {
    if (!creations.has(address)) return undefined;
    const key = { of: "own-key", address } as const;
    const asked = { id: `replace-roles:own:${address}`, rule: "roles-of-new-key", key, roles, because } as const;
    return { is: "given", action: rolesOfNewKey(asked, creationId(address)), concern };
  }
  const key = resolveOwnKey(person, context);
  if (key !== undefined) {
    const restsOn = acceptedReplacementBasis(person, userSubject(address));
    return { is: "known", asks: "user", key, roles, holder: user, because, concern, restsOn };
  }
  // A mistaken prefix is a finding of its own.
  if (user.key !== undefined) return undefined;
  const why =
    person.observed.keys === undefined
      ? "the service does not show the keys of users"
      : "roster cannot know which of the keys was created with the user";
  const restsOn = [unknownBasis(partOf("own key", userSubject(address)), why)];
  const texts = say("key-prefix-unknown/own", { email, why, key: "PREFIX" });
  return { is: "finding", finding: userFinding(user, { ...texts, because, restsOn }) };
}

/** The roles that the roster wants on a key that it names by its prefix. A mistaken prefix is a finding of its own. */
export function desiredListedKeyRoles(entry: DesiredKey, identified: Identified): DesiredRolesResult {
  const owner = entry.owner === undefined ? undefined : identified.people.get(entry.owner.value);
  const { roles, because } = entry;
  const declaration = listedKeyDeclaration(entry, identified);
  const resolved = resolveDeclaredKey(declaration, identified);
  if (resolved.is === "mistaken" || owner?.is === "blocked") return undefined;
  const { key } = resolved;
  const holder = owner?.user ?? identified.facts.keysPrefixed(key.prefix.value)[0]?.holder;
  return { is: "known", asks: "list", key, roles, holder, because, concern: declaration.concern };
}

function rolesOfNewKey(
  asked: Pick<ReplaceRoles, "id" | "rule" | "key" | "roles" | "because">,
  giver: ActionId,
): ReplaceRoles {
  const before = unknown<RoleSet>("this plan makes the key");
  return { kind: "replace-roles", ...asked, before, ifInexact: true, dependsOn: [giver], restsOn: [] };
}

/** What becomes of one key. `kept`: the service keeps harmless roles on it, whatever is asked of it. */
interface PlannedUpdate {
  readonly action?: ReplaceRoles;
  readonly finding?: FindingDraft;
  readonly kept?: { readonly group: Group<KnownKeyUpdate>; readonly before: Fact<RoleSet>; readonly beyond: RoleSet };
}

/** One call for each key whose roles are not, or may not be, as the roster wants them; in the order in which they are wanted. */
export function planKeyUpdates(desired: readonly DesiredRolesResult[], identified: Identified) {
  const known = desired.filter((update) => update?.is === "known");
  const groups = groupBy(known, ({ key }) => key.prefix.value);
  const planned = desired.flatMap((update): PlannedUpdate | readonly PlannedUpdate[] => {
    if (update?.is === "finding") return update;
    if (update?.is === "given") {
      const { action, concern } = update;
      const kind = action.key.of === "own-key" ? "own" : "team";
      const isKept = identified.selection.keeps(concern);
      return isKept && rolesAllowed(action.roles, kind, identified.facts) ? { action } : [];
    }
    const group = update && groups.get(update.key.prefix.value);
    return group?.[0] === update && group !== undefined ? planKnownKey(group, identified) : [];
  });
  const kept = planned.flatMap((one) => one.kept ?? []);
  const findings = planned.flatMap(({ finding }) => finding ?? []);
  if (kept.length > 0) {
    const roles = roleSet(kept.flatMap(({ beyond }) => beyond));
    const texts = say("roles-kept-by-service/harmless", { roles, count: kept.length });
    const about = {
      ...updatesFinding(kept.flatMap(({ group }) => group)),
      subject: serviceSubject(identified.snapshot.service),
    };
    const restsOn = kept.map(({ group, before }) => rolesBasis(group[0].key.prefix.value, before));
    findings.push({ ...about, ...texts, roles, restsOn });
  }
  return { actions: planned.flatMap(({ action }) => action ?? []), findings };
}

/** `group`: the updates of one key, all of which must ask for the same; hardly ever more than one. The first stands for all. */
function planKnownKey(group: Group<KnownKeyUpdate>, context: Identified): PlannedUpdate {
  const [update] = group;
  const { key, roles, asks, team, isOwn, restsOn = [], concern } = update;
  const prefix = key.prefix.value;
  const subject = keySubject(prefix);
  if (group.some((other) => !sameRoles(other.roles, roles))) {
    const wanted = group.map((one) => `${formatRoles(one.roles)} (${formatRequester(one)})`);
    const all = roleSet(group.flatMap((one) => one.roles));
    const texts = say("conflicting-roles/places", { prefix, wanted });
    return { finding: { ...texts, subject, ...updatesFinding(group), roles: all } };
  }
  const before = currentRoles(key, context.state);
  const isWanted = group.some((one) => context.selection.keeps(one.concern));
  const isAsWanted = before.known !== "unknown" && sameRoles(before.value, roles);
  if (!isWanted || isAsWanted || !rolesAllowed(roles, kindOfUpdate(update, context), context.facts)) return {};
  const about = { subject, ...updatesFinding(group) };
  const record = context.state.keys.get(prefix);
  const pending = pendingRolesFinding(update, record, context);
  if (pending !== undefined) return { finding: { ...about, ...pending } };
  const takesAll = asks === "leaver" || asks === "removal";
  const beyond = rolesKeptByService(roles, before, record);
  if (beyond !== undefined) {
    const privileges = beyond.filter((role) => context.policy.privilegedRoles.includes(role));
    // What stays on the key of somebody who is to have none is part of the finding about them.
    if (asks === "leaver" || (takesAll && privileges.length === 0)) return {};
    if (privileges.length === 0) return { kept: { group, before, beyond } };
    const texts = say("roles-kept-by-service/privileged", { prefix, roles: formatRoles(roles), privileges });
    const carried = { roles: roleSet([...roles, ...privileges]), restsOn: [rolesBasis(prefix, before)] };
    return { finding: { ...about, ...texts, ...carried, kind: "task" } };
  }
  const address = group.find(({ holder }) => holder !== undefined)?.holder?.address;
  const request = rolesRequest({ prefix, owner: address }, roles, context);
  const refusal = refusalOf(request, context);
  if (refusal !== undefined) {
    const remedy = takesAll ? "disable the key in the service" : "correct the roles or the key in the roster";
    return { finding: { ...about, ...refusedFinding(partOf("roles", about.subject), refusal, remedy), roles } };
  }
  const holder = concern.address === undefined ? "" : ` of ${concern.address}`;
  const prefixOf: Basis = { about: { kind: "other", name: `prefix of a key${holder}` }, ...key.prefix };
  return {
    action: {
      kind: "replace-roles",
      rule: ruleFor(update, before),
      id: `replace-roles:${prefix}`,
      key: { of: "prefix", prefix: key.prefix, address, team, own: team === undefined ? isOwn : undefined },
      before,
      roles,
      ifInexact: false,
      because: about.because,
      dependsOn: [],
      // A prefix that is shown speaks for itself.
      restsOn: [rolesBasis(prefix, before), ...(key.prefix.known === "observed" ? [] : [prefixOf]), ...restsOn],
      request,
    },
  };
}

function ruleFor({ asks }: KnownKeyUpdate, { known }: Fact<RoleSet>): RuleName {
  if (asks === "leaver") return "leaver-roles-removed";
  if (asks === "removal") return "extra-member-roles-removed";
  return known === "unknown" ? "roles-unknown" : "roles-differ";
}

function kindOfUpdate({ asks, key }: KnownKeyUpdate, { facts }: PlanContext): KeyKind {
  if (asks === "list") return kindOfKey(facts.keyPrefixed(key.prefix.value)?.key);
  return asks === "user" ? "own" : "team";
}

function updatesFinding(updates: readonly KnownKeyUpdate[]): Pick<FindingDraft, "because" | "concerns"> {
  const because = distinctReasons(updates.flatMap((update) => update.because));
  return { because, concerns: updates.map(({ concern }) => concern) };
}

function formatRequester({ asks, concern }: KnownKeyUpdate): string {
  switch (asks) {
    case "member":
      return `${concern.address} in team ${concern.team}`;
    case "user":
      return `ownKeyRoles of ${concern.address}`;
    case "list":
      return "the list of keys";
    case "leaver":
      return `${concern.address}, a leaver`;
    case "removal":
      return `\`onRemoval\` of team ${concern.team}, where ${concern.address} is not a member`;
  }
}

/** A key whose roles we replaced a moment ago, and that still reads as before. */
function pendingRolesFinding(
  { key, roles, because }: KnownKeyUpdate,
  record: RecordedKey | undefined,
  context: PlanContext,
): Omit<FindingDraft, "subject" | "concerns"> | undefined {
  const prefix = key.prefix.value;
  const shown = key.roles;
  if (record === undefined || shown?.known !== "observed") return undefined;
  const { setRoles, at, observedRoles, provisional } = record;
  if (!sameRoles(setRoles, roles) || !isWithinConsistencyWindow(at, context)) return undefined;
  const isSeen = context.state.seenKeys?.has(prefix) === true;
  if (isSeen || (observedRoles !== undefined && provisional !== true)) return undefined;
  const subject = keySubject(prefix);
  const [asked, reads] = [formatRoles(setRoles), formatRoles(shown.value)];
  return {
    ...say("write-pending/roles", { prefix, at, until: shownFrom(at, context), roles: asked, shown: reads }),
    roles: roleSet([...setRoles, ...shown.value]),
    because,
    restsOn: [recordedBasis(subject, asked, at), observedBasis(subject, reads, shown.by)],
  };
}

/**
 * What a key carries beyond the roles that the service was asked for before: it made of them what it shows now, and would do so again.
 * Undefined where it did not.
 */
function rolesKeptByService(roles: RoleSet, before: Fact<RoleSet>, record: RecordedKey | undefined) {
  if (record?.observedRoles === undefined || before.known !== "observed") return undefined;
  const { setRoles, observedRoles } = record;
  const isAsAsked = sameRoles(setRoles, roles) && rolesWithout(setRoles, observedRoles).length === 0;
  return isAsAsked && sameRoles(observedRoles, before.value) ? rolesWithout(observedRoles, setRoles) : undefined;
}

/** Keys that an earlier run emptied, such as those of a leaver who came back, and that nothing in the roster fills again. */
export function findEmptiedKeys(
  slots: readonly MembershipSlot[],
  desired: readonly DesiredRolesResult[],
  context: Identified,
): readonly FindingDraft[] {
  const emptied = new Map([...context.state.keys].filter(([, { setRoles }]) => setRoles.length === 0));
  for (const update of desired) if (update?.is === "known") emptied.delete(update.key.prefix.value);
  if (emptied.size === 0) return [];
  const found = new Map<string, FindingDraft>();
  const report = (
    key: KnownKey | undefined,
    email: string,
    about: Pick<FindingDraft, "because" | "concerns">,
    team?: string,
  ) => {
    const record = key === undefined ? undefined : emptied.get(key.prefix.value);
    if (key === undefined || record === undefined || factValue(currentRoles(key, context.state))?.length !== 0) return;
    const { prefix, at } = record;
    const subject = keySubject(prefix);
    const texts =
      team === undefined
        ? say("key-without-roles/own", { prefix, email, at })
        : say("key-without-roles/member", { prefix, email, team, at });
    const restsOn = [recordedBasis(partOf("roles", subject), "no roles", at)];
    found.set(prefix, { ...about, ...texts, subject, restsOn });
  };
  for (const person of context.people.values()) {
    if (person.is !== "present") continue;
    const { email, address, because } = person.user;
    report(resolveOwnKey(person, context), email, { because: because.slice(0, 1), concerns: [{ address }] });
  }
  for (const slot of slots)
    if (slot.is === "member") report(slot.key, slot.person.user.email, memberFinding(slot), slot.team.name);
  return [...found.values()];
}

/** What the roster asks of one key, whatever reads show: of a user's own, of a member's, of one that it lists. */
interface AskedKey {
  readonly kind: KeyKind;
  readonly roles: RoleSet;
  readonly endings?: readonly RoleEnding[] | undefined;
  /** Of the membership, with whatever roles. */
  readonly until?: Located<string> | undefined;
  /** There are thousands of keys, and hardly ever a finding about one. `whose`: such as `ada@acme.example in Platform`. */
  readonly about: () => {
    readonly subject: Subject;
    readonly whose: string;
    readonly because: readonly Reason[];
    readonly concern: OwnedThing;
  };
}

function* askedKeys({ roster, facts }: PlanContext): Iterable<AskedKey> {
  for (const { address, email, ownKeyRoles: wanted, because: entry } of roster.users.values()) {
    if (wanted === undefined) continue;
    const about = () => {
      const because = [...wanted.because, ...entry.slice(0, 1)];
      return { subject: userSubject(address), whose: `the own key of ${email}`, because, concern: { address } };
    };
    yield { kind: "own", roles: wanted.value, endings: wanted.endings, about };
  }
  for (const { key: team, name, members } of roster.teams) {
    for (const { address, roles = [], endings, until, because } of members) {
      const about = () => {
        const whose = `${roster.users.get(address)?.email ?? address} in ${name}`;
        return { subject: memberSubject(address, team), whose, because, concern: { address, team } };
      };
      yield { kind: "team", roles, endings, until, about };
    }
  }
  for (const entry of roster.keys) {
    const { prefix, roles, endings, because } = entry;
    const concern = keyConcern(entry);
    const about = () => ({ subject: keySubject(prefix), whose: `the key ${prefix}`, because, concern });
    yield { kind: kindOfKey(facts.keyPrefixed(prefix)?.key), roles, endings, about };
  }
}

/** Whether the service knows all of the roles and lets such a key carry them; where it did not say, it is not doubted. */
function rolesAllowed(roles: RoleSet, kind: KeyKind, { rolesFor }: SnapshotIndex): boolean {
  if (rolesFor === undefined) return true;
  const fitting = rolesFor(kind);
  return roles.every((role) => fitting.has(role));
}

const kindNames: Readonly<Record<KeyKind, string>> = {
  team: "a team key",
  own: "a user's own key",
  project: "a project key",
  unclear: "a key",
};

/** One finding for each role that the service does not know, or not for such a key, with every place that asks for it. */
export function findInvalidRoles(context: PlanContext): readonly FindingDraft[] {
  const { rolesFor, rolesBy } = context.facts;
  if (rolesFor === undefined) return [];
  const asked: (readonly [string, AskedKey])[] = [];
  for (const key of askedKeys(context)) {
    if (rolesAllowed(key.roles, key.kind, context.facts)) continue;
    const fitting = rolesFor(key.kind);
    asked.push(...key.roles.filter((role) => !fitting.has(role)).map((role) => [role, key] as const));
  }
  const offered = [...rolesFor("unclear")].sort(byCodeUnit);
  const byRole = [...multimap(asked)].sort(([a], [b]) => byCodeUnit(a, b));
  return byRole.map(([role, asking]) => {
    const keys = asking.map(({ about }) => about());
    const reasons = distinctReasons(keys.flatMap((key) => key.because));
    const because = [...new Set([...roleLines(reasons, [role], context), ...reasons])];
    const place = because[0] === undefined ? "the roster" : formatPlace(because[0]);
    const kinds = [...new Set(asking.map(({ kind }) => kindNames[kind]))];
    const isOffered = offered.includes(role);
    const texts = isOffered
      ? say("unknown-role/misplaced", { role, kinds, place })
      : say("unknown-role/unknown", { role, place, alike: similarRoles(role, offered), offered });
    const subject: Subject = { kind: "other", name: `role ${role}` };
    const is = isOffered ? `not for ${joinList(kinds)}` : "not offered";
    const restsOn = rolesBy === undefined ? [] : [observedBasis(subject, is, rolesBy)];
    return { ...texts, subject, because, restsOn, concerns: keys.map(({ concern }) => concern) };
  });
}

function similarRoles(role: string, offered: readonly string[]): readonly string[] {
  const sameLetters = offered.filter((one) => one.toLowerCase() === role.toLowerCase());
  return sameLetters.length > 0 ? sameLetters : [closestMatch(role, offered) ?? []].flat();
}

const noticeDays = 14;

/** Users, memberships and roles that end soon, so that nobody is surprised on the day: one notice for each user and each key. */
export function findEndingAccess(context: PlanContext): readonly FindingDraft[] {
  const { today } = context.policy;
  const left = ({ value }: Located<string>) => daysBetween(today, value);
  const reasonOf = ({ value: name, place }: Located<string>) => reasonAt(place, "until", { name });
  const found: FindingDraft[] = [];
  for (const user of context.roster.users.values()) {
    const { until, address, email } = user;
    if (until === undefined || left(until) > noticeDays) continue;
    const texts = say("date-ahead/user-leaves", { email, days: left(until), until: until.value });
    const restsOn = dateBases(partOf("until", userSubject(address)), [until], today);
    const because = [reasonOf(until), ...user.because.slice(0, 1)];
    found.push(userFinding(user, { ...texts, aspect: "until", restsOn, because }));
  }
  for (const { endings = [], until: last, about } of askedKeys(context)) {
    const membership = last === undefined ? [] : [{ what: "the membership", roles: [], until: last }];
    const ends = [...endings.map((one) => ({ ...one, what: formatRoles(one.roles) })), ...membership];
    const soon = ends.filter(({ until }) => left(until) <= noticeDays);
    if (soon.length === 0) continue;
    const { subject, whose, because, concern } = about();
    const dates = soon.map(({ until }) => until);
    const parts = soon.map(({ what, until }) => `${what} on ${until.value} (in ${formatCount(left(until), "day")})`);
    found.push({
      ...say("date-ahead/access-ends", { whose, ends: parts }),
      subject: partOf("until", subject),
      roles: roleSet(soon.flatMap(({ roles }) => roles)),
      because: [...dates.map(reasonOf), ...because.slice(0, 1)],
      restsOn: dateBases(partOf("until", subject), dates, today),
      concerns: [concern],
    });
  }
  return found;
}

/** A fact that the plan takes from a record or from the roster, because the service does not show it. */
type UnobservedFact = Pick<FindingDraft, "because" | "concerns"> & { readonly basis: Basis };

/** One notice of all that the plan takes as recorded or as the roster gives it: such facts are not seen to drift. */
export function findRecordedFacts(
  slots: readonly MembershipSlot[],
  desired: readonly DesiredRolesResult[],
  { state, snapshot }: PlanContext,
): readonly FindingDraft[] {
  const memberships = slots.flatMap((slot): readonly UnobservedFact[] => {
    // What no read shows yet has a finding of its own.
    if (slot.is !== "member" || slot.pending !== undefined || slot.basis.known === "observed") return [];
    const { team, member, basis } = slot;
    return [{ basis, because: team.because.slice(0, 1), concerns: [{ address: member.address, team: team.key }] }];
  });
  const roles = desired.flatMap((update): readonly UnobservedFact[] => {
    const before = update?.is === "known" ? currentRoles(update.key, state) : undefined;
    if (update?.is !== "known" || before === undefined || before.known === "observed") return [];
    const { key, because, concern } = update;
    return [{ basis: rolesBasis(key.prefix.value, before), because: because.slice(0, 1), concerns: [concern] }];
  });
  const unread = [...memberships, ...roles];
  if (unread.length === 0) return [];
  const times = unread.flatMap(({ basis }) => (basis.known === "recorded" ? [basis.at] : []));
  const [first] = times.sort(byCodeUnit);
  const counts = [formatCount(memberships.length, "membership"), formatCount(roles.length, "key")];
  const facts = [
    ...(memberships.length === 0 ? [] : counts.slice(0, 1)),
    ...(roles.length === 0 ? [] : counts.slice(1).map((keys) => `the roles of ${keys}`)),
  ];
  const isOne = memberships.length === 1 && roles.length === 0;
  const texts = say("not-observed/state", { facts, count: isOne ? 1 : 2, oldest: first });
  const because = distinctReasons(unread.flatMap((one) => one.because));
  const restsOn = unread.map(({ basis }) => basis);
  const concerns = unread.flatMap((one) => one.concerns);
  const subject = serviceSubject(snapshot.service);
  return [{ ...texts, aspect: "state", subject, because, restsOn, concerns }];
}
