import type { KeyRef, PersonRef, ReplaceRoles, RuleName } from "../../model/action.ts";
import { distinctReasons, type Fact, unknown } from "../../model/fact.ts";
import type { RecordedRefusal } from "../../model/refusal.ts";
import { formatRoles, type RoleSet, sameRoles } from "../../model/role-set.ts";
import type { RecordedKey } from "../../model/state.ts";
import { keySubject, observedBasis, partOf, recordedBasis } from "../../model/subject.ts";
import { formatWait, isWithinConsistencyWindow, type PlanContext } from "../context.ts";
import { type FindingDraft, joinList } from "../finding-draft.ts";
import { currentRoles, personRef, rolesBasis } from "../identities.ts";
import {
  formatRefusal,
  formatRefusalRemedies,
  givenRolesRequest,
  refusalBasis,
  refusedRoles,
  rolesRequest,
} from "../known-refusals.ts";
import type { Selection } from "../selection.ts";
import { type KeyKind, kindOfKey } from "../snapshot-index.ts";
import { type DesiredRolesResult, type KnownKeyUpdate, type NewKeyUpdate, removesAllRoles } from "./desired-roles.ts";
import { type ImpliedRoles, impliedRoles, reportImpliedRoles } from "./implied-roles.ts";
import { rolesAllowed } from "./invalid-roles.ts";

interface KeyUpdates {
  readonly actions: readonly ReplaceRoles[];
  readonly findings: readonly FindingDraft[];
}

type KeyUpdateResult =
  | { readonly action: ReplaceRoles }
  | { readonly finding: FindingDraft }
  | { readonly implied: ImpliedRoles }
  | undefined;

/** One call for each key whose roles are not, or may not be, as the roster wants them; in the order of the wishes. */
export function planKeyUpdates(
  wished: readonly DesiredRolesResult[],
  context: PlanContext,
  selection: Selection,
): KeyUpdates {
  const shared = updatesOnSharedKeys(wished);
  const actions: ReplaceRoles[] = [];
  const findings: FindingDraft[] = [];
  const implied: ImpliedRoles[] = [];
  for (const wish of wished) {
    if (wish?.is === "troubled") findings.push(wish.finding);
    const planned = planKeyUpdate(wish, shared, context, selection);
    if (planned === undefined) continue;
    if ("action" in planned) actions.push(planned.action);
    else if ("implied" in planned) implied.push(planned.implied);
    else findings.push(planned.finding);
  }
  return { actions, findings: [...findings, ...reportImpliedRoles(implied, context)] };
}

function planKeyUpdate(
  wish: DesiredRolesResult,
  shared: ReadonlyMap<string, readonly KnownKeyUpdate[]>,
  context: PlanContext,
  selection: Selection,
): KeyUpdateResult {
  if (wish?.is === "given") return planNewKey(wish, context, selection);
  if (wish?.is !== "known") return undefined;
  const group = shared.get(wish.key.value) ?? [wish];
  // The first wish on a key speaks for all.
  return group[0] === wish ? planKnownKey(wish, group, context, selection) : undefined;
}

/** The wishes on each key that several places of the roster lead to; hardly ever any. */
function updatesOnSharedKeys(wished: readonly DesiredRolesResult[]): ReadonlyMap<string, readonly KnownKeyUpdate[]> {
  const first = new Map<string, KnownKeyUpdate>();
  const shared = new Map<string, KnownKeyUpdate[]>();
  for (const wish of wished) {
    if (wish?.is !== "known") continue;
    const prefix = wish.key.value;
    const known = first.get(prefix);
    if (known === undefined) first.set(prefix, wish);
    else shared.set(prefix, [...(shared.get(prefix) ?? [known]), wish]);
  }
  return shared;
}

function planNewKey(wish: NewKeyUpdate, context: PlanContext, selection: Selection): KeyUpdateResult {
  const kind = wish.key.of === "own-key" ? "own" : "team";
  if (!selection.keeps(wish.concern) || !rolesAllowed(wish.roles, kind, context.facts)) return undefined;
  const { id, key, roles, because } = wish;
  const owner = wish.owner === undefined ? undefined : personRef(wish.owner);
  const action: ReplaceRoles = {
    kind: "replace-roles",
    rule: wish.isFounders === true ? "roles-of-founder" : "roles-of-new-key",
    id,
    key,
    before: unknown("this plan makes the key"),
    roles,
    unlessExact: true,
    because,
    dependsOn: [key.givenBy],
    restsOn: [],
    request: givenRolesRequest(roles, context),
    ...(owner === undefined ? {} : { owner }),
  };
  return { action };
}

function planKnownKey(
  wish: KnownKeyUpdate,
  group: readonly KnownKeyUpdate[],
  context: PlanContext,
  selection: Selection,
): KeyUpdateResult {
  if (group.some(({ roles }) => !sameRoles(roles, wish.roles))) return { finding: reportConflict(group) };
  const before = currentRoles(wish.key, context.state);
  const isWanted = group.some(({ concern }) => selection.keeps(concern));
  if (
    !isWanted ||
    hasDesiredRoles(wish, before) ||
    !rolesAllowed(wish.roles, kindOfUpdate(wish, context), context.facts)
  )
    return undefined;
  const record = context.state.keys.get(wish.key.value);
  const settling = recentlyReplacedRoles(group, record, context);
  if (settling !== undefined) return { finding: settling };
  const implied = impliedRoles(group, before, record);
  if (implied !== undefined) return isReportedElsewhere(implied, context) ? undefined : { implied };
  const key = { prefix: wish.key.value, owner: keyOwnerRef(wish, group)?.address };
  const refusal = refusedRoles(key, wish.roles, context);
  if (refusal !== undefined) return { finding: reportRefusedRoles(group, refusal) };
  return { action: { ...replaceRolesAction(wish, group, before), request: rolesRequest(key, wish.roles, context) } };
}

