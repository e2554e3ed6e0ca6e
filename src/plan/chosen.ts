import type { FoldedAddress } from "../model/address.ts";
import type { PlanRefusal } from "../model/plan.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { Roster } from "../model/roster.ts";
import type { TeamKey } from "../model/team.ts";
import type { FindingDraft } from "./draft.ts";
import type { Founders, FoundingPair } from "./founding/founders.ts";
import { matchFounders } from "./founding/matching.ts";
import type { UserIdentities } from "./person.ts";
import type { Selection } from "./selection.ts";
import { joinList } from "./subjects.ts";
import { teamFinding } from "./team-identity.ts";

/** Who is created by this plan, and which teams are founded, after the selection had its say. */
export interface SelectedCreations {
  readonly creations: ReadonlySet<FoldedAddress>;
  readonly foundings: ReadonlyMap<TeamKey, FoundingPair>;
  readonly findings: readonly FindingDraft[];
}

interface MutableSelection {
  readonly creations: Set<FoldedAddress>;
  readonly foundings: Map<TeamKey, FoundingPair>;
}

/** Refuses a selection that would spend new people without whom fewer teams could be founded later. */
export function selectCreations(
  roster: Roster,
  people: UserIdentities,
  founders: Founders,
  selection: Selection,
): Result<SelectedCreations, PlanRefusal> {
  const creatable = [...people.values()].filter(({ is, user }) => is === "new" && !founders.reserved.has(user.address));
  const addresses = creatable.map(({ user }) => user.address);
  if (selection.everything) {
    return success({ creations: new Set(addresses), foundings: founders.foundings, findings: [] });
  }
  const choice = initialSelection(addresses, roster, founders, selection);
  const findings = dropWithoutAdmin(choice, people);
  const stranded = strandedTeams(choice, founders);
  if (stranded.length > 0) return problem(strandedTeamsRefusal(stranded, roster));
  return success({ ...choice, findings });
}

function initialSelection(
  creatable: readonly FoldedAddress[],
  roster: Roster,
  { foundings }: Founders,
  selection: Selection,
): MutableSelection {
  const carried = [...foundings].filter(([team, { founder }]) => selection.keeps({ address: founder, team }));
  const carriers = new Set(carried.map(([, { founder }]) => founder));
  const founderOfAny = new Set([...foundings.values()].map(({ founder }) => founder));
  const throughTeams = membersOfSelectedTeams(roster, selection);
  const isWanted = (address: FoldedAddress) =>
    carriers.has(address) ||
    selection.keeps({ address }) ||
    (throughTeams.has(address) && !founderOfAny.has(address) && !selection.excludes({ address }));
  return { creations: new Set(creatable.filter(isWanted)), foundings: new Map(carried) };
}

function membersOfSelectedTeams({ teams }: Roster, selection: Selection): ReadonlySet<FoldedAddress> {
  const kept = teams.filter(({ key }) => selection.keeps({ team: key }));
  return new Set(kept.flatMap(({ members }) => members.map(({ address }) => address)));
}

/** A founder whose administrator is not created by this plan waits, and so do those who wait for that founder. */
function dropWithoutAdmin(choice: MutableSelection, people: UserIdentities): readonly FindingDraft[] {
  const findings: FindingDraft[] = [];
  for (;;) {
    const lost = [...choice.foundings.values()].find(
      ({ admin }) => admin !== undefined && people.get(admin)?.is === "new" && !choice.creations.has(admin),
    );
    if (lost === undefined) return findings;
    choice.foundings.delete(lost.team.key);
    choice.creations.delete(lost.founder);
    const admin = people.get(lost.admin ?? lost.founder)?.user.email ?? "";
    const message = `${lost.team.name} is not founded by this plan: its administrator ${admin} has to be created first and is not selected.`;
    const concerns = [{ address: lost.founder, team: lost.team.key }];
    findings.push({ ...teamFinding(lost.team, { code: "not-selected", message }), concerns });
  }
}

function strandedTeams({ creations, foundings }: MutableSelection, founders: Founders): readonly TeamKey[] {
  const later = [...founders.contest.candidates].filter(
    ([team]) => !foundings.has(team) && (founders.foundings.has(team) || founders.promised.has(team)),
  );
  const left = later.map(([team, candidates]) => [team, candidates.filter((one) => !creations.has(one))] as const);
  const { founderOf } = matchFounders({ candidates: new Map(left) }, () => undefined);
  return later.map(([team]) => team).filter((team) => !founderOf.has(team));
}

function strandedTeamsRefusal(stranded: readonly TeamKey[], roster: Roster): PlanRefusal {
  const names = roster.teams.filter(({ key }) => stranded.includes(key)).map(({ name }) => name);
  return {
    code: "selection-strands-team",
    message:
      `The selection would create new people without whom ${joinList(names)} could not be founded any more: ` +
      "a team comes into being only together with a new user",
    hint: "Select the team together with its people, or exclude its new people as well, so that one of them is left to found it.",
  };
}
