import { type FindingTexts, say } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import { suggestedShapes, type UnreadField } from "../model/capabilities.ts";
import { byCodeUnit, latest, sortedMap } from "../model/collections.ts";
import {
  type Basis,
  declared,
  distinctReasons,
  type Located,
  type OwnedThing,
  type Reason,
  type ReasonKind,
  type Subject,
} from "../model/fact.ts";
import type { FindingInput } from "../model/finding.ts";
import { accountStatus, type DesiredKey } from "../model/key.ts";
import { absentTeamCreationOf, type Objection } from "../model/policy.ts";
import { indexRoster, type Roster } from "../model/roster.ts";
import { findServiceReset, type ServiceReset } from "../model/service-reset.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { emptyState, type State } from "../model/state.ts";
import { type MembershipKey, membershipKeyOf } from "../model/team.ts";
import type { RoleSet, TeamKey } from "../model/values.ts";
import { type Allowances, weighAllowances } from "./allowances.ts";
import { findOutsideChanges, type OutsideChanges } from "./drift/outside-changes.ts";
import { type Comparison, indexSnapshot, lazy, observedBasis, type PlanFacts } from "./snapshot-index.ts";

export interface PlanContext extends Comparison {
  readonly outside: OutsideChanges;
  /** When a run last set roles on a key of a member, also on one that is gone. */
  readonly rolesSetAt: ReadonlyMap<MembershipKey, string>;
  /** Accounts in which nothing can be done, one finding each. */
  readonly closedAccounts: ReadonlyMap<string, FindingDraft>;
  /** What guards hold, once they have seen what is asked for. */
  readonly held: HeldResources;
  /** Asked where a person may overrule what the plan would object to. */
  readonly allowances: Allowances;
  /** Teams of which a person says that an open call did not create them, as the call names them. */
  readonly uncreated: ReadonlySet<TeamKey>;
  /** The service itself is in doubt: nothing is planned. */
  readonly reset: ServiceReset | undefined;
}

/** What guards keep from being planned, so that others take their places where they can. */
export interface HeldResources {
  /** New people who are not created. */
  readonly people: ReadonlySet<EmailKey>;
  /** New teams that are not created; a first member is kept for each. */
  readonly teams: ReadonlySet<TeamKey>;
  /** Places in new teams whose privileged roles a first member's key is not created with. */
  readonly privileges: ReadonlySet<MembershipKey>;
}

/** A finding before it is known whether the selection keeps it. */
export interface FindingDraft
  extends Omit<FindingInput, "restsOn" | "allow" | "ownership">,
    Pick<FindingTexts, "allowAt"> {
  readonly restsOn?: FindingInput["restsOn"];
  /** What a person can overrule, so that the plan does it all the same. */
  readonly allow?: readonly Objection[];
  /** The people and teams that it concerns; empty where it concerns an account or the whole run. */
  readonly concerns: readonly OwnedThing[];
}

export function suggestedShapesYaml(fields: readonly UnreadField[]): string {
  return ["service:\n  shapes:\n", ...suggestedShapes(fields).map((one) => `    ${one}\n`)].join("");
}

/** `revoke` where roster takes roles from people who are not in the roster: in teams that say so. */
export function removalOf({ teams }: Roster): "revoke" | undefined {
  return teams.some(({ onRemoval }) => onRemoval === "revoke") ? "revoke" : undefined;
}

export function keyConcern({ prefix, owner }: DesiredKey): OwnedThing {
  return { prefix, address: owner?.value };
}

/** What of the roster this run is about. Excluding wins over including. */
export interface Selection {
  /** True where nothing was selected, so that everything is. */
  readonly everything: boolean;
  /** A place in a team is kept if the person or the team is included, and neither is excluded. */
  keeps(concern: OwnedThing): boolean;
  /** Whether the person was named to be excluded, or the team. */
  excludes(concern: OwnedThing): boolean;
}

/**
 * What the steps of a plan look at, before any guard has seen what is asked for. A service that starts anew has nothing of what was
 * recorded, and a creation of a team that a person says was not done is not open any more.
 */
