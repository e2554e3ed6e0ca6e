import { say } from "../../codes/message.ts";
import type { EmailKey } from "../../model/address.ts";
import type { OpenIntent } from "../../model/call.ts";
import { groupBy } from "../../model/collections.ts";
import {
  factValue,
  formatSubject,
  isSameReason,
  keySubject,
  memberSubject,
  type Reason,
  type Subject,
  teamSubject,
  userSubject,
} from "../../model/fact.ts";
import {
  createFinding,
  type Finding,
  type FindingClass,
  findingClass,
  isAccepted,
  type OutsideChange,
} from "../../model/finding.ts";
import { sha256 } from "../../model/json.ts";
import { isDeleted, shownTeam } from "../../model/key.ts";
import {
  type ActionId,
  type Coverage,
  creationId,
  type Drift,
  type DriftClass,
  type DriftItem,
  dependenciesOf,
  ownershipOfPart,
  type Plan,
  prefixOf,
  privilegesGained,
} from "../../model/plan.ts";
import { callIdOf, type State } from "../../model/state.ts";
import { foldName } from "../../model/team.ts";
import type { ObservedUser } from "../../model/user.ts";
import { type RoleSet, rolesWithout } from "../../model/values.ts";
import { countCalls, namesOf, ownerLookup, type PruneTarget, prune } from "../actions.ts";
import type { PlanContext } from "../context.ts";
import { planId } from "../plan-id.ts";
import { type Comparison, heldKeys, type UserKey } from "../snapshot-index.ts";
import { type ActionPart, splitAction } from "./outside-changes.ts";
import { looksAtEverything } from "./tasks.ts";
import { ownsKey } from "./unmanaged.ts";

interface DriftScope {
  /** Formatted subjects that a run was working on while the service was read. What they show is no drift yet. */
  readonly moving?: ReadonlySet<string>;
  /** Which parts of actions are drift; all of them where it is absent. */
  readonly isLeft?: (part: ActionPart) => boolean;
}

/** Says of each action and each finding of a plan why it is there, since when, and what of it counts. */
export function computeDrift(
  plan: Plan,
  context: PlanContext,
  { moving = new Set(), isLeft = () => true }: DriftScope = {},
): Drift {
  const { roster, snapshot, state, policy, allowances, outside } = context;
  const ownerOf = ownerLookup(roster);
  const parts = plan.actions.flatMap(splitAction).filter(isLeft);
  const waiting = findWaitingParts(parts, moving);
  const actions = parts.map((part): DriftItem => {
    const { action, person, subject } = part;
    const { fingerprint, roles } = describePart(part);
    const classified = { ...classifyBy(outside.behindAction(part), "unapplied"), counts: "change" } as const;
    const privileges = roles.filter((role) => policy.privilegedRoles.includes(role)).map((role) => `with ${role}`);
    const guarded = privileges.length > 0 ? true : undefined;
    return {
      fingerprint,
      code: action.kind,
      subject,
      ...(waiting.has(part) ? inProgress : classified),
      ...allowances.accept({ of: action.kind, subject, facts: [fingerprint, ...privileges] }, guarded),
      of: { is: "action", action: action.id, person },
      ownership: ownershipOfPart(action, person),
    };
  });
  const findings = plan.findings.map((finding): DriftItem => {
    const { fingerprint, code, subject, kind, accept, guarded, accepted, ownership } = finding;
    const changed = classifyBy(outside.behindFinding(finding), classifyFinding(finding, state));
    const classified = { ...changed, counts: kind === "task" ? "blocking" : "nothing" } as const;
    return {
      fingerprint,
      code,
      subject,
      ...(moving.has(formatSubject(subject)) ? inProgress : classified),
      accept,
      guarded,
      accepted,
      ownership,
      of: { is: "finding", finding },
    };
  });
  const byPrivilege = groupBy([...actions, ...findings], (item) => privilegesGained(item).length > 0);
  const items = [...(byPrivilege.get(true) ?? []), ...(byPrivilege.get(false) ?? [])].map((item) => {
    const since = state.openFindings?.get(item.fingerprint)?.since;
    return { ...item, since, owner: ownerOf(item.subject, item.ownership) };
  });
  const codes = new Set(items.flatMap(({ accept, accepted }) => [accept?.code, accepted?.code]));
  const unusedAccepts = looksAtEverything(snapshot, policy) ? roster.accept.filter(({ code }) => !codes.has(code)) : [];
  return { items, coverage: computeCoverage(context), unusedAccepts };
}

/**
 * What was changed outside roster is `tampered`, whatever else it is. A privileged role of which nothing is known was given outside roster too:
 * a finding says so itself, and it is never something that the roster asks for. Roles that the roster gave before are its own.
 */
