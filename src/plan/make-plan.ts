import { isHold } from "../codes/guards.ts";
import { say, withAllowCommand } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import { relevantUnreadFields, unreadFieldNames } from "../model/capabilities.ts";
import { byCodeUnit, groupBy } from "../model/collections.ts";
import {
  type Fact,
  formatSubject,
  type OwnedThing,
  observed,
  recorded,
  serviceSubject,
  unknown,
  userSubject,
} from "../model/fact.ts";
import { createFinding, type Finding, isTask } from "../model/finding.ts";
import { shownTeam } from "../model/key.ts";
import {
  type Action,
  type NamesInCalls,
  type Plan,
  peopleOf,
  prefixOf,
  type ReplaceRoles,
  teamOf,
} from "../model/plan.ts";
import { allowCommand, type Policy, type Selector } from "../model/policy.ts";
import { problem, type Result, success } from "../model/result.ts";
import { indexOwnership, type OwnershipLookup, type Roster } from "../model/roster.ts";
import type { ServiceReset } from "../model/service-reset.ts";
import { foldName } from "../model/team.ts";
import type { TeamKey } from "../model/values.ts";
import { countCalls, findingOwnership, namesOf, orderByDependencies, withOwnership } from "./actions.ts";
import type { GuardViolation } from "./allowances.ts";
import type { FindingDraft, HeldResources, PlanContext, Selection } from "./context.ts";
import { resetObjection, suggestedShapesYaml } from "./context.ts";
import { planCreations, selectCreations } from "./creations.ts";
import { findUnmanagedKeys, findUnmanagedUsers } from "./drift/unmanaged.ts";
import { chooseFirstMembers } from "./first-members.ts";
import { checkStops, guardRefusal, holdBack, type PlanRefusal } from "./guards/run-guards.ts";
import { type Identified, identifyTeams, type TeamIdentity } from "./identify-teams.ts";
import { compareProfiles, findDroppedUsers, identifyUsers, type UserIdentity } from "./identify-users.ts";
import { currentRoles, findMistakenKeys } from "./keys.ts";
import { listedKeysInUse, planExtraMembers, planLeavers } from "./leavers.ts";
import { planMemberships } from "./memberships.ts";
import { planId } from "./plan-id.ts";
import {
  type DesiredRolesResult,
  desiredListedKeyRoles,
  desiredOwnKeyRoles,
  desiredTeamKeyRoles,
  findEmptiedKeys,
  findEndingAccess,
  findInvalidRoles,
  findRecordedFacts,
  planKeyUpdates,
} from "./roles.ts";
import { lazy, observedAccount, observedBasis, recordedBasis } from "./snapshot-index.ts";

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
    return problem(guardRefusal(plan, [...stops, ...allowances.mismatches()], policy));
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
    findings: [...found, ...finalized(allowances.idle().map(idleAllowance))],
    ...(allowed.length === 0 ? {} : { allowed, reason: policy.reason }),
  };
  const against = [...stops, ...allowances.mismatches()];
  return against.length === 0 ? success(plan) : problem(guardRefusal(plan, against, policy));
}

function idleAllowance(code: string): FindingDraft {
  const subject = { kind: "other", name: `allowance ${code}` } as const;
  return { ...say("idle-allowance", {}), subject, because: [], concerns: [] };
}

/**
 * The keys and people that guards forbid, for keys that only a run learns: the key in use, protected keys and people, and keys
 * that the service shows for protected people. Undefined where nothing is forbidden.
 */