/** What stays on the key of somebody who is to have none is part of the finding about them. */
function isReportedElsewhere({ group: [wish], beyond }: ImpliedRoles, { policy }: PlanContext): boolean {
  if (wish === undefined || !removesAllRoles(wish)) return false;
  return wish.asks === "leaver" || !beyond.some((role) => policy.privilegedRoles.includes(role));
}

function keyOwnerRef(wish: KnownKeyUpdate, group: readonly KnownKeyUpdate[]): PersonRef | undefined {
  const person = group.find((one) => one.owner !== undefined)?.owner;
  return person === undefined ? wish.holder : personRef(person);
}

function kindOfUpdate({ asks, key }: KnownKeyUpdate, { facts }: PlanContext): KeyKind {
  if (asks === "list") return kindOfKey(facts.keyPrefixed(key.value)?.key);
  return asks === "user" ? "own" : "team";
}

function hasDesiredRoles({ roles }: KnownKeyUpdate, before: Fact<RoleSet>): boolean {
  return before.known !== "unknown" && sameRoles(before.value, roles);
}

function replaceRolesAction(
  wish: KnownKeyUpdate,
  group: readonly KnownKeyUpdate[],
  before: Fact<RoleSet>,
): ReplaceRoles {
  const { key, team, roles } = wish;
  const owner = keyOwnerRef(wish, group);
  const whose = team === undefined ? (wish.isOwn === true ? { own: true as const } : {}) : { team };
  const ref: KeyRef = { of: "prefix", prefix: key.prefix, ...whose };
  return {
    kind: "replace-roles",
    rule: ruleFor(wish, before),
    id: `replace-roles:${key.value}`,
    key: ref,
    before,
    roles,
    unlessExact: false,
    because: distinctReasons(group.flatMap(({ because }) => because)),
    dependsOn: [],
    restsOn: [rolesBasis(key.value, before), ...prefixBasis(wish), ...(wish.restsOn ?? [])],
    ...(owner === undefined ? {} : { owner }),
  };
}

function ruleFor({ asks }: KnownKeyUpdate, { known }: Fact<RoleSet>): RuleName {
  switch (asks) {
    case "leaver":
      return "leaver-disarmed";
    case "removal":
      return "removed-disarmed";
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

type KeyUpdateGroup = readonly KnownKeyUpdate[];

/** Several places of the roster lead to one key and want different roles on it. */
function reportConflict(group: KeyUpdateGroup): FindingDraft {
  const wanted = group.map((wish) => `${formatRoles(wish.roles)} (${describeRequester(wish)})`);
  const prefix = groupPrefix(group);
  const message =
    `The key ${prefix} is given different roles: ${joinList(wanted)}. Its roles are left alone ` +
    "until these places agree, or until a wrong prefix among them is corrected.";
  return { code: "conflicting-roles", ...groupFinding(group), message };
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
      return `\`onRemoval\` of team ${concern.team}, of which ${concern.address} is no member`;
  }
}

function groupFinding(group: KeyUpdateGroup): Pick<FindingDraft, "subject" | "because" | "concerns"> {
  return {
    subject: keySubject(groupPrefix(group)),
    because: distinctReasons(group.flatMap(({ because }) => because)),
    concerns: group.map(({ concern }) => concern),
  };
}

function groupPrefix(group: KeyUpdateGroup): string {
  return group[0]?.key.value ?? "";
}

/** A key whose roles we replaced a moment ago, and that still reads as before. */
function recentlyReplacedRoles(
  group: readonly KnownKeyUpdate[],
  record: RecordedKey | undefined,
  context: PlanContext,
): FindingDraft | undefined {
  const [wish] = group;
  const shown = wish?.key.roles;
  if (wish === undefined || record === undefined || shown?.known !== "observed") return undefined;
  if (!sameRoles(record.put, wish.roles) || !isWithinConsistencyWindow(record.at, context)) return undefined;
  const wasShown = record.readAs !== undefined && record.early !== true;
  if (wasShown) return undefined;
  const { value: prefix } = wish.key;
  const subject = keySubject(prefix);
  return {
    code: "settling",
    subject,
    message:
      `roster set the roles of the key ${prefix} to ${formatRoles(record.put)} at ${record.at}, and it still reads as ` +
      `${formatRoles(shown.value)}. ${formatWait(record.at, context)}`,
    because: wish.because,
    restsOn: [
      recordedBasis(subject, formatRoles(record.put), record.at),
      observedBasis(subject, formatRoles(shown.value), shown.by),
    ],
    concerns: group.map(({ concern }) => concern),
  };
}

/** A key to which the service would not give its roles. */
function reportRefusedRoles(group: readonly KnownKeyUpdate[], refusal: RecordedRefusal): FindingDraft {
  const [{ key, roles, asks } = { key: { value: "" }, roles: [], asks: "list" }] = group;
  const subject = keySubject(key.value);
  const told = formatRefusal(`give the key ${key.value} ${formatRoles(roles)}`, refusal);
  return {
    code: "refused",
    subject,
    message: `${told} ${formatRefusalRemedies(asks === "leaver" || asks === "removal" ? "have the key switched off by hand" : "correct the roles or the key in the roster")}`,
    because: distinctReasons(group.flatMap(({ because }) => because)),
    restsOn: [refusalBasis(partOf("roles", subject), refusal)],
    concerns: group.map(({ concern }) => concern),
  };
}
