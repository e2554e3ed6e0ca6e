import type { Place } from "../../model/fact.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { Roster, RosterUser } from "../../model/roster.ts";
import type { ObservedUser, Snapshot } from "../../model/snapshot.ts";
import { emptyState } from "../../model/state.ts";
import { type ObservePorts, observe } from "../../observe/observe.ts";
import type { AccountService, UserList } from "../../ports/account-service.ts";
import { isoTime } from "../../ports/clock.ts";

/** Everybody of a service, read in the way in which a plan for all of them reads them. */
export interface AllUsersReading {
  readonly snapshot: Snapshot;
  /** People whom the list of users shows and no search finds. */
  readonly listedOnly: readonly ObservedUser[];
}

/** Reads accounts, roles and everybody. A list that cannot be shown to be complete is a failure. */
export async function readAllUsers(
  accounts: readonly string[],
  ports: ObservePorts,
): Promise<Result<AllUsersReading, Failure>> {
  const { service, clock, signal } = ports;
  const readAt = isoTime(clock);
  const list = await service.listUsers(signal);
  if (!list.ok) return list;
  if (!list.value.complete.yes) return problem(incompleteUserList(list.value.complete.why));
  const roster = rosterForUsers(list.value.users, accounts);
  const question = {
    roster,
    state: emptyState("adoption"),
    everyone: "when-needed",
    assumeAbsentTeams: "all",
  } as const;
  const read = await observe(question, { ...ports, service: withUserList(service, list.value) });
  if (!read.ok) return read;
  const snapshot: Snapshot = { ...read.value, readAt };
  if (snapshot.everyone.read === "incomplete") return problem(incompleteUserList(snapshot.everyone.why));
  const shown = new Set(snapshot.users.map(({ address }) => address));
  return success({ snapshot, listedOnly: list.value.users.filter(({ address }) => !shown.has(address)) });
}

function incompleteUserList(why: string): Failure {
  return {
    code: "misunderstood",
    message: `The list of users is incomplete: ${why}`,
    hint: "Nothing is adopted of a service that was not read completely. Try again, or use a key that may see everybody.",
  };
}

/** The same service, whose list of users is not read twice. */
export function withUserList(service: AccountService, list: UserList): AccountService {
  const listUsers: AccountService["listUsers"] = async () => success(list);
  return Object.assign(Object.create(service), { listUsers });
}

const nowhere: Place = { file: "", line: 1, column: 1 };

/** A roster that asks for everybody and for the roles of their keys. */
export function rosterForUsers(users: readonly ObservedUser[], accounts: readonly string[]): Roster {
  const wanted = users.map(({ address, email }): [RosterUser["address"], RosterUser] => {
    const ownKeyRoles = { value: [], place: nowhere, because: [] };
    const user = { address, email, firstName: "", lastName: "", account: "", previously: [], ownKeyRoles };
    return [address, { ...user, distinctFrom: [], place: nowhere, because: [] }];
  });
  return {
    accounts: accounts.map((value) => ({ value, place: nowhere })),
    users: new Map(wanted),
    leavers: new Map(),
    teams: [],
    keys: [],
    roleSets: new Map(),
  };
}