function classifyBy(outside: readonly OutsideChange[], own: DriftItem["class"]): Pick<DriftItem, "class" | "outside"> {
  if (outside.length === 0) return { class: own };
  const isChange = ({ is }: OutsideChange) =>
    is !== "privileged-roles-left" && (is !== "privileged-roles-found" || own === "unapplied");
  return { class: outside.some(isChange) ? "tampered" : own, outside };
}

const inProgress = { class: "pending", counts: "nothing" } as const;

/** The parts of a plan that another run has in hand, and those that need one of them. Expects the order of a plan. */
function findWaitingParts(parts: readonly ActionPart[], moving: ReadonlySet<string>): ReadonlySet<ActionPart> {
  const waiting = new Set<ActionPart>();
  if (moving.size === 0) return waiting;
  const names = new Set<string>();
  const nameOf = (action: ActionId, person?: EmailKey) => JSON.stringify([action, person]);
  for (const part of parts) {
    const { action, person, subject } = part;
    const creation = person === undefined ? [] : [{ action: creationId(person), person: undefined }];
    const isNeeded = [...dependenciesOf(action), ...creation].some(
      (need) => names.has(nameOf(need.action)) || names.has(nameOf(need.action, need.person)),
    );
    if (!isNeeded && !moving.has(formatSubject(subject))) continue;
    waiting.add(part);
    names.add(nameOf(action.id, person));
  }
  return waiting;
}

/**
 * How much of the people, teams and keys that a snapshot shows the roster names. The deleted do not count, nor does the key in use
 * with its owner where the roster does not name that user.
 */
function computeCoverage({ snapshot, keyInUse, ...context }: Comparison): Coverage {
  const names = context.names();
  const isNamed = ({ address }: ObservedUser) => names.isNamed(address);
  const shown = snapshot.users.filter((user) => !isDeleted(user));
  const owner = shown.find((user) => ownsKey(user, keyInUse) && !isNamed(user));
  const users = shown.filter((user) => user !== owner);
  const held = heldKeys(shown).filter(({ key }) => !isDeleted(key));
  const keys = held.filter(({ holder, key }) => holder !== owner || key.prefix !== keyInUse);
  const showsKeys = shown.some((user) => user.keys !== undefined);
  const showsTeams = held.some(({ key }) => key.team !== undefined);
  const byTeam = groupBy(held, ({ holder, key }) => {
    const team = shownTeam(key);
    return team && (team.identifier ?? JSON.stringify([holder.account ?? null, foldName(team.name ?? "")]));
  });
  const isNamedTeam = (those: readonly UserKey[]) => those.some(({ key }) => names.teamOf(key) !== undefined);
  return {
    users: countCovered(users, isNamed),
    teams: showsTeams ? countCovered([...byTeam.values()], isNamedTeam) : undefined,
    keys: showsKeys ? countCovered(keys, (one) => ["managed", "named"].includes(names.keyOf(one).is)) : undefined,
    without: owner && ("owner-of-key-in-use" as const),
  };
}

function countCovered<T>(shown: readonly T[], isNamed: (one: T) => boolean): Coverage["users"] {
  return { shown: shown.length, named: shown.filter(isNamed).length };
}

/**
 * What a run that holds the state has announced, and whatever was recorded while the service was read, formatted. `before` and `after`: the state
 * around that read. `underWay`: another run holds the state, and gives signs of life.
 */
export function findSubjectsInProgress({
  before,
  after,
  underWay,
}: {
  readonly before: State;
  readonly after: State;
  readonly underWay: boolean;
}): ReadonlySet<string> {
  const stillOpen = new Set(after.open.map(callIdOf));
  const closed = before.open.filter((one) => !stillOpen.has(callIdOf(one)));
  const intents = underWay ? [...before.open, ...after.open] : closed;
  const subjects = [
    ...intents.flatMap(intentSubjects),
    ...changedSubjects(before.users, after.users, ({ address }) => userSubject(address)),
    ...changedSubjects(before.teams, after.teams, ({ team }) => teamSubject(team)),
    ...changedSubjects(before.memberships, after.memberships, ({ address, team }) => memberSubject(address, team)),
    ...changedSubjects(before.keys, after.keys, ({ prefix }) => keySubject(prefix)),
  ];
  return new Set(subjects.map(formatSubject));
}

function intentSubjects({ intent }: OpenIntent): readonly Subject[] {
  switch (intent.kind) {
    case "create-user": {
      const user = userSubject(intent.address);
      return intent.createsTeam === undefined ? [user] : [user, teamSubject(intent.createsTeam.team)];
    }
    case "add-members": {
      const { team, addresses } = intent;
      return [{ kind: "additions", team }, ...addresses.map((address) => memberSubject(address, team))];
    }
    case "replace-roles":
      return [keySubject(intent.prefix)];
  }
}

