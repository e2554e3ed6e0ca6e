import { say } from "../codes/message.ts";
import { type ActionId, additionId, creationId, type ReplaceRoles, type RuleName } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import { type Group, groupBy } from "../model/collections.ts";
import { distinctReasons, type Fact, factValue, type Reason, unknown } from "../model/fact.ts";
import type { DesiredKey, RecordedKey } from "../model/key.ts";
import type { TeamKey } from "../model/recorded.ts";
import { formatRoles, type RoleSet, roleSet, rolesWithout, sameRoles } from "../model/role-set.ts";
import type { OwnedThing } from "../model/roster.ts";
import {
  type Basis,
  keySubject,
  observedBasis,
  partOf,
  recordedBasis,
  serviceSubject,
  unknownBasis,
  userSubject,
} from "../model/subject.ts";
import type { AddressedUser } from "../model/user.ts";
import { rolesAllowed } from "./asked-roles.ts";
import { isWithinConsistencyWindow, type PlanContext, shownFrom } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import type { SentRoles } from "./first-member-roles.ts";
import {
  currentRoles,
  type KnownKey,
  rolesBasis,
  type UserIdentities,
  type UserIdentity,
  userFinding,
} from "./identities.ts";
import { listedKeyDeclaration, resolveDeclaredKey, resolveOwnKey } from "./keys.ts";
import { type MembershipSlot, memberFinding } from "./memberships.ts";
import { refusalOf, refusedFinding, rolesRequest } from "./remembered-refusals.ts";
import type { Selection } from "./selection.ts";
import { type KeyKind, kindOfKey } from "./snapshot-index.ts";
import { acceptedReplacementBasis } from "./vanished-users.ts";

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
  const holder = owner?.user ?? context.facts.keysPrefixed(key.prefix.value)[0]?.holder;
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
export function planKeyUpdates(
  desired: readonly DesiredRolesResult[],
  context: PlanContext,
  selection: Selection,
): { readonly actions: readonly ReplaceRoles[]; readonly findings: readonly FindingDraft[] } {
  const known = desired.filter((update) => update?.is === "known");
  const groups = groupBy(known, ({ key }) => key.prefix.value);
  const planned = desired.flatMap((update): PlannedUpdate | readonly PlannedUpdate[] => {
    if (update?.is === "finding") return update;
    if (update?.is === "given") {
      const { action, concern } = update;
      const kind = action.key.of === "own-key" ? "own" : "team";
      return selection.keeps(concern) && rolesAllowed(action.roles, kind, context.facts) ? { action } : [];
    }
    const group = update && groups.get(update.key.prefix.value);
    return group?.[0] === update && group !== undefined ? planKnownKey(group, context, selection) : [];
  });
  const kept = planned.flatMap((one) => one.kept ?? []);
  const findings = planned.flatMap(({ finding }) => finding ?? []);
  if (kept.length > 0) {
    const roles = roleSet(kept.flatMap(({ beyond }) => beyond));
    const texts = say("roles-kept-by-service/harmless", { roles, count: kept.length });
    const about = {
      ...updatesFinding(kept.flatMap(({ group }) => group)),
      subject: serviceSubject(context.snapshot.service),
    };
    const restsOn = kept.map(({ group, before }) => rolesBasis(group[0].key.prefix.value, before));
    findings.push({ ...about, ...texts, roles, restsOn });
  }
  return { actions: planned.flatMap(({ action }) => action ?? []), findings };
}

/** `group`: the updates of one key, all of which must ask for the same; hardly ever more than one. The first stands for all. */
function planKnownKey(group: Group<KnownKeyUpdate>, context: PlanContext, selection: Selection): PlannedUpdate {
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
  const isWanted = group.some((one) => selection.keeps(one.concern));
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
  const prefixOf: Basis = { about: { kind: "other", name: `prefix of a key${holder}` }, fact: key.prefix };
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
function rolesKeptByService(
  roles: RoleSet,
  before: Fact<RoleSet>,
  record: RecordedKey | undefined,
): RoleSet | undefined {
  if (record?.observedRoles === undefined || before.known !== "observed") return undefined;
  const { setRoles, observedRoles } = record;
  const isAsAsked = sameRoles(setRoles, roles) && rolesWithout(setRoles, observedRoles).length === 0;
  return isAsAsked && sameRoles(observedRoles, before.value) ? rolesWithout(observedRoles, setRoles) : undefined;
}

/** Keys that an earlier run emptied, such as those of a leaver who came back, and that nothing in the roster fills again. */
export function findEmptiedKeys(
  people: UserIdentities,
  slots: readonly MembershipSlot[],
  desired: readonly DesiredRolesResult[],
  context: PlanContext,
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
  for (const person of people.values()) {
    if (person.is !== "present") continue;
    const { email, address, because } = person.user;
    report(resolveOwnKey(person, context), email, { because: because.slice(0, 1), concerns: [{ address }] });
  }
  for (const slot of slots)
    if (slot.is === "member") report(slot.key, slot.person.user.email, memberFinding(slot), slot.team.name);
  return [...found.values()];
}
