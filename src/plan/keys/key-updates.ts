import type { KeyRef, PersonRef, ReplaceRoles, RuleName } from "../../model/action.ts";
import { distinctReasons, type Fact, unknown } from "../../model/fact.ts";
import {
  formatRoles,
  type Group,
  groupBy,
  type RoleSet,
  roleSet,
  rolesWithout,
  sameRoles,
} from "../../model/role-set.ts";
import type { RecordedKey, RecordedRefusal } from "../../model/state.ts";
import { keySubject, observedBasis, partOf, recordedBasis, serviceSubject } from "../../model/subject.ts";
import { formatWait, isWithinConsistencyWindow, type PlanContext } from "../context.ts";
import { type FindingDraft, joinList } from "../finding-draft.ts";
import { currentRoles, personRef, rolesBasis } from "../identities.ts";
import { refusalOf, refusedFinding, rolesRequest } from "../remembered-refusals.ts";
import type { Selection } from "../selection.ts";
import { type KeyKind, kindOfKey } from "../snapshot-index.ts";
import { type DesiredRolesResult, type KnownKeyUpdate, type NewKeyUpdate, removesAllRoles } from "./desired-roles.ts";
import { rolesAllowed } from "./key-findings.ts";

interface KeyUpdates {
  readonly actions: readonly ReplaceRoles[];
  readonly findings: readonly FindingDraft[];
}

type KeyUpdateResult =
  | { readonly action: ReplaceRoles }
  | { readonly finding: FindingDraft }
  | { readonly implied: ImpliedRoles }
  | undefined;

/** One call for each key whose roles are not, or may not be, as the roster wants them; in the order in which they are wanted. */
export function planKeyUpdates(
  desired: readonly DesiredRolesResult[],
  context: PlanContext,
  selection: Selection,
): KeyUpdates {
  const groups = groupByKey(desired);
  const actions: ReplaceRoles[] = [];
  const findings: FindingDraft[] = [];
  const implied: ImpliedRoles[] = [];
  for (const update of desired) {
    const planned = planKeyUpdate(update, groups, context, selection);
    if (planned === undefined) continue;
    if ("action" in planned) actions.push(planned.action);
    else if ("implied" in planned) implied.push(planned.implied);
    else findings.push(planned.finding);
  }
  return { actions, findings: [...findings, ...reportImpliedRoles(implied, context)] };
}

function planKeyUpdate(
  update: DesiredRolesResult,
  groups: ReadonlyMap<string, KeyUpdateGroup>,
  context: PlanContext,
  selection: Selection,
): KeyUpdateResult {
  switch (update?.is) {
    case undefined:
      return undefined;
    case "finding":
      return { finding: update.finding };
    case "given":
      return planNewKey(update, context, selection);
    case "known": {
      const group = groups.get(update.key.value);
      return group?.[0] === update ? planKnownKey(group, context, selection) : undefined;
    }
  }
}

/** The updates of one key, all of which must ask for the same; hardly ever more than one. The first stands for all. */
type KeyUpdateGroup = Group<KnownKeyUpdate>;

function groupByKey(desired: readonly DesiredRolesResult[]): ReadonlyMap<string, KeyUpdateGroup> {
  const known = desired.filter((update) => update?.is === "known");
  return groupBy(known, ({ key }) => key.value);
}

function planNewKey(update: NewKeyUpdate, context: PlanContext, selection: Selection): KeyUpdateResult {
  const kind = update.key.of === "own-key" ? "own" : "team";
  if (!selection.keeps(update.concern) || !rolesAllowed(update.roles, kind, context.facts)) return undefined;
  const { id, key, roles, because } = update;
  const owner = update.owner === undefined ? undefined : personRef(update.owner);
  const action: ReplaceRoles = {
    kind: "replace-roles",
    rule: update.isFirstMembers === true ? "roles-of-first-member" : "roles-of-new-key",
    id,
    key,
    before: unknown("this plan makes the key"),
    roles,
    ifInexact: true,
    because,
    dependsOn: [key.givenBy],
    restsOn: [],
    ...(owner === undefined ? {} : { owner }),
  };
  return { action };
}

