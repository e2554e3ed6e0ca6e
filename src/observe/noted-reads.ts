import type { ReadName } from "../model/fact.ts";
import type { ReadRecord } from "../model/snapshot.ts";
import type { AccountService } from "../ports/account-service.ts";
import { type Clock, isoTime } from "../ports/clock.ts";

export interface RecordedReads {
  readonly service: AccountService;
  /** What was read so far, by the names of the reads. */
  readonly readings: ReadonlyMap<ReadName, ReadRecord>;
}

const apiPath = "/api/accounting";

/** The same service, of which is noted when each read began and what was asked. */
export function recordReads(service: AccountService, clock: Clock): RecordedReads {
  const readings = new Map<ReadName, ReadRecord>();
  const note = (name: ReadName, request: string) => {
    readings.set(name, { at: isoTime(clock), request });
  };
  const { address, keyPrefix } = service;
  return {
    readings,
    service: {
      address,
      ...(keyPrefix === undefined ? {} : { keyPrefix }),
      get requests() {
        return service.requests;
      },
      get paging() {
        return service.paging;
      },
      get totals() {
        return service.totals;
      },
      get unread() {
        return service.unread ?? [];
      },
      listRoles(signal) {
        note("roles", `GET ${apiPath}/roles`);
        return service.listRoles(signal);
      },
      listAccounts(signal) {
        note("accounts", `GET ${apiPath}/accounts`);
        return service.listAccounts(signal);
      },
      readAccount(account, signal) {
        note(`account ${account}`, `GET ${apiPath}/accounts/${account}`);
        return service.readAccount(account, signal);
      },
      listUsers(signal) {
        note("list", `GET ${apiPath}/users, every page`);
        return service.listUsers(signal);
      },
      searchUsers(identifiers, read, signal) {
        const count = identifiers.length === 1 ? "1 address" : `${identifiers.length} addresses`;
        note(read, `POST ${apiPath}/users/search for ${count}`);
        return service.searchUsers(identifiers, read, signal);
      },
      createUser: (...of) => service.createUser(...of),
      addMembers: (...of) => service.addMembers(...of),
      replaceRoles: (...of) => service.replaceRoles(...of),
    },
  };
}