export function buildPlanContext(known: PlanFacts): PlanContext {
  const { snapshot, policy } = known;
  const roster = sortRoster(known.roster);
  const allowances = weighAllowances(policy, roster.accept, snapshot.service, known.state);
  const closedAccounts = findClosedAccounts(roster, snapshot);
  const found = findServiceReset(roster, snapshot, known.state, policy.consistency);
  const startsAnew = found !== undefined && allowances.ask(resetObjection(found)).isAllowed;
  const recorded = startsAnew ? withoutRecords(known.state) : known.state;
  const reset = startsAnew ? undefined : found;
  const undone = recorded.open.filter((open) => {
    const objection = absentTeamCreationOf(open);
    return objection !== undefined && allowances.ask(objection).isAllowed;
  });
  const state =
    undone.length === 0 ? recorded : { ...recorded, open: recorded.open.filter((open) => !undone.includes(open)) };
  const uncreated = new Set(
    undone.flatMap(({ intent }) => (intent.kind === "create-user" ? (intent.createsTeam?.team ?? []) : [])),
  );
  const names = lazy(() => indexRoster(roster, state));
  const compared = { ...known, roster, state, facts: indexSnapshot(snapshot, state), names };
  const outside = findOutsideChanges(compared);
  const rolesSetAt = indexRolesSet(state);
  const held = { people: new Set<EmailKey>(), teams: new Set<TeamKey>(), privileges: new Set<MembershipKey>() };
  return { ...compared, outside, allowances, uncreated, rolesSetAt, closedAccounts, held, reset };
}

/** A service that loses its memory once more has lost what was recorded later. */
export function resetObjection({ missing }: ServiceReset): Objection {
  const facts = missing.map(
    ({ address, createdAt, seenAt }) => `${address}, known since ${seenAt ?? createdAt ?? "an earlier run"}`,
  );
  return { of: "service-reset", subject: undefined, facts };
}

/** What a state knows once its service has started anew. Calls whose outcome is not known stay open. */
function withoutRecords({ seenKeys: _, former: _former, allowances: _allowed, ...state }: State): State {
  const { users, teams, memberships, keys, access, refusals } = emptyState(state.lineage);
  return { ...state, users, teams, memberships, keys, access, refusals };
}

/**
 * The same roster with its people and keys in the order of their addresses and prefixes, so that the order in which they stand in
 * the files changes nothing of a plan. Teams stay in theirs, which says who is created first.
 */
function sortRoster(roster: Roster): Roster {
  return {
    ...roster,
    users: sortedMap(roster.users),
    leavers: sortedMap(roster.leavers),
    teams: roster.teams.map((team) => {
      return { ...team, members: team.members.toSorted((a, b) => byCodeUnit(a.address, b.address)) };
    }),
    keys: roster.keys.toSorted((a, b) => byCodeUnit(a.prefix, b.prefix)),
  };
}

function indexRolesSet({ access, keys }: State): ReadonlyMap<MembershipKey, string> {
  const times = new Map<MembershipKey, string>();
  for (const { prefix, address, team } of access.values()) {
    const at = keys.get(prefix)?.at;
    if (at === undefined || address === undefined || team === undefined) continue;
    const place = membershipKeyOf(team.team, address);
    times.set(place, latest(times.get(place), at) ?? at);
  }
  return times;
}

/** Accounts in which nothing can be done, one finding each. */
function findClosedAccounts(roster: Roster, { accounts }: Snapshot): ReadonlyMap<string, FindingDraft> {
  const entries = [...roster.users.values(), ...roster.teams];
  const closed = new Map<string, FindingDraft>();
  for (const { account } of entries) {
    const shown = accounts.get(account);
    const status = accountStatus(shown?.status);
    if (closed.has(account) || (shown !== undefined && status !== "barred" && status !== "deleted")) continue;
    const inIt = entries.filter((entry) => entry.account === account);
    // The entries come after the places that name the account.
    const because = distinctReasons([
      ...inIt.flatMap((entry) => entry.because.slice(1)),
      ...inIt.flatMap((entry) => entry.because.slice(0, 1)),
    ]);
    const subject: Subject = { kind: "other", name: `account ${account}` };
    const texts =
      shown === undefined
        ? say("account-unavailable/hidden", { account })
        : say("account-unavailable/inactive", { account, status: shown.status ?? "" });
    const restsOn = shown === undefined ? [] : [observedBasis(subject, shown.status ?? "", shown.by)];
    closed.set(account, { ...texts, subject, because, restsOn, concerns: [] });
  }
  return closed;
}

const roleLists: ReadonlySet<ReasonKind> = new Set(["member-roles", "team-roles", "own-key-roles", "key"]);

/** The lines that name one of these roles, the first for the most: of a role set that has it, else of a list of roles. */
export function roleLines(reasons: readonly Reason[], roles: RoleSet, { roster }: PlanContext): readonly Reason[] {
  const hasRole = (set = "") => roster.roleSets.get(set)?.value.some((role) => roles.includes(role)) === true;
  const sets = reasons.filter(({ as, name }) => as === "role-set" && hasRole(name));
  return [...sets, ...reasons.filter(({ as }) => roleLists.has(as))];
}

/** That these dates of the roster have not come yet. */
export function dateBases(about: Subject, dates: readonly Located<string>[], today: string): readonly Basis[] {
  const clock = observedBasis({ kind: "other", name: "today" }, today, "clock");
  return [...dates.map(({ value, place }) => ({ about, ...declared(value, place) })), clock];
}