function planKnownKey(group: KeyUpdateGroup, context: PlanContext, selection: Selection): KeyUpdateResult {
  const [update] = group;
  const { roles } = update;
  if (group.some((other) => !sameRoles(other.roles, roles))) return { finding: reportConflict(group) };
  const before = currentRoles(update.key, context.state);
  const isWanted = group.some(({ concern }) => selection.keeps(concern));
  const isAsWanted = before.known !== "unknown" && sameRoles(before.value, roles);
  if (!isWanted || isAsWanted || !rolesAllowed(roles, kindOfUpdate(update, context), context.facts)) return undefined;
  const record = context.state.keys.get(update.key.value);
  const settling = recentlyReplacedRoles(group, record, context);
  if (settling !== undefined) return { finding: settling };
  const implied = impliedRoles(group, before, record);
  if (implied !== undefined) return isReportedElsewhere(implied, context) ? undefined : { implied };
  const key = { prefix: update.key.value, owner: keyOwnerRef(group)?.address };
  const request = rolesRequest(key, roles, context);
  const refusal = refusalOf(request, context);
  if (refusal !== undefined) return { finding: reportRefusedRoles(group, refusal) };
  return { action: { ...replaceRolesAction(group, before), request } };
}

/** What stays on the key of somebody who is to have none is part of the finding about them. */
function isReportedElsewhere({ group: [update], beyond }: ImpliedRoles, { policy }: PlanContext): boolean {
  if (!removesAllRoles(update)) return false;
  return update.asks === "leaver" || !beyond.some((role) => policy.privilegedRoles.includes(role));
}

function keyOwnerRef(group: KeyUpdateGroup): PersonRef | undefined {
  const person = group.find((one) => one.owner !== undefined)?.owner;
  return person === undefined ? group[0].holder : personRef(person);
}

function kindOfUpdate({ asks, key }: KnownKeyUpdate, { facts }: PlanContext): KeyKind {
  if (asks === "list") return kindOfKey(facts.keyPrefixed(key.value)?.key);
  return asks === "user" ? "own" : "team";
}

function replaceRolesAction(group: KeyUpdateGroup, before: Fact<RoleSet>): ReplaceRoles {
  const [update] = group;
  const { key, team, roles } = update;
  const owner = keyOwnerRef(group);
  const whose = team === undefined ? (update.isOwn === true ? { own: true as const } : {}) : { team };
  const ref: KeyRef = { of: "prefix", prefix: key.prefix, ...whose };
  return {
    kind: "replace-roles",
    rule: ruleFor(update, before),
    id: `replace-roles:${key.value}`,
    key: ref,
    before,
    roles,
    ifInexact: false,
    because: groupReasons(group),
    dependsOn: [],
    restsOn: [rolesBasis(key.value, before), ...prefixBasis(update), ...(update.restsOn ?? [])],
    ...(owner === undefined ? {} : { owner }),
  };
}

function ruleFor({ asks }: KnownKeyUpdate, { known }: Fact<RoleSet>): RuleName {
  switch (asks) {
    case "leaver":
      return "leaver-roles-removed";
    case "removal":
      return "extra-member-roles-removed";
    case "member":
    case "user":
    case "list":
      return known === "unknown" ? "roles-unknown" : "roles-differ";
  }
}

/** A prefix that is shown speaks for itself. */
function prefixBasis({ key, concern }: KnownKeyUpdate): ReplaceRoles["restsOn"] {
  if (key.prefix.known === "observed") return [];
  const { address } = concern;
  return [{ about: address === undefined ? { kind: "prefix" } : { kind: "prefix", address }, fact: key.prefix }];
}

/** Several places of the roster lead to one key and want different roles on it. */
function reportConflict(group: KeyUpdateGroup): FindingDraft {
  const wanted = group.map((update) => `${formatRoles(update.roles)} (${describeRequester(update)})`);
  const message =
    `The roster gives the key ${group[0].key.value} different roles: ${joinList(wanted)}. roster does not change this key. ` +
    "Make the places agree, or correct the wrong prefix.";
  return {
    code: "conflicting-roles",
    ...groupFinding(group),
    roles: roleSet(group.flatMap((update) => update.roles)),
    message,
  };
}

