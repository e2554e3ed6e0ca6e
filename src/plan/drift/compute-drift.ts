import { acceptCode } from "../../model/accept.ts";
import { type ActionId, dependenciesOf, ownershipOfPart } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import {
  type Coverage,
  type CoverageCount,
  type Drift,
  type DriftItem,
  type OutsideChange,
  privilegesGained,
} from "../../model/drift.ts";
import type { Finding } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { ownerLookup, type Roster } from "../../model/roster.ts";
import { accountStatus, isDeleted, type ObservedTeam, type ObservedUser, type Snapshot } from "../../model/snapshot.ts";
import type { OpenIntent, State } from "../../model/state.ts";
import type { Ownership } from "../../model/subject.ts";
import {
  formatSubject,
  keySubject,
  memberSubject,
  type Subject,
  teamSubject,
  userSubject,
} from "../../model/subject.ts";
import { foldName } from "../../model/team.ts";
import type { UserKey } from "../snapshot-index.ts";
import { acceptLookup } from "./accept.ts";
import { type ActionPart, changesPrivilege, classifyFinding, partFingerprint, splitAction } from "./classify.ts";
import {
  changesBehindAction,
  changesBehindFinding,
  type OutsideChangeInput,
  outsideChangeInput,
} from "./outside-changes.ts";
import { indexRoster, type RosterIndex } from "./roster-index.ts";
import { ownsKey } from "./unmanaged.ts";

interface DriftInput {
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  /** As it was when the service was read, with what could be settled of earlier runs settled. */
  readonly state: State;
  readonly roster: Roster;
  readonly privilegedRoles: RoleSet;
  /** The day in UTC. */
  readonly today: string;
  readonly moving?: SubjectsInProgress;
  readonly keyInUse?: string | undefined;
}

type CoverageInput = Pick<DriftInput, "snapshot" | "roster" | "state" | "keyInUse">;

