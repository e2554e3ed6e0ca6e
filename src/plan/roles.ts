import { type FindingTexts, formatCount, joinList, say } from "../codes/message.ts";
import { type ActionId, additionId, creationId, type ReplaceRoles, type RuleName } from "../model/action.ts";
import { closestMatch, type EmailKey } from "../model/address.ts";
import { byCodeUnit, type Group, groupBy, multimap } from "../model/collections.ts";
import {
  declared,
  distinctReasons,
  type Fact,
  factValue,
  formatPlace,
  type Located,
  type Reason,
  reasonAt,
  unknown,
} from "../model/fact.ts";
import type { DesiredKey, RecordedKey } from "../model/key.ts";
import type { TeamKey } from "../model/recorded.ts";
import { formatRoles, type RoleEnding, type RoleSet, roleSet, rolesWithout, sameRoles } from "../model/role-set.ts";
import { daysBetween, type OwnedThing } from "../model/roster.ts";
import {
  type Basis,
  keySubject,
  memberSubject,
  observedBasis,
  partOf,
  recordedBasis,
  type Subject,
  serviceSubject,
  unknownBasis,
  userSubject,
} from "../model/subject.ts";
import type { ObservedUser } from "../model/user.ts";
import { isWithinConsistencyWindow, type PlanContext, shownFrom } from "./context.ts";
import { type FindingDraft, keyConcern } from "./finding-draft.ts";
import type { SentRoles } from "./first-member-roles.ts";
import {
  currentRoles,
  type KnownKey,
  type PresentUser,
  rolesBasis,
  type UserIdentities,
  type UserIdentity,
  userFinding,
} from "./identities.ts";
import { listedKeyDeclaration, resolveDeclaredKey, resolveOwnKey } from "./keys.ts";
import { type MembershipSlot, memberFinding } from "./memberships.ts";
import { refusalOf, refusedFinding, rolesRequest } from "./remembered-refusals.ts";
import type { Selection } from "./selection.ts";
import { type KeyKind, kindOfKey, type SnapshotIndex } from "./snapshot-index.ts";
import { acceptedReplacementBasis } from "./vanished-users.ts";