function describeRequester({ asks, concern }: KnownKeyUpdate): string {
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

function groupFinding(group: KeyUpdateGroup): Pick<FindingDraft, "subject" | "because" | "concerns"> {
  return {
    subject: keySubject(group[0].key.value),
    because: groupReasons(group),
    concerns: group.map(({ concern }) => concern),
  };
}

function groupReasons(group: readonly KnownKeyUpdate[]): FindingDraft["because"] {
  return distinctReasons(group.flatMap(({ because }) => because));
}

/** A key whose roles we replaced a moment ago, and that still reads as before. */
function recentlyReplacedRoles(
  group: KeyUpdateGroup,
  record: RecordedKey | undefined,
  context: PlanContext,
): FindingDraft | undefined {
  const [{ key, roles, because }] = group;
  const shown = key.roles;
  if (record === undefined || shown?.known !== "observed") return undefined;
  if (!sameRoles(record.put, roles) || !isWithinConsistencyWindow(record.at, context)) return undefined;
  const wasShown =
    (record.readAs !== undefined && record.early !== true) || context.state.seenKeys?.has(key.value) === true;
  if (wasShown) return undefined;
  const subject = keySubject(key.value);
  return {
    ...groupFinding(group),
    code: "write-pending",
    roles: roleSet([...record.put, ...shown.value]),
    message:
      `roster set the roles of the key ${key.value} to ${formatRoles(record.put)} at ${record.at}. Reads still show ` +
      `${formatRoles(shown.value)}. ${formatWait(record.at, context)}`,
    because,
    restsOn: [
      recordedBasis(subject, formatRoles(record.put), record.at),
      observedBasis(subject, formatRoles(shown.value), shown.by),
    ],
  };
}

/** A key to which the service would not give its roles. */
function reportRefusedRoles(group: KeyUpdateGroup, refusal: RecordedRefusal): FindingDraft {
  const [update] = group;
  const { key, roles } = update;
  const remedy = removesAllRoles(update)
    ? "disable the key in the service"
    : "correct the roles or the key in the roster";
  return {
    ...groupFinding(group),
    ...refusedFinding(partOf("roles", keySubject(key.value)), refusal, remedy),
    roles,
  };
}

/** A key on which the service keeps roles that the roster does not ask for, whatever is asked of it. */
interface ImpliedRoles {
  readonly group: KeyUpdateGroup;
  readonly before: Fact<RoleSet>;
  /** What the key carries beyond what was asked for. */
  readonly beyond: RoleSet;
}

/** The service was asked for these roles before and made of them what it shows now, and it would do so again. */
function impliedRoles(
  group: KeyUpdateGroup,
  before: Fact<RoleSet>,
  record: RecordedKey | undefined,
): ImpliedRoles | undefined {
  if (record?.readAs === undefined || before.known !== "observed") return undefined;
  const { put, readAs } = record;
  const isAsAsked = sameRoles(put, group[0].roles) && rolesWithout(put, readAs).length === 0;
  return isAsAsked && sameRoles(readAs, before.value)
    ? { group, before, beyond: rolesWithout(readAs, put) }
    : undefined;
}

/** One notice of what the service does to its keys; each key on which a privileged role stays is a finding of its own. */
function reportImpliedRoles(
  implied: readonly ImpliedRoles[],
  { policy, snapshot }: PlanContext,
): readonly FindingDraft[] {
  const privileges = ({ beyond }: ImpliedRoles) => beyond.filter((role) => policy.privilegedRoles.includes(role));
  const harmless = implied.filter((one) => privileges(one).length === 0);
  return [
    ...implied.filter((one) => privileges(one).length > 0).map((one) => impliedPrivilegeFinding(one, privileges(one))),
    ...(harmless.length === 0 ? [] : [harmlessImpliedFinding(harmless, snapshot.service)]),
  ];
}

function impliedPrivilegeFinding({ group, before }: ImpliedRoles, privileges: RoleSet): FindingDraft {
  const [{ key, roles }] = group;
  const message =
    `roster set the key ${key.value} to ${formatRoles(roles)}, but the service kept ${joinList(privileges)} on it. ` +
    "The roster does not give this access. Remove it in the service, or add it to the roster.";
  return {
    ...groupFinding(group),
    code: "roles-kept-by-service",
    roles: roleSet([...roles, ...privileges]),
    message,
    deniedAccess: true,
    restsOn: [rolesBasis(key.value, before)],
  };
}

function harmlessImpliedFinding(implied: readonly ImpliedRoles[], service: string): FindingDraft {
  const roles = roleSet(implied.flatMap((one) => one.beyond));
  const keys = implied.length === 1 ? "1 key reads" : `${implied.length} keys read`;
  const message =
    `The service keeps ${joinList(roles)} on keys: ${keys} the same as after the last apply. ` +
    "roster does not send the change again. To hide this notice, add these roles to the roster.";
  return {
    code: "roles-kept-by-service",
    subject: serviceSubject(service),
    roles,
    message,
    because: groupReasons(implied.flatMap(({ group }) => group)),
    restsOn: implied.map(({ group, before }) => rolesBasis(group[0].key.value, before)),
    concerns: implied.flatMap(({ group }) => group.map(({ concern }) => concern)),
  };
}
