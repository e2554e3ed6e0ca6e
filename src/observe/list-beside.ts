import type { FoldedAddress } from "../model/address.ts";
import { type Failure, type Result, success } from "../model/result.ts";
import { type Absence, accountStatus } from "../model/snapshot.ts";
import type { UserList } from "../ports/account-service.ts";
import type { AddressQuery } from "./asked-addresses.ts";
import type { KnownUserProbes } from "./controls.ts";
import { type SearchPorts, type SearchResult, searchPeople } from "./search-people.ts";

export async function listUsers({ service, progress, signal }: SearchPorts): Promise<Result<UserList, Failure>> {
  const list = await service.listUsers(signal);
  if (list.ok) progress.report({ what: "users listed", done: list.value.users.length });
  return list;
}

/**
 * Searches for those whom the list, if there is one, does not show with their keys. Where nobody at all is known to be
 * there, a complete list of nobody proves by itself that everybody is absent.
 */
export async function searchUnlisted(
  list: UserList | undefined,
  asked: readonly AddressQuery[],
  known: KnownUserProbes,
  ports: SearchPorts,
): Promise<Result<SearchResult, Failure>> {
  if (list === undefined) return searchPeople(asked, known, ports);
  const { users, complete } = list;
  if (complete.yes && users.length === 0 && known.best === undefined) {
    return success({ users: [], misses: allAbsent(asked) });
  }
  const wellShown = new Set(users.filter(({ keys }) => keys !== undefined).map(({ address }) => address));
  const listed = users.filter(({ status }) => accountStatus(status) !== "deleted");
  const controls = known.refined(
    listed.map(({ address, email }) => ({ address, sent: email })),
    new Set(),
  );
  return searchPeople(
    asked.filter(({ address }) => !wellShown.has(address)),
    controls,
    ports,
  );
}

function allAbsent(asked: readonly AddressQuery[]): ReadonlyMap<FoldedAddress, Absence> {
  return new Map(asked.map(({ address }): [FoldedAddress, Absence] => [address, { proven: true, by: "list" }]));
}