/** The exact roles that the roster wants on a key whose prefix is known. */
export interface KnownKeyUpdate {
  readonly is: "known";
  readonly key: KnownKey;
  readonly roles: RoleSet;
  readonly owner?: UserIdentity | undefined;
  /** Who is shown to hold it, where the roster does not name an owner. */
  readonly holder?: Pick<ObservedUser, "address" | "email"> | undefined;
  readonly team?: TeamKey | undefined;
  /** Of a key that the roster does not ask for by whose it is: it is known to be its holder's own. */
  readonly isOwn?: true;
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

/** The roles that the roster wants on the team key of one member. */
export function desiredTeamKeyRoles(slot: MembershipSlot, sent: ReadonlyMap<TeamKey, SentRoles>): DesiredRolesResult {
  const { team, member, person } = slot;
  const { address, because } = member;
  const concern = { address, team: team.key };
  if (slot.is === "member") {
    const { key, isIdentified, settling } = slot;
    if (member.roles === undefined) return undefined;
    if (key !== undefined) {
      const restsOn = acceptedReplacementBasis(slot.person, userSubject(address));
      const common = { roles: member.roles, owner: person, because, concern, restsOn };
      return { is: "known", asks: "member", key, team: isIdentified ? team.key : undefined, ...common };
    }
    // A membership that no read shows yet has a finding of its own.
    return settling === undefined ? { is: "finding", finding: unknownTeamKeyFinding(slot, slot.basis) } : undefined;
  }
  const isFirst = slot.is === "first-member";
  const roles = isFirst ? sent.get(team.key)?.exact : member.roles;
  if (roles === undefined) return undefined;
  const key = { of: "team-key", address, team: team.key } as const;
  const rule = isFirst ? "roles-of-first-member" : "roles-of-new-key";
  const asked = { id: `replace-roles:${team.key}:${address}`, rule, roles, because } as const;
  return {
    is: "given",
    action: rolesOfNewKey(key, isFirst ? creationId(address) : additionId(team.key), asked),
    concern,
  };
}

/** The roles that the roster wants on the key that was, or will be, created with a user. */
export function desiredOwnKeyRoles(
  person: UserIdentity,
  creations: ReadonlySet<EmailKey>,
  context: PlanContext,
): DesiredRolesResult {
  const { user } = person;
  const { address, ownKeyRoles } = user;
  if (ownKeyRoles === undefined || person.is === "blocked") return undefined;
  const roles = ownKeyRoles.value;
  const because = [...ownKeyRoles.because, ...user.because.slice(0, 1)];
  const concern = { address };
  if (person.is === "absent") {
    if (!creations.has(address)) return undefined;
    const key = { of: "own-key", address } as const;
    const asked = { id: `replace-roles:own:${address}`, rule: "roles-of-new-key", roles, because } as const;
    return { is: "given", action: rolesOfNewKey(key, creationId(address), asked), concern };
  }
  const key = resolveOwnKey(person, context);
  // A mistaken prefix is a finding of its own.
  if (key === undefined && user.key !== undefined) return undefined;
  if (key === undefined) return { is: "finding", finding: unknownOwnKeyFinding(person, because) };
  const restsOn = acceptedReplacementBasis(person, userSubject(address));
  return { is: "known", asks: "user", key, roles, owner: person, because, concern, restsOn };
}

/** The roles that the roster wants on a key that it names by its prefix. A mistaken prefix is a finding of its own. */
export function desiredListedKeyRoles(
  entry: DesiredKey,
  context: PlanContext,
  people: UserIdentities,
): DesiredRolesResult {
  const owner = entry.owner === undefined ? undefined : people.get(entry.owner.value);
  const { roles, because } = entry;
  const declaration = listedKeyDeclaration(entry, people, context);
  const resolved = resolveDeclaredKey(declaration, context);
  if (resolved.is === "mistaken" || owner?.is === "blocked") return undefined;
  const { key } = resolved;
  const [held] = owner === undefined ? context.facts.keysPrefixed(key.value) : [];
  return { is: "known", asks: "list", key, roles, owner, holder: held?.holder, because, concern: declaration.concern };
}

function rolesOfNewKey(
  key: ReplaceRoles["key"],
  givenBy: ActionId,
  asked: Pick<ReplaceRoles, "id" | "rule" | "roles" | "because">,
): ReplaceRoles {
  return {
    kind: "replace-roles",
    ...asked,
    key,
    before: unknown("this plan makes the key"),
    ifInexact: true,
    dependsOn: [givenBy],
    restsOn: [],
  };
}

function unknownTeamKeyFinding(slot: MembershipSlot, basis: Basis): FindingDraft {
  const { email } = slot.person.user;
  const texts = say("key-prefix-unknown/member", { email, team: slot.team.name, key: "PREFIX" });
  return { ...memberFinding(slot), ...texts, restsOn: [basis] };
}

function unknownOwnKeyFinding({ user, observed }: PresentUser, because: readonly Reason[]): FindingDraft {
  const why =
    observed.keys === undefined
      ? "the service does not show the keys of users"
      : "roster cannot know which of the keys was created with the user";
  const restsOn = [unknownBasis(partOf("own key", userSubject(user.address)), why)];
  const texts = say("key-prefix-unknown/own", { email: user.email, why, key: "PREFIX" });
  return userFinding(user, { ...texts, because, restsOn });
}

interface PlannedUpdate {
  readonly action?: ReplaceRoles;
  readonly finding?: FindingDraft;
  readonly kept?: KeptRoles;
}

/** One call for each key whose roles are not, or may not be, as the roster wants them; in the order in which they are wanted. */
export function planKeyUpdates(
  desired: readonly DesiredRolesResult[],
  context: PlanContext,
  selection: Selection,
): { readonly actions: readonly ReplaceRoles[]; readonly findings: readonly FindingDraft[] } {
  const groups = groupBy(desired, (update) => (update?.is === "known" ? update.key.value : undefined));
  const planned = desired.flatMap((update): PlannedUpdate[] => {
    if (update === undefined) return [];
    if (update.is === "finding") return [update];
    if (update.is === "known") {
      const group = groups.get(update.key.value)?.filter((one) => one?.is === "known") ?? [];
      const [first, ...others] = group;
      return first === update ? [planKnownKey([first, ...others], context, selection) ?? {}] : [];
    }
    const { action, concern } = update;
    const kind = action.key.of === "own-key" ? "own" : "team";
    return selection.keeps(concern) && rolesAllowed(action.roles, kind, context.facts) ? [{ action }] : [];
  });
  const kept = planned.flatMap((one) => one.kept ?? []);
  return {
    actions: planned.flatMap(({ action }) => action ?? []),
    findings: [
      ...planned.flatMap(({ finding }) => finding ?? []),
      ...keptRolesFindings(kept, context.snapshot.service),
    ],
  };
}

/** `group`: the updates of one key, all of which must ask for the same; hardly ever more than one. The first stands for all. */
function planKnownKey(
  group: Group<KnownKeyUpdate>,
  context: PlanContext,
  selection: Selection,
): PlannedUpdate | undefined {
  const [update] = group;
  const { key, roles } = update;
  if (group.some((other) => !sameRoles(other.roles, roles))) return { finding: conflictFinding(group) };
  const before = currentRoles(key, context.state);
  const isWanted = group.some(({ concern }) => selection.keeps(concern));
  const isAsWanted = before.known !== "unknown" && sameRoles(before.value, roles);
  if (!isWanted || isAsWanted || !rolesAllowed(roles, kindOfUpdate(update, context), context.facts)) return undefined;
  const record = context.state.keys.get(key.value);
  const finding = pendingRolesFinding(group, record, context);
  if (finding !== undefined) return { finding };
  const kept = rolesKeptByService(group, before, record, context);
  if (kept !== undefined) {
    // What stays on the key of somebody who is to have none is part of the finding about them.
    const isReported = update.asks === "leaver" || (update.asks === "removal" && kept.privileges.length === 0);
    return isReported ? undefined : { kept };
  }
  const owner = ownerOf(group);
  const request = rolesRequest({ prefix: key.value, owner }, roles, context);
  const refusal = refusalOf(request, context);
  if (refusal === undefined) return { action: { ...replaceRolesAction(group, before, owner), request } };
  const takesAll = update.asks === "leaver" || update.asks === "removal";
  const remedy = takesAll ? "disable the key in the service" : "correct the roles or the key in the roster";
  const refused = refusedFinding(partOf("roles", keySubject(key.value)), refusal, remedy);
  return { finding: { ...groupFinding(group), ...refused, roles } };
}

function ownerOf(group: Group<KnownKeyUpdate>): EmailKey | undefined {
  const person = group.find((one) => one.owner !== undefined)?.owner;
  if (person === undefined) return group[0].holder?.address;
  return person.is === "blocked" ? undefined : person.user.address;
}

function kindOfUpdate({ asks, key }: KnownKeyUpdate, { facts }: PlanContext): KeyKind {
  if (asks === "list") return kindOfKey(facts.keyPrefixed(key.value)?.key);
  return asks === "user" ? "own" : "team";
}

function replaceRolesAction(
  group: Group<KnownKeyUpdate>,
  before: Fact<RoleSet>,
  address: EmailKey | undefined,
): Omit<ReplaceRoles, "request"> {
  const [update] = group;
  const { key, team, roles, isOwn, restsOn = [] } = update;
  const own = team === undefined ? isOwn : undefined;
  return {
    kind: "replace-roles",
    rule: ruleFor(update, before),
    id: `replace-roles:${key.value}`,
    key: { of: "prefix", prefix: key.prefix, address, team, own },
    before,
    roles,
    ifInexact: false,
    because: updatesFinding(group).because,
    dependsOn: [],
    restsOn: [rolesBasis(key.value, before), ...prefixBasis(update), ...restsOn],
  };
}

function ruleFor({ asks }: KnownKeyUpdate, { known }: Fact<RoleSet>): RuleName {
  if (asks === "leaver") return "leaver-roles-removed";
  if (asks === "removal") return "extra-member-roles-removed";
  return known === "unknown" ? "roles-unknown" : "roles-differ";
}

/** A prefix that is shown speaks for itself. */
function prefixBasis({ key, concern: { address } }: KnownKeyUpdate): readonly Basis[] {
  if (key.prefix.known === "observed") return [];
  return [{ about: address === undefined ? { kind: "prefix" } : { kind: "prefix", address }, fact: key.prefix }];
}

function groupFinding(group: Group<KnownKeyUpdate>): Pick<FindingDraft, "subject" | "because" | "concerns"> {
  return { subject: keySubject(group[0].key.value), ...updatesFinding(group) };
}

function updatesFinding(updates: readonly KnownKeyUpdate[]): Pick<FindingDraft, "because" | "concerns"> {
  const because = distinctReasons(updates.flatMap((update) => update.because));
  return { because, concerns: updates.map(({ concern }) => concern) };
}

/** Several places of the roster lead to one key and want different roles on it. */
function conflictFinding(group: Group<KnownKeyUpdate>): FindingDraft {
  const wanted = group.map((update) => `${formatRoles(update.roles)} (${formatRequester(update)})`);
  const texts = say("conflicting-roles/places", { prefix: group[0].key.value, wanted });
  const roles = roleSet(group.flatMap((update) => update.roles));
  return { ...texts, ...groupFinding(group), roles };
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
  group: Group<KnownKeyUpdate>,
  record: RecordedKey | undefined,
  context: PlanContext,
): FindingDraft | undefined {
  const [{ key, roles, because }] = group;
  const shown = key.roles;
  if (record === undefined || shown?.known !== "observed") return undefined;
  const { setRoles, at, observedRoles, provisional } = record;
  if (!sameRoles(setRoles, roles) || !isWithinConsistencyWindow(at, context)) return undefined;
  const wasShown =
    (observedRoles !== undefined && provisional !== true) || context.state.seenKeys?.has(key.value) === true;
  if (wasShown) return undefined;
  const subject = keySubject(key.value);
  const about = { prefix: key.value, at, until: shownFrom(at, context) };
  const [asked, reads] = [formatRoles(setRoles), formatRoles(shown.value)];
  return {
    ...groupFinding(group),
    ...say("write-pending/roles", { ...about, roles: asked, shown: reads }),
    roles: roleSet([...setRoles, ...shown.value]),
    because,
    restsOn: [recordedBasis(subject, asked, at), observedBasis(subject, reads, shown.by)],
  };
}

/** A key on which the service keeps roles that the roster does not ask for, whatever is asked of it. */
interface KeptRoles {
  readonly group: Group<KnownKeyUpdate>;
  readonly before: Fact<RoleSet>;
  /** What the key carries beyond what was asked for, and what of it is privileged. */
  readonly beyond: RoleSet;
  readonly privileges: RoleSet;
}

/** The service was asked for these roles before and made of them what it shows now, and it would do so again. */
function rolesKeptByService(
  group: Group<KnownKeyUpdate>,
  before: Fact<RoleSet>,
  record: RecordedKey | undefined,
  { policy }: PlanContext,
): KeptRoles | undefined {
  if (record?.observedRoles === undefined || before.known !== "observed") return undefined;
  const { setRoles, observedRoles } = record;
  const isAsAsked = sameRoles(setRoles, group[0].roles) && rolesWithout(setRoles, observedRoles).length === 0;
  if (!isAsAsked || !sameRoles(observedRoles, before.value)) return undefined;
  const beyond = rolesWithout(observedRoles, setRoles);
  const privileges = beyond.filter((role) => policy.privilegedRoles.includes(role));
  return { group, before, beyond, privileges };
}

/** One notice of what the service does to its keys; each key on which a privileged role stays is a finding of its own. */
function keptRolesFindings(kept: readonly KeptRoles[], service: string): readonly FindingDraft[] {
  const privileged = kept.filter(({ privileges }) => privileges.length > 0);
  const harmless = kept.filter(({ privileges }) => privileges.length === 0);
  const findings = privileged.map(keptPrivilegeFinding);
  if (harmless.length === 0) return findings;
  const roles = roleSet(harmless.flatMap(({ beyond }) => beyond));
  const texts = say("roles-kept-by-service/harmless", { roles, count: harmless.length });
  const about = { ...updatesFinding(harmless.flatMap(({ group }) => group)), subject: serviceSubject(service) };
  const restsOn = harmless.map(({ group, before }) => rolesBasis(group[0].key.value, before));
  return [...findings, { ...about, ...texts, roles, restsOn }];
}

function keptPrivilegeFinding({ group, before, privileges }: KeptRoles): FindingDraft {
  const [{ key, roles }] = group;
  const texts = say("roles-kept-by-service/privileged", { prefix: key.value, roles: formatRoles(roles), privileges });
  return {
    ...groupFinding(group),
    ...texts,
    roles: roleSet([...roles, ...privileges]),
    kind: "task",
    restsOn: [rolesBasis(key.value, before)],
  };
}

/** Keys that an earlier run emptied, such as those of a leaver who came back, and that nothing in the roster fills again. */
export function findEmptiedKeys(
  people: UserIdentities,
  slots: readonly MembershipSlot[],
  desired: readonly DesiredRolesResult[],
  context: PlanContext,
): readonly FindingDraft[] {
  const emptied = new Map([...context.state.keys].filter(([, { setRoles }]) => setRoles.length === 0));
  for (const update of desired) if (update?.is === "known") emptied.delete(update.key.value);
  if (emptied.size === 0) return [];
  const found = new Map<string, FindingDraft>();
  const report = (
    key: KnownKey | undefined,
    textsAt: (prefix: string, at: string) => FindingTexts,
    about: Pick<FindingDraft, "because" | "concerns">,
  ) => {
    const record = key === undefined ? undefined : emptied.get(key.value);
    if (key === undefined || record === undefined || factValue(currentRoles(key, context.state))?.length !== 0) return;
    const { because, concerns } = about;
    const subject = keySubject(key.value);
    const restsOn = [recordedBasis(partOf("roles", subject), "no roles", record.at)];
    found.set(key.value, { ...textsAt(key.value, record.at), subject, because, restsOn, concerns });
  };
  for (const person of people.values()) {
    if (person.is !== "present") continue;
    const { email, address, because } = person.user;
    const about = { because: because.slice(0, 1), concerns: [{ address }] };
    report(resolveOwnKey(person, context), (prefix, at) => say("key-without-roles/own", { prefix, email, at }), about);
  }
  for (const slot of slots) {
    if (slot.is !== "member") continue;
    const parts = { email: slot.person.user.email, team: slot.team.name };
    report(slot.key, (prefix, at) => say("key-without-roles/member", { ...parts, prefix, at }), memberFinding(slot));
  }
  return [...found.values()];
}

/** What the roster asks of one key, whatever reads show: of a user's own, of a member's, of one that it lists. */
interface AskedRoles {
  readonly kind: KeyKind;
  readonly roles: RoleSet;
  readonly endings?: readonly RoleEnding[] | undefined;
  /** Of the membership, with whatever roles. */
  readonly until?: Located<string> | undefined;
}

interface AskedKey extends AskedRoles {
  readonly subject: Subject;
  /** Such as `ada@acme.example in Platform`. */
  readonly whose: string;
  readonly because: readonly Reason[];
  readonly concern: OwnedThing;
}

/** Those that a finding is about: there are thousands of keys, and hardly ever one of these. */
function askedKeys({ roster, facts }: PlanContext, isAbout: (asked: AskedRoles) => boolean): readonly AskedKey[] {
  const found: AskedKey[] = [];
  for (const { address, email, ownKeyRoles: wanted, because } of roster.users.values()) {
    if (wanted === undefined) continue;
    const asked = { kind: "own", roles: wanted.value, endings: wanted.endings } as const;
    if (!isAbout(asked)) continue;
    const reasons = [...wanted.because, ...because.slice(0, 1)];
    const about = { subject: userSubject(address), whose: `the own key of ${email}`, concern: { address } };
    found.push({ ...asked, ...about, because: reasons });
  }
  for (const { key: team, name, members } of roster.teams) {
    for (const { address, roles = [], endings, until, because } of members) {
      const asked = { kind: "team", roles, endings, until } as const;
      if (!isAbout(asked)) continue;
      const whose = `${roster.users.get(address)?.email ?? address} in ${name}`;
      found.push({ ...asked, subject: memberSubject(address, team), whose, because, concern: { address, team } });
    }
  }
  for (const entry of roster.keys) {
    const { prefix, roles, endings, because } = entry;
    const asked = { kind: kindOfKey(facts.keyPrefixed(prefix)?.key), roles, endings };
    const about = { subject: keySubject(prefix), whose: `the key ${prefix}`, concern: keyConcern(entry) };
    if (isAbout(asked)) found.push({ ...asked, ...about, because });
  }
  return found;
}

/** Whether the service knows all of the roles and lets such a key carry them; where it did not say, it is not doubted. */
function rolesAllowed(roles: RoleSet, kind: KeyKind, { rolesFor }: SnapshotIndex): boolean {
  if (rolesFor === undefined) return true;
  const fitting = rolesFor(kind);
  return roles.every((role) => fitting.has(role));
}

/** One finding for each role that the service does not know, or not for such a key, with every place that asks for it. */
export function findInvalidRoles(context: PlanContext): readonly FindingDraft[] {
  const { rolesFor } = context.facts;
  if (rolesFor === undefined) return [];
  const invalid = askedKeys(context, ({ roles, kind }) => !rolesAllowed(roles, kind, context.facts));
  const asked = invalid.flatMap((key) => {
    const fitting = rolesFor(key.kind);
    return key.roles.filter((role) => !fitting.has(role)).map((role) => [role, key] as const);
  });
  return [...multimap(asked)]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([role, asking]) => invalidRoleFinding(role, asking, rolesFor("unclear"), context.facts));
}