/** Says of each action and each finding of a plan why it is there, since when, and what of it counts. */
export function computeDrift(about: DriftInput): Drift {
  const { plan, snapshot, state, roster, privilegedRoles, today, moving } = about;
  const still = moving ?? nothingInProgress;
  const since = sinceLookup(state);
  const ownerOf = ownerLookup(roster);
  const acceptanceOf = acceptLookup(roster.accept, today);
  const parts = plan.actions.flatMap(splitAction);
  const waiting = findWaitingParts(parts, still);
  const input = outsideChangeInput(snapshot, { roster, state, privilegedRoles });
  const actions = parts.map((part): DriftItem => {
    const classified = { ...classifyBy(changesBehindAction(part, input), "unapplied"), counts: "change" } as const;
    const named = {
      fingerprint: partFingerprint(part),
      code: part.action.kind,
      subject: part.subject,
    };
    const nature = changesPrivilege(part.action, privilegedRoles) ? "guarded" : "ordinary";
    return since({
      ...named,
      ...(waiting.has(part) ? inProgress : classified),
      ...acceptanceOf(acceptCode(named, nature)),
      of: { is: "action", action: part.action.id, ...personOf(part) },
      ...ownershipPart(ownershipOfPart(part.action, part.person)),
    });
  });
  const findings = plan.findings.map((finding) => since(findingItem(finding, input, still)));
  const items = privilegedFirst([...actions, ...findings]).map((item) => {
    const owner = ownerOf(item.subject, item.ownership);
    return owner === undefined ? item : { ...item, owner };
  });
  const codes = new Set(items.map(({ accept }) => accept?.code));
  const unusedAccepts = roster.accept.filter(({ code }) => !codes.has(code));
  return { items, coverage: computeCoverage(about), unusedAccepts };
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

function privilegedFirst(items: readonly DriftItem[]): readonly DriftItem[] {
  const isPrivileged = (item: DriftItem) => privilegesGained(item).length > 0;
  return [...items.filter(isPrivileged), ...items.filter((item) => !isPrivileged(item))];
}

const inProgress = { class: "pending", counts: "nothing" } as const;

function ownershipPart(ownership: Ownership | undefined): Pick<DriftItem, "ownership"> {
  return ownership === undefined ? {} : { ownership };
}

function personOf({ person }: ActionPart): { readonly person?: NonNullable<ActionPart["person"]> } {
  return person === undefined ? {} : { person };
}

function findingItem(finding: Finding, input: OutsideChangeInput, moving: SubjectsInProgress): DriftItem {
  const { fingerprint, code, subject, blocking, accept, accepted } = finding;
  const outside = changesBehindFinding(finding, input);
  const changed = classifyBy(outside, classifyFinding(finding, input.state));
  const classified = { ...changed, counts: blocking ? "blocking" : "nothing" } as const;
  return {
    fingerprint,
    ...(moving.has(formatSubject(subject)) ? inProgress : classified),
    code,
    subject,
    ...(accept === undefined ? {} : { accept }),
    ...(accepted === undefined ? {} : { accepted }),
    of: { is: "finding", finding },
    ...ownershipPart(finding.ownership),
  };
}

function sinceLookup({ sightings }: State): (item: DriftItem) => DriftItem {
  return (item) => {
    const sighting = sightings?.get(item.fingerprint);
    return sighting === undefined ? item : { ...item, since: sighting.since };
  };
}

/**
 * How much of the people, teams and keys that a snapshot shows the roster names. The deleted do not count, nor does the key in use
 * with its owner where the roster does not name that user. @internal
 */
export function computeCoverage({ snapshot, roster, state, keyInUse }: CoverageInput): Coverage {
  const names = indexRoster(roster, state);
  const shown = snapshot.users.filter(({ status }) => accountStatus(status) !== "deleted");
  const isNamed = (address: EmailKey) => names.userAt(address) !== undefined || names.isLeaver(address);
  const owner = shown.find((user) => ownsKey(user, keyInUse) && !isNamed(user.address));
  const users = countCovered(
    shown.filter((user) => user !== owner),
    ({ address }) => isNamed(address),
  );
  const without = owner === undefined ? {} : ({ without: "owner-of-key-in-use" } as const);
  if (shown.every(({ keys }) => keys === undefined)) return { users, ...without };
  const held = shown.flatMap((holder) =>
    (holder.keys ?? []).filter((key) => !isDeleted(key)).map((key) => ({ holder, key })),
  );
  const counted = held.filter(({ holder, key }) => holder !== owner || key.prefix !== keyInUse);
  const keys = countCovered(counted, (one) => ["managed", "named"].includes(names.keyOf(one).is));
  const teams = coveredTeams(held, names);
  return { users, ...(teams === undefined ? {} : { teams }), keys, ...without };
}

function countCovered<T>(shown: readonly T[], isNamed: (one: T) => boolean): CoverageCount {
  return { shown: shown.length, named: shown.filter(isNamed).length };
}

/** Teams that keys show, each once; nothing where no key shows whether it has one. */
function coveredTeams(held: readonly UserKey[], names: RosterIndex): CoverageCount | undefined {
  if (held.every(({ key }) => key.team === undefined)) return undefined;
  const teams = new Map<string, boolean>();
  for (const { holder, key } of held) {
    if (key.team === undefined || key.team === "none") continue;
    const name = teamIdentityKey(key.team, holder);
    teams.set(name, teams.get(name) === true || names.teamOf(key) !== undefined);
  }
  return countCovered([...teams.values()], (isNamed) => isNamed);
}

function teamIdentityKey({ identifier, name }: ObservedTeam, { account }: ObservedUser): string {
  return identifier === undefined ? JSON.stringify([account ?? null, foldName(name ?? "")]) : identifier;
}

/** Formatted subjects that a run was working on while the service was read: what they show is no drift yet. */
export type SubjectsInProgress = ReadonlySet<string>;

const nothingInProgress: SubjectsInProgress = new Set();

interface ConcurrentWork {
  /** The state before the service was read, and after. */
  readonly before: State;
  readonly after: State;
  /** Whether another run holds the state, and gives signs of life. */
  readonly underWay: boolean;
}

/** What a run that holds the state has announced, and whatever was recorded while the service was read. */
export function findSubjectsInProgress({ before, after, underWay }: ConcurrentWork): SubjectsInProgress {
  const announced = underWay ? [...before.open, ...after.open].flatMap(intentSubjects) : [];
  return new Set([...announced, ...recordedMeanwhile(before, after)].map(formatSubject));
}

function intentSubjects({ intent }: OpenIntent): readonly Subject[] {
  switch (intent.kind) {
    case "create-user":
      return [
        userSubject(intent.address),
        ...(intent.createsTeam === undefined ? [] : [teamSubject(intent.createsTeam.team)]),
      ];
    case "add-members": {
      const { team, addresses } = intent;
      return [{ kind: "additions", team }, ...addresses.map((address) => memberSubject(address, team))];
    }
    case "replace-roles":
      return [keySubject(intent.prefix)];
  }
}

function recordedMeanwhile(before: State, after: State): readonly Subject[] {
  if (before === after) return [];
  const [then, now] = [openIntentsByName(before), openIntentsByName(after)];
  const closed = [...then].flatMap(([name, open]) => (now.has(name) ? [] : intentSubjects(open)));
  return [
    ...closed,
    ...changedSubjects(before.users, after.users, ({ address }) => userSubject(address)),
    ...changedSubjects(before.teams, after.teams, ({ team }) => teamSubject(team)),
    ...changedSubjects(before.memberships, after.memberships, ({ address, team }) => memberSubject(address, team)),
    ...changedSubjects(before.keys, after.keys, ({ prefix }) => keySubject(prefix)),
  ];
}

function openIntentsByName({ open }: State): ReadonlyMap<string, OpenIntent> {
  return new Map(open.map((one) => [`${one.run}\n${one.action}`, one]));
}

function changedSubjects<K, V>(
  before: ReadonlyMap<K, V>,
  after: ReadonlyMap<K, V>,
  subject: (record: V) => Subject,
): readonly Subject[] {
  return [...after].flatMap(([key, record]) =>
    JSON.stringify(before.get(key)) === JSON.stringify(record) ? [] : [subject(record)],
  );
}

/** The parts of a plan that another run has in hand, and those that need one of them. Expects the order of a plan. */
function findWaitingParts(parts: readonly ActionPart[], moving: SubjectsInProgress): ReadonlySet<ActionPart> {
  const waiting = new Set<ActionPart>();
  const made = new Set<string>();
  for (const part of parts) {
    if (!moving.has(formatSubject(part.subject)) && !partDependencies(part).some((need) => made.has(need))) continue;
    waiting.add(part);
    made.add(partName(part.action.id, part.person));
  }
  return waiting;
}

function partDependencies({ action, person }: ActionPart): readonly string[] {
  const { createdBy } =
    (action.kind === "add-members" ? action.members.find(({ address }) => address === person) : undefined) ?? {};
  return [
    ...dependenciesOf(action).map((need) => partName(need.action, need.person)),
    ...(createdBy === undefined ? [] : [partName(createdBy)]),
  ];
}

function partName(action: ActionId, person?: EmailKey): string {
  return person === undefined ? action : `${action}\n${person}`;
}
