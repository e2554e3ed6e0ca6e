import type { EmailKey } from "../model/address.ts";
import { createFinding, type Finding } from "../model/finding.ts";
import type { PlanRefusal } from "../model/plan.ts";
import { formatAllowance, type Policy, type Selector } from "../model/policy.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { Roster } from "../model/roster.ts";
import { findingOwnership, type OwnershipIndex } from "../model/roster.ts";
import { foldName, type MembershipKey, membershipKeyOf, type TeamKey } from "../model/team.ts";
import { type Concern, type FindingDraft, joinList } from "./finding-draft.ts";
import { matchFirstMembers } from "./first-member-matching.ts";
import { teamFinding, type UserIdentities } from "./identities.ts";
import type { FirstMembers, TeamCreationPair } from "./new-teams.ts";

/** What of the roster this run is about. Excluding wins over including. */
export interface Selection {
  /** True where nothing was selected, so that everything is. */
  readonly everything: boolean;
  /** A place in a team is kept if the person or the team is included, and neither is excluded. */
  keeps(concern: Concern): boolean;
  /** Whether the person was named to be excluded, or the team. */
  excludes(concern: Concern): boolean;
}

interface SelectedNames {
  readonly people: ReadonlySet<EmailKey>;
  readonly teams: ReadonlySet<TeamKey>;
  readonly places: ReadonlySet<MembershipKey>;
  /** By their prefixes. */
  readonly keys: ReadonlySet<string>;
}

/** Refuses a selector that matches nothing in the roster. */
export function makeSelection(roster: Roster, policy: Policy): Result<Selection, PlanRefusal> {
  const selectors = [...policy.include, ...policy.exclude];
  const idle = selectors.find((selector) => countNames(selectedNames([selector], roster)) === 0);
  if (idle !== undefined) return problem(selectorMatchesNothing(idle));
  const included = selectedNames(policy.include, roster);
  const excluded = selectedNames(policy.exclude, roster);
  const excludes = (concern: Concern) => isNamed(excluded, concern);
  const includes = (concern: Concern) => policy.include.length === 0 || isNamed(included, concern);
  return success({
    everything: selectors.length === 0,
    excludes,
    keeps: (concern) => !excludes(concern) && includes(concern),
  });
}

function countNames({ people, teams, places, keys }: SelectedNames): number {
  return people.size + teams.size + places.size + keys.size;
}

function selectedNames(selectors: readonly Selector[], roster: Roster): SelectedNames {
  const each = selectors.map((selector) => namesOf(selector, roster));
  return {
    people: new Set(each.flatMap(({ people = [] }) => people)),
    teams: new Set(each.flatMap(({ teams = [] }) => teams)),
    places: new Set(each.flatMap(({ places = [] }) => places)),
    keys: new Set(each.flatMap(({ keys = [] }) => keys)),
  };
}

type NamesBySelector = {
  readonly [Name in keyof SelectedNames]?: readonly Parameters<SelectedNames[Name]["has"]>[0][];
};

function namesOf(selector: Selector, roster: Roster): NamesBySelector {
  switch (selector.kind) {
    case "user": {
      const { address } = selector;
      return { people: roster.users.has(address) || roster.leavers.has(address) ? [address] : [] };
    }
    case "team":
      return { teams: teamsNamed(selector.name, roster) };
  }
}

function teamsNamed(name: string, roster: Roster): readonly TeamKey[] {
  const folded = foldName(name);
  return roster.teams.filter((team) => foldName(team.name) === folded).map((team) => team.key);
}

function isNamed({ people, teams, places, keys }: SelectedNames, { address, team, prefix }: Concern): boolean {
  if (address !== undefined && people.has(address)) return true;
  if (team !== undefined && teams.has(team)) return true;
  if (prefix !== undefined && keys.has(prefix)) return true;
  if (places.size === 0 || address === undefined || team === undefined) return false;
  return places.has(membershipKeyOf(team, address));
}

function selectorMatchesNothing(selector: Selector): PlanRefusal {
  return {
    code: "unknown-selector",
    message: `The selector ${selector.written} matches no ${selector.kind} in the roster, so roster planned nothing`,
    hint: "Write user:EMAIL or team:NAME, as they are in the roster.",
  };
}

/** Who is created by this plan, and which teams are created, after the selection had its say. */
export interface SelectedCreations {
  readonly creations: ReadonlySet<EmailKey>;
  readonly teamCreations: ReadonlyMap<TeamKey, TeamCreationPair>;
  readonly findings: readonly FindingDraft[];
}

interface MutableSelection {
  readonly creations: Set<EmailKey>;
  readonly teamCreations: Map<TeamKey, TeamCreationPair>;
}

