import type { CreateUser, Founding, TeamRef } from "../model/action.ts";
import { factValue } from "../model/fact.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import { foldName, isDisambiguatedTeamKey, shownTeams } from "../model/team.ts";
import type { AccountService } from "../ports/account-service.ts";
import { type Clock, elapsedSince, type Moment, momentOf } from "../ports/clock.ts";

/** Checks that a team that is to be founded is still absent. */
export type TeamRecheck = (action: CreateUser, founds: Founding) => Promise<Result<"absent" | "present", Failure>>;

/** Lists the users again, once for all foundings while the list is fresh. */
export function createTeamRecheck(ports: {
  readonly service: AccountService;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** How long a read counts, in milliseconds. */
  readonly keeps: number;
}): TeamRecheck {
  const { service, clock, signal, keeps } = ports;
  let known: { readonly at: Moment; readonly list: ReturnType<AccountService["listUsers"]> } | undefined;
  return async ({ account }, { name }) => {
    if (known === undefined || elapsedSince(known.at, clock) > keeps) {
      known = { at: momentOf(clock), list: service.listUsers(signal) };
    }
    const list = await known.list;
    if (!list.ok) return list;
    const { users, complete } = list.value;
    const isShown = users.some((user) => showsTeam(user, account, name));
    if (!isShown && !complete.yes) return problem(incompleteList(name, complete.why));
    return success(isShown ? "present" : "absent");
  };
}

function showsTeam({ keys = [], account: shown }: ObservedUser, account: string, name: string): boolean {
  if (shown !== undefined && shown !== account) return false;
  return keys.some(({ team }) => {
    if (team === undefined || team === "none" || team.name === undefined) return false;
    return foldName(team.name) === foldName(name);
  });
}

function incompleteList(name: string, why: string): Failure {
  return {
    code: "stale",
    message: `roster cannot prove any more that the team ${name} is absent: the list of users is incomplete (${why})`,
    hint: "Plan again. roster creates no team from an incomplete list",
  };
}

/** Why a team is not the one that the plan names: keys show its name with other identifiers alone. */
export function otherTeamIdentifier(team: TeamRef, users: readonly ObservedUser[]): string | undefined {
  const meant = factValue(team.identifier);
  if (meant === undefined || isDisambiguatedTeamKey(team.team)) return undefined;
  const shown = users
    .filter(({ account = team.account }) => account === team.account)
    .flatMap(({ keys = [] }) => shownTeams(keys))
    .flatMap(({ identifier, name = "" }) =>
      identifier !== undefined && foldName(name) === foldName(team.name) ? [identifier] : [],
    );
  const [other] = shown;
  if (other === undefined || shown.includes(meant)) return undefined;
  return `the service shows the team ${team.name} with the identifier ${other}, and the plan adds to ${meant}`;
}
