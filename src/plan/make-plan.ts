import { prefixOf, type ReplaceRoles } from "../model/action.ts";
import { byCodeUnit } from "../model/collections.ts";
import type { ForbiddenTargets, GuardViolation, Plan, PlanRefusal } from "../model/plan.ts";
import { problem, type Result, success } from "../model/result.ts";
import { indexOwnership } from "../model/roster.ts";
import { countCalls, namesOf, orderByDependencies, planId, withOwnership } from "./actions.ts";
import { findEndingAccess, findInvalidRoles } from "./asked-roles.ts";
import { chooseFirstMembers } from "./choose-first-members.ts";
import type { HeldResources, PlanContext } from "./context.ts";
import { planCreations } from "./creations.ts";
import { findUnmanagedKeys, findUnmanagedUsers } from "./drift/unmanaged.ts";
import { findDroppedUsers } from "./dropped-users.ts";
import { planExtraMembers } from "./extra-members.ts";
import { finalizeFindings } from "./finalize-findings.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { checkStops, guardRefusal, holdBack } from "./guards/run-guards.ts";
import { identifyTeams } from "./identify-teams.ts";
import { identifyUsers } from "./identify-users.ts";
import { currentRoles, namesInCalls } from "./identities.ts";
import { findMistakenKeys } from "./keys.ts";
import { listedKeysInUse, planLeavers } from "./leavers.ts";
import { planMemberships } from "./memberships.ts";
import { compareProfiles } from "./profiles.ts";
import {
  type DesiredRolesResult,
  desiredListedKeyRoles,
  desiredOwnKeyRoles,
  desiredTeamKeyRoles,
  findEmptiedKeys,
  planKeyUpdates,
} from "./roles.ts";
import { makeSelection, type Selection, selectCreations } from "./selection.ts";
import { serviceResetFinding } from "./service-reset.ts";
import { findRecordedFacts, findUnreadFields, reportSnapshotSource } from "./unobserved.ts";

/**
 * Compares what is wanted with what was read: what calls can do about it, what guards hold, and what only people can do.
 * `partOf` chooses the part of the plan that is to be applied, by its actions; absent: all of it.
 */
export function makePlan(context: PlanContext, partOf?: (plan: Plan) => Plan): Result<Plan, PlanRefusal> {
  const { roster, snapshot, policy } = context;
  const selected = makeSelection(roster, policy);
  if (!selected.ok) return selected;
  const selection = selected.value;
  const { service, reads } = snapshot;
  const { allowances } = context;
  const owners = indexOwnership(roster);
  const finalized = (drafts: readonly FindingDraft[]) => finalizeFindings(drafts, selection, owners, context);
  if (context.reset !== undefined) {
    // Where the service itself is in doubt, that is all that there is to say.
    const findings = finalized([serviceResetFinding(context.reset, context)]);
    const stops = findings.map(
      ({ message, allow }): GuardViolation => ({ code: "service-reset", message, allow: allow?.[0] }),
    );
    const nothing = { service, actions: [], users: new Map(), teams: new Map() };
    const plan = { ...nothing, id: planId(nothing), findings, calls: countCalls([], reads) };
    return problem(guardRefusal(plan, [...stops, ...allowances.misfits()], policy));
  }
  const asked = draftPlan(context, selection);
  if (!asked.ok) return asked;
  const planWithout = (held: HeldResources) => draftPlan({ ...context, held }, selection);
  const held = holdBack(asked.value, planWithout, context);
  if (!held.ok) return held;
  const { actions, findings } = held.value;
  const names = namesOf(actions, held.value);

  const whole: Plan = {
    id: planId({ service, actions, ...names }),
    service,
    ...names,
    actions: actions.map((action) => withOwnership(action, owners)),
    findings: [],
    calls: countCalls(actions, reads),
    forbids: forbiddenByGuards(context),
  };
  const part = partOf?.(whole) ?? whole;
  // Asked before findings give commands, which pass on all that is allowed.
  const stops = checkStops({ ...held.value, context, actions: part.actions });
  const found = finalized([
    ...context.closedAccounts.values(),
    ...findings,
    ...findUnmanagedUsers(context),
    ...findUnmanagedKeys(context, { actions, findings }),
    ...findUnreadFields(context),
    ...reportSnapshotSource(context, actions),
  ]);
  const allowed = allowances.used();
  const plan: Plan = {
    ...part,
    findings: [...found, ...finalized(allowances.idle())],
    ...(allowed.length === 0 ? {} : { allowed, reason: policy.reason }),
  };
  const against = [...stops, ...allowances.misfits()];
  return against.length === 0 ? success(plan) : problem(guardRefusal(plan, against, policy));
}