/** Refuses a selection that would spend new people without whom fewer teams could be created later. */
export function selectCreations(
  roster: Roster,
  people: UserIdentities,
  firstMembers: FirstMembers,
  selection: Selection,
): Result<SelectedCreations, PlanRefusal> {
  const creatable = [...people.values()].filter(
    ({ is, user }) => is === "new" && !firstMembers.reserved.has(user.address),
  );
  const addresses = creatable.map(({ user }) => user.address);
  if (selection.everything) {
    return success({ creations: new Set(addresses), teamCreations: firstMembers.teamCreations, findings: [] });
  }
  const choice = initialSelection(addresses, roster, firstMembers, selection);
  const findings = dropWithoutAdmin(choice, people);
  const stranded = strandedTeams(choice, firstMembers);
  if (stranded.length > 0) return problem(strandedTeamsRefusal(stranded, roster));
  return success({ ...choice, findings });
}

function initialSelection(
  creatable: readonly EmailKey[],
  roster: Roster,
  { teamCreations }: FirstMembers,
  selection: Selection,
): MutableSelection {
  const carried = [...teamCreations].filter(([team, { firstMember }]) =>
    selection.keeps({ address: firstMember, team }),
  );
  const carriers = new Set(carried.map(([, { firstMember }]) => firstMember));
  const firstMemberOfAny = new Set([...teamCreations.values()].map(({ firstMember }) => firstMember));
  const throughTeams = membersOfSelectedTeams(roster, selection);
  const isWanted = (address: EmailKey) =>
    carriers.has(address) ||
    selection.keeps({ address }) ||
    (throughTeams.has(address) && !firstMemberOfAny.has(address) && !selection.excludes({ address }));
  return { creations: new Set(creatable.filter(isWanted)), teamCreations: new Map(carried) };
}

function membersOfSelectedTeams({ teams }: Roster, selection: Selection): ReadonlySet<EmailKey> {
  return new Set(
    teams.flatMap(({ key: team, members }) =>
      members.map(({ address }) => address).filter((address) => selection.keeps({ address, team })),
    ),
  );
}

/** A first member whose administrator is not created by this plan waits, and so do those who wait for that first member. */
function dropWithoutAdmin(choice: MutableSelection, people: UserIdentities): readonly FindingDraft[] {
  const findings: FindingDraft[] = [];
  for (;;) {
    const lost = [...choice.teamCreations.values()].find(
      ({ admin }) => admin !== undefined && people.get(admin)?.is === "new" && !choice.creations.has(admin),
    );
    if (lost === undefined) return findings;
    choice.teamCreations.delete(lost.team.key);
    choice.creations.delete(lost.firstMember);
    const admin = people.get(lost.admin ?? lost.firstMember)?.user.email ?? "";
    const message = `This plan does not create ${lost.team.name}. Its admin ${admin} must be created first and is not selected.`;
    const concerns = [{ address: lost.firstMember, team: lost.team.key }];
    findings.push({ ...teamFinding(lost.team, { code: "not-selected", message }), concerns });
  }
}

function strandedTeams({ creations, teamCreations }: MutableSelection, firstMembers: FirstMembers): readonly TeamKey[] {
  const later = [...firstMembers.all.candidates].filter(
    ([team]) => !teamCreations.has(team) && firstMembers.pairs.firstMemberOf.has(team),
  );
  const left = later.map(([team, candidates]) => [team, candidates.filter((one) => !creations.has(one))] as const);
  const { firstMemberOf } = matchFirstMembers({ candidates: new Map(left) }, () => undefined);
  return later.map(([team]) => team).filter((team) => !firstMemberOf.has(team));
}

function strandedTeamsRefusal(stranded: readonly TeamKey[], roster: Roster): PlanRefusal {
  const names = roster.teams.filter(({ key }) => stranded.includes(key)).map(({ name }) => name);
  return {
    code: "not-selected",
    message:
      `The selection creates the new users that ${joinList(names)} ${names.length === 1 ? "needs" : "need"} later: ` +
      "a new team needs one newly created user as its first member",
    hint: "Select the team together with its users, or exclude one of its new users as well.",
  };
}

interface FindingContext {
  readonly owners: OwnershipIndex;
  /** The plan that an allowance names. */
  readonly plan: string;
}

/** Keeps what the selection keeps, in the order given, and gives each finding its class and fingerprint. */
export function finalizeFindings(
  drafts: readonly FindingDraft[],
  selection: Selection,
  context: FindingContext,
): readonly Finding[] {
  return drafts.filter((draft) => isFindingSelected(draft, selection)).map((draft) => finalizeFinding(draft, context));
}

function isFindingSelected({ concerns }: FindingDraft, selection: Selection): boolean {
  return concerns.length === 0 || concerns.some((concern) => selection.keeps(concern));
}

function finalizeFinding(
  { concerns, restsOn = [], allow = [], allowPlan, message, ...said }: FindingDraft,
  { plan, owners }: FindingContext,
): Finding {
  const ownership = findingOwnership(said.subject, concerns, owners);
  const draft = ownership === undefined ? said : { ...said, ownership };
  const words = allow.map((exception) => formatAllowance({ exception, plan: allowPlan ?? plan }));
  if (words.length === 0) return createFinding({ ...draft, message, restsOn });
  const flags = words.map((word) => `--allow ${word}`).join(" ");
  const offered = `${message} To allow it for this plan only: \`${flags}\`.`;
  return createFinding({ ...draft, message: offered, restsOn, allow: words });
}