const kindNames: Readonly<Record<KeyKind, string>> = {
  team: "a team key",
  own: "a user's own key",
  project: "a project key",
  unclear: "a key",
};

function invalidRoleFinding(
  role: string,
  asking: Group<AskedKey>,
  offered: ReadonlySet<string>,
  { rolesBy }: SnapshotIndex,
): FindingDraft {
  const because = distinctReasons(asking.flatMap((key) => key.because));
  const place = because[0] === undefined ? "the roster" : formatPlace(because[0]);
  const kinds = [...new Set(asking.map(({ kind }) => kindNames[kind]))];
  const isOffered = offered.has(role);
  const all = [...offered].sort(byCodeUnit);
  const texts = isOffered
    ? say("unknown-role/misplaced", { role, kinds, place })
    : say("unknown-role/unknown", { role, place, alike: similarRoles(role, all), offered: all });
  const subject: Subject = { kind: "role", role };
  const is = isOffered ? `not for ${joinList(kinds)}` : "not offered";
  const restsOn = rolesBy === undefined ? [] : [observedBasis(subject, is, rolesBy)];
  return { ...texts, subject, because, restsOn, concerns: asking.map(({ concern }) => concern) };
}

function similarRoles(role: string, offered: readonly string[]): readonly string[] {
  const sameLetters = offered.filter((one) => one.toLowerCase() === role.toLowerCase());
  return sameLetters.length > 0 ? sameLetters : [closestMatch(role, offered) ?? []].flat();
}

