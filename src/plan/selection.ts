import type { FoldedAddress } from "../model/address.ts";
import type { PlanRefusal } from "../model/plan.ts";
import type { Policy, Selector } from "../model/policy.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { Roster } from "../model/roster.ts";
import { foldName, type TeamKey } from "../model/team.ts";
import type { Concern } from "./draft.ts";

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
  readonly people: ReadonlySet<FoldedAddress>;
  readonly teams: ReadonlySet<TeamKey>;
}

/** Of a run about the whole roster. */
export const wholeRoster: Selection = { everything: true, keeps: () => true, excludes: () => false };

/** Refuses a selector that means nobody and nothing in the roster, and to release somebody whom it names. */
export function makeSelection(roster: Roster, policy: Policy): Result<Selection, PlanRefusal> {
  const named = policy.released.find((address) => roster.users.has(address) || roster.leavers.has(address));
  if (named !== undefined) return problem(releasedPersonIsNamed(named, roster));
  const selectors = [...policy.include, ...policy.exclude];
  const idle = selectors.find((selector) => matchesNothing(selector, roster));
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

function matchesNothing(selector: Selector, roster: Roster): boolean {
  if (selector.kind === "user") return !roster.users.has(selector.address) && !roster.leavers.has(selector.address);
  return teamsNamed(selector.name, roster).length === 0;
}

function selectedNames(selectors: readonly Selector[], roster: Roster): SelectedNames {
  return {
    people: new Set(selectors.flatMap((selector) => (selector.kind === "user" ? [selector.address] : []))),
    teams: new Set(
      selectors.flatMap((selector) => (selector.kind === "team" ? teamsNamed(selector.name, roster) : [])),
    ),
  };
}

function teamsNamed(name: string, roster: Roster): readonly TeamKey[] {
  const folded = foldName(name);
  return roster.teams.filter((team) => foldName(team.name) === folded).map((team) => team.key);
}

function isNamed(chosen: SelectedNames, { address, team }: Concern): boolean {
  return (address !== undefined && chosen.people.has(address)) || (team !== undefined && chosen.teams.has(team));
}

function releasedPersonIsNamed(address: FoldedAddress, roster: Roster): PlanRefusal {
  const as = roster.leavers.has(address) ? "a leaver" : "a user";
  return {
    code: "selects-nothing",
    message: `--release ${address} means somebody whom the roster names as ${as}, so nothing was planned`,
    hint: "Only somebody whom no file names any more can be released; take them out of the roster first, or leave the flag away.",
  };
}

function selectorMatchesNothing(selector: Selector): PlanRefusal {
  return {
    code: "selects-nothing",
    message: `The selector ${selector.written} means no ${selector.kind} of the roster, so nothing was planned`,
    hint: "Write user:EMAIL with an address of the roster, or team:NAME with the name of one of its teams.",
  };
}