/**
 * The keys and people that guards forbid, for keys that only a run learns: the key in use, protected keys and people, and keys
 * that the service shows for protected people. Undefined where nothing is forbidden.
 */
function forbiddenByGuards({ policy, facts, keyInUse }: PlanContext): ForbiddenTargets | undefined {
  const { users, keys } = policy.guards.protect;
  const held = users.flatMap((address) => (facts.people.get(address) ?? []).flatMap((user) => user.keys ?? []));
  const prefixes = new Set([
    ...(keyInUse === undefined ? [] : [keyInUse]),
    ...keys,
    ...held.map(({ prefix }) => prefix),
  ]);
  if (prefixes.size + users.length === 0) return undefined;
  return { keys: [...prefixes].sort(byCodeUnit), people: [...new Set(users)].sort(byCodeUnit) };
}

/** Compares what is wanted with what was read, step by step, without what guards hold. */
export function draftPlan(context: PlanContext, selection: Selection) {
  const { roster } = context;
  // Who is who.
  const { people, findings: userFindings } = identifyUsers(context);
  const { teams, findings: teamFindings } = identifyTeams(context);
  // Which teams are new, and with whom each is created.
  const firstMembers = chooseFirstMembers(teams, people, context);
  const selected = selectCreations(roster, people, firstMembers, selection);
  if (!selected.ok) return selected;
  const chosen = selected.value;

  // Who is created, and who joins.
  const creations = planCreations(context, people, chosen);
  const memberships = planMemberships(teams, { context, people, firstMembers, chosen, selection });
  // Who leaves: leavers, and members too many.
  const extraMembers = planExtraMembers(teams, context);
  const leavers = planLeavers(context, teams, [
    ...memberships.slots.map((slot) => desiredTeamKeyRoles(slot, creations.sent)),
    ...[...people.values()].map((person) => desiredOwnKeyRoles(person, chosen.creations, context)),
    ...listedKeysInUse(context).map((entry) => desiredListedKeyRoles(entry, context, people)),
  ]);
  const removals = [...leavers.leaverRoles, ...extraMembers.removals];
  // Which keys change.
  const desired = [...removals, ...leavers.otherRoles];
  const keyUpdates = planKeyUpdates(desired, context, selection);
  const removing = new Set(removals.map(({ key }) => key.prefix.value));
  const isRemoval = (action: ReplaceRoles) => removing.has(prefixOf(action) ?? "");
  const actions = orderByDependencies([
    // Nothing that the roster asks for waits for the roles that are taken from people who are to have none.
    ...keyUpdates.actions.filter(isRemoval),
    ...creations.actions,
    ...memberships.actions,
    ...keyUpdates.actions.filter((action) => !isRemoval(action)),
  ]);
  return success({
    actions,
    ...namesInCalls(actions, people, teams, context),
    findings: [
      ...leavers.findings,
      ...findDroppedUsers(context),
      ...userFindings,
      ...findEndingAccess(context),
      ...compareProfiles(people),
      ...teamFindings,
      ...firstMembers.findings,
      ...chosen.findings,
      ...creations.findings,
      ...memberships.findings,
      ...extraMembers.findings,
      ...findInvalidRoles(context),
      ...findMistakenKeys(people, teams, context),
      ...keyUpdates.findings,
      ...findEmptiedKeys(people, memberships.slots, desired, context),
      ...findRecordedFacts(memberships.slots, desired, context),
    ],
    people,
    identities: teams,
    slots: memberships.slots,
    desired,
    leavers: leavers.leavers,
    firstMembers,
    knownKeys: knownKeys(desired, context),
  });
}

/** The prefixes of the keys whose roles the roster manages, and of which it is known what they carry. */
function knownKeys(desired: readonly DesiredRolesResult[], { state }: PlanContext): ReadonlySet<string> {
  const managed = new Map(
    desired.flatMap((one) => (one?.is === "known" ? [[one.key.prefix.value, one.key] as const] : [])),
  );
  const known = [...managed.values()].filter((key) => currentRoles(key, state).known !== "unknown");
  return new Set(known.map(({ prefix }) => prefix.value));
}
