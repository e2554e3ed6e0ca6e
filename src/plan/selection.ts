import { joinList, say } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import type { PlanRefusal } from "../model/plan.ts";
import type { Policy, Selector } from "../model/policy.ts";
import type { TeamKey } from "../model/recorded.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { OwnedThing, Roster } from "../model/roster.ts";
import { foldName } from "../model/team.ts";
import type { FirstMembers, TeamCreationPair } from "./choose-first-members.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { matchFirstMembers } from "./first-member-matching.ts";
import { teamFinding, type UserIdentities } from "./identities.ts";

/** What of the roster this run is about. Excluding wins over including. */
export interface Selection {
  /** True where nothing was selected, so that everything is. */
  readonly everything: boolean;
  /** A place in a team is kept if the person or the team is included, and neither is excluded. */
  keeps(concern: OwnedThing): boolean;
  /** Whether the person was named to be excluded, or the team. */
  excludes(concern: OwnedThing): boolean;
}

interface SelectedNames {
  readonly people: ReadonlySet<EmailKey>;
  readonly teams: ReadonlySet<TeamKey>;
}

/** Refuses a selector that matches nothing in the roster. */
export function makeSelection(roster: Roster, { include, exclude }: Policy): Result<Selection, PlanRefusal> {
  const idle = [...include, ...exclude].find((selector) => {
    const { people, teams } = selectedNames([selector], roster);
    return people.size + teams.size === 0;
  });
  if (idle !== undefined)
    return problem({
      code: "unknown-selector",
      message: `The selector ${idle.written} matches no ${idle.kind} in the roster, so roster planned nothing`,
      hint: "Write user:EMAIL or team:NAME, as they are in the roster.",
    });
  const included = selectedNames(include, roster);
  const excluded = selectedNames(exclude, roster);
  const excludes = (concern: OwnedThing) => isNamed(excluded, concern);
  return success({
    everything: include.length + exclude.length === 0,
    excludes,
    keeps: (concern) => !excludes(concern) && (include.length === 0 || isNamed(included, concern)),
  });
}

function selectedNames(selectors: readonly Selector[], { users, leavers, teams }: Roster): SelectedNames {
  const people = selectors.flatMap((one) => (one.kind === "user" ? [one.address] : []));
  const names = new Set(selectors.flatMap((one) => (one.kind === "team" ? [foldName(one.name)] : [])));
  const named = names.size === 0 ? [] : teams.filter(({ name }) => names.has(foldName(name)));
  return {
    people: new Set(people.filter((address) => users.has(address) || leavers.has(address))),
    teams: new Set(named.map(({ key }) => key)),
  };
}

function isNamed({ people, teams }: SelectedNames, { address, team }: OwnedThing): boolean {
  return (address !== undefined && people.has(address)) || (team !== undefined && teams.has(team));
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
  const creatable = [...people.values()].flatMap(({ is, user: { address } }) =>
    is === "absent" && !firstMembers.reserved.has(address) ? [address] : [],
  );
  if (selection.everything) {
    const { teamCreations } = firstMembers;
    return success({ creations: new Set(creatable), teamCreations, findings: [] });
  }
  const choice = initialSelection(creatable, roster, firstMembers, selection);
  const findings = dropWithoutAdmin(choice, people);
  const stranded = strandedTeams(choice, firstMembers);
  if (stranded.length === 0) return success({ ...choice, findings });
  const names = roster.teams.filter(({ key }) => stranded.includes(key)).map(({ name }) => name);
  return problem({
    code: "not-selected",
    message:
      `The selection creates the new users that ${joinList(names)} ${names.length === 1 ? "needs" : "need"} later: ` +
      "a new team needs one newly created user as its first member",
    hint: "Select the team together with its users, or exclude one of its new users as well.",
  });
}

function initialSelection(
  creatable: readonly EmailKey[],
  roster: Roster,
  { teamCreations }: FirstMembers,
  selection: Selection,
): MutableSelection {
  const pairs = [...teamCreations].filter(([team, { firstMember }]) => selection.keeps({ address: firstMember, team }));
  const chosen = new Set(pairs.map(([, { firstMember }]) => firstMember));
  const firstMemberOfAny = new Set([...teamCreations.values()].map(({ firstMember }) => firstMember));
  const throughTeams = new Set(
    roster.teams.flatMap(({ key: team, members }) =>
      members.map(({ address }) => address).filter((address) => selection.keeps({ address, team })),
    ),
  );
  const isWanted = (address: EmailKey) =>
    chosen.has(address) ||
    selection.keeps({ address }) ||
    (throughTeams.has(address) && !firstMemberOfAny.has(address) && !selection.excludes({ address }));
  return { creations: new Set(creatable.filter(isWanted)), teamCreations: new Map(pairs) };
}

/** A first member whose administrator is not created by this plan waits, and so do those who wait for that first member. */
function dropWithoutAdmin(choice: MutableSelection, people: UserIdentities): readonly FindingDraft[] {
  const findings: FindingDraft[] = [];
  for (;;) {
    const lost = [...choice.teamCreations.values()].find(
      ({ admin }) => admin !== undefined && people.get(admin)?.is === "absent" && !choice.creations.has(admin),
    );
    if (lost === undefined) return findings;
    choice.teamCreations.delete(lost.team.key);
    choice.creations.delete(lost.firstMember);
    const admin = people.get(lost.admin ?? lost.firstMember)?.user.email ?? "";
    const texts = say("not-selected/team", { team: lost.team.name, email: admin });
    const concerns = [{ address: lost.firstMember, team: lost.team.key }];
    findings.push({ ...teamFinding(lost.team, texts), concerns });
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