function forbiddenByGuards({ policy, facts, keyInUse }: PlanContext): Plan["forbids"] {
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
  // Who is who.
  const { people, findings: userFindings } = identifyUsers(context);
  const { teams, findings: teamFindings } = identifyTeams(context);
  const identified = { ...context, people, teams, selection };
  // Which teams are new, and with whom each is created.
  const firstMembers = chooseFirstMembers(identified);
  const selected = selectCreations(identified, firstMembers);
  if (!selected.ok) return selected;
  const chosen = selected.value;

  // Who is created, and who joins.
  const creations = planCreations(identified, chosen);
  const memberships = planMemberships({ ...identified, firstMembers, chosen });
  // Who leaves: leavers, and members too many.
  const extraMembers = planExtraMembers(identified);
  const leavers = planLeavers(identified, [
    ...memberships.slots.map((slot) => desiredTeamKeyRoles(slot, creations.sent)),
    ...[...people.values()].map((person) => desiredOwnKeyRoles(person, chosen.creations, context)),
    ...listedKeysInUse(context).map((entry) => desiredListedKeyRoles(entry, identified)),
  ]);
  const removals = [...leavers.leaverRoles, ...extraMembers.removals];
  // Which keys change.
  const desired = [...removals, ...leavers.otherRoles];
  const keyUpdates = planKeyUpdates(desired, identified);
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
    ...namesInCalls(actions, identified),
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
      ...findMistakenKeys(identified),
      ...keyUpdates.findings,
      ...findEmptiedKeys(memberships.slots, desired, identified),
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

export const wholeRoster: Selection = { everything: true, keeps: () => true, excludes: () => false };

/** Refuses a selector that matches nothing in the roster. */
function makeSelection({ users, leavers, teams }: Roster, policy: Policy): Result<Selection, PlanRefusal> {
  const { include, exclude } = policy;
  if (include.length + exclude.length === 0) return success(wholeRoster);
  const byName = groupBy(teams, ({ name }) => foldName(name));
  const teamsOf = (one: Selector) => (one.kind === "team" ? (byName.get(foldName(one.name)) ?? []) : []);
  const isIdle = (one: Selector) =>
    one.kind === "user" ? !users.has(one.address) && !leavers.has(one.address) : teamsOf(one).length === 0;
  const idle = [...include, ...exclude].find(isIdle);
  if (idle !== undefined)
    return problem({
      code: "unknown-selector",
      message: `The selector ${idle.written} matches no ${idle.kind} in the roster, so roster planned nothing`,
      hint: `Correct the ${idle.kind === "user" ? "address" : "name"}, or add this ${idle.kind} to the roster.`,
    });
  const isNamedBy = (selectors: readonly Selector[]) => {
    const people = new Set(selectors.flatMap((one) => (one.kind === "user" ? one.address : [])));
    const keys = new Set(selectors.flatMap(teamsOf).map(({ key }) => key));
    return ({ address, team }: OwnedThing) =>
      (address !== undefined && people.has(address)) || (team !== undefined && keys.has(team));
  };
  const [includes, excludes] = [isNamedBy(include), isNamedBy(exclude)];
  const keeps = (concern: OwnedThing) => !excludes(concern) && (include.length === 0 || includes(concern));
  return success({ everything: false, excludes, keeps });
}

function serviceResetFinding(reset: ServiceReset, { snapshot }: PlanContext): FindingDraft {
  const { missing, present } = reset;
  const texts = say("service-reset", {
    count: missing.length,
    all: missing.length + present,
    missing: missing.map(({ email }) => email),
  });
  return {
    ...texts,
    subject: serviceSubject(snapshot.service),
    because: [],
    restsOn: missing.flatMap(({ address, createdAt, seenAt }) => {
      const absence = snapshot.absences.get(address);
      const when = seenAt ?? createdAt;
      return [
        ...(when === undefined ? [] : [recordedBasis(userSubject(address), "present", when)]),
        ...(absence?.proven === true ? [observedBasis(userSubject(address), "absent", absence.by)] : []),
      ];
    }),
    allow: [resetObjection(reset)],
    concerns: [],
  };
}

/** How calls name the people and teams of these actions: by the service's identifiers, where they are known. */
function namesInCalls(actions: readonly Action[], identified: Identified): NamesInCalls {
  const { people, teams } = identified;
  const named = new Map<TeamKey, ReturnType<typeof teamInCalls>>();
  for (const action of actions) {
    const team = teamOf(action);
    if (team !== undefined && !named.has(team)) named.set(team, teamInCalls(team, teams.get(team), action, identified));
  }
  const addresses = [...new Set(actions.flatMap(peopleOf))];
  const users = new Map(addresses.map((one) => [one, userInCalls(one, people.get(one), identified)]));
  return { users, teams: named };
}

function userInCalls(address: EmailKey, person: UserIdentity | undefined, { facts, roster, state }: PlanContext) {
  const shown = person?.is === "present" ? person.observed : facts.people.get(address)?.[0];
  const email = person?.user.email ?? shown?.email ?? roster.leavers.get(address)?.email ?? address;
  const record = person?.is === "present" ? person.record : shown === undefined ? state.users.get(address) : undefined;
  const at = record?.createdAt ?? record?.seenAt;
  const identifier = (): Fact<string> => {
    if (person?.is === "absent") return unknown("this plan creates the user");
    if (shown?.identifier !== undefined) return observed(shown.identifier, shown.by);
    if (record?.identifier !== undefined && at !== undefined) return recorded(record.identifier, at);
    return unknown(`the service does not show ${shown === undefined ? "this user" : "the identifiers of users"}`);
  };
  return { email, identifier: identifier() };
}

function teamInCalls(team: TeamKey, identity: TeamIdentity | undefined, action: Action, { facts, state }: PlanContext) {
  if (identity !== undefined) {
    const { name, account } = identity.team;
    const identifier = identity.is === "known" ? identity.identified : unknown<string>("this plan creates the team");
    return { name, account, identifier };
  }
  // A key of a team that the roster does not name.
  const held = facts.keyPrefixed((action.kind === "replace-roles" ? prefixOf(action) : undefined) ?? "");
  const shown = held && shownTeam(held.key);
  const record = state.teams.get(team);
  const name = shown?.name ?? record?.name ?? team;
  const account = (held && observedAccount(held.holder, facts)) ?? record?.account ?? "";
  const known = record?.identifier === undefined ? undefined : recorded(record.identifier, record.at);
  const observedAs = held && shown?.identifier !== undefined ? observed(shown.identifier, held.holder.by) : undefined;
  return { name, account, identifier: observedAs ?? known ?? unknown<string>("the service does not show the team") };
}

/** Fields of the service that look like what it does not show, and how the settings say where they are. */
function findUnreadFields({ snapshot }: PlanContext): readonly FindingDraft[] {
  const missed = relevantUnreadFields(snapshot.unread ?? [], snapshot.capabilities);
  if (missed.length === 0) return [];
  const subject = serviceSubject(snapshot.service);
  const texts = say("unread-fields", { fields: unreadFieldNames(missed) });
  return [{ ...texts, subject, because: [], suggestedYaml: suggestedShapesYaml(missed), concerns: [] }];
}

/** That a plan was made of a kept snapshot, and whom no search has proven absent. */
function reportSnapshotSource(context: PlanContext, actions: readonly Action[]): readonly FindingDraft[] {
  const { unsearched, snapshot } = context;
  if (unsearched === undefined) return [];
  const subject = serviceSubject(snapshot.service);
  const created = actions.filter((action) => action.kind === "create-user");
  const isUnsearched = (address: EmailKey) => unsearched.has(address);
  const count = created.filter(({ address, formerly = [] }) => [address, ...formerly].some(isUnsearched)).length;
  const at = snapshot.readAt;
  const texts =
    count === 0 ? say("not-observed/snapshot", { at }) : say("not-observed/snapshot-without-search", { at, count });
  return [{ ...texts, aspect: "snapshot", subject, because: [], concerns: [] }];
}

/** Keeps what the selection keeps, in the order given. Says of each finding whose it is, what allows it, and if the roster accepts it. */
function finalizeFindings(
  drafts: readonly FindingDraft[],
  selection: Selection,
  owners: OwnershipLookup,
  context: PlanContext,
): readonly Finding[] {
  const { allowances, policy, outside } = context;
  const given = lazy(() => allowances.used().map(({ code }) => code));
  const kept = drafts.filter(({ concerns }) => concerns.length === 0 || concerns.some(selection.keeps));
  return kept.map(({ concerns, restsOn = [], allow = [], message: said, allowAt, ...rest }) => {
    const { code, subject } = rest;
    const ownership = findingOwnership(subject, concerns, owners);
    const codes = [...new Set(allow.map((objection) => allowances.ask(objection).code))];
    const isAllowable = codes.length > 0;
    const command = () => allowCommand([...given(), ...codes], policy);
    const message = isAllowable ? withAllowCommand({ message: said, allowAt }, command()) : said;
    const finding = createFinding({ ...rest, message, restsOn, ownership, allow: isAllowable ? codes : undefined });
    // Nobody can accept what roster may have done itself, nor that a service lost its data.
    if (code === "unknown-outcome" || code === "service-reset" || !isTask(finding)) return finding;
    const privileged = outside.behindFinding(finding).flatMap((change) => change.privileged);
    // What can be allowed is accepted by the same code.
    const [same] = codes.length === 1 ? allow : [];
    const isSame =
      same?.of === code && same.subject !== undefined && formatSubject(same.subject) === formatSubject(subject);
    const facts = isSame ? same.facts : [finding.fingerprint, ...(finding.roles ?? [])];
    const objection = { of: code, subject, facts: [...facts, ...privileged.map((role) => `with ${role}`)] };
    const isPrivileged =
      privileged.length > 0 ||
      code === "unmanaged-privilege" ||
      (code === "roles-kept-by-service" && finding.kind === "task");
    return { ...finding, ...allowances.accept(objection, isHold(code) || isPrivileged ? true : undefined) };
  });
}