function changedSubjects<K, V>(
  before: ReadonlyMap<K, V>,
  after: ReadonlyMap<K, V>,
  subject: (record: V) => Subject,
): readonly Subject[] {
  // Where nothing was recorded, both are the same and thousands of records are not written out.
  if (before === after) return [];
  return [...after].flatMap(([key, record]) =>
    JSON.stringify(before.get(key)) === JSON.stringify(record) ? [] : [subject(record)],
  );
}

/**
 * The part of a plan that is of some classes and that the roster does not accept, with nothing whose needs are left out. A team is created only together with
 * all that the plan does for it: a first member who is spent cannot be had again.
 */
export function repairPlan(plan: Plan, { items }: Drift, classes: ReadonlySet<DriftClass>): Plan {
  const cause = "not to be repaired";
  let unwanted = items.flatMap((item): PruneTarget<string>[] => {
    if (item.of.is === "finding" || (classes.has(item.class) && !isAccepted(item))) return [];
    const { action, person: address } = item.of;
    return [{ action, cause, address }];
  });
  // Leaving out one creation of a team may take people from another team: it ends where nothing more falls away.
  for (;;) {
    const { actions, pruned } = prune(plan.actions, unwanted);
    if (pruned.length === 0) return plan;
    const leftOut = new Set(pruned.map(({ action }) => action));
    const missed = new Set(
      plan.actions.flatMap((action) => {
        if (!leftOut.has(action.id)) return [];
        if (action.kind !== "add-members") return action.dependsOn;
        return action.firstMember === undefined ? [] : creationId(action.firstMember);
      }),
    );
    const broken = actions.filter(
      (action) => action.kind === "create-user" && action.createsTeam !== undefined && missed.has(action.id),
    );
    if (broken.length === 0) {
      const part = { ...plan, ...namesOf(actions, plan), actions };
      return { ...part, id: planId(part), calls: countCalls(actions, plan.calls.reads) };
    }
    unwanted = [...unwanted, ...broken.map(({ id }) => ({ action: id, cause }))];
  }
}

/**
 * Whatever order things were read in, the same matter has the same fingerprint: other roles on a key are another matter. `roles`: those that
 * a creation gives, or that a key has too many or too few.
 */
function describePart({ action, subject }: ActionPart): { readonly fingerprint: string; readonly roles: RoleSet } {
  const before = action.kind === "replace-roles" ? factValue(action.before) : undefined;
  const wanted = action.kind === "replace-roles" ? action.roles : [];
  const difference = [rolesWithout(before ?? [], wanted), rolesWithout(wanted, before ?? [])];
  const essence = [action.kind, formatSubject(subject), before === undefined ? null : difference];
  const given = action.kind === "create-user" ? (action.createsTeam?.accessKeyRoles ?? []) : [];
  return { fingerprint: sha256(JSON.stringify(essence)).slice(0, 16), roles: [...given, ...difference.flat()] };
}

/** The finding's own class; pending where the service took the call, and may do it later. */
function classifyFinding(finding: Finding, { open }: State): FindingClass {
  const { code, subject } = finding;
  if (code !== "unknown-outcome") return findingClass(finding);
  const isTaken = open.some(({ accepted, intent }) => {
    if (accepted === undefined) return false;
    if (intent.kind === "create-user") return subject.kind === "user" && subject.address === intent.address;
    return intent.kind === "add-members" && subject.kind === "additions" && subject.team === intent.team;
  });
  return isTaken ? "pending" : findingClass(finding);
}

/** The plan once a run has done its part: an extra member whose team key has lost its roles meanwhile blocks no more. */
export function withRolesRevoked(plan: Plan, isEmptied: (prefix: string) => boolean): Plan {
  if (!plan.findings.some(({ code }) => code === "extra-member")) return plan;
  const removals = plan.actions.flatMap((action) => {
    if (action.kind !== "replace-roles" || action.rule !== "extra-member-roles-removed") return [];
    const prefix = prefixOf(action);
    return prefix !== undefined && isEmptied(prefix) ? [{ prefix, action }] : [];
  });
  const findings = plan.findings.map((finding) => {
    const { code, kind, subject, because, restsOn, ownership } = finding;
    if (code !== "extra-member" || kind === "notice" || subject.kind !== "member") return finding;
    // Both say in which team, by its entry in the roster.
    const isAlsoFor = (reason: Reason) => because.some((other) => isSameReason(reason, other));
    const found = removals.find(
      ({ action }) => action.key.address === subject.address && action.because.some(isAlsoFor),
    );
    if (found === undefined) return finding;
    const texts = say("extra-member/revoked-now", { prefix: found.prefix, member: formatSubject(subject) });
    return createFinding({ ...texts, kind: "notice", subject, because, restsOn, ownership });
  });
  return { ...plan, findings };
}