/** Days ahead of the notice that a role or a membership ends. */
const noticeDays = 14;

/** Roles and memberships that end soon, so that nobody is surprised on the day: one notice for each key. */
export function findEndingAccess(context: PlanContext): readonly FindingDraft[] {
  const { today } = context.policy;
  const timed = askedKeys(context, ({ endings, until }) => endings !== undefined || until !== undefined);
  return timed.flatMap(({ subject, whose, endings = [], until: last, because, concern }) => {
    const membership = last === undefined ? [] : [{ what: "the membership", roles: [], until: last }];
    const ends = [...endings.map((one) => ({ ...one, what: formatRoles(one.roles) })), ...membership];
    const soon = ends.filter(({ until }) => daysBetween(today, until.value) <= noticeDays);
    if (soon.length === 0) return [];
    const about = partOf("until", subject);
    const parts = soon.map(({ what, until }) => {
      const left = daysBetween(today, until.value);
      return `${what} on ${until.value} (in ${formatCount(left, "day")})`;
    });
    const dates = soon.map(({ until }) => ({ about, fact: declared(until.value, until.place) }));
    const reasons = soon.map(({ until }) => reasonAt(until.place, "until", { name: until.value }));
    return {
      ...say("date-ahead/access-ends", { whose, ends: parts }),
      subject: about,
      roles: roleSet(soon.flatMap(({ roles }) => roles)),
      because: [...reasons, ...because.slice(0, 1)],
      restsOn: [...dates, observedBasis({ kind: "other", name: "today" }, today, "clock")],
      concerns: [concern],
    };
  });
}
