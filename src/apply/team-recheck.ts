import type { CreateUser, Founding } from "../model/action.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import { foldName } from "../model/team.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { Clock } from "../ports/clock.ts";

/** Looks whether a team that is to be founded is still absent. */
export type TeamRecheck = (action: CreateUser, founds: Founding) => Promise<Result<"absent" | "present", Failure>>;

/** Lists the users again, once for all the foundings that want to know while the list is fresh. */
export function createTeamRecheck(ports: {
  readonly service: AccountService;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** How long a read counts, in milliseconds. */
  readonly keeps: number;
}): TeamRecheck {
  const { service, clock, signal, keeps } = ports;
  let known: { readonly at: number; readonly list: ReturnType<AccountService["listUsers"]> } | undefined;
  return async ({ account }, { name }) => {
    if (known === undefined || clock.now() - known.at > keeps) {
      known = { at: clock.now(), list: service.listUsers(signal) };
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
    code: "unproven",
    message: `it is not proven any more that the team ${name} is absent: the list of users is incomplete (${why})`,
    hint: "plan again: nothing is founded on a list that may lack somebody",
  };
}
